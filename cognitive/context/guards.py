"""Guards: rules that treat two texts as different, however similar they look.

Statements that differ in a number, a negation or a name ("30 days" and "90 days") reach a cosine of 0.98 and are
different facts. A guard compares a memory with another text, and fires if the memory says something else or more. A
guard that fires wrongly leaves a duplicate; without a guard, a different memory is dropped as a duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from brain.caches import cached
from brain.text import is_unspaced
from cognitive.context.lexicon import JOINERS, PREPOSITIONS, SEGMENT_WORDS, canonical
from cognitive.context.sentences import SPEAKER, ParsedSentence

_NOTHING: frozenset[str] = frozenset()
_SWAPPED = 2  # maximum number of words in a replacement
_MIN_REORDERED = 0.75  # share of the memory's stems in a text that has them in another order
_MIN_RELATED = 4  # characters of a stem that related stems begin with
_MAX_PARSED = 4_096  # texts whose code and segments are cached

# Code in a text: between backticks, or a word that looks like an option, a path, a file, a call or an identifier.
_MARKED = re.compile(r"(`{1,3})(.+?)\1", re.DOTALL)
_CODE_WORD = re.compile(
    r"""(?<!\S)["'(]*+((?:--?[A-Za-z][\w=./:-]*|[~.]{0,2}/[\w.~/-]+|[\w.~-]+/[\w.~/-]*[\d_./~-][\w.~/-]*|\w+\(\S*\)"""
    r"""|[A-Za-z]\w*_\w+|[^\WA-Za-z]*+[A-Za-z][\w-]*+\.[a-z]\w*|\$\w+|\S*[=<>{}|\\]\S*)[\w/-]*(?:\.\w[\w/-]*)*)"""
)
_OPTION = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*")

_VAGUE = frozenset({"DAY", "YEAR", "AM", "PM"})  # without its number, such a unit says little: "the day", "at six"

Opcode = tuple[str, int, int, int, int]  # of `difflib`: operation, start and stop in the memory, in the other text
Guard = Callable[[ParsedSentence, ParsedSentence], bool]


def first_guard(memory: ParsedSentence, other: ParsedSentence) -> str | None:
    """Return the name of the first guard (see `GUARDS`) by which two texts state different facts, or None."""
    for name, differs in GUARDS.items():
        if differs(memory, other):
            return name
    return None


def _numbers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a number that the memory has, or has the numbers in another order."""
    if not set(memory.figures) <= set(other.figures):
        return True
    return [figure for figure in other.figures if figure in memory.figures] != list(memory.figures)


def _units(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a unit (a measure, currency, day or month) that the memory has."""
    return not memory.units - _VAGUE <= other.units


