"""Streamable HTTP: stateless, each request let in by itself, which says whose memory it is about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Request

from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp.scope import Scope, TraceLookup, no_trace_lookup
from cognitive.runtimes.mcp.server import RequestContext, create_server

Admit = Callable[[Request], Scope | None]  # from an ASGI request to whose memory it is about; None: not let in
Authenticate = Callable[[str], Scope | None]  # the same, from its bearer token

LOOPBACK_HOSTS = ("127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"http://{host}" for host in LOOPBACK_HOSTS)
_MAX_BYTES = 1_000_000  # of a request: the longest content, in which JSON escapes every character, and then some
_SCOPE = "cognitive.scope"  # of a request that was let in; no header can write it


class Endpoint:
    """An ASGI app for one path of a server: `Route("/mcp", endpoint)`, in whose lifespan `running` is entered.

    `admit` is asked on every request; `bearer` makes one that asks for a token. Requests whose Host or Origin is not
    among `hosts` and `origins` (":*" for any port) are refused: a page in a browser cannot be made to speak for its
    user. `hosts` None: whoever stands before has looked.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        admit: Admit,
        *,
        hosts: Sequence[str] | None = LOOPBACK_HOSTS,
        origins: Sequence[str] = LOOPBACK_ORIGINS,
        trace_lookup: TraceLookup = no_trace_lookup,
    ) -> None:
        self._server = create_server(layer, _scope_of, trace_lookup=trace_lookup)
        self._admit = admit
        self._security = TransportSecuritySettings(
            enable_dns_rebinding_protection=hosts is not None,
            allowed_hosts=list(hosts or ()),
            allowed_origins=list(origins),
        )
        self._app: ASGIApp | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answers requests for as long as this is entered; entered again, it starts afresh."""
        sessions = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=self._security,
            max_request_body_size=_MAX_BYTES,
        )
        async with sessions.run():
            self._app = sessions.asgi_app
            try:
                yield
            finally:
                self._app = None

    async def __call__(self, request: Request, receive: Receive, send: Send) -> None:
        """One request."""
        await self._answer(request)(request, receive, send)

    def _answer(self, request: Request) -> ASGIApp:
        if request["type"] != "http" or request["method"] != "POST":  # stateless: there is no stream to be had by GET
            return _error_response(405, "POST a JSON-RPC message", Allow="POST")
        scope = self._admit(request)
        if scope is None:
            return _error_response(401, "a valid bearer token is needed", **{"WWW-Authenticate": "Bearer"})
        if self._app is None:
            return _error_response(503, "the server is starting or stopping")
        request[_SCOPE] = scope
        return self._app


def bearer(authenticate: Authenticate) -> Admit:
    """Lets in by the one bearer token that a request has."""

    def admit(request: Request) -> Scope | None:
        given = Headers(scope=request).getlist("authorization")
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        return authenticate(token.strip()) if kind.lower() == "bearer" and token.strip() else None

    return admit


def _error_response(status: int, because: str, **headers: str) -> ASGIApp:
    return JSONResponse({"error": because}, status, headers)


def _scope_of(context: RequestContext) -> Scope:
    """The scope that the request's token has."""
    if context.request is None:
        raise RuntimeError("a request that did not come by HTTP has no token")
    scope: Scope = context.request.scope[_SCOPE]
    return scope
