"""The pages of an agent's policies: live and shadow policy, saved candidates, history, differences, learned data."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from cognitive.dashboard.measures import summed
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.lab.shadow import Agreement
from cognitive.layer import CognitiveLayer
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.live import live_settings, policy_differences
from cognitive.policy.resolver import FRESH, EffectivePolicy
from cognitive.policy.running import RunningPolicy
from cognitive.policy.tables import FRAMES
from cognitive.preflight import plan as planning
from cognitive.preflight.category_learning import CategoryLearning

MAX_SEEN = 50  # policy versions in the table of those that turns were planned under
_MAX_TOOL_USAGE = 12  # rows of learned tool usage at first; a click shows all
_BUDGET_FRAMES: tuple[Frame, ...] = tuple(FRAMES)


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

    @property
    def candidate(self) -> str | None:
        """The saved version that is activated for this role, or None."""
        return self.choice.version if self.choice is not None else None


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """A saved policy version and its changes.

    `total` is the sum of its turns, on whichever base they ran, or None without turns. `runs` are the policies that
    these turns were planned under.
    """

    candidate: PolicyVersion
    changes: tuple[SettingDifference, ...]
    roles: tuple[Role, ...]
    total: Total | None
    runs: tuple[str, ...] = ()


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
    running: RunningPolicy
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
    """The data of the page of all policies.

    `base` is the host's policy of this process, `effective` the live and the shadow policy of this process, and
    `running` the policy that the agent's turns run under. `runs` maps policies of turns to the saved version in them.
    """

    base: Policy
    running: RunningPolicy
    runs: Mapping[str, str]
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


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery) -> PoliciesData:
    """Read the data of the page of all policies. Each read has its own time limit; most run at the same time."""
    policies, agent = layer.policies, query.agent
    effective = await policies.effective(agent)
    running = await policies.running(agent)
    candidates, live, shadow, seen, learned, rates = await asyncio.gather(
        policies.list(agent),
        policies.history(agent),
        policies.history(agent, "shadow"),
        analytics.policies(query.scope, MAX_SEEN),
        layer.admin.category_learning(agent, user_id=query.view),
        policies.base_rates(agent, user_id=query.view),
    )
    compared_with = effective.shadow_version
    compared = (
        await policies.shadow_agreement(agent, compared_with, user_id=query.view) if compared_with is not None else None
    )
    known = live and running.same_base  # on another base, only the changes of the version before are known
    live_before = await policies.load(agent, _before(live) or policies.base(agent).version) if known else None
    shadow_before = await policies.load(agent, before) if (before := _before(shadow)) else None
    return PoliciesData(
        policies.base(agent),
        running,
        await policies.runs_of_candidates(agent, [each.version for each in seen]),
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
    live = data.running.policy
    activated = {role: choice.version for role, choice in data.effective.activations.items()}
    shadow = _role_policy("shadow", data.effective.shadow, data.shadow, data.befores["shadow"], data.compared)
    tool_usage = data.learned.tool_usage
    learned_tools = frozenset((name, tool) for name, tools in data.learned.tools.items() for tool in tools)
    ordered = sorted(tool_usage, key=lambda usage: ((usage.category, usage.tool) not in learned_tools, -usage.called))
    max_rows = len(tool_usage) if query.params.get("all") else _MAX_TOOL_USAGE
    return PoliciesView(
        base=data.base.version,
        running=data.running,
        live=_role_policy("live", live, data.live, data.befores["live"], None),
        shadow=replace(shadow, version=data.effective.shadow_version),
        saved=tuple(_saved(each, data, activated) for each in data.candidates),
        history=tuple(sorted((*data.live, *data.shadow), key=lambda choice: choice.activated_at, reverse=True)),
        seen=tuple(data.seen),
        learned=CategoryLearning(data.learned.factors, data.learned.tools, tuple(ordered[:max_rows])),
        learned_tools=learned_tools,
        more_tool_usage=max(0, len(tool_usage) - max_rows),
        types=_learned_types(data.rates, live, data.constants, query.now),
        frames=_BUDGET_FRAMES,
        policy=live,
    )


def _saved(candidate: PolicyVersion, data: PoliciesData, activated: Mapping[Role, str | None]) -> SavedPolicy:
    own = [each for each in data.seen if data.runs.get(each.version) == candidate.version]
    return SavedPolicy(
        candidate,
        changes(candidate),
        tuple(role for role, version in activated.items() if version == candidate.version),
        summed([each.total for each in own]) if own else None,
        tuple(each.version for each in own),
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
    row = live_settings().get(name)
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
    earlier = before.version if before else _before(history)
    return RolePolicy(role, policy.version if policy else None, choice, earlier, back, compared)


def _learned_types(
    rates: Mapping[str, Masses], policy: Policy, constants: Constants, now: datetime
) -> tuple[LearnedType, ...]:
    """Return the use of each memory type and the budgets learned from it, even if the policy does not use them."""
    learning = policy.changed({"budgets.learned": True})
    plans = [planning.create_plan(Signals("", greeting=False), frame, (), policy) for frame in _BUDGET_FRAMES]
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
)
