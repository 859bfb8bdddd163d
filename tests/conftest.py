"""Shared fixtures: one embedded, migrated server per session and a new agent per test."""

from __future__ import annotations

import gc
import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

gc.disable()  # until all tests are imported
for name in [name for name in os.environ if name.startswith("COGNITIVE_")]:
    if name != "COGNITIVE_CACHE_DIR":  # the prepared model may be shared: it is derived from a pinned package
        del os.environ[name]


def _memory_folder() -> str | None:
    """Return /dev/shm if it has room for the test servers, because each commit on a disk waits for the disk."""
    if not os.access("/dev/shm", os.W_OK):
        return None
    volume = os.statvfs("/dev/shm")
    has_room = volume.f_bavail * volume.f_frsize > 2_000_000_000
    return "/dev/shm" if has_room and not volume.f_flag & os.ST_NOEXEC else None


if "TMPDIR" not in os.environ and (folder := _memory_folder()):
    os.environ["TMPDIR"] = tempfile.tempdir = folder  # for this process and its children
_data = tempfile.TemporaryDirectory(prefix="cognitive-tests-data-")  # for journals of layers with a URL
os.environ["COGNITIVE_DATA_DIR"] = _data.name

from benchmarks.chaos import pooler
from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, Policy

# Other load on the machine delays examples. A property tries sixty of them if it sets no number.
settings.register_profile("untimed", deadline=None, max_examples=60)
settings.load_profile("untimed")

PATIENT = Policy(deadline_ms=20_000)
NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with tempfile.TemporaryDirectory(prefix="cognitive-tests-") as directory:
        Path(directory).chmod(0o711)  # under root, the server runs as another user, who needs access
        server = EmbeddedServer(Path(directory))
        server.acquire()
        yield server
        server.release()


def pytest_collection_finish() -> None:
    """Exempt what was imported from garbage collection, which would visit millions of objects again and again."""
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pooler", action="store_true", help="Reach the database as `urls.app` through PgBouncer.")


@pytest.fixture(scope="session")
async def urls(server: EmbeddedServer, pytestconfig: pytest.Config) -> AsyncIterator[ServerUrls]:
    urls = server.acquire()
    await upgrade(urls.owner)
    if not pytestconfig.getoption("--pooler"):
        yield urls
        return
    os.environ["COGNITIVE_POOLER"] = "transaction"
    async with pooler.pooled(urls.app) as url:
        yield replace(urls, app=url)


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
async def layer(urls: ServerUrls, embedder: MiniLM) -> AsyncIterator[CognitiveLayer]:
    """Yield a layer whose turns have time enough on a busy machine."""
    async with CognitiveLayer.open(urls.app, policy=PATIENT, embedder=embedder) as layer:
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
