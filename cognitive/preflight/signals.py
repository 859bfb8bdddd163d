"""What one message asks for, read by rules alone: no model, no clock, no I/O.

The rows are in `rules` and `rules.smalltalk`; here they are put together into `Signals`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cognitive.errors import InvalidInput
from cognitive.plan import Signals
from cognitive.preflight import dates, smalltalk
from cognitive.preflight.entities import MOST_ENTITIES, entities
from cognitive.preflight.keywords import MOST_KEYWORDS, keywords
from cognitive.preflight.rules.matching import Rule, RuleTable, fold
from cognitive.preflight.rules.signals import ELLIPTIC_RULES, HINTS, PRONOUN_RULES, QUESTION, RECENCY, RULES
from cognitive.preflight.rules.smalltalk import PHRASES

# Characters read of one message: its head and tail, where people say what they want; between them stands what they
# pasted. Of the turn before, less: it only completes a message that leans on it.
HEAD, TAIL, PREVIOUS = 8_000, 8_000, 2_000
LONGEST_ELLIPSIS = 80

_table, _elliptic, _pronoun = RuleTable(RULES), RuleTable(ELLIPTIC_RULES), RuleTable(PRONOUN_RULES)
_ORDER = {rule.id: index for index, rule in enumerate((*PHRASES, *ELLIPTIC_RULES, *PRONOUN_RULES, *RULES))}


def read(text: str, *, now: datetime, previous: str = "") -> Signals:
    """The signals of a message, given the aware time of the turn and the user message before it, if any.

    Of a message longer than `HEAD` + `TAIL` characters only its head and tail are read, and they alone make up
    `Signals.text`. An elliptic message is read together with the previous one: its own dates, recency and hints come
    first, and what it lacks is taken from there. Without a previous message an answer ("yes", "the second one") has
    nothing to lean on: it is small talk.
    """
    if now.utcoffset() is None:
        raise InvalidInput(f"now must be an aware datetime, not {now!r}")
    text, previous = _bounded(text, HEAD, TAIL), _bounded(previous, PREVIOUS, 0)
    small = smalltalk.read(text)
    if small is not None:
        if not (previous and small.answers):
            return Signals(text, greeting=True, fired=_ids(small.fired))
        return _leaning(text, previous, (), small.fired, now)
    said, peeled = smalltalk.peel(text)
    topics = keywords(said)
    leans = _leans(said, topics)
    if leans and previous:
        return _leaning(said, previous, topics, (*peeled, *leans), now)
    folded = fold(said)
    fired = _table.fired(folded.lower())
    return Signals(
        said,
        question=any(rule.signal == QUESTION for rule in fired),
        elliptic=bool(leans),
        recency=_recency(fired),
        dates=dates.find(said, now, folded=folded),
        hints=_hints(fired),
        entities=entities(said),
        keywords=topics,
        fired=_ids((*peeled, *leans, *fired)),
    )


def _leaning(said: str, previous: str, topics: tuple[str, ...], because: tuple[Rule, ...], now: datetime) -> Signals:
    """The signals of a message that needs the previous one to be understood."""
    before = smalltalk.peel(previous)[0]
    own, lent = (_table.fired(fold(part).lower()) for part in (said, before))
    recent, hinting = (own if any(rule.signal in signals for rule in own) else lent for signals in ((RECENCY,), HINTS))
    used = [rule for rule in own if rule.signal == QUESTION]
    used += [rule for rule in recent if rule.signal == RECENCY]
    used += [rule for rule in hinting if rule.signal in HINTS]
    return Signals(
        f"{before}\n{said}".strip(),
        question=any(rule.signal == QUESTION for rule in own),
        elliptic=True,
        recency=_recency(recent),
        dates=dates.find(said, now) or dates.find(before, now),
        hints=_hints(hinting),
        entities=_merged(entities(said), entities(before), MOST_ENTITIES),
        keywords=_merged(topics, keywords(before), MOST_KEYWORDS),
        fired=_ids((*because, *used)),
    )


def _leans(said: str, topics: tuple[str, ...]) -> tuple[Rule, ...]:
    if len(said) > LONGEST_ELLIPSIS:
        return ()
    lower = fold(said).lower()
    return _elliptic.fired(lower) or (() if topics else _pronoun.fired(lower))


def _recency(fired: Iterable[Rule]) -> float:
    return max((rule.weight for rule in fired if rule.signal == RECENCY), default=0.0)


def _hints(fired: Iterable[Rule]) -> tuple[tuple[str, float], ...]:
    fired = tuple(fired)
    weights = {hint: sum(rule.weight for rule in fired if rule.signal == hint) for hint in HINTS}
    return tuple((hint, weight) for hint, weight in weights.items() if weight)


def _ids(fired: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(sorted({rule.id for rule in fired}, key=_ORDER.__getitem__))


def _merged(own: tuple[str, ...], lent: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *lent)))[:most]


def _bounded(text: str, head: int, tail: int) -> str:
    """Head and tail of a long text, without what UTF-8 cannot hold."""
    if len(text) > head + tail:
        text = f"{text[:head]}\n\u2026\n{text[len(text) - tail :]}"
    return text.encode("utf-8", "ignore").decode().strip()
