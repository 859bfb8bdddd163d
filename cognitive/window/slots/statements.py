"""Recognise the statements of a message that a summary keeps in the speaker's own words, and choose among them.

They are prohibitions, decisions, deadlines, numbers, names and open questions. Each is a sentence, cut only at clauses
that state something else. When they exceed their room, the firmest remain, and among equally firm ones the earliest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import re2

from brain.caches import cached
from brain.text import sentences, stem
from brain.text import words as words_of
from cognitive.window.output.importance import negates, restricts
from cognitive.window.slots.fact_rules import FACT_RULES
from cognitive.window.slots.patterns import DATE, SlotKind, without_lookaround
from cognitive.window.slots.rules import RULES

MAX_STATEMENT = 240  # characters of a statement; a longer sentence is cut at its clauses
_PER_MESSAGE = 3  # statements; a message with more is a document, whose rules are not the conversation's
FIRM = 5  # firmness of a statement that no newer one of its firmness pushes out
_MIN_WORDS = 3
_MAX_SENTENCE = 500  # characters; a longer one is no sentence but pasted text
_READ = 4_000  # characters searched at the head of a message, and as many at its tail
_FIRMEST: Sequence[SlotKind] = ("prohibition", "decision", "deadline", "name", "number", "question")

_FENCED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^(?:(?:[-*+•‣◦▪–—]|\d{1,2}\)|\[[ xX]?\]|#{1,6})\s+)+")
_EMPHASIS = re.compile(r"(?<![^\W_])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![^\W_])")
# A request after a statement ("..., could you also check the mail?") leaves it a statement.
_REQUEST = re.compile(r"[,;]\s+(?:(?:and|also|so|but|oh|btw) )*(?:can|could|would|will) you\b[^,;]*\?+$", re.I)
# A question at the end of a statement ("..., ok?") leaves it a statement.
_TAG = re.compile(
    r"[,;]?\s*(?:ok(?:ay)?|right|all right|alright|got it|understood|yes|yeah|agreed|clear|deal)\s*\?+$", re.I
)
_ASKS = re.compile(
    r"\?$|^(?:(?:hey|hi|so|and|but|ok|okay|also|sorry|well|please)\b[,:]? )*(?:(?:can|could|would|will) (?:you|we"
    r"|i)\b"
    r"|remind me|tell me|explain|show me|why\b|how (?:much|many|long|far|old|big|is|are|do|does|did|was)\b"
    r"|(?:what|where|who)(?:'s| is| are| was| do| does| did)\b|(?:is|are|was|does|did)\b|do (?:we|you|i|they)\b"
    r"|any\b(?!.*\b(?:must|needs?|requires?|(?:has|have|is|are) to|shall|should|may|goes|cannot|can't)\b))"
    r"|, (?:will|can|is|does|are|could) (?:the|it|you|we|she|he|they|i)\b[^,]*$",
    re.I,
)
# An order of a task that is done and forgotten.
_TASK = re.compile(
    r"^(?:(?:please|pls|now|and|ok|then|also|just) )*(?:re?start|count|pull|unlock|ping|test|check|show|list|open"
    r"|close|print|find"
    r"|run|give|draft|translate|proofread|summari[sz]e|convert|calculate|look|add|fix|try|upload|download|move|rename"
    r"|delete|remove|resize|crop|round|sort|search|read|tell|say|thank|make|build|create|write|install|deploy|update|generate)\b",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|thinking (?:of|about)|considering|what if|i guess|i suppose|could be|would have"
    r"|if i were"
    r"|not decided|probably|kind of|sort of|joking|just kidding)\b",
    re.I,
)
# A figure that holds for the moment only.
_PASSING = re.compile(
    r"\b(?:at the moment|right now|currently|just now|so far|(?:in|for|over) the last (?:hour|minute|day|night)"
    r"|tonight"
    r"|this (?:morning|afternoon|evening)|today|yesterday|last night|minutes? ago|hours? ago)\b",
    re.I,
)
_READING = re.compile(r"\b(?:percent|per ?cent|degrees|rows|cpu|memory|ms|unread|replies|uptime)\b|\d ?%", re.I)
_QUOTED = re.compile(
    r"(?<!\w)(['\"“‘])(?=\w)(?:\S+ ){2,}.*?['\"”’](?!\w)"
)  # another's words: three or more in quotation marks
_CLAUSE = re.compile(r"[,;:]\s+|\s[–—-]\s+")
_SPECIFIC = re.compile(r"(?<=\w )(?:[A-Z][\w-]+|\S*\d)|(?<=, )[A-Z]\w+")
_DATES = re.compile(DATE, re.I)
_FIGURE = re.compile(r"\d[\d.,:/-]*")
# A figure that is the value of something, not a part of its name.
_VALUE = re.compile(
    r"(?:\b(?:is|are|was|were|be|to|at|by|until|till|before|on|costs?|takes?)\b(?: \w+){0,3}"
    r"|[:=])\s+[^\w\s]?(?=\d)\S+(?!.*\d)",
    re.I,
)
# Words in which two statements of the same thing may differ.
_FREE = frozenset(
    map(
        stem,
        "now actually new correction changed moved instead make so and but ok okay please the a an our my is are was"
        " were be been will has have had to of for by at on in it its it's this that".split(),
    )
)
# A full stop that ends no sentence. A capital is an initial in a name ("by J. Ortiz"), but not in "option B".
_ABBREVIATED = re.compile(
    r"(?:\b(?i:dr|mr|mrs|ms|prof|st|vs|e\.g|i\.e|approx|inc|ltd|jr|sr|ca|cf)|\.[A-Za-z]"
    r"|(?:^|\b[A-Z][\w'-]* |\b(?:by|to|of|for|from|with|and) )[A-Z])\.$"
)
_ABBREVIATION_CHARS = 24  # characters, with the full stop and the word before
_GAP = " … "  # in place of clauses that are left out
_FIRM = re.compile(
    r"\b(?:to be (?:very )?clear|from now on|once and for all|no exceptions|ever again|not even|whatever happens"
    r"|ever,"
    r"|for the record|important|please note|take note|note that|remember|make sure|i mean it|end of story|full stop"
    r"|that's that|not negotiable|non-negotiable|for good|settled|write (?:it|this) down|i promised|has to know)\b",
    re.I,
)


@cache
def _prefilter() -> re2.Set:
    """Return an automaton that finds the rules that may match a sentence, 40 times as fast as their patterns."""
    options = re2.Options()
    options.case_sensitive, options.max_mem, options.log_errors = False, 64 << 20, False
    patterns = re2.Set.SearchSet(options)
    for rule in _RULES:
        patterns.Add(without_lookaround(rule.pattern))
    patterns.Compile()
    return patterns


_RULES = (*RULES, *FACT_RULES)


@dataclass(frozen=True, slots=True)
class KeptStatement:
    """A statement to keep: its kind, its firmness from 1 to 10, the words, and the sentence that they are from."""

    kind: SlotKind
    firmness: int
    text: str
    sentence: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """The order in which statements are kept, the smallest first."""
        return -self.firmness, _FIRMEST.index(self.kind)

    @property
    def covers_sentence(self) -> bool:
        """True if no clause with a negation or a condition of the sentence is left out."""
        left_out = (clause for clause in _CLAUSE.split(_unmarked(self.sentence)) if clause not in self.text)
        return not (len(self.sentence) > MAX_STATEMENT and any(map(restricts, left_out)))

    def replaced_by(self, later: KeptStatement) -> bool:
        """Return True if a later statement gives the same thing another value.

        They must agree in all words of content, in their negations, and in all figures but the last, which may be a
        date.
        """
        if self.kind != later.kind or self.kind in ("prohibition", "question"):
            return False
        own, other = _measured(self.text), _measured(later.text)
        return own is not None and own == other and len(own.words) >= 2


@dataclass(frozen=True, slots=True)
class _Measured:
    """The figures of a statement before the last one, which is its value, its other words, and its negations."""

    figures: tuple[str, ...]
    words: frozenset[str]
    negations: int


@cached(1_024)
def _measured(text: str) -> _Measured | None:
    """Return the parts of a statement that gives something a value, or None for another statement."""
    plain = _DATES.sub(" 0 ", text)
    if not _VALUE.search(plain):
        return None
    figures = tuple(_FIGURE.findall(plain)[:-1])
    others = words_of(_FIGURE.sub(" ", plain))
    return _Measured(figures, frozenset(map(stem, others)) - _FREE, sum(map(negates, others)))


def statements(text: str, speaker: str) -> list[KeptStatement]:
    """Return the statements of a message to keep, in their order; `speaker` is "user" or "assistant".

    Of a long message, only the head and the tail are searched. A statement that the message repeats counts once.
    """
    found: dict[str, KeptStatement] = {}
    for sentence in _ends(_FENCED.sub("\n", text)):
        if (each := statement(sentence, speaker)) is not None:
            found.setdefault(each.text.casefold(), each)
    firmest = sorted(enumerate(found.values()), key=lambda pair: pair[1].rank)[:_PER_MESSAGE]
    return [each for _, each in sorted(firmest, key=lambda pair: pair[0])]


def _ends(text: str) -> list[str]:
    """Return the sentences of a text, or of a long one only those at its head and its tail that are not cut."""
    if len(text) <= 2 * _READ:
        return split(text)
    return [*split(text[:_READ])[:-1], *split(text[-_READ:])[1:]]


def split(text: str) -> list[str]:
    """Return the sentences of a text with single spaces. An abbreviation such as "Dr." ends no sentence."""
    joined: list[list[str]] = []
    for sentence in sentences(unicodedata.normalize("NFC", text)):
        piece = " ".join(sentence.split())
        if joined and _ABBREVIATED.search(joined[-1][-1][-_ABBREVIATION_CHARS:]):
            joined[-1].append(piece)
        else:
            joined.append([piece])
    return [" ".join(pieces) for pieces in joined]


@cached(4_096)
def statement(sentence: str, speaker: str) -> KeptStatement | None:
    """Return a sentence as a statement to keep, or None if no rule recognises it."""
    text, unmarked = _BULLET.sub("", sentence), _unmarked(sentence)
    bare = _REQUEST.sub("", _TAG.sub("", unmarked.replace("\u2019", "'")))
    words = len(bare.split())
    if words < _MIN_WORDS or len(bare) > _MAX_SENTENCE:
        return None
    found = _matches(bare, speaker)
    if not found:
        return None
    firmness, kind, span = max(found, key=lambda each: each[0])
    score = 2 * firmness + _adjusted(bare, kind, words) + (len({each[1] for each in found}) > 1)
    if score <= 0:
        return None
    return KeptStatement(kind, score, text if len(text) <= MAX_STATEMENT else _clauses(unmarked, *span), sentence)


def _unmarked(sentence: str) -> str:
    """Return a sentence without its bullet and its asterisks."""
    return _EMPHASIS.sub("", _BULLET.sub("", sentence))


def _matches(bare: str, speaker: str) -> list[tuple[int, SlotKind, tuple[int, int]]]:
    """Return the firmness, the kind and the span of each rule that matches a sentence outside quotation marks."""
    quoted = [each.span() for each in _QUOTED.finditer(bare)]
    asks, found = _ASKS.search(bare) is not None, list[tuple[int, SlotKind, tuple[int, int]]]()
    for rule in (_RULES[n] for n in _prefilter().Match(_folded(bare)) or ()):
        firmness = rule.firmness if speaker == "user" else rule.assistant
        if firmness == 0 or (asks and rule.kind != "question"):
            continue
        match = rule.search(bare)
        if match is not None and not any(start < match.start() and match.end() <= end for start, end in quoted):
            found.append((firmness, rule.kind, match.span()))
    return found


def _folded(text: str) -> str:
    """Return a text with ASCII letters and digits for all others, the only ones that are a word's to the automaton."""
    return text if text.isascii() else "".join(map(_ascii, text))


