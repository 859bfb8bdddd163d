"""One embedded server per session, migrated once; each test works as an agent of its own."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

for name in [name for name in os.environ if name.startswith("COGNITIVE_")]:
    if name != "COGNITIVE_CACHE_DIR":  # the prepared model may be shared: it is derived from a pinned package
        del os.environ[name]


def _memory_folder() -> str | None:
    """Return /dev/shm if it has room for the servers of the tests: on a disk, each commit waits for it."""
    if not os.access("/dev/shm", os.W_OK):
        return None
    memory = os.statvfs("/dev/shm")
    roomy = memory.f_bavail * memory.f_frsize > 2_000_000_000
    return "/dev/shm" if roomy and not memory.f_flag & os.ST_NOEXEC else None


if "TMPDIR" not in os.environ and (folder := _memory_folder()):
    os.environ["TMPDIR"] = tempfile.tempdir = folder  # of this process and of those that it starts
_data = tempfile.TemporaryDirectory(prefix="cognitive-tests-data-")  # journals of layers that are given a URL
os.environ["COGNITIVE_DATA_DIR"] = _data.name

from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer

settings.register_profile("untimed", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("untimed")

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with tempfile.TemporaryDirectory(prefix="cognitive-tests-") as directory:
        Path(directory).chmod(0o711)  # as root the server runs as a user of its own, which must get there
        server = EmbeddedServer(Path(directory))
        server.acquire()
        yield server
        server.release()


@pytest.fixture(scope="session")
async def urls(server: EmbeddedServer) -> ServerUrls:
    urls = server.acquire()
    await upgrade(urls.owner)
    return urls


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
async def layer(urls: ServerUrls, embedder: MiniLM) -> AsyncIterator[CognitiveLayer]:
    async with CognitiveLayer.open(urls.app, embedder=embedder) as layer:
        yield layer


@pytest.fixture
def agent() -> str:
    return f"agent-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent
