"""A server of a layer on a port of its own, for as long as it is entered; and its tokens."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx

from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig
from cognitive.server.run import address, listening, server
from cognitive.server.tokens import create


def token_for(path, agent):
    """The header of a token that was made for an agent, or, of None, for an admin."""
    return {"Authorization": f"Bearer {create(path, agent)[1]}"}


@asynccontextmanager
async def running(layer, config, mounts=()):
    """The URL of a real server, and the server itself; it is told to stop, and waited for, on the way out."""
    listener = listening(config)
    served = server(create_app(layer, config, mounts), config)
    task = asyncio.create_task(served._serve(sockets=[listener]))  # `serve` is the same with handlers of signals
    try:
        yield address(listener), served
    finally:
        served.should_exit = True
        await task


def inside(layer, config=None, mounts=(), **kept):
    """A client of an app without a socket between them, for what does not depend on one."""
    return client_of(create_app(layer, config or ServerConfig(), mounts), **kept)


def client_of(app, **options):
    """A client of an app that several tests share: creating one takes a tenth of a second."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", **options)
