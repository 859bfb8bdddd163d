"""The full turn cycle through PgBouncer in transaction mode, with the application's role for every login."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from benchmarks.chaos import pooler
from benchmarks.chaos.sample_data import WordEmbedder
from brain.opening import connections
from brain.postgres.database import Database
from brain.settings import Settings
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.doctor.examine import examine
from cognitive.errors import SchemaError

PATIENT = Policy(deadline_ms=20_000, abstention=False)

THROUGH = (
    "tests/acceptance/test_turn.py",
    "tests/acceptance/test_formation.py",
    "tests/integration/test_users.py",
    "tests/integration/test_user_stores.py",
    "tests/integration/test_users_of_an_agent.py",
    "tests/integration/test_users_beside_each_other.py",
    "tests/faults/test_erasing_users.py",
)

SAME_SQL = (
    "each_candidate_has_one_disposition",
    "total_budget",
    "inside_its_quotes",
    "another_process",
    "memories_that_stay",
    "memories_of_64",
)

KEPT = (
    "SELECT current_user, (SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1::int') AS prepared"
)

pytestmark = pytest.mark.skipif(pooler.installed() is None, reason="PgBouncer is not installed")


@pytest.fixture(params=["app", "admin"])
async def pooled(request, urls, monkeypatch):
    """Yield the pooler's URL for the application and for a superuser, whom only the transaction's role restricts."""
    monkeypatch.setenv("COGNITIVE_POOLER", "transaction")
    async with pooler.pooled(getattr(urls, request.param)) as url:
        yield url


async def loop(layer: CognitiveLayer, agent: str) -> None:
    content = f"The kettle of {agent} leaks."
    await layer.remember(agent, [NewMemory(type="fact", content=content)])
    for n in range(5):
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"What leaks? ({n})"))
        assert context.degraded == ()
        assert [shown.content for shown in context.shown] == [content]
        assert (await layer.post_turn(context, Outcome(response=content))).recorded
    assert len(await layer.explain.turns(agent)) == 5


async def test_more_agents_than_connections_stay_separate(pooled, agent):
    async with CognitiveLayer.open(pooled, policy=PATIENT, embedder=WordEmbedder()) as layer:
        await asyncio.gather(*(loop(layer, f"{agent}-{n}") for n in range(6)))


async def test_role_and_tenant_end_with_the_transaction(pooled, agent):
    database = Database(pooled, pool_size=2, pooled=True, prepares=False)
    try:
        for name in (agent, f"{agent}-other"):
            row = await database.run(
                Scope(name),
                lambda c: c.fetchrow("SELECT current_user, current_setting('cognitive.agent_id') AS tenant"),
            )
            assert tuple(row) == ("cognitive_app", name)
        async with database._pool.acquire() as connection:
            left = await connection.fetchrow(
                "SELECT current_user = session_user, current_setting('cognitive.agent_id')"
            )
            assert tuple(left) == (True, "")
    finally:
        await database.close()


async def test_undeclared_pooler_is_reported_by_the_layer_and_the_doctor(urls, monkeypatch):
    async with pooler.pooled(urls.app) as url:
        with pytest.raises(SchemaError, match="COGNITIVE_POOLER=transaction"):
            async with CognitiveLayer.open(url, embedder=WordEmbedder()):
                pass
        monkeypatch.setenv("COGNITIVE_DATABASE_URL", url)
        finding = {each.check: each for each in await examine()}["opening"]
        assert (finding.status, "COGNITIVE_POOLER=transaction" in finding.detail) == ("failure", True)


def test_turns_users_erasure_and_formation_work_through_the_pooler(root):
    """Their own tests run, with `urls.app` behind PgBouncer, except those whose many examples run the same SQL."""
    chosen = f"not ({' or '.join(('pooler', *SAME_SQL))})"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pooler", "-k", chosen, *THROUGH]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


async def test_statements_stay_prepared_where_the_pooler_keeps_them(urls, agent, monkeypatch):
    """PgBouncer 1.18 does so for one client at a time; from 1.21 on it can for many."""
    async with pooler.pooled(urls.app, connections=1) as url:
        monkeypatch.setenv("COGNITIVE_POOLER", "prepared")
        database = connections(url, Settings(pool_size=1))
        try:
            for _ in range(2):
                assert await database.run(Scope(agent), lambda c: c.fetchval("SELECT $1::int", 7)) == 7
                row = await database.run(Scope(agent), lambda c: c.fetchrow(KEPT))
                assert tuple(row) == ("cognitive_app", 1)
        finally:
            await database.close()
