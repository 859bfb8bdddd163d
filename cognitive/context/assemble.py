"""From what was found to what is shown, without waiting for anything: the stages that a turn and its replay share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from brain.search import SearchResult
from brain.types import Memory, MemoryType
from cognitive.context import abstention, budget, dedup, explore, ranking, render, trust, usage
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.recording.record import AlreadyInPrompt, TurnInputs
from cognitive.tokens import TokenCounter, count
from cognitive.trace import Candidate, CandidateResult, SectionBudgets, StageResult

_DEDUP_POOL = 2  # times a type's limit are compared with the window; what ranks lower is rarely shown
_MAX_COMPARED = 8  # times the limit, where what is said already or repeated would leave places empty


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """What the model should see of its memory, the candidates it shows in order, and what became of all of them."""

    text: str
    prefix: str
    shown: tuple[Candidate, ...]
    candidates: tuple[CandidateResult, ...]
    sections: SectionBudgets


def assemble(
    plan: Plan,
    inputs: TurnInputs,
    compare: dedup.Compare,
    policy: Policy,
    counter: TokenCounter = count,
    constants: Constants = CONSTANTS,
) -> AssembledContext:
    """The context of a turn: a function of its arguments, bit for bit."""
    ranked = order(plan.retrieval, inputs.found, inputs.now, policy, constants)
    room = budget.section_budgets(plan, inputs.found, inputs.room, inputs.now, policy, constants)
    scales = Scales(counter, room, policy, constants)
    filtered = _explore(_run_filters(ranked, plan, inputs, compare, scales), plan, inputs, scales)
    results = [CandidateResult(candidate, "shown", candidate.score, _reason(candidate)) for candidate in filtered.kept]
    return AssembledContext(
        text=render.block(filtered.kept, policy),
        prefix=render.prefix(trust.trusted_pinned(inputs.pinned, policy), policy),
        shown=filtered.kept,
        candidates=tuple(sorted((*results, *filtered.dropped), key=lambda result: result.candidate.rank)),
        sections=room,
    )


@dataclass(frozen=True, slots=True)
class Scales:
    """What weighs a turn's memories, what they may weigh, and by which settings and constants."""

    counter: TokenCounter
    sections: SectionBudgets
    policy: Policy
    constants: Constants

    @property
    def frame(self) -> int:
        """The tokens of what stands around the memories."""
        return self.counter(render.frame()) + 1

    def cost(self, candidate: Candidate) -> int:
        """The tokens of a candidate's line in the block."""
        return cost(candidate, self.counter, self.policy)


def cost(candidate: Candidate, counter: TokenCounter, policy: Policy) -> int:
    """The tokens of a candidate's line in the block, which are counted once."""
    return candidate.tokens or counter(f"{render.line(candidate.hit, policy)}\n")


def _reason(candidate: Candidate) -> str:
    shortened = "; shortened to what the conversation does not say" if candidate.excerpt else ""
    return f"rank {candidate.rank}{shortened}"


def order(
    queries: Sequence[RetrievalQuery], found: SearchResult, now: datetime, policy: Policy, constants: Constants
) -> list[Candidate]:
    """Every memory that was found, best first."""
    if not queries:
        return []
    relevant = ranking.candidates(found, queries[0], now, policy)
    earned = usage.combined_boosts(found, now, policy, constants)
    return ranking.rank(relevant, earned, policy, constants, queries[0])


def _run_filters(
    ranked: Sequence[Candidate], plan: Plan, inputs: TurnInputs, compare: dedup.Compare, scales: Scales
) -> StageResult:
    """From all candidates to those that are shown: the stages in their order, each saying what it dropped."""
    policy = scales.policy
    limits = {query.type: query.limit for query in plan.retrieval}
    shown_before = _already_in_prompt(inputs, policy)
    stages: tuple[Callable[[Sequence[Candidate]], StageResult], ...] = (
        lambda candidates: _without_pinned(candidates, trust.trusted_pinned(inputs.pinned, policy)),
        _without_superseded,
        lambda candidates: trust.drop_untrusted(candidates, policy),
        lambda candidates: abstention.abstain(candidates, inputs.found, plan.signals, policy, plan.frame),
        lambda candidates: trust.cap_per_source(candidates, policy),
        lambda candidates: _distinct(candidates, limits, plan, compare, shown_before, scales),
        lambda candidates: budget.limit(candidates, limits),
        lambda candidates: dedup.drop_in_history(candidates, shown_before),
        lambda candidates: budget.fit(
            candidates,
            scales.sections.budgets,
            scales.sections.total,
            cost=scales.cost,
            constants=scales.constants,
            overhead=scales.frame,
            asked=plan.budgets.keys() & dict(plan.signals.hints),
        ),
        lambda candidates: budget.cap(candidates, plan.max_memories),
    )
    left = tuple(ranked)
    dropped: tuple[CandidateResult, ...] = ()
    for stage in stages:
        filtered = stage(left)
        left, dropped = filtered.kept, (*dropped, *filtered.dropped)
    return StageResult(left, dedup.mark_in_prompt(dropped, shown_before))


