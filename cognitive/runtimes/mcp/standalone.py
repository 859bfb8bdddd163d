"""An MCP server in a separate process, for one agent's memory, over stdio, or over HTTP with a token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Sequence
from typing import Any

import uvicorn
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.routing import Route

from cognitive.layer import CognitiveLayer
from cognitive.runtimes.mcp.http import LOOPBACK_HOSTS, LOOPBACK_ORIGINS, Authenticate, Endpoint, bearer
from cognitive.runtimes.mcp.scope import McpScope
from cognitive.runtimes.mcp.server import create_server


async def serve_stdio(scope: McpScope) -> None:
    """Open a memory layer, and serve one MCP client over standard input and output until the input ends.

    Logs go to standard error. If Postgres is away, the layer opens nevertheless.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened.
    """
    async with CognitiveLayer.open() as layer, stdio_server() as (incoming, outgoing):
        server = create_server(layer, scope)
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    scope: McpScope, token: str, listening: socket.socket, names: Sequence[str] = (), *, http: Any = "auto"
) -> None:
    """Open a memory layer, and serve MCP at the path /mcp until the process gets a signal to stop.

    `listening` is the socket to serve. `names` are Host headers to accept besides those of loopback. `http` is
    uvicorn's HTTP protocol implementation. If Postgres is away, the layer opens nevertheless.

    Raises:
        SchemaError, EmbeddedServerError, PolicyError: the layer cannot be opened.
    """
    async with CognitiveLayer.open() as layer:
        server = uvicorn.Server(uvicorn.Config(app(layer, scope, token, names), http=http, log_config=None))
        await server.serve(sockets=[listening])


def app(layer: CognitiveLayer, scope: McpScope, token: str, names: Sequence[str] = ()) -> Starlette:
    """Return an ASGI app that serves MCP at the path /mcp to clients with this token."""
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    endpoint = Endpoint(
        layer,
        bearer(single_token(token, scope)),
        hosts=[*LOOPBACK_HOSTS, *names],
        origins=[*LOOPBACK_ORIGINS, *origins],
    )

    return Starlette(routes=[Route("/mcp", endpoint)], lifespan=lambda _: endpoint.running())


def single_token(token: str, scope: McpScope) -> Authenticate:
    """Return a function that authenticates one token: it returns `scope` for this token, and None for any other.

    It compares in constant time, so that the response time reveals nothing about the token.
    """
    expected = token.encode()

    def authenticate(token: str) -> McpScope | None:
        return scope if hmac.compare_digest(token.encode(), expected) else None

    return authenticate
