"""A separate process that serves one scope, over stdio, or over HTTP to clients with its token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.routing import Route

from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp.http import LOOPBACK_HOSTS, LOOPBACK_ORIGINS, Authenticate, Endpoint, bearer
from cognitive.runtimes.mcp.scope import Scope
from cognitive.runtimes.mcp.server import create_server


async def serve_stdio(scope: Scope) -> None:
    """Serve one client until standard input ends. Logs go to standard error.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened. It opens even if Postgres is away.
    """
    async with CognitiveLayer.open() as layer, stdio_server() as (incoming, outgoing):
        server = create_server(layer, scope)
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    scope: Scope, token: str, listening: socket.socket, names: Sequence[str] = (), *, http: Any = "auto"
) -> None:
    """Serve at /mcp of a listening socket until the process gets a signal to stop.

    `names` are Host headers to accept beside those of loopback; `http` is uvicorn's HTTP protocol implementation.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened. It opens even if Postgres is away.
    """
    async with CognitiveLayer.open() as layer:
        server = uvicorn.Server(uvicorn.Config(app(layer, scope, token, names), http=http, log_config=None))
        await server.serve(sockets=[listening])


def app(layer: CognitiveLayer, scope: Scope, token: str, names: Sequence[str] = ()) -> Starlette:
    """Return an ASGI app that serves only /mcp."""
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    endpoint = Endpoint(
        layer,
        bearer(single_token(token, scope)),
        hosts=[*LOOPBACK_HOSTS, *names],
        origins=[*LOOPBACK_ORIGINS, *origins],
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    return Starlette(routes=[Route("/mcp", endpoint)], lifespan=lifespan)


def single_token(token: str, scope: Scope) -> Authenticate:
    """Return a function that authenticates one token. It compares in constant time, so that timing reveals nothing."""
    expected = token.encode()

    def authenticate(token: str) -> Scope | None:
        return scope if hmac.compare_digest(token.encode(), expected) else None

    return authenticate
