"""What another policy would have shown in a recorded turn, beside what was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from cognitive.context.usage import base_rate
from cognitive.lab.replay import Replayed
from cognitive.policy import Policy
from cognitive.recording.record import Given
from cognitive.trace import Candidate

_PRIOR = 2.0  # showings that the base rate counts for, beside a memory's own


@dataclass(frozen=True, slots=True)
class Placed:
    """A memory as a turn showed it: its tokens, and whether the response used it, None if nobody knows."""

    memory_id: UUID
    tokens: int
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """From what was shown to what would have been: ids, and for the moved their places among the shown, from 1.

    `tokens` are those of the memories' lines. `use` is how many of the memories shown are used: the verdict where there
    was one, and an estimate for the others, so that the second number is an estimate.
    """

    entered: tuple[UUID, ...]
    left: tuple[UUID, ...]
    moved: tuple[tuple[UUID, int, int], ...]
    tokens: tuple[int, int]
    use: tuple[float, float]
    uncompared: tuple[UUID, ...] = ()

    @property
    def none(self) -> bool:
        """Whether the same memories are shown in the same order."""
        return not (self.entered or self.left or self.moved)


def difference(shown: Sequence[Placed], replayed: Replayed, policy: Policy) -> Difference:
    """What changes from a turn as it was recorded, best first, to the turn as it was replayed under a policy."""
    before = {placed.memory_id: n for n, placed in enumerate(shown, 1)}
    after = {candidate.hit.memory_id: n for n, candidate in enumerate(replayed.made.shown, 1)}
    stayed = [id for id in before if id in after]
    return Difference(
        entered=tuple(id for id in after if id not in before),
        left=tuple(id for id in before if id not in after),
        moved=tuple((id, before[id], after[id]) for id in stayed if before[id] != after[id]),
        tokens=(sum(placed.tokens for placed in shown), sum(candidate.tokens for candidate in replayed.made.shown)),
        use=_use(shown, replayed, policy),
        uncompared=replayed.uncompared,
    )


def _use(shown: Sequence[Placed], replayed: Replayed, policy: Policy) -> tuple[float, float]:
    known = {placed.memory_id: placed.used for placed in shown}
    expected = {
        fate.candidate.hit.memory_id: expected_use(fate.candidate, replayed.given, policy)
        for fate in replayed.made.fates
    }
    before, after = list(known), [candidate.hit.memory_id for candidate in replayed.made.shown]
    worth = {id: float(used) if used is not None else expected.get(id, 0.0) for id, used in known.items()}
    return sum(worth[id] for id in before), sum(worth.get(id, expected[id]) for id in after)


def expected_use(candidate: Candidate, given: Given, policy: Policy) -> float:
    """How likely a memory is to be used if it is shown, from its own past and that of its type at the time of the turn:
    (used + m·b) / (shown + m), decayed masses, b the base rate of the type, m = 2. The prior is the base rate itself,
    without the boost's optimism, since an estimate need not give anybody a chance.
    """
    base = base_rate(given.found.base.get(candidate.hit.type), given.now, policy)
    return (candidate.boost.used + _PRIOR * base) / (candidate.boost.shown + _PRIOR)