def _distinct(
    candidates: Sequence[Candidate],
    limits: Mapping[MemoryType, int],
    plan: Plan,
    compare: dedup.Compare,
    shown_before: Sequence[AlreadyInPrompt],
    scales: Scales,
) -> StageResult:
    """What nobody has said yet, of so many of each type as its limit may show: twice the limit are looked at, and more
    while what was dropped leaves places empty. A dozen restatements take one place, and not all.
    """
    times, keys = _DEDUP_POOL, {(id, ordinal) for id, ordinal, _ in shown_before}
    while True:
        pool = budget.limit(candidates, {type_: limit * times for type_, limit in limits.items()})
        if not plan.dedup:
            return pool
        unsaid = dedup.drop_restated(pool.kept, compare, scales.policy, scales.constants, keys)
        kept = Counter(candidate.hit.type for candidate in unsaid.kept)
        waiting = {result.candidate.hit.type for result in pool.dropped}
        if times >= _MAX_COMPARED or all(kept[type_] >= limits.get(type_, 0) for type_ in waiting):
            return StageResult(unsaid.kept, (*pool.dropped, *unsaid.dropped))
        times *= _DEDUP_POOL


def _explore(filtered: StageResult, plan: Plan, inputs: TurnInputs, scales: Scales) -> StageResult:
    """With the exploration's draw, and with the chance of being shown of all that had one."""
    every = scales.policy.usage.explore_every
    if not every:
        return filtered
    room = scales.sections.total - scales.frame - sum(candidate.tokens for candidate in filtered.kept)
    below = _below_the_cut(filtered.dropped, plan, scales)
    draw = explore.explore(inputs.turn_id, inputs.agent_id, filtered.kept, below, every, room=room)

    def chanced(candidate: Candidate) -> Candidate:
        chance = draw.propensities.get(candidate.hit.memory_id, candidate.propensity)
        return candidate if chance == candidate.propensity else replace(candidate, propensity=chance)

    results = (*filtered.dropped, *([draw.displaced] if draw.displaced else []))
    left_out = [result for result in results if draw.drawn is None or result.candidate.hit is not draw.drawn.hit]
    return StageResult(
        tuple(chanced(candidate) for candidate in draw.kept),
        tuple(
            CandidateResult(chanced(result.candidate), result.disposition, result.value, result.reason)
            for result in left_out
        ),
    )


def _below_the_cut(dropped: Sequence[CandidateResult], plan: Plan, scales: Scales) -> list[Candidate]:
    """What failed by a limit or a budget alone, best first, measured: of types that are asked for, and compared."""
    asked = {query.type for query in plan.retrieval if query.limit}
    below = [
        replace(result.candidate, tokens=scales.cost(result.candidate))
        for result in dropped
        if result.disposition in ("over_limit", "over_budget")
        and result.candidate.hit.type in asked
        and (result.candidate.similarity is not None or not plan.dedup)
    ]
    return sorted(below, key=lambda candidate: candidate.rank)


def _already_in_prompt(inputs: TurnInputs, policy: Policy) -> Sequence[AlreadyInPrompt]:
    """What the conversation still shows, where the policy leaves it there."""
    return inputs.already_in_prompt if policy.placement == "journaled" else ()


def _without_pinned(candidates: Sequence[Candidate], pinned: Sequence[Memory]) -> StageResult:
    """What the prefix shows, the block does not dedup."""
    ids = {memory.id for memory in pinned}
    return StageResult(
        tuple(candidate for candidate in candidates if candidate.hit.memory_id not in ids),
        tuple(
            CandidateResult(candidate, "pinned", candidate.score, "it stands in the prefix")
            for candidate in candidates
            if candidate.hit.memory_id in ids
        ),
    )


def _without_superseded(candidates: Sequence[Candidate]) -> StageResult:
    """What a newer memory replaced is not offered to the model; recall still finds it, below its replacement."""
    return StageResult(
        tuple(candidate for candidate in candidates if candidate.hit.superseded_by is None),
        tuple(
            CandidateResult(candidate, "superseded", candidate.score, f"replaced by {candidate.hit.superseded_by}")
            for candidate in candidates
            if candidate.hit.superseded_by is not None
        ),
    )
