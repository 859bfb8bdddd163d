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
    """A database that answers when `free` is set, and counts the reads."""

    def __init__(self, database) -> None:
        self._database = database
        self.free = asyncio.Event()
        self.reads = 0

    async def run(self, scope, work, *, timeout=60.0):
        self.reads += 1
        await self.free.wait()
        return await self._database.run(scope, work, timeout=timeout)


@pytest.fixture
async def busy(layer):
    database = BusyDatabase(layer.explain.analytics._database)
    pages = create(layer, TurnAnalytics(database), AccessControl(visitor_of, needs_no_token, within_rate_limit))
    async with client_of(create_app(layer, ServerConfig(), (MountedApp("/ui", pages, own_login=True),))) as client:
        yield database, client


BROWSER = {"Accept": "text/html"}


def address_of(frame) -> str:
    """Return the address that the frame of a page requests."""
    return html.unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', frame.text)[1])


async def test_browser_gets_the_frame_of_a_slow_page_whose_reads_run_once(busy, sample_agent):
    database, client = busy
    named = {"agent": sample_agent, "status": "completed"}
    frame = await client.get("/ui/turns", params=named, headers=BROWSER)
    assert (frame.status_code, "Postgres is slow to answer" in frame.text) == (200, True)
    assert 'aria-current="page"' in frame.text
    reads = database.reads
    database.free.set()
    page = await client.get(address_of(frame), headers=BROWSER)
    assert "When do we deploy?" in page.text
    assert "wait=" not in page.text.split("<main")[1]  # links of the page have their frame again
    assert database.reads == reads
    await client.get(address_of(frame), headers=BROWSER)  # a reload shows the data of now
    assert database.reads == 2 * reads


async def test_slow_page_is_read_again_for_another_zone_or_page(busy, sample_agent):
    database, client = busy
    frame = await client.get("/ui/turns", params={"agent": sample_agent}, headers=BROWSER)
    database.free.set()
    first = database.reads
    other = await client.get(address_of(frame).replace("/turns?", "/overview?"), headers=BROWSER)
    assert "<h1>Turns" not in other.text
    second = database.reads
    await client.get(address_of(frame), headers=BROWSER | {"Cookie": "zone=Asia/Tokyo"})
    assert (second > first, database.reads > second) == (True, True)
