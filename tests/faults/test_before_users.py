"""A database written by the code before users: upgraded, compared, and assigned to the users who spoke.

`tests/data/before_users.sql` was written by that code, at migration 0103: user-17 and Bob talked to an agent, each in
sessions of their own, and both in the session "lobby", as did someone without an id.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import asyncpg
import pytest
from click.testing import CliRunner
from test_upgrade import database_of, opened

from benchmarks.chaos.sample_data import WordEmbedder
from brain.agents import without_users
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.erasure.erasing import Eraser
from brain.postgres.database import Database
from brain.postgres.migrate import upgrade
from brain.postgres.schema import HEAD
from brain.store import MemoryStore
from brain.users import Scope
from cognitive import ALL_USERS, NewMemory, Outcome, Turn
from cognitive.cli.main import cli
from cognitive.errors import InvalidInput, StoreConflict

AGENT = "desk"
MOVED_COUNTERS = {"memories", "passages", "sessions", "content_lexemes", "context_lexemes"}
# the first hit of each question as the code before users answered it
ANSWERS = {
    "Where is the parcel with the barometer?": "My parcel with the barometer was sent to the harbour.",
    "What did the accordion cost?": "The accordion cost 400 euros in May.",
    "How long does a refund take?": "A refund takes six working days.",
    "Where is the telescope?": "Somebody left a telescope on the counter.",
}
SAID_BY = {  # the captured lines of each user
    "user-17": {
        "My parcel with the barometer was sent to the harbour.",
        "It waits at the harbour office.",
        "The barometer was a present for my aunt Irene.",
        "Irene will get it on Friday.",
        "Do you open on Sundays at the harbour?",
        "The shop opens at ten on Sundays.",
        "Where is the parcel with the barometer?",
        "My parcel with the barometer was sent to the harbour, you said.",
    },
    "Bob": {
        "I returned the accordion because a key was broken.",
        "The accordion will be repaired.",
        "The accordion cost 400 euros in May.",
        "The invoice says 400 euros.",
        "Please close my old account at the lighthouse.",
        "The account is closed.",
    },
}
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
async def old(urls, root):
    """Yield a database as the code before users left it."""
    async with database_of(urls) as database:
        await upgrade(database.owner, to="0103")
        connection = await asyncpg.connect(database.admin)
        await connection.execute((root / "tests" / "data" / "before_users.sql").read_text(encoding="utf-8"))
        await connection.execute("UPDATE cognitive.turn SET opened_at = now() WHERE status = 'open'")
        await connection.close()
        yield database


@pytest.fixture
async def admin(old):
    connection = await asyncpg.connect(old.admin)
    yield connection
    await connection.close()


@pytest.fixture
async def layer(old):
    await upgrade(old.owner)
    async with opened(old) as layer:
        yield layer


async def rows_of(admin) -> Rows:
    """Return the rows of all tables."""
    tables = await admin.fetch("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'cognitive' ORDER BY 1")
    return {
        name: [json.loads(row[0]) for row in await admin.fetch(f"SELECT to_jsonb(t) FROM cognitive.{name} AS t")]
        for (name,) in tables
        if name != "alembic_version"
    }


def as_before(table: str, row: Mapping[str, Any], columns: set[str]) -> str:
    """Return a row of after the upgrade as it was before."""
    if table == "turn":
        row = {**row, "user_id": row["recorded_user"]}
    return json.dumps({name: value for name, value in row.items() if name in columns}, sort_keys=True)


async def users_of(admin, *columns: str, table: str = "memory") -> set[tuple]:
    rows = await admin.fetch(f"SELECT user_id, {', '.join(columns)} FROM cognitive.{table} WHERE agent_id = $1", AGENT)
    return {tuple(row) for row in rows}


async def test_upgrade_keeps_every_row_and_shares_it(old, admin):
    before = await rows_of(admin)
    assert await upgrade(old.owner) == HEAD
    after = await rows_of(admin)
    for table, rows in before.items():
        columns = {name for row in rows for name in row} - (MOVED_COUNTERS if table == "agent_state" else set())
        kept = {json.dumps({name: row[name] for name in columns}, sort_keys=True) for row in rows}
        assert {as_before(table, row, columns) for row in after[table]} == kept, table
    assert all(row["user_id"] == "" for table, rows in after.items() for row in rows if "user_id" in row), "shared"
    counters = {row["agent_id"]: row for row in after["corpus"]}
    for row in before["agent_state"]:
        assert {name: counters[row["agent_id"]][name] for name in MOVED_COUNTERS} == {
            name: row[name] for name in MOVED_COUNTERS
        }


async def test_upgraded_agent_answers_as_before(layer):
    for user in (None, "user-17"):
        for question, answer in ANSWERS.items():
            assert (await layer.recall(AGENT, question, user_id=user))[0].content == answer
    turns = await layer.explain.turns(AGENT, 50)
    assert {turn.turn_id for turn in turns} == {"open", *(f"turn-{n}" for n in range(8))}
    [artifact] = await layer.sessions.artifacts(AGENT, "monday")
    assert "Parcel 499 passed" in (await layer.sessions.artifact(AGENT, artifact.id, start=13_500)).text
    context = await layer.pre_turn(Turn(agent_id=AGENT, session_id="new", text=next(iter(ANSWERS)), user_id="user-17"))
    assert next(iter(ANSWERS.values())) in context.text


async def test_doctor_names_the_agent_until_its_speakers_are_users(old, layer):
    assert await without_users(old.admin) == (AGENT,)
    await layer.admin.assign_users(AGENT)
    assert await without_users(old.admin) == ()


async def test_assignment_gives_each_speaker_the_captured_lines(layer, admin):
    whole = await layer.admin.assign_users(AGENT)
    assert {user: (rows.memories, rows.sessions, rows.turns) for user, rows in whole.users.items()} == {
        "user-17": (8, 2, 3),
        "Bob": (6, 0, 0),
    }
    assert whole.shared_memories == {"no_user": 2}
    assert whole.shared_sessions == {"open": 1, "several": 1}
    for user, said in SAID_BY.items():
        own = await layer.admin.find(AGENT, {"tags": {"eq": "captured"}}, user_id=user)
        assert {memory.content for memory in own if memory.user_id == user} == said
        for question, answer in ANSWERS.items():
            found = [hit.content for hit in await layer.recall(AGENT, question, user_id=user)]
            others = set().union(*(lines for each, lines in SAID_BY.items() if each != user))
            assert not others & set(found)
            assert answer in others or found[0] == answer
    shared = {memory.content for memory in await layer.admin.find(AGENT)}
    assert not shared & set().union(*SAID_BY.values())
    assert "A refund takes six working days." in shared


def stripped(table: str, row: Mapping[str, Any]) -> str:
    """Return a row without its user and without the number of its user's session."""
    return json.dumps({k: v for k, v in row.items() if k not in ("user_id", "session_number", "cell")}, sort_keys=True)


