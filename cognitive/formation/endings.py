"""Find the formed memory that a statement takes back, such as "I no longer drink coffee", if it is certain which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.claims import denies
from brain.text import as_lexeme, lexemes, normalise, stem_counts, words
from brain.types import Memory
from cognitive.formation.own_words import read_sentences
from cognitive.formation.rules.endings import ENDINGS
from cognitive.formation.rules.endings_for_good import WHEN
from cognitive.formation.rules.matching import compiled
from cognitive.formation.statements import FoldedStatement, fold, split_statements

_MAX_WORDS = 6  # of what ended; more are hardly the words of the memory
_SAYS_NOTHING = frozenset("a an the my our old previou former please now again".split())  # stems
# Stems of what names are often said without: "my Hulu subscription" is also called "Hulu".
_HEADS = frozenset("subscript membership account hospit school univers colleg clinic compani café".split())
_NEW = re.compile(
    r"\b(?:now|instead|these days|from now on|since|started|joined|got|bought|picked|took)\b", re.IGNORECASE
)
# "swapped the Saab for a Fiat", "moved from Trello to Linear"
_SWAPPED = re.compile(r"\b(?:from .+ to|(?:swapped|traded|replaced|ditched) .+ (?:for|with|by)) \w", re.IGNORECASE)
# What these words stand for is in another sentence.
_REFERS = re.compile(r"\b(?:it|that|this|these|those|them|him|her|there|one)\b")
_JOINS = re.compile(r"\b(?:and|or|but|plus)\b")  # of "I play golf and tennis", one may go on
_PHRASE_END = re.compile(
    r"[,.;:!()]|\b(?:in|on|at|with|from|to|for|near|since|about|per|every|during|after|before|by|as|than|because|when"
    r"|if|is|are|called|named|who|that|which|once|twice|daily|weekly|an? (?:day|week|month|year))\b|\d"
)
_TITLE = re.compile(r"\b(dr|mrs?|ms|prof|st)\.")
_CLAUSE = re.compile(r",\s+(?:(?:so|and|but) )?")
_PREPOSITION = re.compile(r"\b(?:in|on|at|with|from|to|for|near|by)\b")
_ALL = re.compile(
    r"\W*(?:(?:no|oh|ok|okay|sorry|actually|wait|oops|please|nvm|never ?mind)\b\W*)*(?:(?:scratch|strike|forget) that"
    r"|(?:forget|ignore|disregard|delete|scratch) what i(?: have|'ve)? (?:just )?(?:said|wrote))"
    r"(?:\W+(?:please|sorry|thanks))*\W*"
)
# Of what ended only in part, for a time, long ago or perhaps, the memory still holds.
_LIMITS = re.compile(
    r"\b(?:except|unless|(?:apart|aside) from|(?:other|but|more|less|earlier|later) than|only"
    r"|(?:longer|not|n['’]t) (?:just|simply|merely|quite)|always|often|probably|i (?:think|guess|suppose)(?=[.!]*$)"
    r"|(?:moved|came|went|is|are|am|['’](?:s|re|m)) back(?! (?:to|at|in|with)\b)|returned(?! (?:to|the|my|it)\b)"
    r"|until|till|when|whenever|while|if|once|twice|ago|before|back then|at the time|tonight|tomorrow|almost|nearly"
    r"|for (?:now|lent|(?:an?|the|this|one) (?:\w+ )?(?:day|week|weekend|month|year|time|while|bit|moment|summer|winter"
    r"|holiday|season)s?))\b"
)
# The sentence says that nothing ended, or perhaps nothing: "The trip is off, no, still on", "It's off, I think".
_UNSURE = re.compile(
    r"\b(?:still|back) (?:on|happening)(?: again| after all)?(?=[.,!]|$)|, (?:unless|if)\b"
    r"|\bi (?:think|guess|suppose)(?=[.!]*$)"
)
# So does the sentence or what follows: "The trip is off. No wait, it's on".
_UNDONE = re.compile(
    r"\b(?:it|that)(?:['’]?s| is)(?: still| back)? (?:on|happening)(?: again| after all)?(?=[.,!]|$)"
    r"|(?<=\w[,.;!] )no,? (?:wait|(?:i|we|it|that|he|she|they) \w+(?:n['’]?t| not))\b"
    r"|\bwait,? no(?=[,.!]|$| (?:i|we|it|that)\b)"
)
# A habit may have paused then, but what was sold or cancelled then has ended.
_PAUSES = re.compile(rf"\b{WHEN}")
_AFTER_GONE = re.compile(
    rf" (?:{WHEN}|on \w+day\b|(?:in|at the end of|over the) \w+$|for good|altogether|completely).*"
)
_OWNER = re.compile(r"\b([\w-]+)(?:'s|(?<=s)')(?!\w)")  # "Tom's brother" is not Tom
_REGULAR = re.compile(r"(my|our) (\w+) (?:is|are|runs?|happens?) (?=(?:on|at|every) )")  # "our deploys run on Fridays"
_WE = {"my": "i", "our": "we"}


@dataclass(frozen=True, slots=True)
class Ended:
    """Something that a statement takes back: the words for it, and the beginning of a memory that states it.

    `is_followed` is True if its sentence says what holds instead.
    """

    gone: str
    memory: str
    of_plans: bool
    is_followed: bool
    alike: str = ""

    def is_in(self, memory: str) -> bool:
        """Return True if a memory states what ended, and nothing that may go on.

        The phrase behind the beginning of the memory has the first and the last word of what ended, and the memory has
        all its stems and prepositions.
        """
        plain = _REGULAR.sub(lambda found: f"{_WE[found[1]]} {found[2]} ", FoldedStatement.of(memory).plain)
        begins = compiled(self.memory).match(plain)
        if begins is None or denies(memory) or _JOINS.search(plain):
            return False
        if not set(words(self.gone)).isdisjoint(_OWNER.findall(plain)):
            return False
        gone, stated = _phrase(self.gone), _phrase(plain[begins.end() :])
        return (
            bool(gone and stated)
            and (gone[0], gone[-1]) == (stated[0], stated[-1])
            and set(lexemes(self.gone)) - _SAYS_NOTHING - _HEADS <= stem_counts(memory).keys()
            and set(_PREPOSITION.findall(self.gone)) <= set(_PREPOSITION.findall(plain))
            and (not self.alike or self._is_like(memory, begins[0]))
        )

    def _is_like(self, memory: str, beginning: str) -> bool:
        """Return True if what holds instead has another word of a memory, and the preposition of its beginning."""
        prepositions = set(_PREPOSITION.findall(beginning)[-1:])
        others = set(lexemes(memory)) - set(lexemes(self.gone)) - _SAYS_NOTHING
        return prepositions <= set(words(self.alike)) and not others.isdisjoint(lexemes(self.alike))


def taken_back(message: str) -> list[Ended]:
    """Return what the user's own words in a message take back."""
    found: list[Ended] = []
    read = read_sentences(message)
    for at, sentence in enumerate(read):
        is_stated = sentence.rejected is None and not sentence.text.rstrip().endswith("?")
        followed = " ".join(each.text for each in read[at:]).lower()
        if is_stated and not _UNSURE.search(sentence.text.lower()) and not _UNDONE.search(followed):
            texts = split_statements(sentence.text)
            for n, text in enumerate(texts):
                found += _ended(text, " ".join(texts[n + 1 :]))
    return found


