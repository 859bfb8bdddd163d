"""What is done for one user of an agent changes nothing of another user's, and leaves nothing of an erased one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.erasure.erasing import Eraser
from brain.erasure.retention import Retention
from brain.opening import connections
from brain.postgres.database import Database
from brain.settings import Settings
from brain.store import MemoryStore
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SHARING = Policy(capture="exchange", capture_scope="agent")


@pytest.fixture
async def admin(urls):
    connection = await asyncpg.connect(urls.admin)
    yield connection
    await connection.close()


@pytest.fixture
async def database(urls):
    database = connections(urls.app, Settings(pool_size=4))
    yield database
    await database.close()


@pytest.fixture
def store(database) -> MemoryStore:
    return MemoryStore(database, Embedders([CachedEmbedder(WordEmbedder())]))


def fact(content: str, user: str | None) -> NewMemory:
    return NewMemory(type="fact", content=content, user_id=user, occurred_at=AT)


async def exchange(layer: CognitiveLayer, agent: str, user: str | None, turn_id: str, said: str) -> None:
    turn = Turn(agent_id=agent, session_id="s", turn_id=turn_id, user_id=user, text=said, now=AT)
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=f"I noted it: {said}"))
    await internals(layer).background.drain()


async def test_erasure_of_a_user_drops_no_shared_capture_of_another(urls, embedder, store, agent):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=SHARING) as layer:
        [secret] = await layer.remember(agent, [fact("Bob's safe is behind the clock.", "bob")])
        await exchange(layer, agent, "ann", "t", "Where is the ladder of the barn?")
        before = datetime.now(UTC) - timedelta(seconds=5)
        await layer.forget(agent, [secret], user_id="bob")
        late = fact("The ladder of the barn is green.", None)
        await store.remember_of_turn(Scope(agent, "ann"), "t", [late], now=AT, read_at=before, shared=True)
        assert late.content in {memory.content for memory in await layer.admin.find(agent)}

        [shown] = await layer.remember(agent, [fact("Ann's safe is behind the stove.", "ann")])
        await layer.forget(agent, [shown], user_id="ann")
        later = fact("Ann's safe is said to be behind the stove.", None)
        await store.remember_of_turn(Scope(agent, "ann"), "t", [later], now=AT, read_at=before, shared=True)
        assert later.content not in {memory.content for memory in await layer.admin.find(agent)}


async def test_extracted_memory_that_names_the_user_stays_the_users(urls, embedder, agent):
    async def extractor(exchange):
        return [fact("Ann sleeps badly.", exchange.user_id), fact("The barn needs paint.", None)]

    policy = Policy(capture_scope="agent")
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy, extractor=extractor) as layer:
        await exchange(layer, agent, "ann", "t", "I sleep badly. The barn needs paint.")
        assert {memory.content for memory in await layer.admin.find(agent)} == {"The barn needs paint."}
        seen = await layer.admin.find(agent, user_id="ann")
        assert {(memory.content, memory.user_id) for memory in seen} == {
            ("Ann sleeps badly.", "ann"),
            ("The barn needs paint.", None),
        }


async def test_shared_captures_of_all_turns_are_told_apart(urls, embedder, agent):
    turns = ((None, "a/b/c"), ("a", "b/c"), ("a/b", "c"), ("x" * 900, "t" * 900), ("y" * 900, "t" * 900))
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=SHARING) as layer:
        said = [f"Shelf {n} of the barn holds paint." for n in range(len(turns))]
        for (user, turn_id), text in zip(turns, said, strict=True):
            await exchange(layer, agent, user, turn_id, text)
        assert set(said) <= {memory.content for memory in await layer.admin.find(agent)}


class Forgetting:
    """The database, which erases a user of the agent right after its first transaction."""

    def __init__(self, database: Database, eraser: Eraser, agent: str, user: str) -> None:
        self._database, self._eraser = database, eraser
        self._to_erase = [(agent, user)]

    async def run(self, scope, work, **options):
        result = await self._database.run(scope, work, **options)
        if self._to_erase:
            await self._eraser.user(*self._to_erase.pop())
        return result


async def test_retention_beside_the_erasure_of_a_user_leaves_no_row(database, store, admin, agent):
    eraser = Eraser(database, store, Embedders([CachedEmbedder(WordEmbedder())]))
    for user in ("ann", "bob"):
        await store.remember(agent, [fact(f"{user} owns a kettle.", user)], now=AT)
    await admin.execute("UPDATE cognitive.memory SET updated_at = $2 WHERE agent_id = $1", agent, AT)
    forgetting = Forgetting(database, eraser, agent, "ann")
    assert await Retention(forgetting).enforce(agent, {"fact": 1}, AT + timedelta(days=9)) == {"fact": 1}
    rows = await admin.fetch("SELECT user_id FROM cognitive.corpus WHERE agent_id = $1", agent)
    assert [row["user_id"] for row in rows] == ["bob"]


async def test_retention_erases_the_memories_of_each_user_under_the_users_lock(database, store, admin, agent):
    users = [f"user {n}" for n in range(5)]
    for user in (*users, None):
        await store.remember(agent, [fact("The kettle leaks.", user), fact("The lid is loose.", user)], now=AT)
    await admin.execute("UPDATE cognitive.memory SET updated_at = $2 WHERE agent_id = $1", agent, AT)
    await admin.execute("UPDATE cognitive.memory SET pinned = true WHERE agent_id = $1 AND user_id = 'user 1'", agent)
    assert await Retention(database).enforce(agent, {"fact": 1}, AT + timedelta(days=9)) == {"fact": 10}
    rows = await admin.fetch("SELECT DISTINCT user_id FROM cognitive.posting WHERE agent_id = $1", agent)
    assert [row["user_id"] for row in rows] == ["user 1"]
    counts = await admin.fetch("SELECT user_id, memories FROM cognitive.corpus WHERE agent_id = $1", agent)
    assert {tuple(row) for row in counts} == {(user, 2 * (user == "user 1")) for user in (*users, "")}


async def add_turns(admin, agent: str) -> None:
    """Add two shared turns of one session that record the user ann."""
    await admin.execute(
        "INSERT INTO cognitive.turn (agent_id, turn_id, session_id, recorded_user, at, opened_at, message, policy,"
        " frame, trace)"
        " SELECT $1, id, 's', 'ann', $2, $2, '', '', '', '{}' FROM unnest('{t1,t2}'::text[]) AS t(id)",
        agent,
        AT,
    )
    await admin.execute(
        "INSERT INTO cognitive.session (agent_id, session_id, started_at, last_at, summary)"
        " VALUES ($1, 's', $2, $2, 'Ann asked.')",
        agent,
        AT,
    )


async def test_retention_leaves_turns_that_others_hold_to_the_next_run(database, admin, agent):
    await add_turns(admin, agent)
    due = (agent, {"turns": 1}, AT + timedelta(days=9))
    async with asyncio.timeout(20), admin.transaction():
        await admin.execute("SELECT FROM cognitive.turn WHERE agent_id = $1 AND turn_id = 't1' FOR UPDATE", agent)
        assert await Retention(database).enforce(*due) == {"turns": 1}
    assert await Retention(database).enforce(*due) == {"turns": 1}


async def test_erasure_of_a_user_locks_earlier_turns_before_their_sessions(database, store, admin, urls, agent):
    await add_turns(admin, agent)
    eraser = Eraser(database, store, Embedders([CachedEmbedder(WordEmbedder())]))
    watching = await asyncpg.connect(urls.admin)
    async with asyncio.timeout(20), admin.transaction():  # as a turn that is being closed
        await admin.execute("SELECT FROM cognitive.turn WHERE agent_id = $1 AND turn_id = 't2' FOR UPDATE", agent)
        erasing = asyncio.create_task(eraser.user(agent, "ann"))
        while not await watching.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await admin.execute("SELECT FROM cognitive.session WHERE agent_id = $1 FOR UPDATE NOWAIT", agent)
    assert (await erasing).turns == 2
    await watching.close()
    assert await admin.fetchval("SELECT summary FROM cognitive.session WHERE agent_id = $1", agent) == ""


async def test_subtask_of_a_user_hides_a_shared_one_with_its_id(layer, agent):
    for user in (None, "ann", "bob"):
        await layer.work.begin(agent, "s", f"Paint for {user}", id=UUID(int=7), user_id=user)
    ended = await layer.work.complete(agent, UUID(int=7), "Green.", user_id="ann")
    assert (ended.title, ended.status) == ("Paint for ann", "completed")
    [others] = await layer.work.list_subtasks(agent, "s")
    assert (others.title, others.status) == ("Paint for None", "open")


# without the table `turn`: of a few rows, its index by agent and time costs no more
@pytest.mark.parametrize("table", ["passage", "posting", "embedding", "exposure", "usage", "session"])
async def test_operators_view_finds_the_rows_of_one_user_by_an_index(database, agent, table):
    async def plan(c):
        await c.execute("SET LOCAL enable_seqscan = off")
        rows = await c.fetch(
            f"EXPLAIN DELETE FROM cognitive.{table} WHERE agent_id = '{agent}' AND user_id = cognitive.scope()"
        )
        return "\n".join(row[0] for row in rows)

    assert "AND (user_id = CASE" in await database.run(Scope.all_users(agent), plan)
