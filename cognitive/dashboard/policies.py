"""The policies of an agent: what holds and why, what was saved and chosen, how two differ, what was learnt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.responses import Response

from brain.analytics.turn_rows import PolicyUsage, Total
from brain.analytics.turns import TurnAnalytics
from brain.decay import decayed
from brain.policies import PolicyActivation, PolicyVersion, Role
from brain.search import Masses, SearchResult
from brain.types import MEMORY_TYPES
from cognitive.context.budget import section_budgets
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.lab.shadow import Agreement
from cognitive.layer import CognitiveLayer
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.live import LIVE_SETTINGS_BY_NAME, policy_differences
from cognitive.policy.resolver import FRESH, EffectivePolicy
from cognitive.policy.tables import FRAMES
from cognitive.preflight import plan as planning
from cognitive.preflight.category_learning import CategoryLearning

MAX_SEEN = 50  # versions that turns were planned under
_FIRST_HABITS = 12
_FRAMES: tuple[Frame, ...] = tuple(FRAMES)


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that two policies set differently; `label` is its name where a page may change it."""

    name: str
    label: str
    was: str
    now: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RolePolicy:
    """A policy in a role: where it comes from, and what taking its choice back would bring."""

    role: Role
    version: str | None
    choice: PolicyActivation | None
    before: str | None
    back: tuple[SettingDifference, ...]
    compared: Agreement | None = None

    @property
    def own(self) -> bool:
        """Whether it is the operator's own, since nobody chose, or chose that."""
        return self.choice is None or self.choice.version is None


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """A candidate, what it changes of the base, and what turns came to under it, None if there were none."""

    candidate: PolicyVersion
    changes: tuple[SettingDifference, ...]
    roles: tuple[Role, ...]
    total: Total | None


@dataclass(frozen=True, slots=True)
class LearnedType:
    """How often memories of a type are used when shown, of so many showings as they count today; and by frame the
    tokens planned for them and those that it would teach.
    """

    type: str
    shown: float
    rate: float | None
    budgets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PoliciesView:
    """The page."""

    base: str
    live: RolePolicy
    shadow: RolePolicy
    saved: tuple[SavedPolicy, ...]
    history: tuple[PolicyActivation, ...]
    seen: tuple[PolicyUsage, ...]
    learned: CategoryLearning
    kept: frozenset[tuple[str, str]]
    more_tool_usage: int
    types: tuple[LearnedType, ...]
    frames: tuple[str, ...]
    policy: Policy
    seconds: float = FRESH


@dataclass(frozen=True, slots=True)
class PoliciesData:
    """What the page is made of."""

    base: Policy
    standing: EffectivePolicy
    candidates: Sequence[PolicyVersion]
    live: Sequence[PolicyActivation]
    shadow: Sequence[PolicyActivation]
    seen: Sequence[PolicyUsage]
    learned: CategoryLearning
    rates: Mapping[str, Masses]
    compared: Agreement | None
    befores: Mapping[Role, Policy | None]
    constants: Constants


@dataclass(frozen=True, slots=True)
class PolicyVersionView:
    """A policy by its version, beside another: what differs, what turns came to under it, what it came to as a shadow.

    `candidate` None: nobody saved it. `against_live` is what choosing it would change; `others` is what it can be
    compared with.
    """

    version: str
    compared_with: str
    base: str
    standing: EffectivePolicy
    candidate: PolicyVersion | None
    differences: tuple[SettingDifference, ...]
    against_live: tuple[SettingDifference, ...]
    others: tuple[str, ...]
    seen: PolicyUsage | None
    compared: Agreement | None
    seconds: float = FRESH

    @property
    def live(self) -> bool:
        """Whether it holds."""
        return self.standing.live.version == self.version

    @property
    def shadow(self) -> bool:
        """Whether it runs beside the one that holds."""
        return self.standing.shadow is not None and self.standing.shadow.version == self.version

    @property
    def own(self) -> bool:
        """Whether it is the operator's own."""
        return self.base == self.version


