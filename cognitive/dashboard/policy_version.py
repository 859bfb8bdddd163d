"""The page of one policy version: its differences from another version, its turns, and the forms that activate it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from brain.analytics.turn_rows import PolicyUsage
from brain.analytics.turns import TurnAnalytics
from brain.policies import PolicyVersion
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.policies import MAX_SEEN, SettingDifference, differences, may_choose
from cognitive.lab.shadow import Agreement
from cognitive.layer import CognitiveLayer
from cognitive.policy.resolver import FRESH, EffectivePolicy
from cognitive.policy.running import RunningPolicy


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
    running: RunningPolicy
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
        return self.version in (self.running.policy.version, self.running.candidate)

    @property
    def shadow(self) -> bool:
        """True if this version is the shadow policy."""
        return self.effective.shadow_version == self.version

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
    running = await policies.running(query.agent)
    compared_with = query.params.get("compare_with") or running.policy.version
    saved, seen = await policies.list(query.agent), await analytics.policies(query.scope, MAX_SEEN)
    policy, other = [await policies.load(query.agent, each) for each in (version, compared_with)]
    others = (running.policy.version, base.version, *(each.version for each in saved), *(each.version for each in seen))
    return PolicyVersionView(
        version=version,
        compared_with=compared_with,
        base=base.version,
        effective=effective,
        running=running,
        candidate=next((each for each in saved if each.version == version), None),
        differences=differences(other, policy),
        against_live=differences(running.policy, policy),
        others=tuple(dict.fromkeys(others)),
        seen=next((each for each in seen if each.version == version), None),
        compared=await policies.shadow_agreement(query.agent, version, user_id=query.view),
    )


async def one(visit: Visit) -> Response:
    """Render the page of one policy version."""
    data = await read_version(visit.layer, visit.analytics, visit.query)
    return visit.page("policy.html", view=data, may=may_choose(visit))


PAGES = (PageRoute("/policy", one, parent="/policies"),)
