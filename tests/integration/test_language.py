"""The language of an agent: stemming, and its change while turns go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hashed import old

from brain.changes import reindexing
from brain.changes.backfill import Pace, PendingMemory
from brain.postgres.database import Database
from brain.postgres.wire_types import as_value
from brain.search import MemorySearch, Query
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.errors import InvalidInput, UnknownLanguage

AT = datetime(2026, 10, 3, 12, tzinfo=UTC)
HOUSES = "Die Häuser am Hang gehören Frau Lindner."
KEYS = "Alle Schlüssel hängen neben dem Barometer."
FULL = Pace(batch=3, load=1)


class Killed(BaseException):
    """A simulated kill of the process."""


def memories() -> list[NewMemory]:
    return [
        NewMemory(type="fact", content=content, session_id=f"s{n % 3}", occurred_at=AT + timedelta(minutes=n))
        for n, content in enumerate([HOUSES, KEYS, *(f"Die Boote Nr. {k} liegen in den Hallen." for k in range(8))])
    ]


def dying(at: int) -> Callable[[str, int, int], None]:
    """Return a progress callback that raises at its n-th step."""
    steps = iter(range(at, -1, -1))

    def progress(doing: str, done: int, total: int) -> None:
        if not next(steps):
            raise Killed

    return progress


@pytest.fixture
def opened(urls):
    @asynccontextmanager
    async def opened():
        policy = Policy(abstention=False, deadline_ms=5_000)
        async with CognitiveLayer.open(urls.app, policy=policy, embedder=[old()]) as layer:
            yield layer

    return opened


@pytest.fixture
async def agent(agent, opened):
    """Return the id of an agent whose language was set to English, so that it is not recognised from memories."""
    async with opened() as layer:
        await layer.admin.set_language(agent, "english")
    return agent


@pytest.fixture
async def layer(opened):
    async with opened() as layer:
        yield layer


@pytest.fixture
async def other(opened):
    """Yield the layer of another process."""
    async with opened() as layer:
        yield layer


@pytest.fixture
def ask(urls):
    """Return a function that executes a statement as administrator."""

    async def ask(statement: str, *arguments: Any) -> list[dict[str, Any]]:
        connection = await asyncpg.connect(urls.admin)
        try:
            return [dict(row) for row in await connection.fetch(statement, *arguments)]
        finally:
            await connection.close()

    return ask


@pytest.fixture
def index(ask):
    """Return a function that reads an agent's lexical index and statistics, without the agent's id."""

    async def index(agent: str) -> list[list[dict[str, Any]]]:
        return [
            await ask(statement, agent)
            for statement in (
                """SELECT p.lexeme, m.seq, p.ordinal, p.type, p.session_number, p.content_frequency,
                          p.context_frequency, p.content_length,
                          p.context_length
                   FROM cognitive.posting AS p JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = p.memory_id
                   WHERE p.agent_id = $1 ORDER BY p.lexeme, m.seq, p.ordinal""",
                """SELECT m.seq, p.ordinal, p.content_length, p.context_length, p.languages,
                          ARRAY(SELECT unnest(p.lexemes) ORDER BY 1) AS lexemes
                   FROM cognitive.passage AS p JOIN cognitive.memory AS m ON m.agent_id = $1 AND m.id = p.memory_id
                   WHERE p.agent_id = $1 ORDER BY m.seq, p.ordinal""",
                "SELECT session_id, number, memories, lexemes FROM cognitive.session"
                " WHERE agent_id = $1 ORDER BY number",
                """SELECT memories, passages, sessions, content_lexemes, context_lexemes, language, pending_language
                   FROM cognitive.agent_state JOIN cognitive.corpus USING (agent_id) WHERE agent_id = $1""",
            )
        ]

    return index


async def by_words(layer: CognitiveLayer, agent: str, text: str) -> dict[str, float]:
    """Return the lexical scores of the memories that share a word with the text."""
    hits = await layer.recall(agent, text, now=AT + timedelta(days=2))
    return {hit.content: hit.scores["content_bm25"] for hit in hits if "content_bm25" in hit.scores}


async def test_german_stemming_applies_only_to_the_german_agent(layer, agent, ask):
    english = f"{agent}-english"
    await layer.admin.set_language(english, "english")
    await layer.remember(english, memories())
    await layer.remember(agent, memories())
    before = await by_words(layer, english, "Häuser")
    assert await layer.admin.language(agent) == "english"
    assert (await layer.admin.set_language(agent, "german", pace=FULL)).lacking == 0
    assert await layer.admin.language(agent) == "german"
    assert list(await by_words(layer, agent, "Wem gehört das Haus?")) == [HOUSES]
    assert list(await by_words(layer, agent, "den Schlüsseln")) == [KEYS]
    assert await by_words(layer, english, "Wem gehört das Haus?") == {}
    assert await by_words(layer, english, "Häuser") == before
    assert await layer.admin.language(english) == "english"
    context = await layer.pre_turn(
        Turn(agent_id=agent, session_id="t", text="Wem gehört das Haus?", now=AT + timedelta(days=2))
    )
    assert HOUSES in context.text
    assert context.degraded == ()


async def test_language_can_be_set_before_the_first_memory(layer, agent):
    await layer.admin.set_language(agent, "german")
    await layer.remember(agent, memories())
    assert list(await by_words(layer, agent, "Haus")) == [HOUSES]


async def test_common_words_of_a_query_in_another_language_find_nothing(layer, agent):
    await layer.remember(agent, memories())
    assert await by_words(layer, agent, "Wo sind die Wege in den Garten und an die Elbe?") == {}
    assert list(await by_words(layer, agent, "Wo sind die Schlüssel für den Garten?")) == [KEYS]


async def test_changed_language_gives_the_same_index_as_setting_it_first(layer, agent, index):
    changed, never = agent, f"{agent}-never"
    await layer.admin.set_language(never, "german")
    for each in (never, changed):
        await layer.remember(each, memories())
    english = await index(changed)
    await layer.admin.set_language(changed, "german", pace=FULL)
    assert await index(changed) == await index(never)
    assert await by_words(layer, changed, "ein Haus am Hang") == await by_words(layer, never, "ein Haus am Hang")
    await layer.admin.set_language(changed, "english", pace=FULL)
    assert await index(changed) == english


@pytest.mark.parametrize("at", range(10))
async def test_killed_language_change_stays_searchable_and_resumes(layer, other, agent, index, at):
    never = f"{agent}-never"
    await layer.admin.set_language(never, "german")
    for each in (never, agent):
        await layer.remember(each, memories())
    with pytest.raises(Killed):
        await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(at))
    german = await other.admin.language(agent) == "german"
    assert german == (at >= 6)
    assert list(await by_words(other, agent, "Haus" if german else "Häuser")) == [HOUSES]
    assert bool(await by_words(other, agent, "Haus")) == german
    done: list[tuple[str, int]] = []
    await layer.admin.set_language(agent, "german", pace=FULL, progress=lambda doing, now, _: done.append((doing, now)))
    assert done[0] == ("index", min(10, 3 * at))
    assert await index(agent) == await index(never)


async def test_writes_during_a_language_change_are_found_before_and_after(layer, other, agent, index):
    never = f"{agent}-never"
    ids = await layer.remember(agent, memories())
    await by_words(other, agent, "Haus")  # from now on this process has cached English
    with pytest.raises(Killed):
        await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(2))
    bridge, gates = "Die Brücken sind gesperrt.", "Die Tore sind zu."
    await other.remember(agent, [NewMemory(type="fact", content=bridge, occurred_at=AT)])
    await other.update(agent, ids[0], content=gates)
    await other.update(agent, ids[-1], content="Die Kräne stehen still.")
    assert list(await by_words(other, agent, "Brücken")) == [bridge]
    languages = {each["seq"]: each["languages"] for each in (await index(agent))[1]}
    assert [languages[seq] for seq in (1, 10, 11)] == [
        ["english", "german"]
    ] * 3  # they are indexed in both languages already
    await layer.admin.set_language(agent, "german", pace=FULL)
    for text, expected in (("Brücke", bridge), ("Tor", gates), ("Kran", "Die Kräne stehen still.")):
        assert list(await by_words(other, agent, text)) == [expected]
    await layer.admin.set_language(never, "german")
    ids = await layer.remember(never, memories())
    await layer.remember(never, [NewMemory(type="fact", content=bridge, occurred_at=AT)])
    await layer.update(never, ids[0], content=gates)
    await layer.update(never, ids[-1], content="Die Kräne stehen still.")
    assert await index(agent) == await index(never)


async def test_unfinished_language_change_can_be_redirected_or_undone(layer, agent, index):
    await layer.remember(agent, memories())
    english = await index(agent)
    for instead in ("spanish", "english"):
        with pytest.raises(Killed):
            await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(2))
        await layer.admin.set_language(agent, instead, pace=FULL)
        assert await layer.admin.language(agent) == instead
        assert {each["lexeme"].partition("/")[0] for each in (await index(agent))[0] if "/" in each["lexeme"]} == (
            {"spanish"} if instead == "spanish" else set()
        )
    assert await index(agent) == english


async def test_concurrent_changes_to_different_languages_keep_one_pending(layer, other, agent):
    await layer.remember(agent, memories())

    async def meanwhile() -> None:
        with pytest.raises(Killed):
            await other.admin.set_language(agent, "spanish", progress=dying(0))

    with pytest.raises(Killed):
        await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(4))
    await meanwhile()
    standing = await layer.admin.reindexing.status(agent, "spanish")
    assert (standing.language, standing.pending_language, standing.lacking) == ("english", "spanish", 10)


async def test_clearing_stops_when_the_language_is_set_again(layer, other, agent):
    await layer.remember(agent, memories())
    steps: list[str] = []

    def killed_while_clearing(doing: str, done: int, total: int) -> None:
        if doing == "clear":
            raise Killed

    class Interrupted(Pace):
        async def rest(self, worked: float) -> None:
            if steps.count("clear") == 1:
                with pytest.raises(Killed):
                    await other.admin.set_language(agent, "spanish", pace=FULL, progress=killed_while_clearing)

    pace = Interrupted(batch=3, load=1)
    with pytest.raises(InvalidInput, match="another language than german"):
        await layer.admin.set_language(agent, "german", pace=pace, progress=lambda doing, *_: steps.append(doing))
    status = await layer.admin.reindexing.status(agent)
    assert (status.language, status.lacking) == ("spanish", 0)


async def test_unknown_language_is_refused_before_any_write(layer, agent, index):
    await layer.remember(agent, memories())
    before = await index(agent)
    with pytest.raises(UnknownLanguage, match=r"'deutsch'.*german"):
        await layer.admin.set_language(agent, "deutsch")
    with pytest.raises(InvalidInput, match="agent_id"):
        await layer.admin.set_language("", "german")
    assert await index(agent) == before


@pytest.mark.parametrize("at", [2, 7])
async def test_forget_during_a_language_change_removes_both_indexes(layer, other, agent, index, at):
    ids = await layer.remember(agent, memories())
    with pytest.raises(Killed):
        await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(at))
    await other.forget(agent, ids[:5])
    assert {each["seq"] for each in (await index(agent))[0]} == set(range(6, 11))
    await layer.admin.set_language(agent, "german", pace=FULL)
    postings, passages, sessions, [corpus] = await index(agent)
    assert corpus["content_lexemes"] == sum(each["content_length"] for each in passages)
    assert corpus["content_lexemes"] == sum(each["lexemes"] for each in sessions)
    assert {lexeme for each in passages for lexeme in each["lexemes"]} == {each["lexeme"] for each in postings}
    await other.erase_agent(agent)
    assert await index(agent) == [[], [], [], []]
    assert await other.admin.language(agent) == "english"


async def test_rerun_indexes_memories_written_by_older_code(layer, agent, ask, index):
    await layer.admin.set_language(agent, "german")
    await ask(
        "UPDATE cognitive.agent_state SET language = 'english' WHERE agent_id = $1", agent
    )  # the state that older code assumes
    await layer.remember(agent, memories())
    await ask("UPDATE cognitive.agent_state SET language = 'german' WHERE agent_id = $1", agent)
    assert await by_words(layer, agent, "Haus") == {}
    assert (await layer.admin.reindexing.status(agent)).lacking == 10
    await layer.admin.set_language(agent, "german", pace=FULL)
    assert list(await by_words(layer, agent, "Haus")) == [HOUSES]


async def test_memory_updated_by_older_code_is_not_indexed_with_stale_text(layer, agent, ask):
    await layer.remember(agent, memories())
    with pytest.raises(Killed):
        await layer.admin.set_language(agent, "german", pace=FULL, progress=dying(0))
    async with aclosing(layer.admin.reindexing._pages(reindexing.SQL.next_lacking, agent, "german", FULL)) as pages:
        rows = [as_value(PendingMemory, row) for row in await anext(pages)]
    await ask(
        "UPDATE cognitive.agent_state SET pending_language = NULL WHERE agent_id = $1", agent
    )  # the state that older code assumes
    await layer.update(agent, rows[0].id, content="Die Brücken sind gesperrt.")
    await ask("UPDATE cognitive.agent_state SET pending_language = 'german' WHERE agent_id = $1", agent)
    assert await layer.admin.reindexing._add(agent, "german", rows) == len(rows) - 1
    await layer.admin.set_language(agent, "german", pace=FULL)
    assert list(await by_words(layer, agent, "Brücke")) == ["Die Brücken sind gesperrt."]


async def test_import_is_indexed_in_the_language_of_the_importing_agent(layer, agent):
    spanish = f"{agent}-spanish"
    await layer.remember(agent, [NewMemory(type="fact", content="Se cancelaron las reuniones.", occurred_at=AT)])
    await layer.admin.set_language(spanish, "spanish")
    await layer.admin.import_lines(spanish, [line async for line in layer.admin.export(agent)])
    assert list(await by_words(layer, spanish, "reunión cancelada")) == ["Se cancelaron las reuniones."]
    assert await layer.admin.language(agent) == "english"


class Watched:
    """A database that records its queries and can run a callback between two statements."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.queries: list[str] = []
        self.between: Callable[[], Any] | None = None

    async def run(self, scope: Scope, work: Any, **how: Any) -> Any:
        return await self._database.run(scope, lambda c: work(_Between(c, self)), **how)


