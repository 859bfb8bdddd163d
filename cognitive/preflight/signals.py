"""Read the signals of a message, such as question, dates or names, by rules alone: no model, no clock, no I/O.

The rules are in `rules.signals` and `rules.smalltalk`. This module combines them into `Signals`: question, recency,
dates, hints of memory types, topic words, and entities (addresses, paths, versions, tickets, identifiers, names).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, islice

from brain.text import stem
from cognitive.errors import InvalidInput
from cognitive.plan import Signals
from cognitive.preflight import dates, listings, smalltalk
from cognitive.preflight.date_ranges import MONTHS, WEEKDAYS
from cognitive.preflight.rules.history import HISTORY_RULES
from cognitive.preflight.rules.matching import Rule, RuleTable, compile_pattern, fold, plain
from cognitive.preflight.rules.signals import (
    ELLIPTIC_RULES,
    ENTITIES,
    HINTS,
    PRONOUN_RULES,
    QUESTION,
    RECENCY,
    RULES,
)
from cognitive.preflight.rules.smalltalk import PHRASES
from cognitive.preflight.rules.words import EVERYDAY_STEMS, NO_TOPIC, listed

# Characters read of a message: its head and tail, where the request usually is, with pasted text between them. Of the
# previous message less is read, since it only completes an elliptic one.
HEAD, TAIL, PREVIOUS = 8_000, 8_000, 2_000
MAX_ELLIPSIS_LENGTH = 80  # characters of an elliptic message
MAX_KEYWORDS = 10
MAX_ENTITIES = 32
_MAX_MATCHES = 48  # matches that are examined as entities, to bound the time; ordinary messages have fewer
_MAX_WORD_LENGTH = 40
_SINGLE_LETTERS = frozenset({"c", "r"})  # programming languages; other single letters are list marks

_table, _elliptic, _pronoun = RuleTable(RULES), RuleTable(ELLIPTIC_RULES), RuleTable(PRONOUN_RULES)
_history = RuleTable(HISTORY_RULES)
_TABLES = (PHRASES, ELLIPTIC_RULES, PRONOUN_RULES, RULES, listings.LISTING_RULES, HISTORY_RULES)
_ORDER = {rule.id: index for index, rule in enumerate(chain.from_iterable(_TABLES))}

_SEPARATORS = str.maketrans(dict.fromkeys('!"$%&()*,/:;<=>?@[\\]^`{|}~', " "))
# One character class without alternatives takes linear time in any engine. `re` knows all scripts, re2 does not.
_WORD = re.compile(r"[^\W_][\w.+#'-]*")

_entity_kinds = RuleTable(ENTITIES, whole=True)
_entity = compile_pattern("|".join(kind.pattern for kind in ENTITIES), name="entities")
_NAMES = frozenset({"entity.name", "entity.product"})
_DATES = frozenset((*WEEKDAYS, *MONTHS)) | listed("""
    january february march april june july august september october november december sept mon tue wed thu fri
