"""Find the topic words of a message, and its entities: addresses, paths, versions, tickets, identifiers and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

import re2

from brain.languages import ENGLISH
from brain.languages import MONTHS as MONTH_NAMES
from brain.text import stem
from cognitive.preflight.rules.matching import RuleTable, compile_pattern, plain
from cognitive.preflight.rules.signals import ENTITIES
from cognitive.preflight.rules.words import EVERYDAY_STEMS, NO_TOPIC
from cognitive.preflight.spans import MONTHS, WEEKDAYS

MAX_KEYWORDS = 10
MAX_ENTITIES = 32
_MAX_MATCHES = 48  # matches that are examined as entities, to bound the time; ordinary messages have fewer
_MAX_WORD_LENGTH = 40
_SINGLE_LETTERS = frozenset({"c", "r"})  # programming languages; other single letters are list marks

_SEPARATORS = str.maketrans(dict.fromkeys('!"$%&()*,/:;<=>?@[\\]^`{|}~', " "))
# One character class without alternatives takes linear time in any engine. `re` knows all scripts, re2 does not.
_WORD = re.compile(r"[^\W_][\w.+#'-]*")

_entity_kinds = RuleTable(ENTITIES, whole=True)
_NAMES = frozenset({"entity.name", "entity.product"})
_SHORT_DATES = ("sept", "mon", "tue", "wed", "thu", "fri")
_DATES = frozenset((*WEEKDAYS, *MONTHS, *map(str.lower, MONTH_NAMES[ENGLISH]), *_SHORT_DATES))


@cache
def _entity() -> re2._Regexp:
    """Return the pattern of all entities, compiled when it is first needed, as the tables of rules are."""
    return compile_pattern("|".join(kind.pattern for kind in ENTITIES), name="entities")


def is_common(word: str) -> bool:
    """Return True if a word is everyday English, and thus no name when it is capitalised at a sentence's start."""
    return stem(word.lower()) in EVERYDAY_STEMS


def keywords(text: str) -> tuple[str, ...]:
    """Return at most `MAX_KEYWORDS` topic words of a text, the most frequent ones, in order of appearance.

    Short technical words (SQL, db, k8s, c++) are topics; numbers of one or two digits and general words are not.
    """
    written = Counter(_written(text.lower()))
    position = {word: index for index, word in enumerate(written)}
    topics: dict[str, int] = {}
    for candidate, _count in written.most_common():
        topic = _topic(candidate)
        if topic:
            topics[topic] = min(position[candidate], topics.get(topic, len(position)))
            if len(topics) >= MAX_KEYWORDS:
                break
    return tuple(sorted(topics, key=topics.__getitem__))


def _written(lower: str) -> list[str]:
    """Return the words of a lower-case text. ASCII text is split by a faster method with the same result."""
    lower = plain(lower)
    return lower.translate(_SEPARATORS).replace(". ", " ").split() if lower.isascii() else _WORD.findall(lower)


def _topic(written: str) -> str:
    """Return a lower-case word without the punctuation around it, or an empty string if it is no topic word."""
    word = written.strip("'._-").lstrip("+#").removesuffix("'s").removesuffix("'")
    if word in NO_TOPIC or word.replace("'", "") in NO_TOPIC:
        return ""
    if len(word) == 1 and word.isascii() and word not in _SINGLE_LETTERS:
        return ""
    if word.isdecimal() and len(word) < 3:
        return ""
    return word[:_MAX_WORD_LENGTH] if any(char.isalnum() for char in word) else ""


def entities(text: str) -> tuple[str, ...]:
    """Return the addresses, paths, versions, tickets, identifiers and names in a text, in order and without duplicates.

    An everyday word is no name even if it is capitalised at a sentence's start.
    """
    unique: dict[str, str] = {}
    encoded = text.encode()
    for match in islice(_entity().finditer(encoded), _MAX_MATCHES):
        start, end = match.span()
        for entity in _entities_at(encoded, start, end):
            unique.setdefault(entity.casefold(), entity)
        if len(unique) >= MAX_ENTITIES:
            break
    return tuple(unique.values())


def _entities_at(encoded: bytes, start: int, end: int) -> Iterator[str]:
    """Yield the entities in a matched part of a text; none if it is part of a longer word or a plain number."""
    piece = encoded[start:end].decode()
    before = encoded[max(0, start - 12) : start].decode(errors="ignore")
    after = encoded[end : end + 4].decode(errors="ignore")
    if (before[-1:].isalnum() or before[-1:] == "_") or (piece[-1].isalnum() and after[:1].isalnum()):
        return
    fired = _entity_kinds.fired(encoded[start:end])  # empty if the match depended on the text after it
    kind = "entity.name" if (piece.istitle() and piece.isalpha()) or not fired else fired[0].id
    if kind in _NAMES:
        yield from _names(piece, begins=_begins_sentence(before))
    elif kind == "entity.acronym":
        if not is_common(piece):
            yield piece
    elif kind == "entity.quoted":
        yield piece[1:-1].strip()
    elif kind == "entity.url":
        yield piece.rstrip(".,;:!?")
    elif kind == "entity.version" or not piece.replace("/", "").replace(".", "").isdecimal():
        yield piece


def _names(piece: str, *, begins: bool) -> Iterator[str]:
    """Yield the proper name in a matched piece of text, then the version after it, if any.

    If the piece begins a sentence, everyday words at its start are left out.
    """
    words = piece.split()
    while begins and words and is_common(words[0]):
        words.pop(0)
    version = words.pop() if words and words[-1][0].isdigit() else ""
    if words and not (len(words) == 1 and words[0].lower().removesuffix("s") in _DATES):
        yield " ".join(words)
    if version:
        yield version


def _begins_sentence(before: str) -> bool:
    opened = before.rstrip(" \t\"'([{*_>-\u201c\u2018\u2022")
    return not opened or opened[-1] in ".!?:;\n\u2026\u3002"
