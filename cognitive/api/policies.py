"""`layer.policies`: saved, tried as a shadow, activated and rolled back while the layer runs; what one would change.

The operator's own policy (`Policy` given to `open`, or the file in COGNITIVE_POLICY) stays the base: what is saved for
an agent is some of its rows with other values (`cognitive.policy.live`), laid over it, and never stands by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from brain.policies import MAX_NOTE_LENGTH, PolicyActivation, PolicyStore, PolicyVersion, Role
from brain.redacting import Redactor
from brain.search import Masses
from cognitive.errors import InvalidInput
from cognitive.lab.samples import SampleCache
from cognitive.lab.shadow import Agreement, agreements
from cognitive.lab.what_if import WhatIf
from cognitive.policy import Policy
from cognitive.policy.live import effective_changes, with_changes
from cognitive.policy.resolver import EffectivePolicy, PolicyResolver
from cognitive.validation import require_aware, require_label

_COMPARED = 500  # the latest turns that a shadow ran beside


class PoliciesApi:
    """Policies of agents. Turns take up a choice at once in this process, and in others that run within
    `resolver.FRESH` seconds. Every method raises InvalidInput for what makes no sense, and StoreUnavailable with
    the database away.
    """

    def __init__(self, resolver: PolicyResolver, store: PolicyStore, samples: SampleCache, redactor: Redactor) -> None:
        self._resolver = resolver
        self._store = store
        self._samples = samples
        self._redactor = redactor

    def current(self, agent_id: str) -> Policy:
        """Return the policy that the agent's turns are planned under, as far as this process knows; never waits."""
        return self._resolver.for_agent(agent_id)

    def base(self, agent_id: str) -> Policy:
        """The operator's own policy of an agent."""
        return self._resolver.base.for_agent(require_label("agent_id", agent_id))

    async def effective(self, agent_id: str) -> EffectivePolicy:
        """What holds, live and as a shadow, and the choices that it comes from."""
        return await self._resolver.effective(require_label("agent_id", agent_id))

    async def list(self, agent_id: str) -> tuple[PolicyVersion, ...]:
        """The candidates, the latest first."""
        return tuple(await self._store.versions(require_label("agent_id", agent_id)))

    async def history(self, agent_id: str, role: Role = "live") -> tuple[PolicyActivation, ...]:
        """What was chosen for a role, the latest first."""
        return tuple(await self._store.activations(require_label("agent_id", agent_id), _role(role)))

    async def get(self, agent_id: str, version: str) -> PolicyVersion:
        """A candidate by its version."""
        require_label("version", version)
        found = await self._store.versions(require_label("agent_id", agent_id), version)
        if not found:
            raise InvalidInput(f"version: agent {agent_id!r} has no candidate {version!r}")
        return found[0]

    async def load(self, agent_id: str, version: str) -> Policy:
        """The whole policy of a version: of a candidate over today's base, or as a turn recorded it."""
        base, effective = self.base(agent_id), await self.effective(agent_id)
        for known in (base, effective.live, *([effective.shadow] if effective.shadow is not None else [])):
            if known.version == version:
                return known
        content = await self._store.content(agent_id, require_label("version", version))
        if content is not None:
            return Policy.from_record(content)
        return with_changes(base, (await self.get(agent_id, version)).changes)

    async def save(
        self, agent_id: str, changes: Mapping[str, float | int], *, by: str, note: str = ""
    ) -> PolicyVersion:
        """Saves a candidate: the base with some rows changed, by dotted name. The same changes again are the same.

        Raises:
            InvalidInput: a row that may not be changed, a value out of its bounds, or nothing that differs.
        """
        base = self.base(agent_id)
        own = effective_changes(base, changes)
        if not own:
            raise InvalidInput("changes: the policy of the operator's file says all of this already")
        version = with_changes(base, own).version
        return await self._store.save(agent_id, version, base.version, own, by=_by(by), note=await self._noted(note))

    async def base_rates(self, agent_id: str) -> Mapping[str, Masses]:
        """How often memories of each type were shown and used, as decayed sums: what learned budgets are made of."""
        return await self._store.base_rates(require_label("agent_id", agent_id))

    async def activate(
        self, agent_id: str, version: str | None, *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Lets the agent's turns be planned under a candidate from now on; None is the base again.

        `after` is the number of the choice that the caller saw holding (0: none), and guards against another's.
        """
        return await self._choose(agent_id, "live", version, by, note, after)

    async def shadow(
        self, agent_id: str, version: str | None, *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Runs a candidate beside the one that holds, without any effect on a turn; None is the operator's shadow, or
        none. `after` as in `activate`.
        """
        return await self._choose(agent_id, "shadow", version, by, note, after)

    async def roll_back(
        self, agent_id: str, role: Role = "live", *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Lets hold again what held before the choice that holds now: a choice of its own, which can be taken back too.

        Raises:
            InvalidInput: nothing was chosen yet.
        """
        latest = await self._store.activations(require_label("agent_id", agent_id), _role(role), 2)
        if not latest:
            raise InvalidInput(f"role: no {role} policy was chosen for agent {agent_id!r}, so that none is taken back")
        before = latest[1].version if len(latest) > 1 else None
        return await self._choose(agent_id, role, before, by, note, after if after is not None else latest[0].number)

    async def shadow_agreement(self, agent_id: str, version: str) -> Agreement | None:
        """How far a policy agreed with what was shown, in the latest turns that it ran beside; None if in none."""
        rows = await self._store.shadowed(require_label("agent_id", agent_id), version, _COMPARED)
        return next(iter(agreements(rows)), None)

    async def what_if(
        self,
        agent_id: str,
        changes: Mapping[str, float | int],
        since: datetime,
        until: datetime,
        name: str = "",
        *,
        whole: bool = False,
    ) -> WhatIf:
        """What these rows would have changed in the latest completed turns of [since, until): `cognitive.lab.what_if`.

        `name` says which stretch of time that is to who asks again within a minute ("7d"); the turns are kept for so
        long. Takes about a second; turns that it does not come to are told in `late`, and run too if it is `whole`.
        """
        for which, at in (("since", since), ("until", until)):
            require_aware(which, at)
        live = (await self.effective(agent_id)).live
        return await self._samples.what_if(
            agent_id, name or f"{since}~{until}", since, until, changes, live, whole=whole
        )

    async def _choose(
        self, agent_id: str, role: Role, version: str | None, by: str, note: str, after: int | None
    ) -> PolicyActivation:
        if version is not None:
            with_changes(self.base(agent_id), (await self.get(agent_id, version)).changes)  # it is a policy still
        choice = await self._store.activate(
            require_label("agent_id", agent_id), role, version, by=_by(by), note=await self._noted(note), after=after
        )
        await self._resolver.effective(agent_id)
        return choice

    async def _noted(self, note: str) -> str:
        """A note as it is stored."""
        if not note:
            return note
        return await self._redactor.text(require_label("note", note, max_length=MAX_NOTE_LENGTH))


def _role(role: str) -> Role:
    if role not in ("live", "shadow"):
        raise InvalidInput(f"role: expected live or shadow, got {role!r}")
    return "live" if role == "live" else "shadow"


def _by(by: str) -> str:
    return require_label("by", by)
