"""The policy in effect for an agent: the host's, or a version that was activated for the agent at run time.

Activations are cached for a few seconds, then read again from the database. A turn waits for this only during a small
share of its deadline, then continues with the cached policy. The cached policy also serves while the database is
unavailable.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from brain.deadline import Deadline
from brain.errors import CognitiveError, StoreUnavailable
from brain.policies import ActivePolicy, PolicyActivation, PolicyStore, Role
from cognitive.policy import Policy
from cognitive.policy.live import with_changes

log = logging.getLogger(__name__)

FRESH = 5.0  # seconds until an activation in another process takes effect
_MAX_AGENTS = 10_000  # agents with cached policies
_FIRST_READ_SHARE = 0.4  # maximum share of a deadline to wait for the first read of an agent
_LATER_READ_SHARE = 0.1  # maximum share of a deadline to wait for a later read
_READ_TIMEOUT_MS = 2_000.0  # the read itself continues after the turn's wait, up to this time


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """The policies in effect for an agent: `live`, which its turns use, and `shadow`, which is only run for comparison.

    `activations` has the latest activation for each of the roles "live" and "shadow". For a role without an activation,
    the host's policy is in effect.
    """

    live: Policy
    shadow: Policy | None
    activations: Mapping[Role, PolicyActivation] = field(default_factory=dict)

    @property
    def shadow_version(self) -> str | None:
        """The version under which the shadow's results are recorded: the activated one, or that of the host's shadow.

        A saved version keeps its name on every base policy, so that results of all processes are found together.
        """
        if self.shadow is None:
            return None
        activation = self.activations.get("shadow")
        return activation.version if activation is not None and activation.version else self.shadow.version


@dataclass(frozen=True, slots=True)
class _CachedPolicy:
    read_at: float
    activations: Mapping[Role, ActivePolicy]
    effective: EffectivePolicy


class PolicyResolver:
    """Decides which policies apply to an agent: versions activated for the agent, or else the host's policies.

    The host's policies are `base`, which turns use, and optionally `shadow`, which is only run for comparison.
    """

    def __init__(self, store: PolicyStore, base: Policy, shadow: Policy | None = None) -> None:
        self.base = base
        self._shadow = shadow
        self._store = store
        self._cache: OrderedDict[str, _CachedPolicy] = OrderedDict()
        self._reading: dict[str, asyncio.Task[None]] = {}

    def for_agent(self, agent_id: str) -> Policy:
        """Return the policy of an agent's turns: the cached one, or else the host's. Do not wait for the database."""
        cached = self._cache.get(agent_id)
        return cached.effective.live if cached is not None else self.base.for_agent(agent_id)

    def shadow(self, agent_id: str) -> tuple[str, Policy] | None:
        """Return an agent's shadow policy with the version that its results are recorded under, or None without one.

        It is the cached one, or else the host's. Do not wait for the database.
        """
        cached = self._cache.get(agent_id)
        effective = cached.effective if cached is not None else self._host_policies(agent_id)
        version = effective.shadow_version
        return (version, effective.shadow) if version is not None and effective.shadow is not None else None

    async def current(self, agent_id: str) -> Policy:
        """Return the policy of an agent's turns. If the cached policy is older than `FRESH` seconds, read it again.

        The read may take a small share of the turn's deadline. After that, the last known policy is returned.
        """
        cached, policy = self._cache.get(agent_id), self.for_agent(agent_id)
        if cached is not None and monotonic() - cached.read_at <= FRESH:
            return policy
        share = _FIRST_READ_SHARE if cached is None else _LATER_READ_SHARE
        await asyncio.wait({self._read(agent_id)}, timeout=policy.deadline_ms / 1000 * share)
        return self.for_agent(agent_id)

    async def effective(self, agent_id: str) -> EffectivePolicy:
        """Read the policies in effect for an agent from the database, and return them.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        started = monotonic()
        return await self._cache_activations(agent_id, await self._store.active(agent_id), started)

    def forget(self, agent_id: str) -> None:
        """Remove an erased agent's policies from the cache."""
        self._cache.pop(agent_id, None)
        if agent_id in self._reading:
            self._reading[agent_id].cancel()

    async def drain(self) -> None:
        """Wait until no read of policies is in progress."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    def _read(self, agent_id: str) -> asyncio.Task[None]:
        if agent_id not in self._reading:
            task = asyncio.create_task(self._refresh(agent_id), name=f"policy of {agent_id}")
            self._reading[agent_id] = task
            task.add_done_callback(lambda _: self._reading.pop(agent_id, None))
        return self._reading[agent_id]

    async def _refresh(self, agent_id: str) -> None:
        started = monotonic()
        try:
            await self._cache_activations(
                agent_id, await Deadline(_READ_TIMEOUT_MS).within(self._store.active(agent_id)), started
            )
        except (CognitiveError, TimeoutError) as error:
            reason = str(error) or "no answer in time"
            # `brain.postgres` warns of a server that is away; of a slow read it does not
            level = logging.INFO if isinstance(error, StoreUnavailable) else logging.WARNING
            log.log(
                level, "cannot read the policy of agent %s, the last known one stays in effect: %s", agent_id, reason
            )
            cached = self._cache.get(agent_id)
            self._cache_policy(
                agent_id,
                cached.activations if cached else {},
                cached.effective if cached else self._host_policies(agent_id),
            )

    async def _cache_activations(
        self, agent_id: str, activations: Mapping[Role, ActivePolicy], started: float
    ) -> EffectivePolicy:
        """Return the policies that follow from activations just read, and cache them.

        `started` is the time when the read began; if the cache holds the result of a later read, it is not replaced.
        The policies are computed again only if the activations differ from the cached ones.
        """
        cached = self._cache.get(agent_id)
        same = cached is not None and cached.activations == activations
        effective = (
            cached.effective if cached and same else await asyncio.to_thread(self._effective, agent_id, activations)
        )
        cached = self._cache.get(agent_id)
        if cached is None or cached.read_at <= started:
            self._cache_policy(agent_id, activations, effective)
        return effective

    def _effective(self, agent_id: str, activations: Mapping[Role, ActivePolicy]) -> EffectivePolicy:
        host, live, shadow = self._host_policies(agent_id), activations.get("live"), activations.get("shadow")
        return EffectivePolicy(
            with_changes(host.live, live.changes) if live is not None and live.changes else host.live,
            with_changes(host.live, shadow.changes) if shadow is not None and shadow.choice.version else host.shadow,
            {role: each.choice for role, each in activations.items()},
        )

    def _host_policies(self, agent_id: str) -> EffectivePolicy:
        return EffectivePolicy(self.base.for_agent(agent_id), self._host_shadow(agent_id))

    def _host_shadow(self, agent_id: str) -> Policy | None:
        return self._shadow.for_agent(agent_id) if self._shadow is not None else None

    def _cache_policy(
        self, agent_id: str, activations: Mapping[Role, ActivePolicy], effective: EffectivePolicy
    ) -> None:
        self._cache[agent_id] = _CachedPolicy(monotonic(), activations, effective)
        self._cache.move_to_end(agent_id)
        while len(self._cache) > _MAX_AGENTS:
            self._cache.popitem(last=False)