def _ascii(character: str) -> str:
    if character.isascii() or not character.isalnum():
        return character
    base = unicodedata.normalize("NFKD", character)[0]
    return base if base.isascii() else "0" if base.isdigit() else "X" if base.isupper() else "x"


def known(text: str, speaker: str, kind: str) -> KeptStatement:
    """Return a statement that an earlier summary kept, with its firmness."""
    found = statement(text, speaker)
    return KeptStatement(kind, found.firmness if found is not None else 1, text)  # type: ignore[arg-type]


def _adjusted(sentence: str, kind: SlotKind, words: int) -> int:
    """Return by how much a sentence is firmer, or less firm, than the rule that recognises it says."""
    passing = 3 * bool(_PASSING.search(sentence)) + bool(_READING.search(sentence)) if kind == "number" else 0
    length = -2 if words < 6 else -1 if words < 8 else 0 if words < 10 else 1
    return (
        2 * bool(_FIRM.search(sentence))
        + bool(_SPECIFIC.search(sentence))
        + length
        - passing
        - 3 * (kind in ("number", "name") and bool(_TASK.search(sentence)))
        - 2 * bool(_HEDGED.search(sentence))
    )


def _clauses(sentence: str, start: int, end: int) -> str:
    """Return a sentence, without the clauses farthest from the recognised part if it is too long.

    Clauses with a negation or a condition remain as long as there is room.
    """
    ends = [match.end() for match in _CLAUSE.finditer(sentence)]
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(sentence))
    bounds = [0, *(place for place in ends if place <= first or place >= last), len(sentence)]
    bounds = sorted({*bounds, first, last})
    spans = list(pairwise(bounds))
    core = spans.index((first, last))
    kept, room = {core}, MAX_STATEMENT - (last - first)
    order = [*range(core - 1, -1, -1), *range(core + 1, len(spans))]
    for place in sorted(order, key=lambda n: not restricts(sentence[slice(*spans[n])])):
        size = spans[place][1] - spans[place][0] + len(_GAP)
        if size <= room:
            kept.add(place)
            room -= size
    parts: list[str] = []
    for place in sorted(kept):
        piece = sentence[slice(*spans[place])]
        parts.append(piece if not parts or place - 1 in kept else _GAP.lstrip() + piece)
    return "".join(parts).rstrip(" ,;:–—-")


def outdated(statements: Sequence[KeptStatement]) -> frozenset[int]:
    """Return the indexes of the statements, oldest first, that repeat an earlier one or that a later one replaces."""
    first: dict[str, int] = {}
    repeated = {n for n, each in enumerate(statements) if first.setdefault(each.text.casefold(), n) < n}
    current = [n for n in range(len(statements)) if n not in repeated]
    replaced = {n for n in current if any(statements[n].replaced_by(statements[m]) for m in current if m > n)}
    return frozenset(repeated | replaced)


def chosen(statements: Sequence[KeptStatement], sizes: Sequence[int], room: int) -> frozenset[int]:
    """Return the indexes of the statements, oldest first, to keep within `room`, given their sizes.

    The firmest remain. Among equal ones, the earliest of the firm remain, and the newest of the others.
    """
    kept: set[int] = set()
    age = [n if each.firmness >= FIRM else -n for n, each in enumerate(statements)]
    for n in sorted(range(len(statements)), key=lambda n: (statements[n].rank, age[n])):
        if sizes[n] <= room:
            kept.add(n)
            room -= sizes[n]
    return frozenset(kept)
