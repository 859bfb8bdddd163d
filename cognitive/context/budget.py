"""Token budgets: limit the tokens of a prompt's memories, by memory type and in total.

A section is the part of the memory block for one memory type. The plan sets the tokens of each section and their total.
The total is lowered if the model has less room. With the setting `budgets.learned`, a section grows or shrinks by how
often memories of its type are used when they are shown. Whole memories are then fitted into the sections; tokens that
one section leaves free are available to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

from brain.decay import decayed
from brain.search import SearchResult
from brain.types import MemoryType
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate, CandidateResult, SectionBudgets, StageResult


def section_budgets(
    plan: Plan, found: SearchResult, room: int | None, now: datetime, policy: Policy, constants: Constants
) -> SectionBudgets:
    """Return the token budgets of a turn's memory block, and the reasons for differences from the plan.

    Args:
        plan: the planned tokens of each section (the memories of one type) and in total.
        found: the search result. It has how often memories of each type were shown and used, with older turns weighted
            less.
        room: the tokens that the model leaves for memory, or None for no limit.
        now: the turn's time.
        policy: `budgets.learned` switches learning on, and `budgets.overrides` has the sections whose budgets learning
            must not change.
        constants: the bounds of a learned change, and how many showings must be seen before learning has much effect.
    """
    total, reasons = plan.total, list[str]()
    best = max(total, policy.budgets.frames[plan.frame].total) if total else 0
    best = best if room is None else max(0, min(best, room))
    if room is not None and room < total:
        total = max(0, room)
        reasons.append(f"the model has room for {total} of {plan.total} tokens")
    if not policy.budgets.learned:
        return SectionBudgets(plan.budgets, total, tuple(reasons), best)
    worth = _worth(plan, found, now, policy, constants)
    budgets = {type_: _moved(type_, tokens, worth, plan, policy, constants) for type_, tokens in plan.budgets.items()}
    moved = [type_ for type_, tokens in budgets.items() if tokens != plan.budgets[type_]]
    return SectionBudgets(
        budgets,
        total,
        (
            *reasons,
            *(
                f"{type_}: {plan.budgets[type_]} changed to {budgets[type_]} tokens, because it is used"
                f" {worth[type_]:.2f} times as often as the mean when shown"
                for type_ in moved
            ),
        ),
        best,
    )


def _worth(
    plan: Plan, found: SearchResult, now: datetime, policy: Policy, constants: Constants
) -> Mapping[MemoryType, float]:
    """Return for each memory type how often its memories are used when shown, relative to the mean of all types.

    The use rate is used / shown, where both counts decay with age. The mean is weighted by the planned tokens. Each
    rate is shrunk towards the rate of all types as if there were `learned_budget_prior` more showings, so that a type
    that is seldom shown keeps about its planned budget (the posterior mean of a beta prior; Gelman et al., "Bayesian
    Data Analysis", 2.4).
    """
    half_life, prior = policy.usage.half_life_days, constants.learned_budget_prior
    shown = {type_: decayed(mass.shown, mass.at, now, half_life) for type_, mass in found.base.items()}
    used = {type_: decayed(mass.used, mass.at, now, half_life) for type_, mass in found.base.items()}
    overall = sum(used.values()) / sum(shown.values()) if sum(shown.values()) else 0.0
    rates = {
        type_: (used.get(type_, 0.0) + prior * overall) / (shown.get(type_, 0.0) + prior) for type_ in plan.budgets
    }
    planned = sum(plan.budgets.values())
    mean = sum(rates[type_] * tokens for type_, tokens in plan.budgets.items()) / planned if planned else 0.0
    return {type_: rate / mean if mean else 1.0 for type_, rate in rates.items()}


def _moved(
    type_: MemoryType,
    planned: int,
    worth: Mapping[MemoryType, float],
    plan: Plan,
    policy: Policy,
    constants: Constants,
) -> int:
    """Return the learned token budget of a memory type: the planned tokens times its worth (see `_worth`).

    The change is limited by bounds in `constants`. If the operator has set the budget of the type, the planned tokens
    are returned. If the message asks for memories of the type, learning cannot lower the budget below the type's budget
    for questions.
    """
    if type_ in policy.budgets.overrides:
        return planned
    moved = round(planned * min(constants.max_learned_budget, max(constants.min_learned_budget, worth[type_])))
    hinted = type_ in dict(plan.signals.hints)
    return max(moved, min(planned, int(getattr(policy.budgets.frames["question"], type_)))) if hinted else moved


def limit(candidates: Sequence[Candidate], limits: Mapping[MemoryType, int]) -> StageResult:
    """Keep the first candidates of each memory type, up to the type's limit, and drop the others as "over_limit"."""
    taken: dict[MemoryType, int] = {}
    kept, dropped = [], []
    for candidate in candidates:
        type_ = candidate.hit.type
        place = taken[type_] = taken.get(type_, 0) + 1
        allowed = limits.get(type_, 0)
        if place <= allowed:
            kept.append(candidate)
        else:
            dropped.append(
                CandidateResult(
                    candidate,
                    "over_limit",
                    place,
                    f"number {place} of its type; at most {allowed} of type {type_} are shown",
                )
            )
    return StageResult(tuple(kept), tuple(dropped))


def cap(candidates: Sequence[Candidate], limit: int | None) -> StageResult:
    """Keep the first `limit` candidates of all types together, or all if `limit` is None.

    Drop the others as "over_limit".
    """
    if limit is None:
        return StageResult(tuple(candidates))
    dropped = [
        CandidateResult(c, "over_limit", n, f"number {n} of all types; at most {limit} are shown")
        for n, c in enumerate(candidates, 1)
        if n > limit
    ]
    return StageResult(tuple(candidates[:limit]), tuple(dropped))


def fit(
    candidates: Sequence[Candidate],
    budgets: Mapping[MemoryType, int],
    total: int,
    *,
    cost: Callable[[Candidate], int],
    overhead: int = 0,
    best: int = 0,
    preferred_types: Collection[MemoryType] = (),
) -> StageResult:
    """Choose whole memories that together fit the token budgets, and drop the others as "over_budget".

    If all fit into the total, all are kept. Otherwise memories are chosen by rank: first the best memory of each of
    `preferred_types`, then memories within their section's budget, then memories of any section within the tokens that
    remain. A memory that is too long is skipped, and a shorter one may still fit. The best match is kept alone if it
    needs more than the total, but at most `best`. The order of the candidates does not change.

    Args:
        candidates: the candidates, best first.
        budgets: the tokens of each section, the part of the block for one memory type.
        total: the tokens of the whole block.
        cost: returns the tokens of a candidate as it is rendered.
        overhead: the tokens of the block's tags and headings, which are part of the total.
        best: the limit, in place of `total`, of a block with the best match alone.
        preferred_types: the memory types that the message asks for.
    """
    measured = [candidate._replace(tokens=cost(candidate)) for candidate in candidates]
    filling = _BudgetFill(measured, dict(budgets), max(0, total - overhead))
    if sum(candidate.tokens for candidate in measured) <= filling.left:
        return StageResult(tuple(measured))
    if filling.left < measured[0].tokens <= best - overhead:
        filling.take_alone(0)
    for type_ in sorted(preferred_types):
        filling.take([n for n, each in enumerate(measured) if each.hit.type == type_], own_section=True, limit=1)
    for own_section in (True, False):
        filling.take(range(len(measured)), own_section=own_section)
    return StageResult(
        tuple(candidate for n, candidate in enumerate(measured) if n in filling.chosen),
        tuple(filling.result(n) for n in range(len(measured)) if n not in filling.chosen),
    )


class _BudgetFill:
    """Chooses memories by rank until the token budgets are used up."""

    def __init__(self, measured: Sequence[Candidate], room: dict[MemoryType, int], left: int) -> None:
        self._measured = measured
        self._room = room
        self.left = left
        self.chosen: set[int] = set()

    def take(self, places: Iterable[int], *, own_section: bool, limit: int | None = None) -> None:
        """Choose memories, best first, until no other fits or `limit` are chosen.

        `places` are the indexes of the candidates to choose from, ascending. With `own_section`, a memory must also fit
        into the tokens that remain for its memory type.
        """
        for n in places:
            if limit == 0:
                return
            if n not in self.chosen and self._measured[n].tokens <= self._allowed(n, own_section):
                self._choose(n)
                limit = None if limit is None else limit - 1

    def take_alone(self, n: int) -> None:
        """Choose the candidate at index `n`, which exceeds the total, so that no tokens are left."""
        self._choose(n)
        self.left = 0

    def result(self, n: int) -> CandidateResult:
        """Return the result "over_budget" of the candidate at index `n`, which was not chosen."""
        candidate = self._measured[n]
        return CandidateResult(
            candidate, "over_budget", candidate.tokens, f"{candidate.tokens} tokens, {self.left} left"
        )

    def _allowed(self, n: int, own_section: bool) -> int:
        return min(self.left, self._room.get(self._measured[n].hit.type, 0)) if own_section else self.left

    def _choose(self, n: int) -> None:
        candidate = self._measured[n]
        self.chosen.add(n)
        self.left -= candidate.tokens
        self._room[candidate.hit.type] = self._room.get(candidate.hit.type, 0) - candidate.tokens