async def test_assignment_changes_nothing_but_the_user(layer, admin):
    before = await rows_of(admin)
    assert (await layer.admin.assign_users(AGENT, dry_run=True)).users["Bob"].memories == 6
    assert await rows_of(admin) == before
    await layer.admin.assign_users(AGENT)
    after = await rows_of(admin)
    for table in before.keys() - {"session", "corpus", "agent_state"}:
        assert Counter(stripped(table, row) for row in after[table]) == Counter(
            stripped(table, row) for row in before[table]
        ), table
    others = [row for rows in after.values() for row in rows if row["agent_id"] == "other" and "user_id" in row]
    assert {row["user_id"] for row in others} == {""}
    owner = {row["id"]: row["user_id"] for row in after["memory"]}
    of_turn = {row["turn_id"]: row["user_id"] for row in after["turn"]}
    for table, rows in after.items():
        for row in rows:
            if "turn_id" in row and "user_id" in row:
                assert row["user_id"] == of_turn[row["turn_id"]], table
            elif "memory_id" in row:
                assert row["user_id"] == owner[row["memory_id"]], table
    assert {table for table, rows in after.items() if any(row.get("user_id") == "user-17" for row in rows)} >= {
        *("memory passage posting embedding memory_value usage session turn exposure corpus artifact".split()),
        "artifact_chunk",
    }