def takes_back_all(message: str) -> bool:
    """Return True if a message says only that its user takes back what was said just before: "Scratch that."."""
    return _ALL.fullmatch(normalise(message)) is not None


def meant(ended: Ended, memories: Sequence[Memory]) -> Memory | None:
    """Return the one memory that states what ended, or None if it is not certain which is meant."""
    of_kind = [each for each in memories if not ended.of_plans or each.attributes.get("kind") == "plan"]
    matching = [memory for memory in of_kind if ended.is_in(memory.content)]
    return matching[0] if len(matching) == 1 else None


def _ended(text: str, behind: str) -> Iterator[Ended]:
    """Yield what a statement may take back, by each form that fits. `behind` is the rest of its sentence."""
    limited, pauses = (limit.search(text.lower()) is not None for limit in (_LIMITS, _PAUSES))
    is_followed = any(said.search(f"{text} {behind}") for said in (_NEW, _SWAPPED))
    for clause in (text, *_CLAUSE.split(text)[1:]):
        plain = FoldedStatement.of(clause).plain
        yield from _ended_in(plain, behind, limited=limited, pauses=pauses, is_followed=is_followed)


def _ended_in(plain: str, behind: str, *, limited: bool, pauses: bool, is_followed: bool) -> Iterator[Ended]:
    """Yield what a folded clause may take back, of a statement that is `limited` or says when something paused."""
    for row in ENDINGS:
        said = compiled(row.said).match(plain)
        if said is None or (not row.of_plans and (limited or (pauses and not row.done))):
            continue
        new = f"{plain[said.end() :]} {behind}" if row.instead else ""
        groups = said.groupdict()
        gone = groups["gone"] or groups.get("left") or groups["was"]
        gone = _AFTER_GONE.sub("", gone) if row.done else gone
        if len(gone.split()) > _MAX_WORDS or _REFERS.search(gone) or gone in fold(new):
            continue
        if row.instead and not (_NEW.search(new) and compiled(row.instead).search(fold(new))):
            continue
        memory = row.memory.replace("{who}", groups.get("who") or "(?:i|we)")
        yield Ended(gone, memory, row.of_plans, is_followed, new if row.alike else "")


def _phrase(text: str) -> list[str]:
    """Return the stems of a text before its first preposition or clause, with words such as "out" but no articles."""
    text = _TITLE.sub(r"\1", text)
    end = _PHRASE_END.search(text)
    said = [as_lexeme(word) or word for word in words(text[: end.start()] if end else text)]
    named = [word for word in said if word not in _SAYS_NOTHING]
    return [word for word in named if word not in _HEADS] or named
