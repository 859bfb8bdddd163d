"""Promise P10 for users: erasing a user, or what everyone was shown, reaches all of it and no other user's rows."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from time import time
from uuid import UUID

import asyncpg
import pytest
from erased import (
    AT,
    SECRET,
    WORDS,
    WordEmbedder,
    drain_background,
    in_this_process,
    opened,
    places_of_secret,
    site,
    tables,
    undrained,
    use_every_feature,
    vector,
)

from brain.artifacts import Artifacts, NewArtifact
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.erasure.erasing import Eraser
from brain.opening import connections
from brain.postgres.database import Database
from brain.settings import Settings
from brain.store import MemoryStore
from brain.turn_records import OpenTurn
from brain.turns import TurnLog
from brain.users import ALL_USERS, SHARED, Scope
from cognitive import NewMemory, Outcome, Turn
from cognitive.errors import InvalidInput, StoreError, UnknownMemory
from tests.integration.test_users import SCOPED
from tests.internals import internals

pytestmark = pytest.mark.promise(number=10)

__all__ = ["site"]  # a fixture
OF_MEMORIES = ("passage", "posting", "memory_value", "embedding", "usage", "revision")
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
NOTES = ["policy_version", "policy_activation"]  # what an operator noted belongs to the agent


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


def embedders() -> Embedders:
    return Embedders([CachedEmbedder(WordEmbedder())])


def store(database: Database) -> MemoryStore:
    return MemoryStore(database, embedders())


def eraser(database: Database) -> Eraser:
    return Eraser(database, store(database), embedders())


def said(user_id: str | None, content: str = SECRET) -> NewMemory:
    return NewMemory(type="fact", content=content, user_id=user_id)


async def give(admin, agent: str, user_id: str, *, but: UUID | None = None) -> None:
    """Make the agent's rows a user's, except those of one memory, as if the user had had all turns."""
    async with admin.transaction():
        await admin.execute("SET LOCAL session_replication_role = replica")  # foreign keys are moved one by one
        for table in SCOPED:
            id = {"memory": "id"}.get(table, "memory_id" if table in OF_MEMORIES else "NULL::uuid")
            await admin.execute(
                f"UPDATE cognitive.{table} SET user_id = $2 WHERE agent_id = $1 AND {id} IS DISTINCT FROM $3",
                agent,
                user_id,
                but or UUID(int=0),
            )


async def rows_of(admin, agent: str, user_id: str) -> dict[str, list[str]]:
    found = {}
    for table in SCOPED:
        rows = await admin.fetch(
            f"SELECT t::text FROM cognitive.{table} AS t WHERE agent_id = $1 AND user_id = $2 ORDER BY 1",
            agent,
            user_id,
        )
        if rows:
            found[table] = [row[0] for row in rows]
    return found


async def test_erased_user_leaves_no_trace(site, agent, admin):
    async with opened(site) as layer:
        secret, contexts = await use_every_feature(layer, agent)
        made = await vector(site, secret)
        await give(admin, agent, "ann")
        await layer.remember(agent, [said("bob", "The crane is tall."), said(None, "The crane is old.")])
        others = {user: await rows_of(admin, agent, user) for user in ("bob", "")}
        kept = await rows_of(admin, agent, "ann")
        assert kept.keys() == set(SCOPED) - {"erasure"}

        receipt = await internals(layer).eraser.user(agent, "ann")
        await drain_background(layer)
        assert await places_of_secret(site, agent, made) == NOTES
        assert (await rows_of(admin, agent, "ann")).keys() == {"erasure"}
        assert {user: await rows_of(admin, agent, user) for user in ("bob", "")} == others
        counted = ("memories", "passages", "turns", "exposures", "sessions", "artifacts", "subtasks")
        tables_of = ("memory", "passage", "turn", "exposure", "session", "artifact", "subtask")
        assert [getattr(receipt, name) for name in counted] == [len(kept[table]) for table in tables_of]
        assert (receipt.user_id, receipt.policies) == ("ann", 0)
        [entry] = await internals(layer).eraser.past(Scope(agent, "ann"))
        assert (entry.what, entry.user_id, entry.counts["memories"]) == ("user", "ann", receipt.memories)
        assert await internals(layer).eraser.past(Scope(agent)) == []
        del contexts
        assert in_this_process() == []
        again = await internals(layer).eraser.user(agent, "ann")
        assert (again.memories, again.turns) == (0, 0)


async def test_forgotten_shared_memory_leaves_no_trace_in_users_turns(site, agent, admin):
    async with opened(site) as layer:
        secret, contexts = await use_every_feature(layer, agent)
        made = await vector(site, secret)
        await give(admin, agent, "ann", but=secret)
        await drain_background(layer)
        foreseen = await layer.admin.preview_forget(agent, [secret])
        receipt = await layer.forget(agent, [secret])
        assert receipt == foreseen
        await drain_background(layer)
        assert await places_of_secret(site, agent, made) == []
        cut = (receipt.turns_cut, receipt.sessions_cut, receipt.memories_cut, receipt.artifacts, receipt.exposures)
        assert all(cut), receipt
        assert receipt.user_id is None
        assert {"memory", "turn", "session"} <= (await rows_of(admin, agent, "ann")).keys()  # cut, not deleted
        del contexts


async def test_turn_from_before_users_is_erased_with_its_user(site, agent, admin):
    async with opened(site) as layer:
        await use_every_feature(layer, agent)
        await admin.execute(
            "UPDATE cognitive.turn SET recorded_user = CASE session_id WHEN 's' THEN 'ann' ELSE 'bob' END"
            " WHERE agent_id = $1",
            agent,
        )
        receipt = await internals(layer).eraser.user(agent, "ann")
        left = await tables(site)
        assert receipt.turns == 3
        assert [turn.turn_id for turn in await layer.explain.turns(agent)] == ["earlier"]
        for table in ("turn", "session"):
            assert not [row for row in left[table] if agent in row and WORDS[0] in row]


async def test_view_erases_its_own_memories_only(database, agent):
    memories = [said(None), *(said(user, f"{user} said: {SECRET}") for user in ("ann", "bob"))]
    shared, *own = await store(database).remember(agent, memories, now=AT)
    ids = dict(zip(("ann", "bob"), own, strict=True))
    erasing = eraser(database)
    for erase in (erasing.memories, erasing.preview):
        with pytest.raises(InvalidInput, match="is shared: forget it in the view without a user"):
            await erase(Scope(agent, "ann"), [ids["ann"], shared])
        for view in ("bob", SHARED):
            with pytest.raises(UnknownMemory):
                await erase(Scope(agent, view), [ids["ann"]])
    foreseen = await erasing.preview(Scope(agent, "ann"), [ids["ann"]])
    assert len(await store(database).get(Scope(agent, "ann"), [shared, ids["ann"]])) == 2
    receipt = await erasing.memories(Scope(agent, "ann"), [ids["ann"]])
    assert (receipt.memories, receipt.user_id) == (1, "ann")
    assert receipt == foreseen
    receipt = await erasing.memories(Scope(agent, ALL_USERS), [ids["bob"], shared])
    assert (receipt.memories, receipt.user_id) == (2, None)
    assert [entry.user_id for entry in await erasing.past(Scope(agent, ALL_USERS))] == ["ann", "bob", None]


async def test_text_from_before_an_erasure_is_refused_for_its_user_only(database, agent):
    before = time()
    await eraser(database).user(agent, "ann")
    for user, stored in (("ann", False), ("bob", True), (SHARED, True)):
        artifacts, new = Artifacts(database), NewArtifact(UUID(int=1), "Text.", "log")
        assert await artifacts.put(Scope(agent, user), "s", [new], received_at=before) is stored
        assert await artifacts.put(
            Scope(agent, user), "s", [NewArtifact(UUID(int=2), "Text.", "log")], received_at=time() + 60
        )


async def test_recall_for_a_turn_of_an_erased_user_stores_nothing(site, agent, admin):
    async with opened(site) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content="The crane is green.")])
        turn = Turn(agent_id=agent, session_id="s", text="What is green?", user_id="ann", turn_id="t")
        await layer.pre_turn(turn)
        await layer.forget_user(agent, "ann")
        for user in ("ann", "bob"):
            assert await layer.recall(agent, "green crane", turn_id="t", user_id=user)
        assert (await rows_of(admin, agent, "ann")).keys() == {"erasure"}
        assert len((await rows_of(admin, agent, "bob"))["exposure"]) == 1


async def test_outcome_of_an_erased_user_leaves_the_journal_of_another_machine(site, agent):
    async with opened(site) as layer:
        journal, outcome = internals(layer).journal, Outcome(response=SECRET).model_dump_json()
        async with undrained(journal):
            await internals(layer).eraser.user(agent, "eve")
            for user in ("ann", "eve"):
                journal.put(Scope(agent, user), user, outcome=outcome)
            await internals(layer).eraser.user(agent, "ann")  # as by another machine, which has another journal
            for user in ("ann", "eve"):
                await internals(layer).outcomes.drain(journal.find(Scope(agent, user), user))
        assert journal.find(Scope(agent, "ann"), "ann") is None
        assert "no turn" in journal.find(Scope(agent, "eve"), "eve").error  # it came after the erasure


async def test_operators_notes_are_cut_by_the_operator_only(site, agent):
    async with opened(site) as layer:
        ids = {}
        for user in ("ann", "bob"):
            [ids[user]] = await layer.remember(agent, [said(user)])
        await layer.policies.save(agent, {"usage.half_life_days": 9}, by="ada", note=f"Since {SECRET}")
        for user, view, cut in (("ann", "ann", 0), ("bob", ALL_USERS, 1)):
            foreseen = await layer.admin.preview_forget(agent, [ids[user]], user_id=view)
            receipt = await layer.forget(agent, [ids[user]], user_id=view)
            assert (foreseen.notes_cut, receipt.notes_cut) == (cut, cut)
            [version] = await layer.policies.list(agent)
            assert (SECRET in version.note) is not cut


async def test_operator_forgets_a_users_memory_in_the_users_journal_only(site, agent):
    async with opened(site) as layer:
        [id] = await layer.remember(agent, [said("ann")])
        journal, outcome = internals(layer).journal, Outcome(response=SECRET).model_dump_json()
        for user in ("ann", "bob"):
            journal.put(Scope(agent, user), "t", outcome=outcome)
        async with undrained(journal):
            assert (await layer.admin.preview_forget(agent, [id], user_id=ALL_USERS)).journaled == 1
            assert (await layer.forget(agent, [id], user_id=ALL_USERS)).journaled == 1
            texts = {user: journal.find(Scope(agent, user), "t").outcome for user in ("ann", "bob")}
        assert SECRET not in texts["ann"]
        assert SECRET in texts["bob"]


async def test_failed_erasure_names_the_memories_that_stay(database, agent):
    stored, versions = store(database), count()
    anns, bobs = await stored.remember(agent, [said("ann"), said("bob")], now=AT)

    async def change() -> None:
        content = f"The vault opens with the key number {next(versions)}."
        await stored.update(Scope(agent, "bob"), bobs, lambda memory: said("bob", content))

    class Changed:
        """A database in which bob's memory gets a new text after each transaction in bob's view."""

        async def run(self, scope, work, **options):
            result = await database.run(scope, work, **options)
            if scope.user == "bob":
                await change()
            return result

    erasing = Eraser(Changed(), stored, embedders())
    with pytest.raises(StoreError, match=f"{bobs} were changed 50 times in a row and are not erased"):
        await erasing.memories(Scope.all_users(agent), [anns, bobs])
    assert [memory.id for memory in await stored.get(Scope.all_users(agent), [anns, bobs])] == [bobs]


class Slow:
    """A database whose transactions stay open until others have done something."""

    can_call = True

    def __init__(self, database: Database, others) -> None:
        self._database, self.others = database, others

    async def call(self, scope, function):
        await self.run(scope, lambda c: c.execute(*function))

    async def run(self, scope, work, **options):
        async def waits(c):
            result = await work(c)
            await self.others()
            return result

        return await self._database.run(scope, waits, **options)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("erased", ["user", "agent", "memories"])
async def test_turn_opened_beside_an_erasure_leaves_no_text(database, agent, admin, erased, first):
    scope = Scope(agent, "ann")
    ids = await store(database).remember(agent, [said("ann")], now=AT)
    erasures, erasing = {"user": (agent, "ann"), "agent": (agent,), "memories": (scope, ids)}, []

    async def erase() -> None:
        erasing.append(asyncio.create_task(getattr(eraser(database), erased)(*erasures[erased])))
        while not erasing[0].done() and not await admin.fetchval(WAITING):
            await asyncio.sleep(0.01)

    turn = OpenTurn("t", "s", "ann", AT, SECRET, "p", "", degraded=(), trace={}, shown=(), received_at=time())
    slow = Slow(database, partial(asyncio.sleep, 0))
    log = TurnLog(slow)
    if not first:  # the first turn of a user is recorded together with a look for turns that stayed open
        await log.open(scope, replace(turn, turn_id="before"), abandon_after_minutes=60)
    slow.others = erase
    await log.open(scope, turn, abandon_after_minutes=60)
    await erasing[0]
    messages = await admin.fetch("SELECT message FROM cognitive.turn WHERE agent_id = $1 AND turn_id = 't'", agent)
    assert [row["message"] for row in messages] == (["[erased]."] if erased == "memories" else [])


async def test_erasures_of_one_user_neither_lose_nor_delay_the_memories_of_64(urls, database, agent, admin):
    names = [f"user-{n}" for n in range(64)]
    await admin.executemany(
        "INSERT INTO cognitive.turn (agent_id, user_id, turn_id, session_id, at, message, policy, frame, trace)"
        " VALUES ($1, $2, 't', 's', $3, '', '', '', '{}')",
        [(agent, user, AT) for user in names],
    )
    ids = await store(database).remember(agent, [said("ann", f"{n}. {SECRET}") for n in range(3)], now=AT)
    stored = dict.fromkeys(names, 0)
    writing = connections(urls.app, Settings(pool_size=8))

    async def capture(user: str) -> None:
        heard = NewMemory(type="episode", content=f"{stored[user]}: {SECRET}", session_id="s", trust="talk")
        read_at = datetime.now(UTC)
        await store(writing).remember_of_turn(Scope(agent, user), "t", [heard], now=AT, read_at=read_at)
        stored[user] += 1

    turns = iter(names * 8)

    async def eight() -> None:
        await asyncio.gather(*(capture(next(turns)) for _ in range(8)))

    async def everyone() -> None:
        await asyncio.gather(*map(capture, names))

    try:
        async with asyncio.timeout(120):  # a capture that waits for the erasure would never end
            receipt = await eraser(Slow(database, eight)).memories(Scope(agent, "ann"), ids[:1])
            assert (receipt.memories, receipt.memories_cut, receipt.turns_cut) == (1, 0, 0)
            receipt = await eraser(Slow(database, everyone)).user(agent, "ann")
            assert (receipt.memories, receipt.turns) == (2, 0)
    finally:
        await writing.close()
    counted = await admin.fetch("SELECT user_id, memories FROM cognitive.corpus WHERE agent_id = $1", agent)
    assert dict(counted) == stored
    whole = await admin.fetchval(
        "SELECT count(*) FROM cognitive.memory WHERE agent_id = $1 AND content LIKE '%' || $2", agent, SECRET
    )
    assert whole == sum(stored.values())
