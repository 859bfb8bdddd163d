"""One memory's use over time: how often it was shown and used, and what its boost came to after each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from brain.analytics.memories import MemoryRow
from brain.decay import added, decayed
from brain.search import Hit, Masses
from cognitive.context.usage import BOOSTS, reliability
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost

Shown = tuple[datetime, bool | None, bool | None]  # when, whether it was used, how it was rated

_HOURLY = timedelta(hours=36)  # a shorter course is told by the hour
_DAYS = (1, 7, 30, 91, 365)  # of a step: the least that keeps a course readable
_MAX_STEPS = 60
_FAR = 40.0  # half-lives: further back nothing that was is left, and rounding would be all that is


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """A stretch of time [at, until), how often the memory was shown and used in it, and its boost at the end."""

    at: datetime
    until: datetime
    shown: int
    used: int
    boost: float


@dataclass(frozen=True, slots=True)
class UsageState:
    """What is known of a memory's use at a time: the decayed masses, of when, and the plain counts."""

    shown: float
    used: float
    at: datetime
    times_shown: int
    times_used: int


def steps(
    memory: MemoryRow,
    showings: Sequence[Shown],
    base: Mapping[str, Masses],
    policy: Policy,
    constants: Constants,
    now: datetime,
    zone: tzinfo,
) -> tuple[TimelineStep, ...]:
    """The course of a memory since the first of these showings, in order; empty if no showing counts.

    A boost is what `context.usage` gives for the use up to then, against what is usual for its type today; turns like
    the one at hand, which it weighs too, are different ones in every turn and are left out.
    """
    counted = [each for each in showings if each[1] is not None]
    if not counted:
        return ()
    uses = _uses(memory, counted, policy)
    told, n = [], 0
    for at, until in _stretches(counted[0][0], now, zone):
        first = n
        while n < len(counted) and counted[n][0] < until:
            n += 1
        seen = counted[first:n]
        boost = boost_at(memory, uses[n], base, policy, constants, min(until, now)).factor
        told.append(TimelineStep(at, until, len(seen), sum(used is True for _, used, _ in seen), boost))
    return tuple(told)


def boost_now(
    memory: MemoryRow, base: Mapping[str, Masses], policy: Policy, constants: Constants, now: datetime
) -> Boost:
    """What a memory's use says of it now."""
    at = memory.shown_at
    use = UsageState(memory.shown, memory.used, at, memory.times_shown, memory.times_used) if at else None
    return boost_at(memory, use, base, policy, constants, now)


def boost_at(
    memory: MemoryRow,
    use: UsageState | None,
    base: Mapping[str, Masses],
    policy: Policy,
    constants: Constants,
    at: datetime,
) -> Boost:
    """What some use of a memory says of it at a time."""
    if use is None:
        return Boost()
    hit = replace(
        _hit(memory),
        usage_shown=use.shown,
        usage_used=use.used,
        usage_at=use.at,
        times_shown=use.times_shown,
        times_used=use.times_used,
    )
    return BOOSTS[policy.usage.boost](hit, base, at, policy, constants, None, reliability(base, at, policy))


def _uses(memory: MemoryRow, counted: Sequence[Shown], policy: Policy) -> list[UsageState | None]:
    """What was known before the first showing, and after each."""
    use = _before(memory, counted, policy)
    uses = [use if use.times_shown else None]
    for at, used, rating in counted:
        weight = policy.feedback.rating_weight if rating is not None else 1.0
        shown, latest = added(use.shown, use.at, weight, at, policy.usage.half_life_days)
        of_use, _ = added(use.used, use.at, weight * bool(used), at, policy.usage.half_life_days)
        use = UsageState(shown, of_use, latest, use.times_shown + 1, use.times_used + bool(used))
        uses.append(use)
    return uses


def _before(memory: MemoryRow, counted: Sequence[Shown], policy: Policy) -> UsageState:
    """What was known before the first of these showings: what the memory's own masses hold beyond them."""
    first, last = counted[0][0], memory.shown_at or counted[-1][0]
    more = memory.times_shown - len(counted)
    half_lives = (last - first).total_seconds() / 86_400 / policy.usage.half_life_days
    if more <= 0 or half_lives > _FAR:
        return UsageState(0.0, 0.0, first, max(0, more), 0)
    shown, used = memory.shown, memory.used
    for at, was_used, rating in counted:
        weight = policy.feedback.rating_weight if rating is not None else 1.0
        left = decayed(weight, at, last, policy.usage.half_life_days)
        shown, used = shown - left, used - left * bool(was_used)
    grown = 2.0**half_lives
    times_used = memory.times_used - sum(was_used is True for _, was_used, _ in counted)
    return UsageState(max(0.0, shown * grown), max(0.0, used * grown), first, more, max(0, times_used))


def _stretches(first: datetime, now: datetime, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    """Steps of the viewer's hours or days from the first showing to now, as few as are readable."""
    now = max(first, now)
    if now - first <= _HOURLY:
        at, width = first.astimezone(UTC).replace(minute=0, second=0, microsecond=0), timedelta(hours=1)
        return _cut(at, now, width)
    days = (now - first).days + 1
    width = timedelta(days=next((each for each in _DAYS if days / each <= _MAX_STEPS), -(-days // _MAX_STEPS)))
    # Whole days of a zone are added by its clock, and differ in length where that is changed.
    return _cut(first.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0), now, width)


def _cut(at: datetime, now: datetime, width: timedelta) -> list[tuple[datetime, datetime]]:
    cut = []
    while at <= now:
        cut.append((at, at + width))
        at += width
    return cut


def _hit(memory: MemoryRow) -> Hit:
    return Hit(
        memory_id=memory.id,
        ordinal=0,
        seq=memory.seq,
        type=memory.type,
        content="",
        partial=False,
        speaker=None,
        occurred_at=memory.occurred_at,
        session_id=None,
        source=None,
        superseded_by=None,
        confidence=1.0,
        pinned=memory.pinned,
        length=0,
        scores={},
    )
