"""Fit the candidates into what they may take: each section's tokens and the total, as planned and as use moved them.

The planned tokens hold within the model's room, moved by how each type is used. Whole memories are fitted into their
section's tokens and the total; what one section leaves, the others may use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from brain.decay import decayed
from brain.search import SearchResult
from brain.text import lexemes
from brain.types import MemoryType
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate, CandidateResult, SectionBudgets, StageResult


def section_budgets(
    plan: Plan, found: SearchResult, room: int | None, now: datetime, policy: Policy, constants: Constants
) -> SectionBudgets:
    """The budgets of a turn, and why they are other than planned.

    Args:
        plan: What was planned.
        found: Brings how often memories of each type were shown and used, as decayed masses.
        room: The tokens that the model at hand leaves for memory; None where that is no matter.
        now: The turn's time.
        policy: `budgets.learned`, and the overrides that it does not move.
        constants: The bounds between which a section moves.
    """
    total, reasons = plan.total, list[str]()
    if room is not None and room < total:
        total = max(0, room)
        reasons.append(f"the model leaves {total} of {plan.total} tokens")
    if not policy.budgets.learned:
        return SectionBudgets(plan.budgets, total, tuple(reasons))
    worth = _worth(plan, found, now, policy, constants)
    budgets = {type_: _moved(type_, tokens, worth, plan, policy, constants) for type_, tokens in plan.budgets.items()}
    moved = [type_ for type_, tokens in budgets.items() if tokens != plan.budgets[type_]]
    return SectionBudgets(
        budgets,
        total,
        (
            *reasons,
            *(
                f"{type_}: {plan.budgets[type_]} to {budgets[type_]}, used {worth[type_]:.2f} times as often"
                " as the others when shown"
                for type_ in moved
            ),
        ),
    )


def _worth(
    plan: Plan, found: SearchResult, now: datetime, policy: Policy, constants: Constants
) -> Mapping[MemoryType, float]:
    """How often a type is used when it is shown, over the mean of the budgets' tokens.

    Each rate is drawn towards the rate of all types by `learned_budget_prior` showings: a type seldom shown stays
    where it was planned (the posterior mean of a beta prior, Gelman et al., "Bayesian Data Analysis", 2.4).
    """
    half_life, prior = policy.usage.half_life_days, constants.learned_budget_prior
    shown = {type_: decayed(mass.shown, mass.at, now, half_life) for type_, mass in found.base.items()}
    used = {type_: decayed(mass.used, mass.at, now, half_life) for type_, mass in found.base.items()}
    of_all = sum(used.values()) / sum(shown.values()) if sum(shown.values()) else 0.0
    rates = {type_: (used.get(type_, 0.0) + prior * of_all) / (shown.get(type_, 0.0) + prior) for type_ in plan.budgets}
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
    """A section's tokens: within the bounds, not below what a hint asks for, and as the operator set them, if so."""
    if type_ in policy.budgets.overrides:
        return planned
    moved = round(planned * min(constants.max_learned_budget, max(constants.min_learned_budget, worth[type_])))
    asked = type_ in dict(plan.signals.hints)
    return max(moved, min(planned, int(getattr(policy.budgets.frames["question"], type_)))) if asked else moved


def limit(candidates: Sequence[Candidate], limits: Mapping[MemoryType, int]) -> StageResult:
    """The first so many of each type."""
    taken: dict[MemoryType, int] = {}
    kept, dropped = [], []
    for candidate in candidates:
        type_ = candidate.hit.type
        place = taken[type_] = taken.get(type_, 0) + 1
        allowed = limits.get(type_, 0)
        if place <= allowed:
            kept.append(candidate)
        else:
            dropped.append(CandidateResult(candidate, "over_limit", place, f"place {place} of {allowed} for a {type_}"))
    return StageResult(tuple(kept), tuple(dropped))


