"""The policy of an agent's turns: the host's, or a version activated while the process runs.

A policy read within the last seconds is current. An older one is read again; the turn waits for a small share of its
deadline, then continues under the last known policy. The same applies while the database is away.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from brain.deadline import Deadline
from brain.errors import CognitiveError
from brain.policies import ActivePolicy, PolicyActivation, PolicyStore, Role
from cognitive.policy import Policy
from cognitive.policy.live import with_changes

log = logging.getLogger(__name__)

FRESH = 5.0  # seconds until an activation in another process takes effect
_MAX_AGENTS = 10_000  # with cached activations
_FIRST = 0.4  # maximum share of a deadline for the first read of an agent
_AGAIN = 0.1  # maximum share of a deadline for a later read
_READING_MS = 2_000.0  # then it is given up; the next turn but a few tries again


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """The policies in effect for an agent, and their activations; a role without an activation is left out."""

    live: Policy
    shadow: Policy | None
    activations: Mapping[Role, PolicyActivation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _CachedPolicy:
    read_at: float
    holding: Mapping[Role, ActivePolicy]
    effective: EffectivePolicy


class PolicyResolver:
    """The host's policies, `base` and optionally `shadow`, and the versions activated per agent."""

    def __init__(self, store: PolicyStore, base: Policy, shadow: Policy | None = None) -> None:
        self.base = base
        self._shadow = shadow
        self._store = store
        self._kept: OrderedDict[str, _CachedPolicy] = OrderedDict()
        self._reading: dict[str, asyncio.Task[None]] = {}

    def for_agent(self, agent_id: str) -> Policy:
        """Return the last known policy of an agent's turns, without waiting."""
        known = self._kept.get(agent_id)
        return known.effective.live if known is not None else self.base.for_agent(agent_id)

    def shadow(self, agent_id: str) -> Policy | None:
        """Return the last known shadow policy of an agent, without waiting."""
        known = self._kept.get(agent_id)
        return known.effective.shadow if known is not None else self._own_shadow(agent_id)

    async def current(self, agent_id: str) -> Policy:
        """Return the policy of an agent's turns.

        A policy older than `FRESH` is read again, within a small share of the turn's deadline; else the last known one
        is returned.
        """
        known, policy = self._kept.get(agent_id), self.for_agent(agent_id)
        if known is not None and monotonic() - known.read_at <= FRESH:
            return policy
        share = _FIRST if known is None else _AGAIN
        await asyncio.wait({self._read(agent_id)}, timeout=policy.deadline_ms / 1000 * share)
        return self.for_agent(agent_id)

    async def effective(self, agent_id: str) -> EffectivePolicy:
        """Return the policies in effect now.

        Raises:
            StoreUnavailable: the database is away.
        """
        began = monotonic()
        return await self._take(agent_id, await self._store.active(agent_id), began)

    def forget(self, agent_id: str) -> None:
        """Drop the cached policies of an erased agent."""
        self._kept.pop(agent_id, None)
        if agent_id in self._reading:
            self._reading[agent_id].cancel()

    async def drain(self) -> None:
        """Wait until no read is in progress."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    def _read(self, agent_id: str) -> asyncio.Task[None]:
        if agent_id not in self._reading:
            task = asyncio.create_task(self._refresh(agent_id), name=f"policy of {agent_id}")
            self._reading[agent_id] = task
            task.add_done_callback(lambda _: self._reading.pop(agent_id, None))
        return self._reading[agent_id]

    async def _refresh(self, agent_id: str) -> None:
        began = monotonic()
        try:
            await self._take(agent_id, await Deadline(_READING_MS).within(self._store.active(agent_id)), began)
        except (CognitiveError, TimeoutError) as error:
            reason = str(error) or "no answer in time"
            log.warning("the policy of agent %s stays as it is known here: %s", agent_id, reason)
            known = self._kept.get(agent_id)
            self._keep(agent_id, known.holding if known else {}, known.effective if known else self._own(agent_id))

    async def _take(self, agent_id: str, holding: Mapping[Role, ActivePolicy], began: float) -> EffectivePolicy:
        """Store what was read, unless a later read has already ended. A policy is built again only after a new
        activation."""
        known = self._kept.get(agent_id)
        same = known is not None and known.holding == holding
        effective = known.effective if known and same else await asyncio.to_thread(self._made, agent_id, holding)
        known = self._kept.get(agent_id)
        if known is None or known.read_at <= began:
            self._keep(agent_id, holding, effective)
        return effective

    def _made(self, agent_id: str, holding: Mapping[Role, ActivePolicy]) -> EffectivePolicy:
        own, live, shadow = self._own(agent_id), holding.get("live"), holding.get("shadow")
        return EffectivePolicy(
            with_changes(own.live, live.changes) if live is not None and live.changes else own.live,
            with_changes(own.live, shadow.changes) if shadow is not None and shadow.choice.version else own.shadow,
            {role: each.choice for role, each in holding.items()},
        )

    def _own(self, agent_id: str) -> EffectivePolicy:
        return EffectivePolicy(self.base.for_agent(agent_id), self._own_shadow(agent_id))

    def _own_shadow(self, agent_id: str) -> Policy | None:
        return self._shadow.for_agent(agent_id) if self._shadow is not None else None

    def _keep(self, agent_id: str, holding: Mapping[Role, ActivePolicy], effective: EffectivePolicy) -> None:
        self._kept[agent_id] = _CachedPolicy(monotonic(), holding, effective)
        self._kept.move_to_end(agent_id)
        while len(self._kept) > _MAX_AGENTS:
            self._kept.popitem(last=False)
