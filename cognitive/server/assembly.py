"""The apps that `cognitive serve` adds to the API: MCP and the dashboard, with the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.datastructures import QueryParams
from starlette.types import Scope as Asgi

from brain.types import above
from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create, error_pages
from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp import TOOL_TRUST, Endpoint, McpScope
from cognitive.server.auth import caller_of, needs_no_token, visitor_of
from cognitive.server.config import MountedApp
from cognitive.server.limits import within_rate_limit
from cognitive.server.tokens import Caller
from cognitive.wire.problems import NotAllowed


def mounts(layer: CognitiveLayer, *, may_remember: bool = False, may_change: bool = False) -> Sequence[MountedApp]:
    """Return the apps for MCP and for the dashboard, which a server mounts next to the API.

    The apps use the server's tokens. The server checks the headers Host and Origin before it calls an app. With
    `may_remember` and `may_change`, MCP clients have the tools that store memories, and that correct and hide them,
    unless their token may only write memories with less trust than these tools give.
    """
    endpoint = Endpoint(layer, _mcp_scopes(may_remember, may_change), hosts=None)
    dashboard = create(layer, layer.explain.analytics, AccessControl(_visitor, needs_no_token, within_rate_limit))
    return (
        MountedApp("/mcp", endpoint, endpoint.running),
        MountedApp("/ui", dashboard, own_login=True, error_page=error_pages()),
    )


def _visitor(scope: Asgi, token: str | None) -> Caller | None:
    """Return the caller of a visitor's token. The dashboard is for hosts: it refuses a token that is for one user."""
    caller = visitor_of(scope, token)
    return caller if caller is None or caller.user is None else None


def _mcp_scopes(may_remember: bool, may_change: bool) -> Callable[[Asgi], McpScope]:
    """Return a function that returns the memory that an MCP request may use, and the tools that it may call.

    It is the agent of the request's token, or the agent named in `/mcp?agent=NAME`. Admins, and callers of a server
    without tokens, must name an agent. The user is that of the token; other tokens have the view without a user. The
    function raises InvalidInput if no agent is named, or more than one, or a user is, and NotAllowed if the token is
    for another agent.
    """

    def scope_of(request: Asgi) -> McpScope:
        caller = caller_of(request)
        agent_id = _named_agent(request, caller)
        may_write = not above(TOOL_TRUST, caller.trust)
        return McpScope(
            agent_id,
            user_id=caller.user,
            may_remember=may_remember and may_write,
            may_change=may_change and may_write,
        )

    return scope_of


def _named_agent(request: Asgi, caller: Caller) -> str:
    query = QueryParams(request["query_string"].decode("latin-1"))
    if "user" in query or "user_id" in query:
        raise InvalidInput(
            "user: is that of the token; create one with `cognitive token create --agent NAME --user ID`"
        )
    names = query.getlist("agent") or [caller.agent or ""]
    if len(names) != 1 or not names[0]:
        raise InvalidInput("agent: name one agent with /mcp?agent=NAME; only a token of an agent may omit it")
    if not caller.may(names[0]):
        raise NotAllowed("agent: this token is not for this agent")
    return names[0]
