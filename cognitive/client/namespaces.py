"""The namespaces `sessions`, `policies`, `explain`, `upkeep` and `admin` of a client of a memory layer's server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from brain.analytics.users import UserCounts
from brain.artifacts import Artifact, MatchingLine
from brain.policies import PolicyActivation, PolicyVersion, Role
from brain.sessions import ClearedSession, SessionSummary
from brain.types import Memory, Revision
from brain.users import UserId
from cognitive.catalog.plans import PastPlan
from cognitive.client.transport import ApiTransport, view_fields, view_query
from cognitive.lab.shadow import Agreement
from cognitive.lab.what_if import WhatIf
from cognitive.lab.why import Explanation
from cognitive.policy import Policy
from cognitive.upkeep.pages import PairPage, StalePage
from cognitive.validation import require_id
from cognitive.wire.models import (
    ActivationBody,
    FindBody,
    LineBody,
    PlansBody,
    PolicyVersionBody,
    RollBackBody,
    WhatIfBody,
)
from cognitive.wire.responses import EffectivePolicies, TurnRow

T = TypeVar("T")
PolicyChanges = Mapping[str, float | int]


class RemoteSessions:
    """The namespace `client.sessions`, which lists and clears sessions on the server and reads their artifacts."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def list(
        self,
        agent_id: str,
        limit: int = 50,
        offset: int = 0,
        *,
        words: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ended: bool | None = None,
        user_id: UserId = None,
    ) -> tuple[SessionSummary, ...]:
        """Return at most `limit` sessions of a view from position `offset`, as `layer.sessions.list` does."""
        given = {"words": words, "since": since, "until": until, "ended": ended}
        query = view_query(user_id) | {"limit": limit, "offset": offset}
        query |= {name: value for name, value in given.items() if value is not None}
        path = ("agents", agent_id, "sessions")
        return await self._transport.request(tuple[SessionSummary, ...], "GET", *path, query=query)

    async def clear(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> ClearedSession:
        """Remove a session's summary, last messages, plan, artifacts and subtasks.

        Return how many rows were removed.
        """
        path, query = ("agents", agent_id, "sessions", session_id), view_query(user_id)
        return await self._transport.request(ClearedSession, "DELETE", *path, query=query)

    async def artifacts(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> tuple[Artifact, ...]:
        """Return the artifacts (long texts stored outside the prompt) of a session, oldest first, without texts."""
        path = ("agents", agent_id, "sessions", session_id, "artifacts")
        return await self._transport.request(tuple[Artifact, ...], "GET", *path, query=view_query(user_id))

    async def search_artifact(
        self, agent_id: str, id: UUID, literal: str, limit: int = 20, *, user_id: str | None = None
    ) -> tuple[MatchingLine, ...]:
        """Return the first lines of an artifact's text that contain the string `literal`, at most `limit` lines."""
        path = "agents", agent_id, "artifacts", id_of(id), "search"
        body = LineBody(literal=literal, limit=limit, user_id=user_id)
        return await self._transport.request(tuple[MatchingLine, ...], "POST", *path, body=body)


class RemoteExplain:
    """The namespace `client.explain`, which explains how the turns of an agent were prepared."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def candidates(self, agent_id: str, turn_id: str, *, user_id: str | None = None) -> list[Explanation]:
        """Return a turn's candidates (the memories considered for it) by rank, and why each was shown or dropped."""
        path, query = ("agents", agent_id, "turns", turn_id, "memories"), view_query(user_id)
        return await self._transport.request(list[Explanation], "GET", *path, query=query)

    async def turns(
        self, agent_id: str, limit: int = 20, *, session_id: str | None = None, user_id: UserId = None
    ) -> list[TurnRow]:
        """Return the agent's latest turns, or the latest turns of one session, newest first."""
        query = view_query(user_id) | {"limit": limit} | ({"session_id": session_id} if session_id is not None else {})
        return await self._transport.request(list[TurnRow], "GET", "agents", agent_id, "turns", query=query)

    async def past_plans(
        self, agent_id: str, message: str | None = None, *, limit: int = 25, user_id: UserId = None
    ) -> tuple[PastPlan, ...]:
        """Return which tools past turns called, for each group of turns with similar messages, the largest group first.

        At most `limit` groups are returned. With `message`, only turns with a message similar to it are used.
        """
        if message is None:
            path, query = ("agents", agent_id, "plans"), view_query(user_id) | {"limit": limit}
            return await self._transport.request(tuple[PastPlan, ...], "GET", *path, query=query)
        body = PlansBody(message=message, limit=limit, **view_fields(user_id))
        return await self._transport.request(
            tuple[PastPlan, ...], "POST", "agents", agent_id, "plans", "search", body=body
        )


class RemoteUpkeep:
    """The namespace `client.upkeep`, which lists memories that may need attention."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def duplicates(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> PairPage:
        """Return pairs of memories of one type that say the same, the most certain first."""
        return await self._page(PairPage, agent_id, "duplicates", limit, after, user_id)

    async def contradictions(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> PairPage:
        """Return pairs of memories that give one attribute of one subject different values, the newest first."""
        return await self._page(PairPage, agent_id, "contradictions", limit, after, user_id)

    async def stale(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> StalePage:
        """Return memories that turns showed without use, or no longer use; those that were shown most come first."""
        return await self._page(StalePage, agent_id, "stale", limit, after, user_id)

    async def _page(
        self, returns: type[T], agent_id: str, name: str, limit: int, after: str | None, user_id: UserId
    ) -> T:
        query = view_query(user_id) | {"limit": limit} | ({"after": after} if after is not None else {})
        return await self._transport.request(returns, "GET", "agents", agent_id, "upkeep", name, query=query)


class RemoteAdmin:
    """The namespace `client.admin`: lists users and memories, and reads changes and context sizes."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def revisions(self, agent_id: str, id: UUID, *, user_id: UserId = None) -> list[Revision]:
        """Return the changes of a memory, newest first, each with the values that it replaced."""
        path = ("agents", agent_id, "memories", id_of(id), "revisions")
        return await self._transport.request(list[Revision], "GET", *path, query=view_query(user_id))

    async def find(
        self,
        agent_id: str,
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        offset: int = 0,
        *,
        user_id: UserId = None,
    ) -> list[Memory]:
        """Return a page of the agent's memories that meet the conditions of `where`, oldest first."""
        body = FindBody(where=where, limit=limit, offset=offset, **view_fields(user_id))
        return await self._transport.request(list[Memory], "POST", "agents", agent_id, "memories", "find", body=body)

    async def users(
        self, agent_id: str, words: str | None = None, limit: int = 50, after: str | None = None
    ) -> list[UserCounts]:
        """Return the users of an agent by id, with their numbers of memories, sessions and turns. For operators."""
        named = {"words": words, "after": after}
        query = {"limit": limit} | {name: value for name, value in named.items() if value is not None}
        return await self._transport.request(list[UserCounts], "GET", "agents", agent_id, "users", query=query)

    async def context_budgets(self) -> dict[str, Any]:
        """Return the context size of each known model, in tokens and bytes."""
        return await self._transport.request(dict[str, Any], "GET", "context-budgets")


def id_of(id: UUID) -> str:
    """Return the id of a memory or an artifact as text for a URL's path.

    Raises:
        InvalidInput: `id` is not a UUID.
    """
    return str(require_id("id", id))


class RemotePolicies:
    """The namespace `client.policies`, which saves, compares and activates policies on the server.

    A policy is the set of settings by which turns are prepared. Saving and activating need an admin's token. A request
    to activate is sent once and not retried. If it raises `StoreUnavailable`, the server may have activated the policy
    all the same; `history` shows it.
    """

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def effective(self, agent_id: str) -> EffectivePolicies:
        """Return the agent's live policy (in use) and shadow policy (computed for comparison only).

        The result has their versions, their latest activations, and how the live policy differs from the base policy.
        """
        return await self._read(EffectivePolicies, agent_id)

    async def list(self, agent_id: str) -> tuple[PolicyVersion, ...]:
        """Return the agent's saved policy versions, newest first."""
        return await self._read(tuple[PolicyVersion, ...], agent_id, "candidates")

    async def history(self, agent_id: str, role: Role = "live") -> tuple[PolicyActivation, ...]:
        """Return the activations of policy versions for a role ("live" or "shadow"), newest first."""
        return await self._read(tuple[PolicyActivation, ...], agent_id, role, "activations")

    async def get(self, agent_id: str, version: str) -> PolicyVersion:
        """Return a saved policy version: its changed settings, who saved it and why."""
        return await self._read(PolicyVersion, agent_id, "candidates", version)

    async def load(self, agent_id: str, version: str) -> Policy:
        """Return the complete policy, with all its settings, that belongs to a version.

        Raises:
            PolicyError: the installed version of this package cannot read the policy.
        """
        return Policy.from_record(await self._read(dict[str, Any], agent_id, "versions", version))

    async def save(self, agent_id: str, changes: PolicyChanges, *, note: str = "") -> PolicyVersion:
        """Save a new policy version: the host's base policy with some settings changed. It is not activated.

        `changes` has the new values by the dotted names of the settings.
        """
        body = PolicyVersionBody(changes=changes, note=note)
        return await self._transport.request(PolicyVersion, "POST", *_of(agent_id, "candidates"), body=body)

    async def activate(
        self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Use a saved policy version for the agent's turns from now on, or the base policy if `version` is None.

        `after` prevents two callers from overwriting each other: it is the number of the latest activation that the
        caller knows (0 for none), and the call fails if there is a newer one.
        """
        return await self._activate(agent_id, "live", version, note, after)

    async def shadow(
        self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Use a saved policy version as the agent's shadow policy, which is compared with the live one.

        Turns are also computed under the shadow policy, and the results are stored. They do not change what a turn
        shows. If `version` is None, the shadow policy that the operator configured is used again, if there is one.

        `after` is the number of the latest activation that the caller knows (0 for none). The call fails if there is a
        newer one.
        """
        return await self._activate(agent_id, "shadow", version, note, after)

    async def roll_back(
        self, agent_id: str, role: Role = "live", *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Go back to the policy version that was active before the current one.

        `after` is the number of the latest activation that the caller knows (0 for none). The call fails if there is a
        newer one.
        """
        body = RollBackBody(note=note, after=after)
        return await self._post_once("POST", agent_id, role, "rollback", body)

    async def shadow_agreement(self, agent_id: str, version: str, *, user_id: UserId = None) -> Agreement | None:
        """Return how far the results of a shadow policy agree with those of the live policy.

        The latest turns in which the shadow policy ran are compared. The result is None if there are no such turns.
        """
        returns: type[Any] = Agreement | None  # type: ignore[assignment]  # a type, though not a class
        path, query = _of(agent_id, "versions", version, "agreement"), view_query(user_id)
        agreement: Agreement | None = await self._transport.request(returns, "GET", *path, query=query)
        return agreement

    async def what_if(
        self,
        agent_id: str,
        changes: PolicyChanges,
        since: datetime,
        until: datetime,
        *,
        whole: bool = False,
        user_id: UserId = None,
    ) -> WhatIf:
        """Estimate the effect of changed settings on the latest completed turns from `since` until before `until`.

        The server replays as many turns of a sample as it can in about a second. With `whole`, it replays all turns of
        a larger sample.
        """
        body = WhatIfBody(changes=changes, since=since, until=until, whole=whole, **view_fields(user_id))
        return await self._transport.request(WhatIf, "POST", *_of(agent_id, "what-if"), body=body)

    async def _activate(
        self, agent_id: str, role: Role, version: str | None, note: str, after: int | None
    ) -> PolicyActivation:
        body = ActivationBody(version=version, note=note, after=after)
        return await self._post_once("PUT", agent_id, role, "activation", body)

    async def _post_once(
        self, method: str, agent_id: str, role: Role, action: str, body: ActivationBody | RollBackBody
    ) -> PolicyActivation:
        return await self._transport.request_once(PolicyActivation, method, *_of(agent_id, role, action), body=body)

    async def _read(self, returns: type[T], agent_id: str, *path: str) -> T:
        return await self._transport.request(returns, "GET", *_of(agent_id, *path))


def _of(agent_id: str, *path: str) -> tuple[str, ...]:
    return "agents", agent_id, "policies", *path
