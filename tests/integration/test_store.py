"""Stored memories: once, complete, in order and private, and deleted when forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.languages import AgentLanguages, IndexLanguages
from brain.opening import connections
from brain.settings import Settings
from brain.store import MemoryStore
from brain.users import Scope
from cognitive import CognitiveError, NewMemory
from cognitive.errors import InvalidInput, StoreError, UnknownMemory
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
TABLES = [
    "memory",
    "passage",
    "posting",
    "memory_value",
    "embedding",
    "revision",
    "usage",
    "usage_base",
    "exposure",
    "turn",
    "session",
    "agent_state",
    "corpus",
    "artifact",
    "artifact_chunk",
    "subtask",
]


def line(text: str, n: int = 0, **fields) -> NewMemory:
    given = {"type": "episode", "speaker": "Ines", "session_id": "s1", "occurred_at": AT + timedelta(minutes=n)}
    return NewMemory(content=text, **(given | fields))


async def counts(urls, agent):
    connection = await asyncpg.connect(urls.admin)
    try:
        return {
            table: await connection.fetchval(f"SELECT count(*) FROM cognitive.{table} WHERE agent_id = $1", agent)
            for table in TABLES
        }
    finally:
        await connection.close()


async def test_remember_returns_stable_ids_in_order(layer, agent):
    memories = [line(f"The crane number {n} was oiled.", n) for n in range(7)]
    first = await layer.remember(agent, memories)
    again = await layer.remember(agent, list(reversed(memories)))
    assert again == list(reversed(first))
    assert len(set(first)) == 7


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param({"source": "x"}, {"source": "x", "content": "Other words."}, True, id="same source"),
        pytest.param({"source": "x"}, {"source": "y"}, False, id="other source"),
        pytest.param({"source": "x"}, {"source": "x", "type": "fact"}, False, id="same source, other type"),
        pytest.param({}, {}, True, id="same words, speaker, session and time"),
        pytest.param({}, {"speaker": "Tomasz"}, False, id="other speaker"),
        pytest.param({}, {"session_id": "s2"}, False, id="other session"),
        pytest.param({}, {"occurred_at": AT + timedelta(seconds=1)}, False, id="other time"),
    ],
)
async def test_identity_of_memories_depends_on_their_source_or_content(layer, agent, one, other, same):
    first, second = await layer.remember(
        agent,
        [
            line("The gate is shut.", **one),
            line(**{"text": "The gate is shut."} | {"text": other.pop("content", "The gate is shut.")}, **other),
        ],
    )
    assert (first == second) is same


async def test_concurrent_writers_store_the_same_memories_once(layer, agent, urls):
    memories = [line(f"Berth {n} is free.", n) for n in range(5)]
    results = await asyncio.gather(*(layer.remember(agent, memories) for _ in range(16)))
    assert len({tuple(ids) for ids in results}) == 1
    assert (await counts(urls, agent))["memory"] == 5


async def test_condition_of_a_write_runs_under_the_lock_of_the_agent(layer, agent, urls):
    """A condition locks its turn. Ratings lock the agent's row first; another order could deadlock."""
    await layer.remember(agent, [line("A first line.", 0)])
    other, seen = await asyncpg.connect(urls.admin), []

    async def condition(c) -> bool:
        with pytest.raises(asyncpg.LockNotAvailableError):
            await other.fetch("SELECT FROM cognitive.agent_state WHERE agent_id = $1 FOR SHARE NOWAIT", agent)
        seen.append(True)
        return True

    try:
        await internals(layer).memory_store.remember_if(
            Scope(agent), [line("Another line.", 1)], now=AT, condition=condition
        )
    finally:
        await other.close()
    assert seen == [True]


async def test_progress_reports_after_each_transaction(layer, agent):
    seen = []
    await layer.remember(
        agent, [line(f"Line {n} of the log.", n) for n in range(300)], progress=lambda *at: seen.append(at)
    )
    assert seen == [(256, 300), (300, 300)]


async def test_long_memory_is_found_and_shown_by_its_matching_passage(layer, agent):
    filler = [f"Paragraph {n} deals with the maintenance of pump {n % 17} and its valves." for n in range(1_000)]
    needle = "The lighthouse keeper hides the spare key under the third marble dolphin."
    filler.insert(500, needle)
    content = " ".join(filler)
    assert len(content) > 60_000
    [id] = await layer.remember(agent, [NewMemory(type="procedure", content=content, occurred_at=AT)])
    [hit] = await layer.recall(agent, "where does the lighthouse keeper hide the spare key?")
    assert hit.memory_id == id
    assert needle in hit.content
    assert len(hit.content) < 1_000
    assert (await layer.get(agent, [id]))[0].content == content


