"""MCP over streamable HTTP without sessions: each request is authenticated separately."""

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
from cognitive.runtimes.mcp.scope import McpScope
from cognitive.runtimes.mcp.server import RequestContext, create_server

Admit = Callable[[Request], McpScope | None]  # returns the scope of an ASGI request; None refuses it
Authenticate = Callable[[str], McpScope | None]  # returns the scope of a bearer token; None refuses it

LOOPBACK_HOSTS = ("127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"http://{host}" for host in LOOPBACK_HOSTS)
_MAX_BYTES = 1_000_000  # bytes of a request: fits the longest content with every character escaped in JSON
_SCOPE = "cognitive.scope"  # key in an ASGI request, where no header can set it


class Endpoint:
    """An ASGI app that serves MCP at one path of a server: `Route("/mcp", endpoint)`.

    Enter `running` in the server's lifespan. `admit` is called for every request, and returns the scope (the memory
    that the caller may use) or None to refuse the request. `bearer` creates such a function that checks a token.
    Requests whose header Host or Origin is not among `hosts` and `origins` (":*" for any port) are refused, so that a
    web page cannot call the server through a user's browser. Pass None as `hosts` if a proxy checks the headers.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        admit: Admit,
        *,
        hosts: Sequence[str] | None = LOOPBACK_HOSTS,
        origins: Sequence[str] = LOOPBACK_ORIGINS,
    ) -> None:
        self._server = create_server(layer, _scope_of)
        self._admit = admit
        self._security = TransportSecuritySettings(
            enable_dns_rebinding_protection=hosts is not None,
            allowed_hosts=list(hosts or ()),
            allowed_origins=list(origins),
        )
        self._app: ASGIApp | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Make the app answer requests while the block runs. The block may be entered again after it has ended."""
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
        """Authenticate a request and answer it, or respond with status 401, 405 or 503."""
        await self._answer(request)(request, receive, send)

    def _answer(self, request: Request) -> ASGIApp:
        if request["type"] != "http" or request["method"] != "POST":  # GET would open a stream, which needs a session
            return _error_response(405, "POST a JSON-RPC message", Allow="POST")
        scope = self._admit(request)
        if scope is None:
            return _error_response(401, "send a valid bearer token", **{"WWW-Authenticate": "Bearer"})
        if self._app is None:
            return _error_response(503, "the server is starting or stopping")
        request[_SCOPE] = scope
        return self._app


def bearer(authenticate: Authenticate) -> Admit:
    """Return a function that authenticates requests by their bearer token and returns the token's scope.

    The function refuses a request with several Authorization headers.
    """

    def admit(request: Request) -> McpScope | None:
        values = Headers(scope=request).getlist("authorization")
        kind, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
        return authenticate(token.strip()) if kind.lower() == "bearer" and token.strip() else None

    return admit


def _error_response(status: int, message: str, **headers: str) -> ASGIApp:
    return JSONResponse({"error": message}, status, headers)


def _scope_of(context: RequestContext) -> McpScope:
    """Return the scope (the memory that the caller may use) that `Endpoint` stored in a request."""
    if context.request is None:
        raise RuntimeError("the request has no token because it was not sent by HTTP; create the server with a scope")
    scope: McpScope = context.request.scope[_SCOPE]
    return scope
