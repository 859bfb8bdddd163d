"""Run a recorded turn again: with its own policy to reproduce it, or with another to see how it would have differed.

The stages of a turn (planning, deduplication, ranking, budgets, rendering) run on the recorded inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from brain.passage_texts import Key, PassageText
from brain.search import Hit
from brain.types import Memory
from cognitive.context.assemble import AssembledContext, assemble
from cognitive.context.usage import base_rate
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.policy.annotations import BeforeRecord
from cognitive.policy.constants import Constants
from cognitive.policy.policy import settings
from cognitive.preflight import plan as planning
from cognitive.recording.record import TurnInputs, sha256
from cognitive.recording.recorded import Recording
from cognitive.tokens import TokenCounter
from cognitive.trace import Candidate, WindowSimilarity

_PRIOR = 2.0  # weight of the base rate, in showings


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of running a recorded turn again.

    Attributes:
        inputs: the restored inputs of the turn.
        assembled: the memories selected and the text rendered.
        identical: True if the rendered text and the blocks of the system prompt are byte for byte those of the turn.
        gone: memories that the turn found and that are no longer stored.
        changed: memories that the turn found and whose content is different now.
        uncompared: memories shown without a comparison with the conversation, because the turn's own policy made none.
    """

    inputs: TurnInputs
    assembled: AssembledContext
    identical: bool
    gone: frozenset[UUID] = frozenset()
    changed: frozenset[UUID] = frozenset()
    uncompared: tuple[UUID, ...] = ()


def replay(
    record: Recording,
    contents: Mapping[Key, PassageText],
    pinned: Mapping[UUID, Memory],
    policy: Policy,
    counter: TokenCounter,
    constants: Constants,
) -> Replayed:
    """Run a recorded turn again under a policy, on its recorded inputs and with the current texts of the memories.

    `contents` has the current texts of the passages that the turn found, and `pinned` the pinned memories. `counter`
    counts tokens; it need not be the counter that the turn used (`inputs.counter`).
    """
    restored = record.restored(contents, pinned)
    assembled = again(restored.inputs, record.similarity, policy, counter, constants)
    return Replayed(
        inputs=restored.inputs,
        assembled=assembled,
        identical=(sha256(assembled.text), sha256(assembled.system)) == (record.text, record.prefix),
        gone=restored.gone,
        changed=restored.changed,
        uncompared=uncompared(assembled, policy),
    )


def unanswerable(policy: Policy, was: Policy) -> frozenset[str]:
    """Return the names of changed settings whose effect a replay cannot show; `was` is the turn's own policy.

    These settings act on a turn before its inputs are recorded.
    """
    return frozenset(
        name
        for name, field in settings().items()
        for mark in field.metadata
        if isinstance(mark, BeforeRecord) and policy.value(name) != was.value(name)
        if mark.when is None or mark.when(policy, was)
    )


def uncompared(assembled: AssembledContext, policy: Policy) -> tuple[UUID, ...]:
    """Return the shown memories that were not compared with the conversation, although the policy asks for it.

    The recorded turn did not make these comparisons, so a replay cannot repeat them.
    """
    return tuple(c.hit.memory_id for c in assembled.shown if policy.dedup.enabled and c.similarity is None)


def again(
    inputs: TurnInputs,
    similarity: Mapping[Key, WindowSimilarity],
    policy: Policy,
    counter: TokenCounter,
    constants: Constants,
) -> AssembledContext:
    """Plan and select a turn's memories again under a policy, from its recorded inputs.

    `similarity` is the recorded comparison of each candidate with the conversation.
    """
    plan = planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )

    def recorded(hits: Sequence[Hit], _: object) -> list[WindowSimilarity | None]:
        return [similarity.get((hit.memory_id, hit.ordinal)) for hit in hits]

    return assemble(plan, inputs, recorded, policy, counter, constants)


def replan(record: Recording, policy: Policy) -> Plan:
    """Make the plan of a recorded turn again under a policy; return an empty plan if the turn did not search."""
    inputs = record.inputs
    if inputs is None:
        return planning.create_plan(Signals("", greeting=True), "conversation", (), policy)
    return planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )


@dataclass(frozen=True, slots=True)
class ShownUsage:
    """A memory that a turn showed: its tokens, and whether the response used it, or None if that is unknown."""

    memory_id: UUID
    tokens: int
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The difference between the memories that a turn showed and those that its replay shows.

    Attributes:
        entered: memories that only the replay shows.
        left: memories that only the turn showed.
        moved: memories that both show at different positions by rank: the position in the turn, and the position in the
            replay, counted from 1.
        tokens: total tokens of the memories in the turn and in the replay.
        use: number of used memories in the turn and in the replay; estimated for memories without a verdict.
        uncompared: memories that the replay shows without a comparison with the conversation.
    """

    entered: tuple[UUID, ...]
    left: tuple[UUID, ...]
    moved: tuple[tuple[UUID, int, int], ...]
    tokens: tuple[int, int]
    use: tuple[float, float]
    uncompared: tuple[UUID, ...] = ()

    @property
    def none(self) -> bool:
        """True if the same memories are shown, in the same order of rank."""
        return not (self.entered or self.left or self.moved)


def difference(shown: Sequence[ShownUsage], replayed: Replayed, policy: Policy) -> ReplayDifference:
    """Compare the memories that a turn showed, by rank, with those that its replay under a policy shows.

    Positions are by rank, although lists are shown newest first.
    """
    by_rank = sorted(replayed.assembled.shown, key=lambda candidate: candidate.rank)
    before = {placed.memory_id: n for n, placed in enumerate(shown, 1)}
    after = {candidate.hit.memory_id: n for n, candidate in enumerate(by_rank, 1)}
    stayed = [id for id in before if id in after]
    return ReplayDifference(
        entered=tuple(id for id in after if id not in before),
        left=tuple(id for id in before if id not in after),
        moved=tuple((id, before[id], after[id]) for id in stayed if before[id] != after[id]),
        tokens=(
            sum(placed.tokens for placed in shown),
            sum(candidate.tokens for candidate in replayed.assembled.shown),
        ),
        use=_use(shown, replayed, policy),
        uncompared=replayed.uncompared,
    )


def _use(shown: Sequence[ShownUsage], replayed: Replayed, policy: Policy) -> tuple[float, float]:
    known = {placed.memory_id: placed.used for placed in shown}
    expected = {
        result.candidate.hit.memory_id: expected_use(result.candidate, replayed.inputs, policy)
        for result in replayed.assembled.candidates
    }
    before, after = list(known), [candidate.hit.memory_id for candidate in replayed.assembled.shown]
    worth = {id: float(used) if used is not None else expected.get(id, 0.0) for id, used in known.items()}
    return sum(worth[id] for id in before), sum(worth.get(id, expected[id]) for id in after)


def expected_use(candidate: Candidate, inputs: TurnInputs, policy: Policy) -> float:
    """Return the estimated probability that a memory is used if it is shown: (used + m·b) / (shown + m).

    `used` and `shown` are the memory's own counts of past use, decayed to the time of the turn. b is the average rate
    of use of its type, and m = 2 the weight of b. In contrast to the boost in ranking, new memories are not favoured.
    """
    base = base_rate(inputs.found.base.get(candidate.hit.type), inputs.now, policy)
    return (candidate.boost.used + _PRIOR * base) / (candidate.boost.shown + _PRIOR)
