"""Select the memories that a turn shows: rank, filter, deduplicate, fit and render the candidates of retrieval.

`assemble` does no I/O and depends on its arguments alone. A turn, its replay, shadow policies and evaluations all call
it, so that equal inputs give equal text. The order of the filter stages is in `_run_filters`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain.search import SearchResult
from brain.types import Memory, MemoryType
from cognitive.context import (
    abstention,
    budget,
    dedup,
    explore,
    formed,
    listing,
    ranking,
    refusals,
    render,
    superseded,
    system_memories,
    talk,
    trust,
    usage,
)
from cognitive.context.system_memories import SystemMemories
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.recording.record import AlreadyInPrompt, TurnInputs
from cognitive.tokens import TokenCounter, count
from cognitive.trace import Candidate, CandidateResult, SectionBudgets, StageResult

# Deduplication compares this many times a type's limit of candidates; those that rank lower are rarely shown.
_DEDUP_POOL = 2
# If dropped duplicates would leave places of the type empty, it compares up to this many times the limit.
_MAX_POOL = 8
# A list without a topic may show this many times as many memories of one source: most are the user's own words.
_LISTED_PER_SOURCE = 4


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """The result of `assemble`: the memories to show, as text, and the decision about every candidate.

    Attributes:
        text: the block with this turn's memories; empty if none is shown.
        prefix: the block with shared pinned memories for the system prompt; empty if there are none.
        user_prefix: the block behind it, with the user's pinned memories, preferences and standing instructions.
        user_prefix_tokens: the number of tokens of `user_prefix`.
        pinned: the number of memories in the two blocks of the system prompt.
        shown: the candidates in `text`, best first.
        candidates: every candidate with its result (shown, or why it was dropped), by rank.
        sections: the token budgets that applied, by memory type and in total.
    """

    text: str
    prefix: str
    user_prefix: str
    user_prefix_tokens: int
    pinned: int
    shown: tuple[Candidate, ...]
    candidates: tuple[CandidateResult, ...]
    sections: SectionBudgets

    @property
    def system(self) -> str:
        """The two blocks of the system prompt, whose checksum is recorded."""
        return self.prefix + self.user_prefix


def assemble(
    plan: Plan,
    inputs: TurnInputs,
    compare: dedup.Compare,
    policy: Policy,
    counter: TokenCounter = count,
    constants: Constants = CONSTANTS,
) -> AssembledContext:
    """Select the memories that a turn shows. Return them as text, and the result of every candidate.

    Equal arguments give equal text, byte for byte.

    Args:
        plan: the queries, budgets and limits of the turn.
        inputs: the search result, the pinned memories and the turn's other recorded inputs.
        compare: returns the similarity of a memory to the conversation window, or None if the similarity is unknown.
        policy: the policy that the turn is planned with.
        counter: counts the tokens of a text.
        constants: calibrated constants that users cannot change as settings.
    """
    ranked = order(plan.retrieval, inputs.found, inputs.now, policy, constants)
    room = budget.section_budgets(plan, inputs.found, inputs.room, inputs.now, policy, constants)
    scales = Scales(counter, room, policy, constants, counter(render.FRAME) + 1)
    system = system_memories.select(inputs.pinned, policy, counter)
    filtered = _explore(_run_filters(ranked, plan, inputs, system, compare, scales), plan, inputs, scales)
    results = [CandidateResult(candidate, "shown", candidate.score, _reason(candidate)) for candidate in filtered.kept]
    return AssembledContext(
        text=render.block(filtered.kept, policy),
        prefix=render.prefix(system.shared, policy),
        user_prefix=(user_prefix := render.user_prefix(system.of_user, policy)),
        user_prefix_tokens=counter(user_prefix) if user_prefix else 0,
        pinned=len(system.shared) + len(system.of_user),
        shown=filtered.kept,
        candidates=tuple(sorted((*results, *filtered.dropped), key=lambda result: result.candidate.rank)),
        sections=room,
    )


@dataclass(frozen=True, slots=True)
class Scales:
    """The token counter, token budgets, policy and constants of a turn, passed together to its filter stages.

    `frame` is the number of tokens of a memory block without its memories: tags, notice, and headings of all types.
    """

    counter: TokenCounter
    sections: SectionBudgets
    policy: Policy
    constants: Constants
    frame: int

    def cost(self, candidate: Candidate) -> int:
        """Return the number of tokens of a candidate's line in the memory block."""
        return cost(candidate, self.counter, self.policy)