def cap(candidates: Sequence[Candidate], most: int | None) -> StageResult:
    """The first so many of all types together; None is no bound."""
    if most is None:
        return StageResult(tuple(candidates))
    late = [
        CandidateResult(c, "over_limit", n, f"place {n} of {most} in all")
        for n, c in enumerate(candidates, 1)
        if n > most
    ]
    return StageResult(tuple(candidates[:most]), tuple(late))


def fit(
    candidates: Sequence[Candidate],
    budgets: Mapping[MemoryType, int],
    total: int,
    *,
    cost: Callable[[Candidate], int],
    constants: Constants,
    overhead: int = 0,
    asked: Collection[MemoryType] = (),
) -> StageResult:
    """Whole memories that fit their sections and the total, in the order given.

    Where all fit, all are kept. Else the best memory of each type that is asked for comes first, then each section
    fills its own budget, then what the sections left goes to whoever gains most, within the total. A memory too long
    for the room left is passed over, and a shorter one may still fit. `cost` is what a memory takes in tokens as it is
    rendered; `overhead` tokens of the total belong to the frame around them.
    """
    measured = [replace(candidate, tokens=cost(candidate)) for candidate in candidates]
    filling = _BudgetFill(measured, dict(budgets), max(0, total - overhead), constants)
    if sum(candidate.tokens for candidate in measured) <= filling.left:
        return StageResult(tuple(measured))
    for type_ in sorted(asked):
        filling.take([n for n, each in enumerate(measured) if each.hit.type == type_], own_section=True, most=1)
    for own_section in (True, False):
        filling.take(range(len(measured)), own_section=own_section)
    return StageResult(
        tuple(candidate for n, candidate in enumerate(measured) if n in filling.chosen),
        tuple(filling.result(n) for n in range(len(measured)) if n not in filling.chosen),
    )


class _BudgetFill:
    """A total as it fills up: what is chosen, what that says, and the room that is left."""

    def __init__(
        self, measured: Sequence[Candidate], room: dict[MemoryType, int], left: int, constants: Constants
    ) -> None:
        self._measured = measured
        self._words = [frozenset(lexemes(candidate.hit.content)) for candidate in measured]
        self._room = room
        self._constants = constants
        self._said = set[str]()
        self.left = left
        self.chosen: set[int] = set()

    def take(self, places: Iterable[int], *, own_section: bool, most: int | None = None) -> None:
        """Chooses the candidate of the highest gain until none fits, or so many are taken."""
        waiting = [n for n in places if n not in self.chosen]
        while most is None or most > 0:
            waiting = [n for n in waiting if self._measured[n].tokens <= self._allowed(n, own_section)]
            if not waiting:
                return
            best = max(waiting, key=lambda n: (self._gain(n), -n))
            waiting.remove(best)
            self._choose(best)
            most = None if most is None else most - 1

    def result(self, n: int) -> CandidateResult:
        """What became of a candidate that was not chosen."""
        candidate, new = self._measured[n], self._new(self._words[n])
        reason = f"{candidate.tokens} tokens, {self.left} left; {new:.0%} of its words are new beside what is shown"
        return CandidateResult(candidate, "over_budget", candidate.tokens, reason)

    def _allowed(self, n: int, own_section: bool) -> int:
        return min(self.left, self._room.get(self._measured[n].hit.type, 0)) if own_section else self.left

    def _choose(self, n: int) -> None:
        candidate = self._measured[n]
        self.chosen.add(n)
        self.left -= candidate.tokens
        self._room[candidate.hit.type] = self._room.get(candidate.hit.type, 0) - candidate.tokens
        self._said |= self._words[n]

    def _gain(self, n: int) -> float:
        """What a candidate gains for its tokens: its worth, less the share that the chosen memories say already."""
        candidate, constants = self._measured[n], self._constants
        said = 1 - self._new(self._words[n])
        worth = max(0.0, candidate.score) ** constants.score_exponent * (1 - constants.diversity_penalty * said)
        return float(worth / max(1, candidate.tokens) ** constants.token_cost_exponent)

    def _new(self, words: Collection[str]) -> float:
        return sum(word not in self._said for word in words) / len(words) if words else 1.0
