"""Read the signals of a message, such as question, dates or names, by rules alone: no model, no clock, no I/O.

The rules are in `rules.signals` and `rules.smalltalk`. This module combines them into `Signals`: question, recency,
dates, hints of memory types, topic words, and entities (addresses, paths, versions, tickets, identifiers, names).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from cognitive.errors import InvalidInput
from cognitive.plan import DateRange, Signals
from cognitive.preflight import dates, follow_ups, listings, smalltalk
from cognitive.preflight.follow_ups import Earlier
from cognitive.preflight.rules.follow_ups import CHOOSES, FOLLOW_UP_RULES, PRONOUN_RULES, REFERS
from cognitive.preflight.rules.history import HISTORY_RULES
from cognitive.preflight.rules.matching import Rule, RuleTable, fold
from cognitive.preflight.rules.signals import HINTS, QUESTION, RECENCY, RULES
from cognitive.preflight.rules.smalltalk import PHRASES
from cognitive.preflight.topics import MAX_ENTITIES, MAX_KEYWORDS, entities, keywords

# Characters read of a message: its head and tail, where the request usually is, with pasted text between them. Of the
# previous messages less is read, since it only completes an elliptic one.
HEAD, TAIL, PREVIOUS, TAIL_PREVIOUS = 8_000, 8_000, 2_000, 200

_table, _history = RuleTable(RULES), RuleTable(HISTORY_RULES)
_TABLES = (PHRASES, FOLLOW_UP_RULES, PRONOUN_RULES, RULES, listings.LISTING_RULES, HISTORY_RULES)
_ORDER = {rule.id: index for index, rule in enumerate(chain.from_iterable(_TABLES))}


def read(text: str, *, now: datetime, earlier: Callable[[], Earlier] = Earlier) -> Signals:
    """Return the signals that the rules read in a message, such as question, dates and names.

    An elliptic message, such as "and the other one?", is read together with the user's previous request, and with what
    it refers to in the answers: dates, recency and hints that it lacks are taken from the request. Without a request,
    an answer ("yes", "the second one") is small talk.

    Args:
        text: The message. If it is longer than `HEAD` + `TAIL` characters, only its head and tail are read and returned
            in `Signals.text`.
        now: The time of the turn, an aware datetime.
        earlier: Returns the user's previous request and the answers to it. It is called for an elliptic message only.

    Raises:
        InvalidInput: `now` has no time zone.
    """
    if now.utcoffset() is None:
        raise InvalidInput(f"now must be an aware datetime, not {now!r}")
    text = _bounded(text, HEAD, TAIL)
    small = smalltalk.read(text)
    if small is not None:
        refers = small.answers or small.accepts
        before = _before(text, small.fired, earlier, consents=not small.answers) if refers else None
        if before is None:
            return Signals(text, greeting=True, fired=_ids(small.fired))
        return _elliptic_signals(text, before, (), small.fired, now)
    content, peeled = smalltalk.peel(text)
    topics = keywords(content)
    ellipsis = follow_ups.follow_up(content, topics)
    before = _before(content, ellipsis, earlier) if ellipsis else None
    if before is not None:
        return _elliptic_signals(content, before, topics, (*peeled, *ellipsis), now)
    return _own_signals(content, topics, (*peeled, *ellipsis), now, elliptic=bool(ellipsis))


def _own_signals(
    content: str, topics: tuple[str, ...], reasons: tuple[Rule, ...], now: datetime, *, elliptic: bool
) -> Signals:
    """Return the signals of a message that is read alone, because it is complete or nothing was said before."""
    folded = fold(content)
    lower = folded.lower()
    fired, past = _table.fired(lower), _history.fired(lower)
    span = dates.find(content, now, folded=folded)
    listing, listed_by = listings.read(content, lower, span, topics)
    return Signals(
        content,
        question=any(rule.signal == QUESTION for rule in fired),
        elliptic=elliptic,
        recency=_recency(fired),
        dates=span,
        hints=_hints(fired),
        entities=entities(content),
        keywords=topics,
        fired=_ids((*reasons, *fired, *listed_by, *past)),
        listing=listing,
        history=_asks_for_history(past),
    )


def read_time(query: str, now: datetime) -> tuple[float, DateRange | None]:
    """Return the recency and the dates that a query of the recall tool asks for. `now` is an aware datetime."""
    text = _bounded(query, HEAD, TAIL)
    folded = fold(text)
    return _recency(_table.fired(folded.lower())), dates.find(text, now, folded=folded)


class _Before(NamedTuple):
    """The previous request, and what an elliptic message refers to in the answers to it."""

    request: str
    referents: str


def _before(
    content: str, rules: Sequence[Rule], earlier: Callable[[], Earlier], *, consents: bool = False
) -> _Before | None:
    """Return what was said before an elliptic message, or None without a previous request.

    If the message only consents, there must be an offer before it.
    """
    said = earlier()
    if consents and not said.offered:
        return None
    request = _bounded(said.topic(rules), PREVIOUS, TAIL_PREVIOUS)
    return _Before(request, follow_ups.referents(content, rules, said.answers)) if request else None


def _elliptic_signals(
    content: str, before: _Before, topics: tuple[str, ...], reasons: tuple[Rule, ...], now: datetime
) -> Signals:
    """Return the signals of a message that can only be understood together with what was said before.

    `topics` are the message's topic words, and `reasons` the rules by which it is elliptic.
    """
    request, about = smalltalk.peel(before.request)[0], before.referents
    folded = [fold(part).lower() for part in (content, request)]
    own, earlier = map(_table.fired, folded)
    past = _history.fired(folded[0]) or _history.fired(folded[1])
    span = dates.find(content, now) or dates.find(request, now)
    listing, listed_by = listings.read(content, folded[0], span, topics)
    if listing is None and not any(rule.signal in (REFERS, CHOOSES) for rule in reasons):  # else it is about one thing
        listing, listed_by = listings.read(request, folded[1], span, (*topics, *keywords(request)))
    recent, hinting = (
        own if any(rule.signal in signals for rule in own) else earlier for signals in ((RECENCY,), HINTS)
    )
    used = [rule for rule in own if rule.signal == QUESTION]
    used += [rule for rule in recent if rule.signal == RECENCY]
    used += [rule for rule in hinting if rule.signal in HINTS]
    return Signals(
        "\n".join(filter(None, (request, about, content))),
        question=any(rule.signal == QUESTION for rule in own),
        elliptic=True,
        recency=_recency(recent),
        dates=span,
        hints=_hints(hinting),
        entities=_merged(entities(content), entities(f"{about}\n{request}"), MAX_ENTITIES),
        keywords=_merged(topics, keywords(f"{about}\n{request}"), MAX_KEYWORDS),
        fired=_ids((*reasons, *used, *listed_by, *past)),
        listing=listing,
        history=_asks_for_history(past),
    )


def _asks_for_history(fired: Iterable[Rule]) -> bool:
    """Return True if the matching rules show that a message asks about an earlier state. Weights may be negative."""
    return sum(rule.weight for rule in fired) > 0


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