async def test_superseded_memory_ranks_below_its_replacement(layer, agent):
    [old] = await layer.remember(
        agent, [NewMemory(type="fact", content="Staging listens on port 8080.", occurred_at=AT)]
    )
    [new] = await layer.remember(
        agent, [NewMemory(type="fact", content="Staging listens on port 8181 now.", occurred_at=AT, supersedes=old)]
    )
    hits = await layer.recall(agent, "Staging listens on port 8080")
    assert [hit.memory_id for hit in hits] == [new, old]
    assert (await layer.get(agent, [old]))[0].replaced_by == new


async def test_less_trusted_memory_does_not_supersede(layer, agent):
    [old] = await layer.remember(agent, [line("The gate code is 4711.", trust="agent")])
    for trust, replaced in (("foreign", False), ("talk", False), ("agent", True)):
        [new] = await layer.remember(agent, [line(f"No, says {trust}, it is 1.", supersedes=old, trust=trust)])
        assert ((await layer.get(agent, [old]))[0].replaced_by == new) is replaced


async def test_update_with_lower_trust_is_refused(layer, agent):
    [own, talk] = await layer.remember(agent, [line("The gate is blue."), line("It is red.", trust="talk")])
    with pytest.raises(InvalidInput, match="trust"):
        await layer.update(agent, own, by="agent", content="The gate is open.")
    with pytest.raises(InvalidInput, match="trust"):
        await layer.update(agent, talk, by="talk", trust="host")
    assert (await layer.update(agent, talk, by="talk", content="It is green.")).trust == "talk"
    assert (await layer.get(agent, [own]))[0].content == "The gate is blue."


async def test_superseding_an_unknown_memory_writes_nothing(layer, agent, urls):
    stranger = uuid4()
    with pytest.raises(UnknownMemory, match=str(stranger)):
        await layer.remember(agent, [line("One."), line("Two.", supersedes=stranger)])
    assert set((await counts(urls, agent)).values()) == {0}


async def test_updated_memory_is_found_by_its_new_words_only(layer, agent):
    [id] = await layer.remember(agent, [line("The ferry Lomvi sails at seven.", source="k")])
    changed = await layer.update(agent, id, content="The ferry Lomvi sails at noon.", tags=("timetable",))
    assert (changed.content, changed.tags, changed.source) == ("The ferry Lomvi sails at noon.", ("timetable",), "k")
    [hit] = await layer.recall(agent, "noon")
    assert hit.scores["content_bm25"] > 0
    [hit] = await layer.recall(agent, "seven")
    assert "content_bm25" not in hit.scores


@pytest.mark.parametrize("field", ["type", "session_id", "source", "supersedes"])
async def test_identifying_fields_cannot_be_updated(layer, agent, field):
    [id] = await layer.remember(agent, [line("Fixed.")])
    with pytest.raises(InvalidInput, match=field):
        await layer.update(agent, id, **{field: "fact"})


async def test_forgetting_leaves_no_row_and_counts_the_deleted_rows(layer, agent, urls):
    ids = await layer.remember(agent, [line("The safe opens with heliotrope.", 0), line("Lunch is at one.", 1)])
    await layer.update(agent, ids[0], content="The safe opens with heliotropes.")  # the old text is in its revisions
    receipt = await layer.forget(agent, [ids[0]])
    assert (receipt.memories, receipt.passages, receipt.embeddings) == (1, 1, 1)
    assert receipt.postings > 0
    connection = await asyncpg.connect(urls.admin)
    try:
        for table in TABLES:
            rows = await connection.fetch(
                f"SELECT t::text AS row FROM cognitive.{table} AS t WHERE agent_id = $1", agent
            )
            assert not [row for row in rows if "heliotrop" in row["row"]], table
    finally:
        await connection.close()
    assert [hit.memory_id for hit in await layer.recall(agent, "what opens the safe")] == [ids[1]]


async def test_forgetting_an_unknown_id_deletes_nothing(layer, agent):
    [id] = await layer.remember(agent, [line("Kept.")])
    with pytest.raises(UnknownMemory):
        await layer.forget(agent, [id, uuid4()])
    assert [memory.id for memory in await layer.get(agent, [id])] == [id]


async def test_corpus_statistics_match_the_rows_after_mixed_writes(layer, agent, urls):
    ids = await layer.remember(agent, [line(f"Entry {n}: the pump ran for {n} hours.", n) for n in range(12)])
    await layer.update(agent, ids[3], content="A much longer entry about the pump, its valve and its seal.")
    await layer.forget(agent, ids[6:9])
    connection = await asyncpg.connect(urls.admin)
    try:
        kept = await connection.fetchrow(
            "SELECT memories, passages, content_lexemes, context_lexemes FROM cognitive.corpus WHERE agent_id = $1",
            agent,
        )
        true = await connection.fetchrow(
            "SELECT count(DISTINCT memory_id), count(*), sum(content_length), sum(context_length)"
            " FROM cognitive.passage WHERE agent_id = $1",
            agent,
        )
        session = await connection.fetchrow(
            "SELECT memories, lexemes FROM cognitive.session WHERE agent_id = $1", agent
        )
    finally:
        await connection.close()
    assert tuple(kept) == tuple(true)
    assert tuple(session) == (9, true[2])


