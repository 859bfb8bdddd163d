"""Streamable HTTP: stateless, each request with a token, which says whose memory it is about."""

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
from cognitive.runtimes.mcp.caller import Scope
from cognitive.runtimes.mcp.server import Asked, create_server
from cognitive.runtimes.mcp.ties import Traced, untraced

Authenticate = Callable[[str | None], Scope | None]  # from a bearer token, None where none came; None: not let in

LOOPBACK_HOSTS = ("127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"http://{host}" for host in LOOPBACK_HOSTS)
_MOST_BYTES = 1_000_000  # of a request: the longest content, in which JSON escapes every character, and then some
_SCOPE = "cognitive.scope"  # of a request that was let in; no header can write it


class Endpoint:
    """An ASGI app for one path of a server: `Route("/mcp", endpoint)`, in whose lifespan `running` is entered.

    `authenticate` is asked on every request. Requests whose Host or Origin is not among `hosts` and `origins` (":*" for
    any port) are refused: a page in a browser cannot be made to speak for its user.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        authenticate: Authenticate,
        *,
        hosts: Sequence[str] = LOOPBACK_HOSTS,
        origins: Sequence[str] = LOOPBACK_ORIGINS,
        traced: Traced = untraced,
    ) -> None:
        self._server = create_server(layer, _scope_of, traced=traced)
        self._authenticate = authenticate
        self._security = TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=list(origins))
        self._app: ASGIApp | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answers requests for as long as this is entered; entered again, it starts afresh."""
        sessions = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, security_settings=self._security,
            max_request_body_size=_MOST_BYTES,
        )  # fmt: skip
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
            return _refusal(405, "POST a JSON-RPC message", Allow="POST")
        scope = self._authenticate(_bearer(Headers(scope=request)))
        if scope is None:
            return _refusal(401, "a valid bearer token is needed", **{"WWW-Authenticate": "Bearer"})
        if self._app is None:
            return _refusal(503, "the server is starting or stopping")
        request[_SCOPE] = scope
        return self._app


def _bearer(headers: Headers) -> str | None:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if kind.lower() == "bearer" else None


def _refusal(status: int, because: str, **headers: str) -> ASGIApp:
    return JSONResponse({"error": because}, status, headers)


def _scope_of(asked: Asked) -> Scope:
    """The scope that the request's token has."""
    if asked.request is None:
        raise RuntimeError("a request that did not come by HTTP has no token")
    scope: Scope = asked.request.scope[_SCOPE]
    return scope
