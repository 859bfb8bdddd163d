"""Run a recorded turn again: the same bytes under its own policy, or what another would have shown instead."""

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

_PRIOR = 2.0  # showings that the base rate counts for, beside a memory's own


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a recorded turn shows when its stages are run again.

    `identical` says whether text and prefix are, byte for byte, what was rendered then. `gone` and `changed` are
    memories found in the turn that the store no longer has, or that say something else. `uncompared` are shown though
    nobody knows whether the conversation said them: under the policy of the turn they were not compared.
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
    """Runs the stages of a turn on what they were given then, with the memories' words as they are now.

    Tokens are counted by `counter`; what counted them then is `inputs.counter`.
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
    """The settings of a policy whose worth a turn's record cannot tell, since it was planned under another policy."""
    return frozenset(
        name
        for name, field in settings().items()
        for mark in field.metadata
        if isinstance(mark, BeforeRecord) and policy.value(name) != was.value(name)
        if mark.when is None or mark.when(policy, was)
    )


def uncompared(assembled: AssembledContext, policy: Policy) -> tuple[UUID, ...]:
    """The memories shown under a policy that compares with the window, though the turn did not compare them."""
    return tuple(c.hit.memory_id for c in assembled.shown if policy.dedup.enabled and c.similarity is None)


def again(
    inputs: TurnInputs,
    similarity: Mapping[Key, WindowSimilarity],
    policy: Policy,
    counter: TokenCounter,
    constants: Constants,
) -> AssembledContext:
    """The stages of a turn on what they were given, with the window as it was compared then."""
    plan = planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )
    return assemble(
        plan, inputs, lambda hit, _: similarity.get((hit.memory_id, hit.ordinal)), policy, counter, constants
    )


def replan(record: Recording, policy: Policy) -> Plan:
    """The plan of a turn, made again from what was understood of its message; without stages, an empty one."""
    inputs = record.inputs
    if inputs is None:
        return planning.create_plan(Signals("", greeting=True), "conversation", (), policy)
    return planning.create_plan(
        inputs.signals, inputs.frame, inputs.reasons, policy, inputs.thinking, inputs.categories
    )


@dataclass(frozen=True, slots=True)
class ShownUsage:
    """A memory as a turn showed it: its tokens, and whether the response used it, None if nobody knows."""

    memory_id: UUID
    tokens: int
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class ReplayDifference:
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


def difference(shown: Sequence[ShownUsage], replayed: Replayed, policy: Policy) -> ReplayDifference:
    """What changes from a turn as it was recorded, best first, to the turn as it was replayed under a policy."""
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
    """How likely a memory is to be used if it is shown, from its own past and that of its type at the time of the turn:
    (used + m·b) / (shown + m), decayed masses, b the base rate of the type, m = 2. The prior is the base rate itself,
    without the boost's optimism, since an estimate need not give anybody a chance.
    """
    base = base_rate(inputs.found.base.get(candidate.hit.type), inputs.now, policy)
    return (candidate.boost.used + _PRIOR * base) / (candidate.boost.shown + _PRIOR)