def _names(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a name of the memory, or if both texts have subjects and these differ."""
    if not memory.names <= other.stems:
        return True
    return not memory.subjects <= other.stems and not other.subjects <= memory.stems


def _possessions(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if one text is about something of a person or thing ("the user's sister") that the other is about."""
    return _owned(memory, other) or _owned(other, memory)


def _owned(one: ParsedSentence, two: ParsedSentence) -> bool:
    """Return True if `one` names a thing of an owner, and `two` only the owner. A stop word is no thing."""
    return any(
        owner.endswith("'s") and canonical(owner) in two.stems and (stem := canonical(thing)) and stem not in two.stems
        for owner, thing in pairwise(one.words)
    )


def _speakers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the speakers of both texts are known and differ."""
    return None not in (memory.speaker, other.speaker) and memory.speaker != other.speaker


def _opposites(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the texts have opposite words, such as "open" and "closed", and neither text has both."""
    common = memory.sides.keys() & other.sides.keys()
    return any(memory.sides[axis].isdisjoint(other.sides[axis]) for axis in common)


def _scopes(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if a word that both texts have is negated, doubted or excepted in one of them only."""
    common = memory.stems & other.stems
    for name in memory.scopes.keys() | other.scopes.keys():
        one, two = (common & each.scopes.get(name, _NOTHING) for each in (memory, other))
        if one != two and one.isdisjoint(two):
            return True
    return False


def _turned_round(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if two words have changed places around a third, as in "A calls B" and "B calls A".

    If only one text is in the passive, this is inverted: the same order of words then means another fact. Times and
    numbers do not count, because they may stand anywhere in a sentence.
    """
    if not memory.stems <= other.stems:
        return False
    words = [word for word in dict.fromkeys(memory.order) if word.islower() and not _placed(word, memory, other)]
    words = [word for word in words if word not in JOINERS]
    reverse = _reversed_around(words, other.order) or _reversed_names(words, memory, other)
    if memory.passive == other.passive:
        return reverse
    return not reverse and len(words) > 2 and {memory.passive, other.passive} == {"", "by"}


def _placed(word: str, memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the same preposition governs a word in both texts ("at noon"): its place then means nothing."""
    role = memory.roles.get(word)
    return bool(role) and role == other.roles.get(word)


def _reversed_around(words: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if three of the words occur in the other text in the reverse order."""
    place = _places(other)
    highest, falls = -1, -1  # the highest place so far, and the highest place with a higher one before it
    for at in (place[word] for word in words if word in place):
        if at < falls:
            return True
        if at < highest:
            falls = at
        highest = max(highest, at)
    return False


def _reversed_names(words: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if two names have the reverse order in the other text, unless both texts list them ("A and B")."""
    own, place = _places(memory.order), _places(other.order)
    names = [word for word in words if word in memory.names | memory.subjects and word in place]
    turned = [(one, two) for one, two in pairwise(names) if place[one] > place[two]]
    return any(
        not (_listed(memory.order, own[one], own[two]) and _listed(other.order, place[two], place[one]))
        for one, two in turned
    )


def _places(order: Sequence[str]) -> Mapping[str, int]:
    """Return for each word the index of its first occurrence."""
    return {word: n for n, word in reversed(list(enumerate(order)))}


def _listed(order: Sequence[str], start: int, stop: int) -> bool:
    """Return True if "and" or "or" joins the words at `start` and `stop`."""
    return not JOINERS.isdisjoint(order[start:stop]) and stop - start <= 3


def _swapped(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the texts differ only in a replaced word or two, as in "likes tea" and "likes coffee".

    A restatement of the same fact changes more than that: "Renting a cello requires a deposit" has most words of "The
    deposit on a cello rental", in another order. In any order, one word in the place of another one is no restatement:
    "The kitchen window sticks when it rains", "When it rains the bathroom window sticks".
    """
    if _one_replaced(memory, other):
        return True
    codes = SequenceMatcher(None, memory.order, other.order, autojunk=False).get_opcodes()
    if any(operation == "delete" and start > 0 and stop < len(memory.order) for operation, start, stop, *_ in codes):
        return False
    if len(memory.stems & other.stems) >= _MIN_REORDERED * len(memory.stems) and _reordered(codes, memory, other):
        return False
    for operation, start, stop, other_start, other_stop in codes:
        if operation != "replace":
            continue
        old, new = memory.order[start:stop], other.order[other_start:other_stop]
        if _replaced(old, [word for word in new if word != SPEAKER], memory, other):
            if start == 0 and SPEAKER in new and other.subjects.isdisjoint(new):
                continue  # the speaker may be the subject of the memory
            return True
    return False


def _one_replaced(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if each text has one word that the other text lacks, and both are beside the same word.

    The name of a subject is not replaced if the other text is in the first person: its speaker may be meant.
    """
    old, new = memory.stems - other.stems, other.stems - memory.stems
    if len(old) != 1 or len(new) != 1 or (other.is_first_person and old <= memory.subjects):
        return False
    return not _beside(old, memory.order).isdisjoint(_beside(new, other.order))


def _beside(stems: frozenset[str], order: Sequence[str]) -> frozenset[str]:
    """Return the words directly before and after these stems in a text."""
    words = [word for word in order if word not in JOINERS and word != SPEAKER]
    return frozenset(
        one for pair in pairwise(words) for one, two in (pair, pair[::-1]) if two in stems and one not in stems
    )


def _reordered(codes: Sequence[Opcode], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if a word that both texts have is at another place in the other text, by `difflib` codes."""
    old, new = set[str](), set[str]()
    for operation, start, stop, other_start, other_stop in codes:
        if operation != "equal":
            old.update(memory.order[start:stop])
            new.update(other.order[other_start:other_stop])
    return not (old & new).issubset(JOINERS)


def _replaced(old: Sequence[str], new: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if a short phrase `old` of the memory is replaced by a short phrase `new` in the other text."""
    short = 0 < len(new) <= _SWAPPED and len(old) <= _SWAPPED
    return short and not set(old) <= other.stems and not set(new) <= memory.stems


def _adds(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the memory has a clause or phrase of which the other text has no word: it says more.

    Two texts without a common word are compared by meaning alone.
    """
    return not memory.stems.isdisjoint(other.stems) and any(
        segment.isdisjoint(other.stems)
        and not (other.is_first_person and segment <= memory.subjects)
        and not _related(segment, other.stems)
        for segment in _segments(memory.clauses)
    )


def _lacks_pairs(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks more than an eighth of the memory's pairs of characters.

    Texts in scripts without spaces are split into such pairs. The other guards hardly see a name there, and vectors
    of an English model are similar for all texts in such a script.
    """
    pairs = {stem for stem in memory.stems if is_unspaced(stem)}
    return len(pairs - other.stems) > len(pairs) / 8


def _related(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return True if a stem begins with one of the others, as "thunderstorm" does with "thunder"."""
    return not _beginnings(some).isdisjoint(others)


@cached(_MAX_PARSED)
def _beginnings(stems: frozenset[str]) -> frozenset[str]:
    """Return what the stems begin with that is long enough to relate them to others; the stems themselves too."""
    return frozenset(stem[:n] for stem in stems for n in range(_MIN_RELATED, len(stem) + 1))


@cached(_MAX_PARSED)
def _segments(clauses: Sequence[Sequence[str]]) -> Sequence[frozenset[str]]:
    """Return the phrases of a text, each as the lexemes (stems) that no earlier phrase has; none is empty.

    A phrase ends at a punctuation mark, a preposition or a conjunction. Adverbs such as "basically" do not count.
    """
    segments: list[set[str]] = []
    known: set[str] = set()
    for clause in clauses:
        segments.append(set())
        for word in clause:
            if word in SEGMENT_WORDS or word in PREPOSITIONS:
                segments.append(set())
            elif (lexeme := canonical(word)) and lexeme not in known and not word.endswith("ly"):
                known.add(lexeme)
                segments[-1].add(lexeme)
    return tuple(frozenset(segment) for segment in segments if segment)


def code_differs(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks code of the memory, or has further options for its commands."""
    marked, words = _code_of(memory.text)
    if not marked and not words:
        return False
    known, plain = _code_of(other.text)[0], _MARKED.sub(" ", other.text)
    if not all(code in known or _contains(plain, code) for code in marked):
        return True
    if not all(_contains(other.text, word) for word in words):
        return True
    return not set(_OPTION.findall(other.text)) <= set(_OPTION.findall(memory.text))


@cached(_MAX_PARSED)
def _code_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the code between backticks, and the other words of a text that look like code."""
    marked = frozenset(match[2].strip() for match in _MARKED.finditer(text))
    words = (match[1].rstrip(".,;:!?)\"'") for match in _CODE_WORD.finditer(_MARKED.sub(" ", text)))
    return marked, frozenset(filter(None, words))


def _contains(text: str, code: str) -> bool:
    """Return True if a text has all lines of code, not as a part of longer words."""
    return all(
        re.search(rf"(?<![\w./-]){re.escape(line.strip())}(?![\w/-])(?!\.\w)", text) for line in code.splitlines()
    )


GUARDS: Mapping[str, Guard] = {
    "code": code_differs,
    "more": _adds,
    "numbers": _numbers,
    "units": _units,
    "names": _names,
    "possessions": _possessions,
    "speakers": _speakers,
    "negation": _scopes,
    "opposites": _opposites,
    "direction": _turned_round,
    "a word swapped": _swapped,
    "character pairs": _lacks_pairs,
}
