"""While Postgres is slow, a browser gets the frame of a page at once, and then the page."""

from __future__ import annotations

import asyncio
import html
import re

import pytest

from brain.analytics.turns import TurnAnalytics
from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create
from cognitive.server.app import create_app
from cognitive.server.auth import needs_no_token, visitor_of
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.limits import within_rate_limit
from tests.serving import client_of


class BusyDatabase:
    """A database that answers when `free` is set."""

    def __init__(self, database) -> None:
        self._database = database
        self.free = asyncio.Event()

    async def run(self, scope, work, *, timeout=60.0):
        await self.free.wait()
        return await self._database.run(scope, work, timeout=timeout)


@pytest.fixture
async def busy(layer):
    database = BusyDatabase(layer.explain.analytics._database)
    pages = create(layer, TurnAnalytics(database), AccessControl(visitor_of, needs_no_token, within_rate_limit))
    async with client_of(create_app(layer, ServerConfig(), (MountedApp("/ui", pages, own_login=True),))) as client:
        yield database, client


async def test_browser_gets_the_frame_of_a_slow_page_then_the_page(busy, sample_agent):
    database, client = busy
    named = {"agent": sample_agent, "status": "completed"}
    frame = await client.get("/ui/turns", params=named, headers={"Accept": "text/html"})
    assert (frame.status_code, "Postgres is slow to answer" in frame.text) == (200, True)
    assert 'aria-current="page"' in frame.text
    address = html.unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', frame.text)[1])
    database.free.set()
    page = await client.get(address, headers={"Accept": "text/html"})
    assert "When do we deploy?" in page.text
    assert "wait=yes" not in page.text.split("<main")[1]  # links of the page have their frame again
