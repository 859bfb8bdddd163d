"""Select the memories that a turn shows: rank, filter, deduplicate, fit and render the candidates of retrieval.

`assemble` does no I/O and depends on its arguments alone. A turn, its replay, shadow policies and evaluations all call
it, so that equal inputs give equal text. `_FilterStages.run` has the order of the filter stages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain.search import SearchResult
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
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.recording.record import TurnInputs
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
    stages = _FilterStages(plan, inputs, compare, policy, counter, constants)
    filtered = stages.explore(stages.run(ranked))
    results = [CandidateResult(candidate, "shown", candidate.score, _reason(candidate)) for candidate in filtered.kept]
    system = stages.system
    return AssembledContext(
        text=render.block(filtered.kept, policy),
        prefix=render.prefix(system.shared, policy),
        user_prefix=(user_prefix := render.user_prefix(system.of_user, policy)),
        user_prefix_tokens=counter(user_prefix) if user_prefix else 0,
        pinned=len(system.shared) + len(system.of_user),
        shown=filtered.kept,
        candidates=tuple(sorted((*results, *filtered.dropped), key=lambda result: result.candidate.rank)),
        sections=stages.sections,
    )


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


def cost(candidate: Candidate, counter: TokenCounter, policy: Policy) -> int:
    """Return the number of tokens of a candidate's line in the memory block.

    If an earlier stage counted them, return that count, `candidate.tokens`.
    """
    return candidate.tokens or counter(f"{render.line(candidate.hit, policy)}\n")


def _reason(candidate: Candidate) -> str:
    shortened = "; shortened to the sentences that the conversation does not contain" if candidate.excerpt else ""
    noted = f"; {candidate.note}" if candidate.note else ""
    return f"rank {candidate.rank}{shortened}{noted}"


class _FilterStages:
    """The filter stages of a turn, which `run` runs on its ranked candidates, and the exploration after them.

    Attributes:
        sections: the token budgets of the memory block, by memory type and in total.
        system: the memories that the system message shows.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: TurnInputs,
        compare: dedup.Compare,
        policy: Policy,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._plan = plan
        self._inputs = inputs
        self._compare = compare
        self._policy = policy
        self._counter = counter
        self._constants = constants
        self._limits = {query.type: query.limit for query in plan.retrieval}
        # Only the placement "journaled" leaves memory blocks of earlier turns in the conversation.
        self._already_in_prompt = inputs.already_in_prompt if policy.placement == "journaled" else ()
        self._overhead = counter(render.EMPTY_BLOCK) + 1  # tokens of a block besides its memories
        self.sections = budget.section_budgets(plan, inputs.found, inputs.room, inputs.now, policy, constants)
        self.system = system_memories.select(inputs.pinned, policy, counter)

    def run(self, ranked: Sequence[Candidate]) -> StageResult:
        """Return the candidates that pass all stages, and the result of each dropped candidate."""
        stages: tuple[Callable[[Sequence[Candidate]], StageResult], ...] = (
            formed.drop_lines,
            self._without_pinned,
            lambda candidates: superseded.drop_superseded(candidates, history=self._plan.signals.history),
            self._not_repeated,
            lambda candidates: refusals.drop_refusals(candidates, self._plan.signals.text),
            lambda candidates: trust.drop_untrusted(candidates, self._policy),
            lambda candidates: superseded.with_predecessors(candidates, self._listed_or_relevant(candidates)),
            self._distinct,
            lambda candidates: budget.limit(candidates, self._limits),
            lambda candidates: dedup.drop_in_history(candidates, self._already_in_prompt),
            self._within_budget,
            lambda candidates: budget.cap(candidates, self._plan.max_memories),
        )
        remaining = tuple(ranked)
        dropped: tuple[CandidateResult, ...] = ()
        for stage in stages:
            filtered = stage(remaining)
            remaining, dropped = filtered.kept, (*dropped, *filtered.dropped)
        return StageResult(remaining, dedup.mark_in_prompt(dropped, self._already_in_prompt))

    def _without_pinned(self, candidates: Sequence[Candidate]) -> StageResult:
        """Drop the candidates that the system message shows already: pinned memories and the user's wishes."""
        ids = {memory.id for memory in (*self.system.shared, *self.system.of_user)}
        return StageResult(
            tuple(candidate for candidate in candidates if candidate.hit.memory_id not in ids),
            tuple(
                CandidateResult(candidate, "pinned", candidate.score, "the system message shows it")
                for candidate in candidates
                if candidate.hit.memory_id in ids
            ),
        )

    def _not_repeated(self, candidates: Sequence[Candidate]) -> StageResult:
        """Drop the candidates that the message repeats word for word, if the plan deduplicates."""
        if not self._plan.dedup:
            return StageResult(tuple(candidates))
        return talk.drop_repeated(candidates, self._plan.signals.text)

    def _listed_or_relevant(self, candidates: Sequence[Candidate]) -> StageResult:
        """Keep the candidates that the message asks to list, or else those that match it well enough."""
        plan, found = self._plan, self._inputs.found

        def abstain(remaining: Sequence[Candidate]) -> StageResult:
            return abstention.abstain(remaining, found, plan, self._policy, self._constants)

        return listing.keep_listed(
            candidates, plan.signals, found.passages, abstain, abstention=self._policy.abstention
        )

    def _distinct(self, candidates: Sequence[Candidate]) -> StageResult:
        """Drop the candidates that the conversation or another candidate restates, and too many of a source.

        The limit per source counts distinct statements, so it applies to what is left after the comparison. Comparing
        is expensive, so of each memory type and of each source only the best candidates are compared: at first twice as
        many as may be shown. If too few of them are distinct to reach the limit of a type, the number is doubled, up to
        eight times the limit. Candidates that rank lower are dropped without a comparison.
        """
        plan, policy, times = self._plan, self._policy, _DEDUP_POOL
        is_broad = plan.signals.listing is not None and not plan.signals.listing.topic
        max_per_source = policy.trust.max_per_source * (_LISTED_PER_SOURCE if is_broad else 1)
        while True:
            of_source = trust.cap_per_source(candidates, max_per_source, times if plan.dedup else 1)
            pool = budget.limit(of_source.kept, {type_: limit * times for type_, limit in self._limits.items()})
            if not plan.dedup:
                return StageResult(pool.kept, (*of_source.dropped, *pool.dropped))
            distinct = dedup.drop_restated(pool.kept, self._compare, policy, self._constants, self._already_in_prompt)
            if not plan.signals.history:
                distinct = superseded.drop_older(distinct)
            capped = trust.cap_per_source(distinct.kept, max_per_source)
            counts = Counter(candidate.hit.type for candidate in capped.kept)
            uncompared = (*of_source.dropped, *pool.dropped)
            waiting = {result.candidate.hit.type for result in uncompared}
            if times >= _MAX_POOL or all(counts[type_] >= self._limits.get(type_, 0) for type_ in waiting):
                return StageResult(capped.kept, (*uncompared, *distinct.dropped, *capped.dropped))
            times *= _DEDUP_POOL

    def _within_budget(self, candidates: Sequence[Candidate]) -> StageResult:
        """Choose memories that together fit the token budgets, first the best of each type that is asked for."""
        return budget.fit(
            candidates,
            self.sections.budgets,
            self.sections.total,
            cost=self._cost,
            overhead=self._overhead,
            best=self.sections.best,
            preferred_types=self._plan.budgets.keys() & dict(self._plan.signals.hints),
        )

    def _cost(self, candidate: Candidate) -> int:
        return cost(candidate, self._counter, self._policy)

    def explore(self, filtered: StageResult) -> StageResult:
        """Apply exploration: occasionally show a memory that was just left out (see module `explore`).

        Each candidate that exploration could have shown or displaced also gets its propensity, the probability with
        which it was shown.
        """
        every = self._policy.usage.explore_every
        if not every:
            return filtered
        room = self.sections.total - self._overhead - sum(candidate.tokens for candidate in filtered.kept)
        below = self._below_the_cut(filtered.dropped)
        draw = explore.explore(self._inputs.turn_id, self._inputs.agent_id, filtered.kept, below, every, room=room)

        def with_propensity(candidate: Candidate) -> Candidate:
            propensity = draw.propensities.get(candidate.hit.memory_id, candidate.propensity)
            return candidate if propensity == candidate.propensity else candidate._replace(propensity=propensity)

        results = (*filtered.dropped, *([draw.displaced] if draw.displaced else []))
        left_out = [result for result in results if draw.drawn is None or result.candidate.hit is not draw.drawn.hit]
        return StageResult(
            tuple(with_propensity(candidate) for candidate in draw.kept),
            tuple(result._replace(candidate=with_propensity(result.candidate)) for result in left_out),
        )

    def _below_the_cut(self, dropped: Sequence[CandidateResult]) -> list[Candidate]:
        """Return the dropped candidates that exploration may show after all, best first, with their tokens counted.

        They were dropped only for a limit or a budget, are of a type that the plan retrieves, and have been compared
        with the conversation if the plan deduplicates.
        """
        below = [
            result.candidate._replace(tokens=self._cost(result.candidate))
            for result in dropped
            if result.disposition in ("over_limit", "over_budget")
            and self._limits.get(result.candidate.hit.type)
            and (result.candidate.similarity is not None or not self._plan.dedup)
        ]
        return sorted(below, key=lambda candidate: candidate.rank)
