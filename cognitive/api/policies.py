"""`layer.policies`: save, compare, activate and roll back an agent's policies while the layer runs.

The operator's policy (the `Policy` passed to `open`, or the file in COGNITIVE_POLICY) stays the base. A saved policy is
a set of changed settings (`cognitive.policy.live`) that is applied to the base.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from brain.policies import MAX_NOTE_LENGTH, PolicyActivation, PolicyStore, PolicyVersion, Role
from brain.redacting import Redactor
from brain.search import Masses
from brain.users import ALL_USERS, Scope, UserId
from cognitive.errors import InvalidInput
from cognitive.lab.samples import SampleCache
from cognitive.lab.shadow import Agreement, agreements
from cognitive.lab.what_if import WhatIf
from cognitive.policy import Policy
from cognitive.policy.live import check_changes, effective_changes, with_changes
from cognitive.policy.resolver import EffectivePolicy, PolicyResolver
from cognitive.policy.running import RunningPolicy, candidate_of, running_policy
from cognitive.validation import require_aware, require_label

_LATEST = 20  # turns whose policies say what an agent runs under
_COMPARED = 500  # latest turns of a shadow that are compared


class PoliciesApi:
    """Saves, compares, activates and rolls back policies of agents.

    An agent has two roles for policies: its turns use the live policy, and the shadow policy is run after each turn
    only for comparison. An activation takes effect at once in this process, and within `resolver.FRESH` seconds in
    others. Every method raises InvalidInput for an invalid argument, and StoreUnavailable if the database is down.
    """

    def __init__(self, resolver: PolicyResolver, store: PolicyStore, samples: SampleCache, redactor: Redactor) -> None:
        self._resolver = resolver
        self._store = store
        self._samples = samples
        self._redactor = redactor

    def current(self, agent_id: str) -> Policy:
        """Return the agent's live policy as this process has cached it, without a query to the database."""
        return self._resolver.for_agent(agent_id)

    def base(self, agent_id: str) -> Policy:
        """Return the operator's policy for an agent, without activated versions."""
        return self._resolver.base.for_agent(require_label("agent_id", agent_id))

    async def effective(self, agent_id: str) -> EffectivePolicy:
        """Return the live and the shadow policy of an agent, with the activations that selected them."""
        return await self._resolver.effective(require_label("agent_id", agent_id))

    async def running(self, agent_id: str, *, user_id: UserId = ALL_USERS) -> RunningPolicy:
        """Return the policy that the agent's turns run under, as its latest turns show, by default those of all users.

        It differs from `effective` if the processes that run the agent have another base policy than this one.
        """
        effective, runs, history, candidates = await asyncio.gather(
            self.effective(agent_id),
            self._store.runs(Scope.of(agent_id, user_id), _LATEST),
            self.history(agent_id),
            self.list(agent_id),
        )
        return await asyncio.to_thread(
            running_policy, runs, effective, self.base(agent_id), history, {each.version: each for each in candidates}
        )

    async def runs_of_candidates(self, agent_id: str, versions: Sequence[str]) -> Mapping[str, str]:
        """Return, for those of these policies that contain a saved version's changes, that version.

        `versions` are policies that turns were planned under.
        """
        used, history, candidates = await asyncio.gather(
            self._store.used(agent_id, versions), self.history(agent_id), self.list(agent_id)
        )
        known = {each.version: each for each in candidates}
        found = {run.version: candidate_of(run, history, known) for run in used}
        return {version: candidate for version, candidate in found.items() if candidate is not None}

    async def list(self, agent_id: str) -> tuple[PolicyVersion, ...]:
        """Return the policy versions saved for an agent, latest first."""
        return tuple(await self._store.versions(require_label("agent_id", agent_id)))

    async def history(self, agent_id: str, role: Role = "live") -> tuple[PolicyActivation, ...]:
        """Return the activations of an agent's live policy, or of its shadow policy, latest first."""
        return tuple(await self._store.activations(require_label("agent_id", agent_id), _role(role)))

    async def get(self, agent_id: str, version: str) -> PolicyVersion:
        """Return a saved policy version: its changed settings, author and note."""
        require_label("version", version)
        versions = await self._store.versions(require_label("agent_id", agent_id), version)
        if not versions:
            raise InvalidInput(f"version: agent {agent_id!r} has no saved policy {version!r}")
        return versions[0]

    async def load(self, agent_id: str, version: str) -> Policy:
        """Return all settings of a policy version: one saved for the agent, or one under which a turn was recorded.

        The changes of a saved version are applied to the operator's present policy, or to the policy that the agent's
        turns run under if it is based on another one.
        """
        base, running = self.base(agent_id), await self.running(agent_id)
        if running.policy.version == version:
            return running.policy
        if not running.same_base and (saved := await self._store.versions(agent_id, version)):
            return with_changes(running.policy, saved[0].changes)
        effective = await self.effective(agent_id)
        for known in (base, effective.live, effective.shadow):
            if known is not None and known.version == version:
                return known
        content = await self._store.content(agent_id, require_label("version", version))
        if content is not None:
            return Policy.from_record(content)
        return with_changes(base, (await self.get(agent_id, version)).changes)

    async def save(
        self, agent_id: str, changes: Mapping[str, float | int], *, by: str, note: str = ""
    ) -> PolicyVersion:
        """Save changed settings as a policy version for an agent, without activating it.

        The keys of `changes` are dotted names such as "usage.half_life_days". `by` is the author. If a version with
        equal changes is saved already, it is returned.

        Raises:
            InvalidInput: a setting may not change at run time, a value is out of range, or no value differs from the
                base.
        """
        base, running = self.base(agent_id), await self.running(agent_id)
        effective = effective_changes(base, changes)
        if not running.same_base:  # compare with what runs: a value of this process's base may be a change there
            base, live = running.policy, await self._changes_of(agent_id, running.candidate)
            effective = {
                **{name: value for name, value in check_changes(changes).items() if name in live},
                **effective_changes(base, changes),
            }
        if not effective:
            raise InvalidInput("changes: identical to the base policy; nothing to save")
        same = next((each for each in await self.list(agent_id) if dict(each.changes) == effective), None)
        if same is not None:
            return same
        version = with_changes(base, effective).version
        note = await self._noted(note)
        return await self._store.save(agent_id, version, base.version, effective, by=_by(by), note=note)

    async def base_rates(self, agent_id: str, *, user_id: UserId = None) -> Mapping[str, Masses]:
        """Return how often memories of each type that the view sees were shown and used, as sums that decay over time.

        Budgets that are learned from usage are computed from these sums.
        """
        scope = Scope.of(agent_id, user_id)
        return await self._store.base_rates(scope, (await self._resolver.current(agent_id)).usage.half_life_days)

    async def activate(
        self, agent_id: str, version: str | None, *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Use a saved version for the agent's turns from now on, or the operator's policy if `version` is None.

        `by` is the author. `after` is the number of the latest activation that the caller knows, or 0 if it knows of
        none. If `after` is given and there is a later activation, the call fails.
        """
        return await self._activate(agent_id, "live", version, by, note, after)

    async def shadow(
        self, agent_id: str, version: str | None, *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Run a saved version as the agent's shadow policy, or the operator's shadow policy if `version` is None.

        If the operator has no shadow policy, None ends the shadow. A shadow policy has no effect on turns. `by` and
        `after` are as in `activate`.
        """
        return await self._activate(agent_id, "shadow", version, by, note, after)

    async def roll_back(
        self, agent_id: str, role: Role = "live", *, by: str, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Activate again the version that was active before the current one, in the role "live" or "shadow".

        The rollback is itself an activation and can be rolled back. `by` and `after` are as in `activate`.

        Raises:
            InvalidInput: the role has no activation yet.
        """
        latest = await self._store.activations(require_label("agent_id", agent_id), _role(role), 2)
        if not latest:
            raise InvalidInput(f"role: agent {agent_id!r} has no {role} activation to roll back")
        previous = latest[1].version if len(latest) > 1 else None
        return await self._activate(
            agent_id, role, previous, by, note, after if after is not None else latest[0].number
        )

    async def shadow_agreement(self, agent_id: str, version: str, *, user_id: UserId = None) -> Agreement | None:
        """Return how much the memories that a shadow policy selected agree with those shown, over its latest turns.

        The result is None if the policy has not run as a shadow in any turn.
        """
        rows = await self._store.shadowed(Scope.of(agent_id, user_id), version, _COMPARED)
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
        user_id: UserId = None,
    ) -> WhatIf:
        """Compute how the latest completed turns of [since, until) would have differed with some settings changed.

        The keys of `changes` are dotted names; see `cognitive.lab.what_if`. `name` identifies the period in a cache,
        for example "7d". The turns stay cached for a minute, so that repeated calls with the same name are fast. The
        call takes about a second; turns left out for lack of time are counted in `not_run`. With `whole`, more turns
        are computed and the call takes longer.
        """
        for argument, at in (("since", since), ("until", until)):
            require_aware(argument, at)
        live = (await self.running(agent_id)).policy
        return await self._samples.what_if(
            Scope.of(agent_id, user_id), name or f"{since}~{until}", since, until, changes, live, whole=whole
        )

    async def _activate(
        self, agent_id: str, role: Role, version: str | None, by: str, note: str, after: int | None
    ) -> PolicyActivation:
        if version is not None:
            with_changes(self.base(agent_id), (await self.get(agent_id, version)).changes)  # raises if now invalid
        activation = await self._store.activate(
            require_label("agent_id", agent_id), role, version, by=_by(by), note=await self._noted(note), after=after
        )
        await self._resolver.effective(agent_id)
        return activation

    async def _changes_of(self, agent_id: str, version: str | None) -> Mapping[str, float | int]:
        return (await self.get(agent_id, version)).changes if version is not None else {}

    async def _noted(self, note: str) -> str:
        """Return a note as it is stored, after the host's redaction function was applied."""
        if not note:
            return note
        return await self._redactor.text(require_label("note", note, max_length=MAX_NOTE_LENGTH))


def _role(role: str) -> Role:
    if role not in ("live", "shadow"):
        raise InvalidInput(f"role: expected live or shadow, got {role!r}")
    return "live" if role == "live" else "shadow"


def _by(by: str) -> str:
    return require_label("by", by)