async def test_erasing_an_agent_deletes_its_rows_and_no_others(layer, agent, urls):
    other = f"{agent}-other"
    await layer.remember(agent, [line("Mine.")])
    await layer.remember(other, [line("Theirs.")])
    receipt = await layer.erase_agent(agent)
    assert receipt.memories == 1
    assert set((await counts(urls, agent)).values()) == {0}
    assert (await counts(urls, other))["memory"] == 1


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"content": "a\x00b"}, id="NUL"),
        pytest.param({"content": "a\ud800b"}, id="lone surrogate"),
        pytest.param({"content": " \n "}, id="blank"),
        pytest.param({"content": "x" * 10_000_000}, id="10 MB"),
        pytest.param({"occurred_at": datetime(2026, 1, 1)}, id="naive datetime"),  # noqa: DTZ001
        pytest.param({"attributes": {"colour": "red"}}, id="unknown attribute"),
        pytest.param({"attributes": {"outcome": "perhaps"}, "type": "decision"}, id="attribute value"),
        pytest.param({"type": "dream"}, id="unknown type"),
        pytest.param({"confidence": 1.5}, id="confidence"),
        pytest.param({"colour": "red"}, id="unknown key"),
        pytest.param({"tags": ("a\x00",)}, id="NUL in a tag"),
        pytest.param({"supersedes": "not-an-id"}, id="no uuid"),
    ],
)
def test_invalid_memory_is_refused_with_an_error_naming_the_field(bad):
    field = next(name for name in bad if name != "type" or len(bad) == 1)
    with pytest.raises(InvalidInput, match=field) as caught:
        NewMemory(**({"type": "episode", "content": "fine"} | bad))
    assert isinstance(caught.value, CognitiveError)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("agent_id", ["", "  ", "a\x00b", "x" * 2000, None, 7])
async def test_invalid_agent_id_is_refused(layer, agent_id):
    with pytest.raises(InvalidInput, match="agent_id"):
        await layer.remember(agent_id, [line("x")])


class Interrupted(AgentLanguages):
    """Languages that start a task in the middle of each write."""

    def __init__(self, task: Callable[[], Coroutine]) -> None:
        super().__init__()
        self._task, self.started = task, list[asyncio.Task]()

    def remember(self, agent_id: str, languages: IndexLanguages) -> None:
        super().remember(agent_id, languages)
        self.started.append(asyncio.create_task(self._task()))


@pytest.fixture
async def forgetting(urls, layer, agent):
    """Yield a store and a list of memories, which are forgotten after the store's next write and before it reads."""
    database, ids = connections(urls.app, Settings(pool_size=1)), []

    async def forget() -> None:
        await database.run(Scope(agent), lambda c: layer.forget(agent, ids))  # the store waits for its only connection

    languages = Interrupted(forget)
    yield MemoryStore(database, Embedders([CachedEmbedder(WordEmbedder())]), languages=languages), ids
    await asyncio.gather(*languages.started, return_exceptions=True)
    await database.close()


async def test_memory_that_is_forgotten_during_its_update_is_unknown(forgetting, layer, agent):
    store, ids = forgetting
    ids += await layer.remember(agent, [line("The gate is shut.")])
    with pytest.raises(UnknownMemory):
        await store.update(Scope(agent), ids[0], lambda old: line("The gate is open."))


async def test_memory_that_is_forgotten_during_its_batch_is_stored_again(forgetting, layer, agent):
    store, ids = forgetting
    known, fresh = line("The gate is shut."), line("The red key opens the boiler room.", 1)
    ids += await layer.remember(agent, [known])
    stored = await store.remember(agent, [known, fresh], now=AT)
    assert [memory.content for memory in await layer.get(agent, stored)] == [known.content, fresh.content]
    assert stored[0] not in ids


class AlwaysGerman(AgentLanguages):
    """Languages that another process changes each time before a memory is written."""

    def of(self, agent_id: str) -> IndexLanguages:
        return IndexLanguages("german")


async def test_write_whose_agent_never_stops_changing_is_an_error(urls, agent):
    database = connections(urls.app, Settings(pool_size=1))
    store = MemoryStore(database, Embedders([CachedEmbedder(WordEmbedder())]), languages=AlwaysGerman())
    try:
        with pytest.raises(StoreError, match="languages changed 50 times in a row"):
            await store.remember(agent, [line("The red key opens the boiler room.")], now=AT)
    finally:
        await database.close()
    assert (await counts(urls, agent))["memory"] == 0
