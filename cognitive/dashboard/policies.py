"""The pages of an agent's policies: live and shadow policy, saved candidates, history, differences, learned data."""

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
from brain.users import Scope
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

MAX_SEEN = 50  # policy versions in the table of those that turns were planned under
_MAX_TOOL_USAGE = 12  # rows of learned tool usage at first; a click shows all
_FRAMES: tuple[Frame, ...] = tuple(FRAMES)


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that differs between two policies, with both values.

    `label` is the label of its slider, or its name.
    """

    name: str
    label: str
    was: str
    now: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RolePolicy:
    """The policy in one of an agent's roles: live (used by turns) or shadow (run only for comparison).

    `choice` is the latest activation. A rollback would activate version `before` and change the settings in `back`.
    `compared` is how much a shadow policy agrees with the live one.
    """

    role: Role
    version: str | None
    choice: PolicyActivation | None
    before: str | None
    back: tuple[SettingDifference, ...]
    compared: Agreement | None = None

    @property
    def is_base(self) -> bool:
        """True if the host's policy has this role, because no saved version is activated for it."""
        return self.choice is None or self.choice.version is None


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """A saved policy version, its changes to the host's policy, and the total of its turns (None if it has none)."""

    candidate: PolicyVersion
    changes: tuple[SettingDifference, ...]
    roles: tuple[Role, ...]
    total: Total | None


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


@dataclass(frozen=True, slots=True)
class PoliciesView:
    """The content of the page of all policies, as its template shows it.

    `learned_tools` has (category, tool) pairs: plans keep the tool because turns of the category called it. `seconds`
    is the time until all processes use a newly activated policy.
    """

    base: str
    live: RolePolicy
    shadow: RolePolicy
    saved: tuple[SavedPolicy, ...]
    history: tuple[PolicyActivation, ...]
    seen: tuple[PolicyUsage, ...]
    learned: CategoryLearning
    learned_tools: frozenset[tuple[str, str]]
    more_tool_usage: int
    types: tuple[LearnedType, ...]
    frames: tuple[str, ...]
    policy: Policy
    seconds: float = FRESH


@dataclass(frozen=True, slots=True)
class PoliciesData:
    """The data of the page of all policies. `base` is the host's policy, `effective` the live and the shadow policy."""

    base: Policy
    effective: EffectivePolicy
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
    """The content of the page of one policy version: its differences from another version, and its turns.

    `candidate` is None if the version was not saved. `base` is the version of the host's policy. `against_live` are the
    settings that would change if this version were activated. `others` are versions to compare it with.
    """

    version: str
    compared_with: str
    base: str
    effective: EffectivePolicy
    candidate: PolicyVersion | None
    differences: tuple[SettingDifference, ...]
    against_live: tuple[SettingDifference, ...]
    others: tuple[str, ...]
    seen: PolicyUsage | None
    compared: Agreement | None
    seconds: float = FRESH

    @property
    def live(self) -> bool:
        """True if this version is the live policy."""
        return self.effective.live.version == self.version

    @property
    def shadow(self) -> bool:
        """True if this version is the shadow policy."""
        return self.effective.shadow is not None and self.effective.shadow.version == self.version

    @property
    def is_base(self) -> bool:
        """True if this version is the host's policy."""
        return self.base == self.version


