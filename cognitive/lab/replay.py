"""Run a recorded turn again: with its own policy to reproduce it, or with another to see what would have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from brain.passage_texts import Key, PassageText
from brain.types import Memory
from cognitive.context.assemble import AssembledContext, assemble
from cognitive.context.usage import base_rate
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.policy.annotations import BeforeRecord
from cognitive.policy.constants import Constants
from cognitive.policy.policy import settings
from cognitive.preflight import plan as planning
from cognitive.recording.record import Recording, TurnInputs, sha256
from cognitive.tokens import TokenCounter
from cognitive.trace import Candidate, WindowSimilarity

_PRIOR = 2.0  # weight of the base rate, in showings


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of running a recorded turn's stages again.

    `identical` is True if text and prefix are byte for byte what was rendered then. `gone` and `changed` are memories
    that the turn found and that the store no longer has or that have another content. `uncompared` are memories shown
    without having been compared with the conversation, because the turn's own policy did not compare them.
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
    """Run the stages of a recorded turn on their recorded inputs, with the present text of the memories.

    Tokens are counted by `counter`; `inputs.counter` names the counter of the turn.
    """
    restored = record.restored(contents, pinned)
    assembled = again(restored.inputs, record.similarity, policy, counter, constants)
    return Replayed(
        inputs=restored.inputs,
        assembled=assembled,
        identical=(sha256(assembled.text), sha256(assembled.prefix)) == (record.text, record.prefix),
        gone=restored.gone,
        changed=restored.changed,
        uncompared=uncompared(assembled, policy),
    )


def unanswerable(policy: Policy, was: Policy) -> frozenset[str]:
    """Return the changed settings whose effect the record cannot show, because they act before the recorded stages."""
    return frozenset(
        name
        for name, field in settings().items()
        for mark in field.metadata
        if isinstance(mark, BeforeRecord) and policy.value(name) != was.value(name)
        if mark.when is None or mark.when(policy, was)
    )


def uncompared(assembled: AssembledContext, policy: Policy) -> tuple[UUID, ...]:
    """Return the shown memories that the policy compares with the window, but the turn did not."""
    return tuple(c.hit.memory_id for c in assembled.shown if policy.dedup.enabled and c.similarity is None)


def again(
    inputs: TurnInputs,
    similarity: Mapping[Key, WindowSimilarity],
    policy: Policy,
    counter: TokenCounter,
    constants: Constants,
) -> AssembledContext:
    """Run the stages of a turn on their recorded inputs and the recorded comparison with the window."""
    plan = planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )
    return assemble(
        plan, inputs, lambda hit, _: similarity.get((hit.memory_id, hit.ordinal)), policy, counter, constants
    )


def replan(record: Recording, policy: Policy) -> Plan:
    """Return the plan of a turn, made again from its recorded signals; an empty plan if no stage ran."""
    inputs = record.inputs
    if inputs is None:
        return planning.create_plan(Signals("", greeting=True), "conversation", (), policy)
    return planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )


@dataclass(frozen=True, slots=True)
class ShownUsage:
    """A memory that a turn showed: its tokens, and whether the response used it, None if unknown."""

    memory_id: UUID
    tokens: int
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The difference between the memories shown in a turn and those that a replay shows.

    `entered` and `left` are ids; `moved` has an id with its old and new place among the shown, from 1. `tokens` are the
    totals before and after. `use` is the number of shown memories that are used, before and after; where no verdict is
    known it is estimated, so the second number is an estimate.
    """

    entered: tuple[UUID, ...]
    left: tuple[UUID, ...]
    moved: tuple[tuple[UUID, int, int], ...]
    tokens: tuple[int, int]
    use: tuple[float, float]
    uncompared: tuple[UUID, ...] = ()

    @property
    def none(self) -> bool:
        """True if the same memories are shown in the same order."""
        return not (self.entered or self.left or self.moved)


def difference(shown: Sequence[ShownUsage], replayed: Replayed, policy: Policy) -> ReplayDifference:
    """Return what changes from a recorded turn, with its shown memories best first, to its replay with a policy."""
    before = {placed.memory_id: n for n, placed in enumerate(shown, 1)}
    after = {candidate.hit.memory_id: n for n, candidate in enumerate(replayed.assembled.shown, 1)}
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

    The masses `used` and `shown` are the memory's own, decayed to the time of the turn; b is the base rate of its type
    and m = 2. The prior is the base rate without the optimism of the boost, because an estimate need not favour new
    memories.
    """
    base = base_rate(inputs.found.base.get(candidate.hit.type), inputs.now, policy)
    return (candidate.boost.used + _PRIOR * base) / (candidate.boost.shown + _PRIOR)
