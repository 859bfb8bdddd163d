"""The token budgets that are learned from the use of each memory type, for the page of policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from brain.decay import decayed
from brain.search import Masses, SearchResult
from brain.types import MEMORY_TYPES
from cognitive.context.budget import section_budgets
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.tables import FRAMES
from cognitive.preflight import plan as planning

BUDGET_FRAMES: tuple[Frame, ...] = tuple(FRAMES)


@dataclass(frozen=True, slots=True)
class LearnedType:
    """The use of one type of memories, and the token budgets that are learned from it.

    `shown` is the decayed number of showings, `rate` the share that was used. `budgets` has, for each frame (kind of
    turn), the planned and the learned budget in tokens.
    """

    type: str
    shown: float
    rate: float | None
    budgets: tuple[tuple[int, int], ...]


def learned_types(
    rates: Mapping[str, Masses], policy: Policy, constants: Constants, now: datetime
) -> tuple[LearnedType, ...]:
    """Return the use of each memory type and the budgets learned from it, even if the policy does not use them."""
    learning = policy.changed({"budgets.learned": True})
    plans = [planning.create_plan(Signals("", greeting=False), frame, (), policy) for frame in BUDGET_FRAMES]
    learned = [
        section_budgets(plan, SearchResult((), base=dict(rates)), None, now, learning, constants).budgets
        for plan in plans
    ]
    data = []
    for type_ in MEMORY_TYPES:
        masses = rates.get(type_)
        shown = decayed(masses.shown, masses.at, now, policy.usage.half_life_days) if masses else 0.0
        budgets = tuple(
            (plan.budgets.get(type_, 0), each.get(type_, 0)) for plan, each in zip(plans, learned, strict=True)
        )
        rate = masses.used / masses.shown if masses and masses.shown else None
        data.append(LearnedType(type_, shown, rate, budgets))
    return tuple(data)