async def read_version(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> PolicyVersionView:
    """Read a policy version and compare it with the version that the URL names, or else the live policy.

    Raises:
        InvalidInput: the version is unknown: it was not saved, and no turn was planned under it.
    """
    policies, version = layer.policies, query.params.get("version", "")
    effective, base = await policies.effective(query.agent), policies.base(query.agent)
    compared_with = query.params.get("compare_with") or effective.live.version
    policy, other = await policies.load(query.agent, version), await policies.load(query.agent, compared_with)
    saved, seen = await policies.list(query.agent), await analytics.policies(Scope(query.agent), MAX_SEEN)
    others = (effective.live.version, base.version, *(each.version for each in saved), *(each.version for each in seen))
    return PolicyVersionView(
        version=version,
        compared_with=compared_with,
        base=base.version,
        effective=effective,
        candidate=next((each for each in saved if each.version == version), None),
        differences=differences(other, policy),
        against_live=differences(effective.live, policy),
        others=tuple(dict.fromkeys(others)),
        seen=next((each for each in seen if each.version == version), None),
        compared=await policies.shadow_agreement(query.agent, version),
    )


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> PoliciesData:
    """Read the data of the page of all policies. Each read has its own time limit; most run at the same time."""
    policies, agent = layer.policies, query.agent
    effective = await policies.effective(agent)
    candidates, live, shadow, seen, learned, rates = await asyncio.gather(
        policies.list(agent),
        policies.history(agent),
        policies.history(agent, "shadow"),
        analytics.policies(Scope(agent), MAX_SEEN),
        layer.admin.category_learning(agent),
        policies.base_rates(agent),
    )
    compared_with = effective.shadow.version if effective.shadow is not None else None
    compared = await policies.shadow_agreement(agent, compared_with) if compared_with is not None else None
    live_before = await policies.load(agent, _before(live) or policies.base(agent).version) if live else None
    shadow_before = await policies.load(agent, before) if (before := _before(shadow)) else None
    return PoliciesData(
        policies.base(agent),
        effective,
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
    """Convert the data of the page of all policies to the form that its template shows."""
    live = data.effective.live
    totals = {each.version: each.total for each in data.seen}
    activated = {role: choice.version for role, choice in data.effective.activations.items()}
    tool_usage = data.learned.tool_usage
    learned_tools = frozenset((name, tool) for name, tools in data.learned.tools.items() for tool in tools)
    ordered = sorted(tool_usage, key=lambda usage: ((usage.category, usage.tool) not in learned_tools, -usage.called))
    max_rows = len(tool_usage) if query.params.get("all") else _MAX_TOOL_USAGE
    return PoliciesView(
        base=data.base.version,
        live=_role_policy("live", live, data.live, data.befores["live"], None),
        shadow=_role_policy("shadow", data.effective.shadow, data.shadow, data.befores["shadow"], data.compared),
        saved=tuple(
            SavedPolicy(
                each,
                changes(each),
                tuple(role for role, version in activated.items() if version == each.version),
                totals.get(each.version),
            )
            for each in data.candidates
        ),
        history=tuple(sorted((*data.live, *data.shadow), key=lambda choice: choice.activated_at, reverse=True)),
        seen=tuple(data.seen),
        learned=CategoryLearning(data.learned.factors, data.learned.tools, tuple(ordered[:max_rows])),
        learned_tools=learned_tools,
        more_tool_usage=max(0, len(tool_usage) - max_rows),
        types=_types(data.rates, live, data.constants, query.now),
        frames=_FRAMES,
        policy=live,
    )


def differences(one: Policy, other: Policy) -> tuple[SettingDifference, ...]:
    """Return the settings that differ between two policies, with both values."""
    return tuple(_difference(name, was, now) for name, (was, now) in policy_differences(one, other).items())


def changes(candidate: PolicyVersion) -> tuple[SettingDifference, ...]:
    """Return the settings that a saved version changes; their values before are left empty."""
    return tuple(_difference(name, None, now) for name, now in candidate.changes.items())


def short(value: Any) -> str:
    """Format the value of a setting for a table cell, with at most 60 characters."""
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
    """Return the use of each memory type and the budgets learned from it, even if the policy does not use them."""
    learning = policy.changed({"budgets.learned": True})
    plans = [planning.create_plan(Signals("", greeting=False), frame, (), policy) for frame in _FRAMES]
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


async def listed(visit: Visit) -> Response:
    """Render the page of all policies."""
    data = await read(visit.layer, visit.analytics, visit.query)
    return visit.page("policies.html", view=view(data, visit.query), may=may_choose(visit), short=short)


async def one(visit: Visit) -> Response:
    """Render the page of one policy version."""
    data = await read_version(visit.layer, visit.analytics, visit.query)
    return visit.page("policy.html", view=data, may=may_choose(visit))


def may_choose(visit: Visit) -> bool:
    """Return True if the visitor may activate policies. An agent's token may not: its model's tools could use it."""
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
