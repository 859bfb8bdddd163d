"""Authentication of callers by a bearer token. A server without tokens accepts only callers on its own machine."""

from __future__ import annotations

from collections.abc import Callable, Collection
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, Path, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from brain.types import Label, above
from cognitive.errors import PolicyError
from cognitive.server.config import PUBLIC
from cognitive.server.problems import error_response
from cognitive.server.tokens import ANONYMOUS, Caller, Tokens
from cognitive.wire.problems import NotAllowed, UnknownToken

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Authentication:
    """Middleware that identifies the caller by its token and stores it in the ASGI scope.

    A request without a valid token gets 401 before its body is read. While the server has no tokens, it accepts all
    direct callers on this machine, and refuses requests through a proxy, since their origin is unknown. As long as
    there are no tokens, `load_tokens` is called again for each request, so that newly created tokens take effect. Apps
    under `own_login_paths` authenticate their visitors themselves: for them, the scope contains the server's tokens
    instead of a caller.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens | None,
        load_tokens: Callable[[], Tokens | None],
        own_login_paths: Collection[str] = (),
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._load_tokens = load_tokens
        self._own_login_paths = tuple(f"{path}/" for path in own_login_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store the caller in the scope and call the app, or respond 401, 403 or 409."""
        if scope["type"] == "http" and scope["path"] not in PUBLIC:
            state = scope.setdefault("state", {})
            try:
                self._tokens = self._tokens or self._load_tokens()
                if self._tokens is None:
                    state["caller"] = self._local_caller(scope)
                elif f"{scope['path']}/".startswith(self._own_login_paths):
                    state["tokens"] = self._tokens
                else:
                    state["caller"] = self._token_caller(scope, self._tokens)
            except (NotAllowed, PolicyError) as error:
                return await error_response(error)(scope, receive, send)
        await self._app(scope, receive, send)
        return None

    def _token_caller(self, scope: Scope, tokens: Tokens) -> Caller:
        values = Headers(scope=scope).getlist("authorization")
        scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not token.strip():
            raise UnknownToken("authorization: expected one header `Authorization: Bearer TOKEN`")
        caller = tokens.caller(token.strip())
        if caller is None:
            raise UnknownToken("authorization: unknown token; create one with `cognitive token create`")
        return caller

    def _local_caller(self, scope: Scope) -> Caller:
        headers, client = Headers(scope=scope), scope.get("client")
        if any(name in headers for name in _FORWARDED):
            raise NotAllowed("a server without tokens refuses requests of a proxy; run `cognitive token create`")
        if client is not None and client[0] and not _is_loopback(client[0]):
            raise NotAllowed("a server without tokens refuses other machines; run `cognitive token create`")
        return ANONYMOUS


def caller_of(scope: Scope) -> Caller:
    """Return the authenticated caller of a request from its ASGI scope."""
    caller: Caller = scope["state"]["caller"]
    return caller


def visitor_of(scope: Scope, token: str | None) -> Caller | None:
    """Return the caller to whom a visitor's token belongs, or None if the token is unknown.

    Mounted apps with their own login call it. On a server without tokens, every visitor is the anonymous caller.
    """
    tokens: Tokens | None = scope["state"].get("tokens")
    if tokens is None:
        return caller_of(scope)
    return tokens.caller(token) if token else None


def needs_no_token(scope: Scope) -> bool:
    """Return True if the server has no tokens, so that all callers on its machine have access."""
    return "tokens" not in scope["state"]


def own_agent(
    agent_id: Annotated[Label, Path(description="The agent's id: any text, percent-encoded.")], request: Request
) -> str:
    """Return the agent id in the request's path, after a check that the caller may access this agent.

    The error is the same whether the other agent exists or not.

    Raises:
        NotAllowed: the caller's token is for another agent.
    """
    if not caller_of(request.scope).may(agent_id):
        raise NotAllowed("agent_id: this token is not for this agent")
    return agent_id


def admin(request: Request) -> Caller:
    """Return the caller of a request, after a check that it is an admin.

    Raises:
        NotAllowed: the caller is not an admin.
    """
    caller = caller_of(request.scope)
    if caller.agent is not None:
        raise NotAllowed("authorization: needs an admin's token")
    return caller


def identified(request: Request) -> Caller:
    """Return the caller of a request."""
    return caller_of(request.scope)


def may_erase(request: Request) -> None:
    """Check that the caller of a request may erase data. Every route that erases depends on this function.

    Raises:
        NotAllowed: the caller's token was created with `--no-erase`.
    """
    if not caller_of(request.scope).erase:
        raise NotAllowed("authorization: this token may not erase anything")


def require_talk(caller: Caller) -> None:
    """Check that a caller may store a conversation, whose lines and formed memories have the trust `talk`.

    They can also correct or hide memories of that trust.

    Raises:
        NotAllowed: the caller's token has less trust.
    """
    if above("talk", caller.trust):
        raise NotAllowed("authorization: this token has less trust than `talk` and may not store a conversation")


ERASING = (Depends(may_erase),)
AgentId = Annotated[str, Depends(own_agent)]
Admin = Annotated[Caller, Depends(admin)]
Identified = Annotated[Caller, Depends(identified)]


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
