"""Servers of a layer for tests, in-process clients and access tokens."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx

from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig
from cognitive.server.run import address, listening, server
from cognitive.server.tokens import create


def token_for(path, agent):
    """Return the header with a new token for an agent, or for an admin if the agent is None."""
    return {"Authorization": f"Bearer {create(path, agent)[1]}"}


@asynccontextmanager
async def running(layer, config, mounts=()):
    """Run a server on a free port and yield its URL and the server. Stop it on exit."""
    listener = listening(config)
    served = server(create_app(layer, config, mounts), config)
    task = asyncio.create_task(served._serve(sockets=[listener]))  # `serve` would install signal handlers
    try:
        yield address(listener), served
    finally:
        served.should_exit = True
        await task


def inside(layer, config=None, mounts=(), **options):
    """Return a client that calls a new app in this process, without a socket."""
    return client_of(create_app(layer, config or ServerConfig(), mounts), **options)


def client_of(app, **options):
    """Return a client of an app that several tests share, because creating an app takes a tenth of a second."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", **options)