async def require_exact_counters(admin) -> None:
    counted = await users_of(admin, "memories", "passages", "content_lexemes", "context_lexemes", table="corpus")
    exact = await admin.fetch(
        "SELECT m.user_id, count(DISTINCT m.id), count(*), sum(p.content_length), sum(p.context_length)"
        " FROM cognitive.memory AS m JOIN cognitive.passage AS p"
        " ON p.agent_id = m.agent_id AND p.user_id = m.user_id AND p.memory_id = m.id"
        " WHERE m.agent_id = $1 GROUP BY m.user_id",
        AGENT,
    )
    assert counted == {tuple(row) for row in exact}


async def test_counters_after_an_assignment_are_those_of_the_rows(layer, admin):
    await layer.admin.assign_users(AGENT)
    await require_exact_counters(admin)
    sessions = await users_of(admin, "session_id", "memories", "turns", table="session")
    assert sessions == {
        ("", "monday", 0, 0), ("user-17", "monday", 4, 2), ("", "tuesday", 0, 2), ("Bob", "tuesday", 4, 0),
        ("", "lobby", 2, 3), ("", "wednesday", 0, 0),
        ("user-17", "wednesday", 2, 1), ("user-17", "lobby", 2, 0), ("Bob", "lobby", 2, 0),
    }  # fmt: skip
    numbers = [
        row["number"] for row in await admin.fetch("SELECT number FROM cognitive.session WHERE agent_id = 'desk'")
    ]
    assert len(set(numbers)) == len(numbers)
    posted = await admin.fetch(
        "SELECT DISTINCT p.session_number = s.number AS same FROM cognitive.posting AS p JOIN cognitive.memory AS m"
        " ON m.agent_id = p.agent_id AND m.id = p.memory_id JOIN cognitive.session AS s"
        " ON s.agent_id = m.agent_id AND s.user_id = m.user_id AND s.session_id = m.session_id"
    )
    assert [row["same"] for row in posted] == [True]


async def test_assignment_beside_live_turns_loses_nothing(layer, admin):
    async def live(user: str | None) -> None:
        for n in range(6):
            memory = NewMemory(type="fact", content=f"Lamp {n} of {user} is lit.", session_id="lobby", user_id=user)
            await layer.remember(AGENT, [memory])
            turn = Turn(agent_id=AGENT, session_id="new", text="Which lamp is lit?", user_id=user)
            context = await layer.pre_turn(turn)
            assert (await layer.post_turn(context, Outcome(response=f"Lamp {n} of {user} is lit."))).recorded

    speakers = (None, "user-17", "Bob")
    await asyncio.gather(layer.admin.assign_users(AGENT), layer.admin.assign_users(AGENT), *map(live, speakers))
    await require_exact_counters(admin)
    owned = Counter(user for user, _ in await users_of(admin, "id"))
    assert owned == {"": 6 + 6, "user-17": 8 + 6, "Bob": 6 + 6}
    for user in speakers:
        hits = await layer.recall(AGENT, "Which lamp is lit?", limit=50, user_id=user)
        assert {hit.user_id for hit in hits if "Lamp" in hit.content} == {None, user}


async def test_names_are_mapped_to_user_ids_or_kept_shared(layer, admin):
    report = await layer.admin.assign_users(AGENT, {"user-17": "ada", "Bob": None})
    assert report.users.keys() == {"ada"}
    assert (report.shared_memories["kept"], report.shared_sessions["kept"]) == (6, 1)
    recorded = {row[1:] for row in await users_of(admin, "turn_id", "recorded_user", table="turn")}
    assert recorded >= {("turn-0", "ada"), ("turn-4", "ada"), ("turn-5", "Bob")}  # turn-4 stays shared
    with pytest.raises(InvalidInput, match="'Bob' is a user id, and a name of another user"):
        await layer.admin.assign_users(AGENT, {"user-17": "Bob", "Bob": "ada"})
    for wrong in ({"Bob": " "}, {"Bob": "x" * 1_001}, {"Bob": ALL_USERS}, ["Bob"]):
        with pytest.raises(InvalidInput):
            await layer.admin.assign_users(AGENT, wrong)


async def test_erased_user_leaves_nothing_after_an_assignment(layer, admin):
    await layer.admin.assign_users(AGENT, {"user-17": "ada"})
    receipt = await layer.forget_user(AGENT, "ada")
    assert (receipt.memories, receipt.turns) == (8, 4)  # also the turn in the lobby, which several users shared
    left = json.dumps(await rows_of(admin))
    assert "Irene" not in left
    assert "user-17" not in left


