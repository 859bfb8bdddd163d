"""Who may ask: a bearer token in the header, or, on a server that only this machine can reach, anybody on it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, Path, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from brain.types import Label, Trust
from cognitive.errors import PolicyError
from cognitive.server.config import PUBLIC
from cognitive.server.problems import error_response
from cognitive.server.tokens import ANONYMOUS, Caller, Tokens
from cognitive.wire.problems import NotAllowed, UnknownToken

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Authentication:
    """Lets in who has a token, and says in the scope who it is; others get 401 before a byte of the body is read.

    With `tokens` None the server is open, for direct callers on this machine: whoever calls through a proxy may be
    elsewhere. Once `load_tokens` finds a first token, it is open no more. An app under one of `own_login_paths` is told
    the tokens, and lets its visitors in by them itself.
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
        self._own_login_paths = tuple(f"{door}/" for door in own_login_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
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
        given = Headers(scope=scope).getlist("authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not token.strip():
            raise UnknownToken("authorization: expected one header `Authorization: Bearer TOKEN`")
        caller = tokens.caller(token.strip())
        if caller is None:
            raise UnknownToken("authorization: this server does not have this token")
        return caller

    def _local_caller(self, scope: Scope) -> Caller:
        headers, client = Headers(scope=scope), scope.get("client")
        if any(name in headers for name in _FORWARDED):
            raise NotAllowed("without tokens, no proxy may stand before this server: run `cognitive token create`")
        if client is not None and client[0] and not _is_loopback(client[0]):
            raise NotAllowed("without tokens, only this machine is let in: run `cognitive token create`")
        return ANONYMOUS


def caller_of(scope: Scope) -> Caller:
    """Who asks, for a mounted app: it hands on its scope."""
    caller: Caller = scope["state"]["caller"]
    return caller


def visitor_of(scope: Scope, token: str | None) -> Caller | None:
    """Who a mounted app's visitor is: the token's caller, or anybody where no token is needed; None if nobody is let
    in.
    """
    tokens: Tokens | None = scope["state"].get("tokens")
    if tokens is None:
        return caller_of(scope)
    return tokens.caller(token) if token else None


def needs_no_token(scope: Scope) -> bool:
    """Whether the server is open to whoever is on this machine."""
    return "tokens" not in scope["state"]


def own_agent(
    agent_id: Annotated[Label, Path(description="Whose memory; any name, percent-encoded.")], request: Request
) -> str:
    """The agent of the path, if it is the caller's own. Whether there is such an agent otherwise is not told.

    Raises:
        NotAllowed: it is not.
    """
    if not caller_of(request.scope).may(agent_id):
        raise NotAllowed("agent_id: this token is not for this agent")
    return agent_id


def admin(request: Request) -> Caller:
    """The caller, if it is an admin.

    Raises:
        NotAllowed: it is not.
    """
    caller = caller_of(request.scope)
    if caller.agent is not None:
        raise NotAllowed("authorization: only an admin's token may do this")
    return caller


def may_erase(request: Request) -> None:
    """Stands before every route that erases.

    Raises:
        NotAllowed: the caller's token was made with `--no-erase`.
    """
    if not caller_of(request.scope).erase:
        raise NotAllowed("authorization: this token may not erase anything")


def max_trust(request: Request) -> Trust:
    """The highest trust that the caller may give to memories."""
    return caller_of(request.scope).trust


ERASING = (Depends(may_erase),)
AgentId = Annotated[str, Depends(own_agent)]
Admin = Annotated[Caller, Depends(admin)]
MaxTrust = Annotated[Trust, Depends(max_trust)]


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