""")


def read(text: str, *, now: datetime, previous: str = "") -> Signals:
    """Return the signals that the rules read in a message, such as question, dates and names.

    An elliptic message, such as "and the other one?", is read together with the previous one: dates, recency and hints
    that it lacks are taken from the previous message. Without a previous message, an answer ("yes", "the second one")
    is small talk.

    Args:
        text: The message. If it is longer than `HEAD` + `TAIL` characters, only its head and tail are read and returned
            in `Signals.text`.
        now: The time of the turn, an aware datetime.
        previous: The user's previous message, if any.

    Raises:
        InvalidInput: `now` has no time zone.
    """
    if now.utcoffset() is None:
        raise InvalidInput(f"now must be an aware datetime, not {now!r}")
    text, previous = _bounded(text, HEAD, TAIL), _bounded(previous, PREVIOUS, 0)
    small = smalltalk.read(text)
    if small is not None:
        if not (previous and small.answers):
            return Signals(text, greeting=True, fired=_ids(small.fired))
        return _elliptic_signals(text, previous, (), small.fired, now)
    content, peeled = smalltalk.peel(text)
    topics = keywords(content)
    ellipsis = _ellipsis_rules(content, topics)
    if ellipsis and previous:
        return _elliptic_signals(content, previous, topics, (*peeled, *ellipsis), now)
    folded = fold(content)
    lower = folded.lower()
    fired, past = _table.fired(lower), _history.fired(lower)
    span = dates.find(content, now, folded=folded)
    listing, listed_by = listings.read(content, lower, span, topics)
    return Signals(
        content,
        question=any(rule.signal == QUESTION for rule in fired),
        elliptic=bool(ellipsis),
        recency=_recency(fired),
        dates=span,
        hints=_hints(fired),
        entities=entities(content),
        keywords=topics,
        fired=_ids((*peeled, *ellipsis, *fired, *listed_by, *past)),
        listing=listing,
        history=_asks_for_history(past),
    )


def _elliptic_signals(
    content: str, previous: str, topics: tuple[str, ...], reasons: tuple[Rule, ...], now: datetime
) -> Signals:
    """Return the signals of a message that can only be understood together with the previous one.

    `topics` are the message's topic words, and `reasons` the rules by which it is elliptic.
    """
    before = smalltalk.peel(previous)[0]
    folded = [fold(part).lower() for part in (content, before)]
    own, earlier = map(_table.fired, folded)
    past = _history.fired(folded[0]) or _history.fired(folded[1])
    span = dates.find(content, now) or dates.find(before, now)
    listing, listed_by = listings.read(content, folded[0], span, topics)
    if listing is None:
        listing, listed_by = listings.read(before, folded[1], span, (*topics, *keywords(before)))
    recent, hinting = (
        own if any(rule.signal in signals for rule in own) else earlier for signals in ((RECENCY,), HINTS)
    )
    used = [rule for rule in own if rule.signal == QUESTION]
    used += [rule for rule in recent if rule.signal == RECENCY]
    used += [rule for rule in hinting if rule.signal in HINTS]
    return Signals(
        f"{before}\n{content}".strip(),
        question=any(rule.signal == QUESTION for rule in own),
        elliptic=True,
        recency=_recency(recent),
        dates=span,
        hints=_hints(hinting),
        entities=_merged(entities(content), entities(before), MAX_ENTITIES),
        keywords=_merged(topics, keywords(before), MAX_KEYWORDS),
        fired=_ids((*reasons, *used, *listed_by, *past)),
        listing=listing,
        history=_asks_for_history(past),
    )


def _asks_for_history(fired: Iterable[Rule]) -> bool:
    """Return True if the matching rules show that a message asks about an earlier state. Weights below 0 object."""
    return sum(rule.weight for rule in fired) > 0


def _ellipsis_rules(content: str, topics: tuple[str, ...]) -> tuple[Rule, ...]:
    """Return the rules by which a message is elliptic (incomplete without the previous one); none if it is complete."""
    if len(content) > MAX_ELLIPSIS_LENGTH:
        return ()
    lower = fold(content).lower()
    return _elliptic.fired(lower) or (() if topics else _pronoun.fired(lower))


def _recency(fired: Iterable[Rule]) -> float:
    return max((rule.weight for rule in fired if rule.signal == RECENCY), default=0.0)


def _hints(fired: Iterable[Rule]) -> tuple[tuple[str, float], ...]:
    fired = tuple(fired)
    weights = {hint: sum(rule.weight for rule in fired if rule.signal == hint) for hint in HINTS}
    return tuple((hint, weight) for hint, weight in weights.items() if weight)


def _ids(fired: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(sorted({rule.id for rule in fired}, key=_ORDER.__getitem__))


def _merged(own: tuple[str, ...], earlier: tuple[str, ...], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *earlier)))[:limit]


def _bounded(text: str, head: int, tail: int) -> str:
    """Return a text without characters that UTF-8 cannot encode.

    Of a text longer than `head` + `tail` characters, only that many at its beginning and end are kept.
    """
    if len(text) > head + tail:
        text = f"{text[:head]}\n\u2026\n{text[len(text) - tail :]}"
    return text.encode("utf-8", "ignore").decode().strip()


def is_common(word: str) -> bool:
    """Return True if a word is everyday English, and thus no name when it is capitalised at a sentence's start."""
    return stem(word.lower()) in EVERYDAY_STEMS


def keywords(text: str, limit: int = MAX_KEYWORDS) -> tuple[str, ...]:
    """Return at most `limit` topic words of a text, in order of appearance. The most frequent words are preferred.

    Short technical words (SQL, db, k8s, c++) are topics; numbers of one or two digits and general words are not.
    """
    written = Counter(_written(text.lower()))
    position = {word: index for index, word in enumerate(written)}
    topics: dict[str, int] = {}
    for candidate, _count in written.most_common():
        topic = _topic(candidate)
        if topic:
            topics[topic] = min(position[candidate], topics.get(topic, len(position)))
            if len(topics) >= limit:
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
    for match in islice(_entity.finditer(encoded), _MAX_MATCHES):
        start, end = match.span()
        for entity in _entities_at(encoded, start, end):
            unique.setdefault(entity.casefold(), entity)
        if len(unique) >= MAX_ENTITIES:
            break
    return tuple(unique.values())


def _entities_at(encoded: bytes, start: int, end: int) -> Iterator[str]:
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
    if words and not (len(words) == 1 and words[0].lower() in _DATES):
        yield " ".join(words)
    if version:
        yield version


def _begins_sentence(before: str) -> bool:
    opened = before.rstrip(" \t\"'([{*_>-\u201c\u2018\u2022")
    return not opened or opened[-1] in ".!?:;\n\u2026\u3002"
