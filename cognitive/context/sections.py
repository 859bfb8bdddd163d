"""What a turn's memories may take: the planned tokens, within the model's room, moved by how each type is used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from brain.decay import decayed
from brain.search import Found
from brain.types import MemoryType
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.trace import Sections


def sections(plan: Plan, found: Found, room: int | None, now: datetime, policy: Policy) -> Sections:
    """The budgets of a turn, and why they are other than planned.

    Args:
        plan: What was planned.
        found: Brings how often memories of each type were shown and used, as decayed masses.
        room: The tokens that the model at hand leaves for memory; None where that is no matter.
        now: The turn's time.
        policy: `learned_budgets` and its bounds.
    """
    total, reasons = plan.total, list[str]()
    if room is not None and room < total:
        total = max(0, room)
        reasons.append(f"the model leaves {total} of {plan.total} tokens")
    if not policy.learned_budgets:
        return Sections(plan.budgets, total, tuple(reasons))
    worth = _worth(plan, found, now, policy)
    budgets = {type_: _moved(type_, tokens, worth, plan, policy) for type_, tokens in plan.budgets.items()}
    moved = [type_ for type_, tokens in budgets.items() if tokens != plan.budgets[type_]]
    return Sections(
        budgets,
        total,
        (*reasons, *(f"{type_}: {plan.budgets[type_]} to {budgets[type_]}, used {worth[type_]:.2f} times as often"
                     " as the others when shown" for type_ in moved)),
    )  # fmt: skip


def _worth(plan: Plan, found: Found, now: datetime, policy: Policy) -> Mapping[MemoryType, float]:
    """How often a type is used when it is shown, over the mean of the budgets' tokens.

    Each rate is drawn towards the rate of all types by `learned_showings` showings, so that a type seldom shown stays
    where it was planned (the posterior mean of a beta prior, Gelman et al., "Bayesian Data Analysis", 2.4).
    """
    half_life, prior = policy.half_life_days, policy.learned_showings
    shown = {type_: decayed(mass.shown, mass.at, now, half_life) for type_, mass in found.base.items()}
    used = {type_: decayed(mass.used, mass.at, now, half_life) for type_, mass in found.base.items()}
    of_all = sum(used.values()) / sum(shown.values()) if sum(shown.values()) else 0.0
    rates = {type_: (used.get(type_, 0.0) + prior * of_all) / (shown.get(type_, 0.0) + prior) for type_ in plan.budgets}
    planned = sum(plan.budgets.values())
    mean = sum(rates[type_] * tokens for type_, tokens in plan.budgets.items()) / planned if planned else 0.0
    return {type_: rate / mean if mean else 1.0 for type_, rate in rates.items()}


def _moved(
    type_: MemoryType, planned: int, worth: Mapping[MemoryType, float], plan: Plan, policy: Policy
) -> int:  # fmt: skip
    """A section's tokens: within the bounds, not below what a hint asks for, and as the operator set them, if so."""
    if type_ in policy.budget_overrides:
        return planned
    moved = round(planned * min(policy.most_learned, max(policy.least_learned, worth[type_])))
    asked = type_ in dict(plan.signals.hints)
    return max(moved, min(planned, int(getattr(policy.frames["question"], type_)))) if asked else moved