class _Between:
    def __init__(self, connection: Any, watched: Watched) -> None:
        self._connection, self._watched = connection, watched

    async def fetchrow(self, statement: str, *arguments: Any) -> Any:
        self._watched.queries.append("facts")
        row = await self._connection.fetchrow(statement, *arguments)
        if self._watched.between is not None:
            await self._watched.between()
        return row

    async def fetch(self, statement: str, *arguments: Any) -> Any:
        self._watched.queries.append("candidates")
        return await self._connection.fetch(statement, *arguments)


@pytest.fixture
async def watched(urls):
    database = Database(urls.app)
    yield Watched(database)
    await database.close()


def query(text: str) -> Query:
    return Query(types={"fact": 5}, text=text, vector=None, model="none")


async def test_only_the_first_read_of_a_language_costs_a_round_trip(layer, agent, watched):
    english, agent = agent, f"{agent}-german"
    for each in (english, agent):
        await layer.remember(each, memories())
    search = MemorySearch(watched)
    for each, text, expected in (
        (english, "Häuser", ["facts", "candidates"]),
        (agent, "Haus", ["facts", "facts", "candidates"]),
        (agent, "Haus", ["facts", "candidates"]),
    ):
        watched.queries.clear()
        assert [hit.content for hit in (await search.find(Scope(each), query(text))).hits] == [HOUSES]
        assert watched.queries == expected


async def test_search_during_the_switch_returns_the_previous_result(layer, agent, watched):
    await layer.remember(agent, memories())
    search = MemorySearch(watched)
    before = await search.find(Scope(agent), query("Häuser"))

    async def switched() -> None:
        watched.between = None
        await layer.admin.set_language(agent, "german", pace=FULL)

    watched.between = switched
    assert await search.find(Scope(agent), query("Häuser")) == before
    assert [hit.content for hit in (await search.find(Scope(agent), query("Haus"))).hits] == [HOUSES]