async def read_version(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> PolicyVersionView:
    """A version, beside the one that the address names, or the one that holds.

    Raises:
        InvalidInput: nobody saved it, and no turn was planned under it.
    """
    known, version = layer.policies, query.params.get("version", "")
    standing, base = await known.effective(query.agent), known.base(query.agent)
    compared_with = query.params.get("compare_with") or standing.live.version
    policy, other = await known.load(query.agent, version), await known.load(query.agent, compared_with)
    saved, seen = await known.list(query.agent), await analytics.policies(query.agent, MAX_SEEN)
    others = (standing.live.version, base.version, *(each.version for each in saved), *(each.version for each in seen))
    return PolicyVersionView(
        version=version,
        compared_with=compared_with,
        base=base.version,
        standing=standing,
        candidate=next((each for each in saved if each.version == version), None),
        differences=differences(other, policy),
        against_live=differences(standing.live, policy),
        others=tuple(dict.fromkeys(others)),
        seen=next((each for each in seen if each.version == version), None),
        compared=await known.shadow_agreement(query.agent, version),
    )


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> PoliciesData:
    """Each in one statement with its bound, most of them at once."""
    policies, agent = layer.policies, query.agent
    standing = await policies.effective(agent)
    candidates, live, shadow, seen, learned, rates = await asyncio.gather(
        policies.list(agent),
        policies.history(agent),
        policies.history(agent, "shadow"),
        analytics.policies(agent, MAX_SEEN),
        layer.admin.category_learning(agent),
        policies.base_rates(agent),
    )
    compared_with = standing.shadow.version if standing.shadow is not None else None
    compared = await policies.shadow_agreement(agent, compared_with) if compared_with is not None else None
    live_before = await policies.load(agent, _before(live) or policies.base(agent).version) if live else None
    shadow_before = await policies.load(agent, before) if (before := _before(shadow)) else None
    return PoliciesData(
        policies.base(agent),
        standing,
        candidates,
        live,
        shadow,
        seen,
        learned,
        rates,
        compared,
        {"live": live_before, "shadow": shadow_before},
        layer.explain.constants,
    )


def view(data: PoliciesData, query: PageQuery) -> PoliciesView:
    """The page from what was read."""
    live = data.standing.live
    totals = {each.version: each.total for each in data.seen}
    holding = {role: choice.version for role, choice in data.standing.activations.items()}
    tool_usage = data.learned.tool_usage
    kept = frozenset((name, tool) for name, tools in data.learned.tools.items() for tool in tools)
    first = sorted(tool_usage, key=lambda usage: ((usage.category, usage.tool) not in kept, -usage.called))
    most = len(tool_usage) if query.params.get("all") else _FIRST_HABITS
    return PoliciesView(
        base=data.base.version,
        live=_role_policy("live", live, data.live, data.befores["live"], None),
        shadow=_role_policy("shadow", data.standing.shadow, data.shadow, data.befores["shadow"], data.compared),
        saved=tuple(
            SavedPolicy(
                each,
                changes(each),
                tuple(role for role, version in holding.items() if version == each.version),
                totals.get(each.version),
            )
            for each in data.candidates
        ),
        history=tuple(sorted((*data.live, *data.shadow), key=lambda choice: choice.activated_at, reverse=True)),
        seen=tuple(data.seen),
        learned=CategoryLearning(data.learned.factors, data.learned.tools, tuple(first[:most])),
        kept=kept,
        more_tool_usage=max(0, len(tool_usage) - most),
        types=_types(data.rates, live, data.constants, query.now),
        frames=_FRAMES,
        policy=live,
    )


def differences(one: Policy, other: Policy) -> tuple[SettingDifference, ...]:
    """What two policies set differently, as a table has it."""
    return tuple(_difference(name, was, now) for name, (was, now) in policy_differences(one, other).items())


def changes(candidate: PolicyVersion) -> tuple[SettingDifference, ...]:
    """What a candidate changes, without what was there before."""
    return tuple(_difference(name, None, now) for name, now in candidate.changes.items())


def short(value: Any) -> str:
    """A value of a setting in a cell."""
    if isinstance(value, float):
        return f"{value:g}"
    data = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return data if len(data) <= 60 else f"{data[:57]}…"


def _difference(name: str, was: Any, now: Any) -> SettingDifference:
    row = LIVE_SETTINGS_BY_NAME.get(name)
    return SettingDifference(name, row.label if row else name, short(was), short(now), row.unit if row else "")


def _before(history: Sequence[PolicyActivation]) -> str | None:
    return history[1].version if len(history) > 1 else None


def _role_policy(
    role: Role,
    policy: Policy | None,
    history: Sequence[PolicyActivation],
    before: Policy | None,
    compared: Agreement | None,
) -> RolePolicy:
    back = differences(policy, before) if policy is not None and before is not None else ()
    choice = history[0] if history else None
    return RolePolicy(
        role, policy.version if policy else None, choice, before.version if before else None, back, compared
    )


def _types(rates: Mapping[str, Masses], policy: Policy, constants: Constants, now: datetime) -> tuple[LearnedType, ...]:
    """What use has taught of each type; nothing is learnt of a type that was never shown."""
    on = policy.changed({"budgets.learned": True})
    plans = [planning.create_plan(Signals("", greeting=False), frame, (), policy) for frame in _FRAMES]
    moved = [
        section_budgets(plan, SearchResult((), base=dict(rates)), None, now, on, constants).budgets for plan in plans
    ]
    data = []
    for type_ in MEMORY_TYPES:
        masses = rates.get(type_)
        shown = decayed(masses.shown, masses.at, now, policy.usage.half_life_days) if masses else 0.0
        budgets = tuple((plan.budgets.get(type_, 0), own.get(type_, 0)) for plan, own in zip(plans, moved, strict=True))
        rate = masses.used / masses.shown if masses and masses.shown else None
        data.append(LearnedType(type_, shown, rate, budgets))
    return tuple(data)


async def listed(visit: Visit) -> Response:
    """What holds, its history, the candidates, what was learnt."""
    data = await read(visit.layer, visit.analytics, visit.query)
    return visit.page("policies.html", view=view(data, visit.query), may=may_choose(visit), short=short)


async def one(visit: Visit) -> Response:
    """A version: what it says differently from another, what it came to, and what can be done with it."""
    data = await read_version(visit.layer, visit.analytics, visit.query)
    return visit.page("policy.html", view=data, may=may_choose(visit))


def may_choose(visit: Visit) -> bool:
    """Whether who looks may choose: an agent's own token sits where its model's tools run."""
    return visit.visitor.agent is None


PAGES = (
    PageRoute(
        "/policies",
        listed,
        label="Policies",
        static_files=("policies.css",),
        icon="M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 2.8v3.4M6 9.8v3.4",
    ),
    PageRoute("/policy", one, parent="/policies"),
)
