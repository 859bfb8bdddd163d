"""One server for all fault tests of a process, restarted if a test stopped it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from clients import AT, KEY, lines
from sites import Site, opened

from brain.postgres.migrate import upgrade
from cognitive import NewMemory


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cognitive-faults-") as directory:
        Path(directory).chmod(0o711)  # under root the server runs as another user, which needs access
        yield Path(directory)


@pytest.fixture(scope="session")
async def shared_site(folder: Path) -> AsyncIterator[Site]:
    site = await asyncio.to_thread(Site, folder / "site")
    await upgrade(site.urls.owner)
    yield site
    await asyncio.to_thread(site.server.release)


@pytest.fixture
async def site(shared_site: Site) -> Site:
    await asyncio.to_thread(shared_site.server.ensure_running)
    return shared_site


@pytest.fixture
async def agent_with_key(site: Site, agent: str) -> str:
    async with opened(site) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT), *lines(12)])
    return agent