def cost(candidate: Candidate, counter: TokenCounter, policy: Policy) -> int:
    """Return the number of tokens of a candidate's line in the memory block.

    If an earlier stage counted them, return that count, `candidate.tokens`.
    """
    return candidate.tokens or counter(f"{render.line(candidate.hit, policy)}\n")


def _reason(candidate: Candidate) -> str:
    shortened = "; shortened to the sentences that the conversation does not contain" if candidate.excerpt else ""
    noted = f"; {candidate.note}" if candidate.note else ""
    return f"rank {candidate.rank}{shortened}{noted}"


def order(
    queries: Sequence[RetrievalQuery], found: SearchResult, now: datetime, policy: Policy, constants: Constants
) -> list[Candidate]:
    """Rank the memories that the search found: one candidate for each memory, the highest score first.

    The list is empty if `queries` is empty, because the plan then retrieves no memory.
    """
    if not queries:
        return []
    relevant = ranking.candidates(found, queries[0], now, policy)
    boosts = usage.combined_boosts(found, now, policy, constants)
    return ranking.rank(relevant, boosts, policy, constants, queries[0])


def _run_filters(
    ranked: Sequence[Candidate],
    plan: Plan,
    inputs: TurnInputs,
    system: SystemMemories,
    compare: dedup.Compare,
    scales: Scales,
) -> StageResult:
    """Run the filter stages on the ranked candidates, one after the other.

    Return the candidates that pass all stages, and the result of each dropped candidate.
    """
    policy = scales.policy
    limits = {query.type: query.limit for query in plan.retrieval}
    shown_before = _already_in_prompt(inputs, policy)
    stages: tuple[Callable[[Sequence[Candidate]], StageResult], ...] = (
        formed.drop_lines,
        lambda candidates: _without_pinned(candidates, (*system.shared, *system.of_user)),
        lambda candidates: superseded.drop_superseded(candidates, history=plan.signals.history),
        lambda candidates: _not_repeated(candidates, plan),
        lambda candidates: refusals.drop_refusals(candidates, plan.signals.text),
        lambda candidates: trust.drop_untrusted(candidates, policy),
        lambda candidates: superseded.with_predecessors(
            candidates, _listed_or_relevant(candidates, plan, inputs, scales)
        ),
        lambda candidates: _distinct(candidates, limits, plan, compare, shown_before, scales),
        lambda candidates: budget.limit(candidates, limits),
        lambda candidates: dedup.drop_in_history(candidates, shown_before),
        lambda candidates: budget.fit(
            candidates,
            scales.sections.budgets,
            scales.sections.total,
            cost=scales.cost,
            overhead=scales.frame,
            best=scales.sections.best,
            preferred_types=plan.budgets.keys() & dict(plan.signals.hints),
        ),
        lambda candidates: budget.cap(candidates, plan.max_memories),
    )
    remaining = tuple(ranked)
    dropped: tuple[CandidateResult, ...] = ()
    for stage in stages:
        filtered = stage(remaining)
        remaining, dropped = filtered.kept, (*dropped, *filtered.dropped)
    return StageResult(remaining, dedup.mark_in_prompt(dropped, shown_before))


def _listed_or_relevant(candidates: Sequence[Candidate], plan: Plan, inputs: TurnInputs, scales: Scales) -> StageResult:
    """Keep the candidates that the message asks to list, or else those that match it well enough."""
    policy = scales.policy

    def abstain(remaining: Sequence[Candidate]) -> StageResult:
        return abstention.abstain(remaining, inputs.found, plan, policy, scales.constants)

    passages = inputs.found.passages
    return listing.keep_listed(candidates, plan.signals, passages, abstain, abstention=policy.abstention)


def _not_repeated(candidates: Sequence[Candidate], plan: Plan) -> StageResult:
    """Drop the candidates that the message repeats word for word, if the plan deduplicates."""
    return talk.drop_repeated(candidates, plan.signals.text) if plan.dedup else StageResult(tuple(candidates), ())


