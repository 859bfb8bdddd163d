"""Scrub: erased text is in no file of the server afterwards, and was there before."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from brain.embedded import EmbeddedServer
from brain.erasure.rewrite_tables import scrub
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

WORD = "heliotropmarzipan"  # occurs in no other test, and is too short for Postgres to compress


@pytest.fixture
async def own():
    """Yield the URLs and the cluster directory of a separate server, whose files are searched."""
    with tempfile.TemporaryDirectory(prefix="cognitive-scrub-") as directory:
        Path(directory).chmod(0o711)  # noqa: ASYNC240
        server = EmbeddedServer(Path(directory))
        urls = server.acquire()
        await upgrade(urls.owner)
        yield urls, Path(directory) / "postgres" / "cluster"
        server.release()


def holding(cluster: Path) -> set[str]:
    """Return the directories of the cluster that have a file with the word."""
    found = set()
    for path in cluster.rglob("*"):
        with suppress(FileNotFoundError):  # the server removes files meanwhile
            if path.is_file() and WORD.encode() in path.read_bytes():
                found.add(path.relative_to(cluster).parts[0])
    return found


async def checkpointed(urls) -> None:
    """Write all pages to their files, and let the log's old segment be renamed for later use."""
    connection = await asyncpg.connect(urls.admin)
    await connection.execute("SELECT pg_switch_wal()")
    await connection.execute("CHECKPOINT")
    await connection.close()


async def test_erased_text_is_in_no_file_after_a_scrub(own, embedder, agent):
    urls, cluster = own
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=embedder) as layer:
        [id] = await layer.remember(agent, [NewMemory(type="fact", content=f"The code is {WORD} for the vault.")])
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"The code is {WORD} for the vault?"))
        await layer.post_turn(context, Outcome(response="Yes."))
        await checkpointed(urls)
        await layer.forget(agent, [id])
    assert holding(cluster) >= {"base", "pg_wal"}  # erasing alone leaves these files
    assert (await scrub(urls.admin))[1]
    assert holding(cluster) == set()