async def test_memory_linked_with_another_users_stays_shared(layer, admin):
    lines = {memory.content: memory.id for memory in await layer.admin.find(AGENT)}
    await layer.merge(AGENT, [lines["The account is closed."]], lines["The shop opens at ten on Sundays."])
    report = await layer.admin.assign_users(AGENT)
    assert report.shared_memories == {"no_user": 2, "linked": 2}
    assert (report.users["Bob"].memories, report.users["user-17"].memories) == (5, 7)
    bobs = {memory.content for memory in await layer.admin.find(AGENT, user_id="Bob") if memory.user_id == "Bob"}
    assert bobs >= {"The invoice says 400 euros.", "The accordion cost 400 euros in May."}  # merged with each other


async def test_what_the_user_has_already_is_not_moved_over_it(layer):
    [line] = await layer.admin.find(AGENT, {"source": {"eq": "turn/turn-1/assistant"}})
    copied = NewMemory(type="episode", content=line.content, source=line.source, user_id="user-17")
    await layer.remember(AGENT, [copied])
    await layer.pre_turn(Turn(agent_id=AGENT, session_id="monday", text="Is it Friday?", user_id="user-17"))
    report = await layer.admin.assign_users(AGENT)
    assert report.shared_memories == {"no_user": 2, "stored": 1}
    assert report.shared_sessions["stored"] == 1
    assert line.id in {memory.id for memory in await layer.admin.find(AGENT)}


async def test_speaker_names_the_user_of_a_line_whose_turn_is_gone(layer, admin):
    await admin.execute("DELETE FROM cognitive.turn WHERE agent_id = $1", AGENT)
    report = await layer.admin.assign_users(AGENT)
    assert {user: rows.memories for user, rows in report.users.items()} == {"Bob": 6, "user-17": 8}


async def test_interrupted_assignment_is_continued(layer, admin):
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await layer.admin.assign_users(AGENT, progress=interrupt)
    rest = await layer.admin.assign_users(AGENT)
    assert sum(rows.memories for rows in rest.users.values()) == 6  # those of one user were done
    assert Counter(user for user, _ in await users_of(admin, "id")) == {"": 6, "user-17": 8, "Bob": 6}
    again = await layer.admin.assign_users(AGENT)
    assert not again.users
    assert again.shared_memories == {"no_user": 2}


class Meanwhile:
    """A database beside which something happens after its first transaction."""

    def __init__(self, database: Database, others) -> None:
        self._database, self._others = database, others

    async def run(self, scope, work, **options):
        result = await self._database.run(scope, work, **options)
        others, self._others = self._others, lambda: asyncio.sleep(0)
        await others()
        return result


async def test_memory_assigned_during_its_erasure_is_reported(old, layer):
    [line] = await layer.admin.find(AGENT, {"source": {"eq": "turn/turn-1/user"}})
    database, embedders = Database(old.app), Embedders([CachedEmbedder(WordEmbedder())])
    meanwhile = Meanwhile(database, lambda: layer.admin.assign_users(AGENT))
    eraser = Eraser(meanwhile, MemoryStore(database, embedders), embedders)
    with pytest.raises(StoreConflict, match="assigned to users meanwhile; nothing is erased"):
        await eraser.memories(Scope(AGENT), [line.id])
    await database.close()
    assert (await layer.get(AGENT, [line.id], user_id="user-17"))[0].content == line.content


def test_command_assigns_after_a_dry_run(old, layer, tmp_path):
    environment = {"COGNITIVE_DATABASE_URL": old.app, "COGNITIVE_DATA_DIR": str(tmp_path)}

    def run(*words: str):
        return CliRunner().invoke(cli, ["user", "assign", AGENT, "--user", *words], env=environment)

    seen = run("Bob=bob-1", "--dry-run")
    assert "User bob-1 would get 6 memories, 0 sessions, 0 turns." in seen.output
    assert "2 memories stay shared: no user is recorded." in seen.output
    assert "add --yes" in run("Bob=bob-1", "--json").output
    done = run("Bob=bob-1", "--yes", "--json")
    assert json.loads(done.stdout)["users"]["bob-1"] == {"memories": 6, "sessions": 0, "turns": 0}
    assert "expected NAME=ID, got 'Bob'" in run("Bob").output
