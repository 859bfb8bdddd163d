"""One memory's usage over time: the turns that showed and used it, and its boost.

The boost is the factor by which a memory's past use changes its score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from brain.analytics.memory_rows import MemoryRow
from brain.decay import added, decayed
from brain.search import Hit, Masses
from cognitive.context.usage import boost, reliability
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost

Shown = tuple[datetime, bool | None, bool | None]  # time of the turn, used (None: not judged), rated useful

_MAX_HOURLY = timedelta(hours=36)  # a longer timeline has steps of days
_STEP_DAYS = (1, 7, 30, 91, 365)  # the smallest with at most _MAX_STEPS steps is used
_MAX_STEPS = 60
_MAX_HALF_LIVES = 40.0  # earlier usage has decayed to nothing; computing it would only magnify rounding errors


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """A step of a memory's timeline: the time from `at` until just before `until`.

    `shown` is the number of turns in this time that showed the memory, and `used` the number of those whose response
    used it. `boost` is the memory's boost at the end of the step.
    """

    at: datetime
    until: datetime
    shown: int
    used: int
    boost: float


@dataclass(frozen=True, slots=True)
class UsageState:
    """A memory's usage at the time `at`: how often turns have shown it, and how often responses have used it.

    In the sums `shown` and `used`, each showing counts less with time. `times_shown` and `times_used` are plain counts.
    """

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
    """Compute a memory's timeline from its first showing until now.

    Each step counts the turns that showed and used the memory, and has the memory's boost at the step's end. A showing
    counts only if it is known whether the response used the memory. Without such showings, the timeline is empty.

    The boost is computed as in `cognitive.context.usage`. It takes the memory's usage until the end of the step, and
    the present average rate of use of its type. The effect of similar past turns is left out, because it depends on the
    user's message.
    """
    counted = [each for each in showings if each[1] is not None]
    if not counted:
        return ()
    uses = _uses(memory, counted, policy)
    timeline, n = [], 0
    for at, until in _time_steps(counted[0][0], now, zone):
        first = n
        while n < len(counted) and counted[n][0] < until:
            n += 1
        in_step = counted[first:n]
        boost = boost_at(memory, uses[n], base, policy, constants, min(until, now)).factor
        timeline.append(TimelineStep(at, until, len(in_step), sum(used is True for _, used, _ in in_step), boost))
    return tuple(timeline)


def boost_now(
    memory: MemoryRow, base: Mapping[str, Masses], policy: Policy, constants: Constants, now: datetime
) -> Boost:
    """Return a memory's present boost: the factor by which its past use changes its score.

    The effect of similar past turns is left out, because it depends on the user's message.
    """
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
    """Return a memory's boost at a time, computed from its usage until then.

    If `use` is None, the memory has no usage, and the boost has no effect.
    """
    if use is None:
        return Boost()
    hit = _hit(memory)._replace(
        usage_shown=use.shown,
        usage_used=use.used,
        usage_at=use.at,
        times_shown=use.times_shown,
        times_used=use.times_used,
    )
    return boost(hit, base, at, policy, constants, reliable=reliability(base, at, policy))


def _uses(memory: MemoryRow, counted: Sequence[Shown], policy: Policy) -> list[UsageState | None]:
    """Return a memory's usage before the first of the `counted` showings, and after each of them.

    The first element is None if no turn had shown the memory before.
    """
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
    """Return a memory's usage before the first of the `counted` showings.

    It is the stored usage minus the usage that these showings added.
    """
    first, last = counted[0][0], memory.shown_at or counted[-1][0]
    more = memory.times_shown - len(counted)
    half_lives = (last - first).total_seconds() / 86_400 / policy.usage.half_life_days
    if more <= 0 or half_lives > _MAX_HALF_LIVES:
        return UsageState(0.0, 0.0, first, max(0, more), 0)
    shown, used = memory.shown, memory.used
    for at, was_used, rating in counted:
        weight = policy.feedback.rating_weight if rating is not None else 1.0
        remaining = decayed(weight, at, last, policy.usage.half_life_days)
        shown, used = shown - remaining, used - remaining * bool(was_used)
    growth = 2.0**half_lives  # undoes the decay between `first` and `last`
    times_used = memory.times_used - sum(was_used is True for _, was_used, _ in counted)
    return UsageState(max(0.0, shown * growth), max(0.0, used * growth), first, more, max(0, times_used))


def _time_steps(first: datetime, now: datetime, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    """Return the start and end of each step of a timeline, from the first showing until now.

    A step is an hour or, in a longer timeline, one or more days in the viewer's time zone.
    """
    now = max(first, now)
    if now - first <= _MAX_HOURLY:
        at, width = first.astimezone(UTC).replace(minute=0, second=0, microsecond=0), timedelta(hours=1)
        return _steps_of(at, now, width)
    days = (now - first).days + 1
    width = timedelta(days=next((each for each in _STEP_DAYS if days / each <= _MAX_STEPS), -(-days // _MAX_STEPS)))
    # Days are added in local time, because a day has 23 or 25 hours when daylight saving time begins or ends.
    return _steps_of(first.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0), now, width)


def _steps_of(at: datetime, now: datetime, width: timedelta) -> list[tuple[datetime, datetime]]:
    """Divide the time from `at` until now into steps of equal width; the last step contains `now`."""
    steps = []
    while at <= now:
        steps.append((at, at + width))
        at += width
    return steps


def _hit(memory: MemoryRow) -> Hit:
    """Convert a memory to a search hit, which the boost functions need; they read only its type and usage."""
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
        confidence=1.0,
        pinned=memory.pinned,
        length=0,
        scores={},
    )
