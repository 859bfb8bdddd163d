"""A process of its own that serves one scope: over standard input and output, or over HTTP to whoever has its token."""

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
    """Serve one client until standard input ends; what is not the protocol goes to standard error.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened; a database that is away is no reason.
    """
    async with CognitiveLayer.open() as layer, stdio_server() as (incoming, outgoing):
        server = create_server(layer, scope)
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    scope: Scope, token: str, listening: socket.socket, names: Sequence[str] = (), *, http: Any = "auto"
) -> None:
    """Serves at /mcp of a listening socket until the process is told to stop; `names` are Host headers to accept beside
    loopback's, `http` is uvicorn's protocol of a connection.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened; a database that is away is no reason.
    """
    async with CognitiveLayer.open() as layer:
        server = uvicorn.Server(uvicorn.Config(app(layer, scope, token, names), http=http, log_config=None))
        await server.serve(sockets=[listening])


def app(layer: CognitiveLayer, scope: Scope, token: str, names: Sequence[str] = ()) -> Starlette:
    """An ASGI app with nothing but /mcp."""
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
    """Lets in whoever has this one token; how long the comparison takes tells nothing of it."""
    expected = token.encode()

    def authenticate(given: str) -> Scope | None:
        return scope if hmac.compare_digest(given.encode(), expected) else None

    return authenticate