def _distinct(
    candidates: Sequence[Candidate],
    limits: Mapping[MemoryType, int],
    plan: Plan,
    compare: dedup.Compare,
    shown_before: Sequence[AlreadyInPrompt],
    scales: Scales,
) -> StageResult:
    """Drop the candidates that the conversation makes superfluous, that repeat another one, and too many of a source.

    The limit per source counts distinct statements, so it applies to what is left after the comparison. Comparing is
    expensive, so of each memory type and of each source only the best candidates are compared: at first twice as many
    as may be shown. If too few of them are distinct to reach the limit of a type, the number is doubled, up to eight
    times the limit. Candidates that rank lower are dropped without a comparison.
    """
    policy, keys = scales.policy, {(id, ordinal) for id, ordinal, _ in shown_before}
    listing, times = plan.signals.listing, _DEDUP_POOL
    is_broad = listing is not None and not listing.topic
    most = policy.trust.max_per_source * (_LISTED_PER_SOURCE if is_broad else 1)
    while True:
        of_source = trust.cap_per_source(candidates, most, times if plan.dedup else 1)
        pool = budget.limit(of_source.kept, {type_: limit * times for type_, limit in limits.items()})
        if not plan.dedup:
            return StageResult(pool.kept, (*of_source.dropped, *pool.dropped))
        distinct = dedup.drop_restated(pool.kept, compare, policy, scales.constants, keys)
        if not plan.signals.history:
            distinct = superseded.drop_older(distinct)
        capped = trust.cap_per_source(distinct.kept, most)
        counts = Counter(candidate.hit.type for candidate in capped.kept)
        uncompared = (*of_source.dropped, *pool.dropped)
        waiting = {result.candidate.hit.type for result in uncompared}
        if times >= _MAX_POOL or all(counts[type_] >= limits.get(type_, 0) for type_ in waiting):
            return StageResult(capped.kept, (*uncompared, *distinct.dropped, *capped.dropped))
        times *= _DEDUP_POOL


def _explore(filtered: StageResult, plan: Plan, inputs: TurnInputs, scales: Scales) -> StageResult:
    """Apply exploration: occasionally show a memory that was just left out (see module `explore`).

    Each candidate that exploration could have shown or displaced also gets its propensity, the probability with which
    it was shown.
    """
    every = scales.policy.usage.explore_every
    if not every:
        return filtered
    room = scales.sections.total - scales.frame - sum(candidate.tokens for candidate in filtered.kept)
    below = _below_the_cut(filtered.dropped, plan, scales)
    draw = explore.explore(inputs.turn_id, inputs.agent_id, filtered.kept, below, every, room=room)

    def with_propensity(candidate: Candidate) -> Candidate:
        propensity = draw.propensities.get(candidate.hit.memory_id, candidate.propensity)
        return candidate if propensity == candidate.propensity else candidate._replace(propensity=propensity)

    results = (*filtered.dropped, *([draw.displaced] if draw.displaced else []))
    left_out = [result for result in results if draw.drawn is None or result.candidate.hit is not draw.drawn.hit]
    return StageResult(
        tuple(with_propensity(candidate) for candidate in draw.kept),
        tuple(result._replace(candidate=with_propensity(result.candidate)) for result in left_out),
    )


def _below_the_cut(dropped: Sequence[CandidateResult], plan: Plan, scales: Scales) -> list[Candidate]:
    """Return the dropped candidates that exploration may show after all, best first, with their tokens counted.

    They were dropped only for a limit or a budget, are of a type that the plan retrieves, and have been compared with
    the conversation if the plan deduplicates.
    """
    types = {query.type for query in plan.retrieval if query.limit}
    below = [
        result.candidate._replace(tokens=scales.cost(result.candidate))
        for result in dropped
        if result.disposition in ("over_limit", "over_budget")
        and result.candidate.hit.type in types
        and (result.candidate.similarity is not None or not plan.dedup)
    ]
    return sorted(below, key=lambda candidate: candidate.rank)


def _already_in_prompt(inputs: TurnInputs, policy: Policy) -> Sequence[AlreadyInPrompt]:
    """Return the memories that the conversation still shows, in the memory blocks of earlier turns.

    There are none unless the placement is "journaled", which leaves the blocks in the conversation.
    """
    return inputs.already_in_prompt if policy.placement == "journaled" else ()


def _without_pinned(candidates: Sequence[Candidate], pinned: Sequence[Memory]) -> StageResult:
    """Drop the candidates that the system message shows already: pinned memories and the user's wishes."""
    ids = {memory.id for memory in pinned}
    return StageResult(
        tuple(candidate for candidate in candidates if candidate.hit.memory_id not in ids),
        tuple(
            CandidateResult(candidate, "pinned", candidate.score, "the system message shows it")
            for candidate in candidates
            if candidate.hit.memory_id in ids
        ),
    )
