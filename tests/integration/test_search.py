"""Search: complete results, independent of other agents, from the indexes and as the application's role."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import asyncpg
import numpy as np
import pytest

from brain import statements
from brain.admission import EVERY_MEMORY
from brain.filters import MemoryFilter
from brain.past_turns import PastTurns
from brain.postgres.database import Database
from brain.postgres.wire_types import encode_halfvec
from brain.search import K1, B, MemorySearch, Query
from brain.terms import MAX_POSTINGS
from brain.text import lexemes
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, ToolCall, Turn

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
WORDS = "ferry berth crane ticket refund seat harbour captain winter engine valve ledger invoice queue radar".split()


class ByWords:
    """A fast embedder of word counts, which places near-copies close together."""

    model = "words/test"
    dimension = 64

    def embed(self, texts):
        vectors = []
        for text in texts:
            vector = np.full(self.dimension, 0.01, dtype=np.float32)
            for word in text.lower().split():
                vector[sum(map(ord, word)) % self.dimension] += 1
            vectors.append(vector / np.linalg.norm(vector))
        return np.stack(vectors)


@pytest.fixture(scope="module")
async def words(urls):
    async with CognitiveLayer.open(urls.app, embedder=ByWords()) as layer:
        yield layer


def talk(size: int, seed: int) -> list[NewMemory]:
    chance = random.Random(seed)
    return [
        NewMemory(
            type="episode",
            content=" ".join(chance.choices(WORDS, k=9)) + f" {n}",
            speaker="Ines",
            session_id=f"s{n // 20}",
            occurred_at=AT + timedelta(minutes=n),
            source=str(n),
        )
        for n in range(size)
    ]


async def analysed(urls) -> None:
    connection = await asyncpg.connect(urls.admin)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


QUESTIONS = (
    "where is the ferry berth",
    "refund of a ticket",
    "winter engine valve",
    "captain 17",
    "nothing of all this",
)


async def test_near_copies_of_another_agent_change_no_result(words, agent, urls):
    await words.remember(agent, talk(300, seed=1))
    await analysed(urls)
    alone = [await words.recall(agent, question, limit=20, now=AT) for question in QUESTIONS]
    neighbour = f"{agent}-busy"
    for seed in range(1, 9):
        copies = [m.model_copy(update={"source": f"{seed}-{m.source}"}) for m in talk(300, seed=1)]
        await words.remember(neighbour, copies)
    await analysed(urls)
    crowded = [await words.recall(agent, question, limit=20, now=AT) for question in QUESTIONS]
    assert [len(hits) for hits in crowded] == [20] * len(QUESTIONS)
    assert crowded == alone


@pytest.mark.parametrize(("stored", "limit"), [(7, 20), (20, 20), (300, 20)])
async def test_recall_returns_as_many_rows_as_available_up_to_the_limit(words, agent, stored, limit):
    await words.remember(agent, talk(stored, seed=2))
    hits = await words.recall(agent, "ferry berth crane", limit=limit, now=AT)
    assert len(hits) == min(stored, limit)
    assert len({hit.memory_id for hit in hits}) == len(hits)


async def test_search_uses_its_indexes_as_the_application_role(words, agent, urls):
    for other in range(3):
        await words.remember(f"{agent}-{other}", talk(900, seed=3 + other))
    await words.remember(agent, talk(900, seed=9))
    await analysed(urls)
    connection = await asyncpg.connect(urls.app)
    await connection.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")
    vector = encode_halfvec(ByWords().embed(["ferry berth"])[0])
    sql, *arguments = EVERY_MEMORY.statement("dimension <= 1200")(
        **EVERY_MEMORY.values({"episode": 60}),
        agent_id=agent,
        lexemes=["ferri", "17"],
        lexeme_passages=[700, 1],
        common_lexemes=[],
        common_passages=[],
        embedding=vector,
        model=ByWords.model,
        wanted=20,
        kept=40,
        kept_of_type=20,
        by_words=1.0,
        by_content=1.0,
        by_context=1.0,
        k1=K1,
        b=B,
        date_from=None,
        date_until=None,
        now=AT,
        max_turns=2_000,
        max_similar=32,
        min_cosine=0.4,
        used_cosine=0.5,
        at=None,
    )
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
            await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            rows = await connection.fetch(f"EXPLAIN (ANALYZE, COSTS OFF) {sql}", *arguments)
            plan = "\n".join(row[0] for row in rows)
    finally:
        await connection.close()
    for table in ("posting", "embedding", "memory", "passage"):
        assert f"Seq Scan on {table}" not in plan, plan
    assert "Index Only Scan using posting_user_lexeme" in plan
    assert "Index Only Scan using embedding_user_cell" in plan


async def test_filters_apply_before_ranking(words, agent):
    lines = talk(200, seed=4)
    marked = NewMemory(
        type="episode",
        content="an odd remark",
        session_id="other",
        tags=("rare",),
        occurred_at=AT + timedelta(days=40),
        source="odd",
    )
    await words.remember(agent, [*lines, marked])
    for narrowed in ({"tags": ("rare",)}, {"session_id": "other"}, {"since": AT + timedelta(days=30)}):
        [hit] = await words.recall(agent, "ferry berth crane ticket", limit=5, now=AT, **narrowed)
        assert hit.source == "odd"
    assert len(await words.recall(agent, "odd remark", limit=300 // 2, until=AT + timedelta(days=1), now=AT)) == 150


async def test_a_search_keeps_the_best_memories_and_the_dated(words, agent, urls):
    await words.remember(agent, talk(300, seed=11))
    vector, weights = ByWords().embed(["ferry berth"])[0], (0.3, 0.5, 0.2)
    day = (AT + timedelta(minutes=100), AT + timedelta(minutes=103))
    database = Database(urls.app)
    try:
        query = Query({"episode": 60}, "ferry berth", vector, ByWords.model, weights=weights)
        every = (await MemorySearch(database).find(Scope(agent), query)).hits
        few = (await MemorySearch(database).find(Scope(agent), replace(query, kept=5))).hits
        of_day = (await MemorySearch(database).find(Scope(agent), replace(query, kept=5, dates=day))).hits
    finally:
        await database.close()
    first = max(hit.scores.get("content_bm25", 0.0) for hit in every)

    def score(hit):
        cosine = hit.scores["content_cosine"]
        by_words = hit.scores.get("content_bm25", 0.0) / first
        return 0.3 * by_words + 0.5 * cosine + 0.2 * hit.scores.get("context_cosine", cosine)

    best = {hit.memory_id for hit in sorted(every, key=score, reverse=True)[:5]}
    assert {hit.memory_id for hit in few} == best
    assert len(best) < len(every)
    assert {hit.source for hit in of_day} - {hit.source for hit in few} <= {"100", "101", "102"}
    assert {hit.source for hit in of_day} >= {"100", "101", "102"}


async def test_a_search_keeps_memories_of_each_type(words, agent, urls):
    facts = [NewMemory(type="fact", content=f"the ledger {n} is queued with engine and radar") for n in range(3)]
    await words.remember(agent, [*talk(300, seed=13), *facts])
    query = Query(
        {"episode": 60, "fact": 20}, "ferry berth", ByWords().embed(["ferry berth"])[0], ByWords.model, kept=5
    )
    database = Database(urls.app)
    try:
        best = (await MemorySearch(database).find(Scope(agent), query)).hits
        each = (await MemorySearch(database).find(Scope(agent), replace(query, kept_of_type=2))).hits
    finally:
        await database.close()
    assert {hit.type for hit in best} == {"episode"}
    assert sum(hit.type == "fact" for hit in each) == 2


async def test_an_agent_without_memories_has_past_turns(words, agent, urls):
    turn = Turn(agent_id=agent, session_id="s", text="book the ferry", now=AT)
    await words.post_turn(await words.pre_turn(turn), Outcome(response="Done.", tool_calls=(ToolCall(name="book"),)))
    past = PastTurns(AT, latest=10, kept=5, similarity=0.5, min_cosine=0.4)
    query = Query({"fact": 5}, turn.text, ByWords().embed([turn.text])[0], ByWords.model, past=past)
    database = Database(urls.app)
    try:
        found = await MemorySearch(database).find(Scope(agent), query)
    finally:
        await database.close()
    assert not found.hits
    assert [each.tools_called for each in found.past] == [("book",)]


async def test_a_vector_that_is_not_known_yet_finds_the_same(words, agent, urls):
    await words.remember(agent, talk(100, seed=13))
    vector = ByWords().embed(["ferry berth"])[0]

    async def embedded():
        await asyncio.sleep(0)
        return vector

    query = Query({"episode": 10}, "ferry berth", vector, ByWords.model)
    database = Database(urls.app)
    try:
        search = MemorySearch(database)
        known = await search.find(Scope(agent), query)
        awaited = await search.find(Scope(agent), replace(query, vector=None), embedded)
    finally:
        await database.close()
    assert [hit.scores for hit in awaited.hits] == [hit.scores for hit in known.hits]
    assert all("content_cosine" in hit.scores for hit in awaited.hits)


async def test_a_filtered_search_prepares_its_statements_once(words, agent, urls):
    await words.remember(agent, talk(200, seed=12))
    database = Database(urls.app, pool_size=1)  # statements are prepared on each connection
    prepared, search = [], MemorySearch(database)
    query = Query({"episode": 5}, "ferry", None, ByWords.model, filter=MemoryFilter.parse(None, since=AT))

    async def count(connection):
        found = await connection.fetch("SELECT statement FROM pg_prepared_statements WHERE NOT from_sql")
        prepared.append(sorted(row["statement"] for row in found if "pg_prepared" not in row["statement"]))

    try:
        for _ in range(2):
            await search.find(Scope(agent), query)
            await database.run(Scope(agent), count)
    finally:
        await database.close()
    assert any(len(statement) > 15_360 for statement in prepared[0])  # asyncpg's default maximum
    assert prepared[0] == prepared[1]


async def test_vectors_of_two_models_are_never_compared(urls, words, agent):
    await words.remember(agent, talk(5, seed=5))

    class Other(ByWords):
        model = "words/other"

    async with CognitiveLayer.open(urls.app, embedder=Other()) as other:
        hits = await other.recall(agent, "ferry berth crane ticket refund", now=AT)
    assert hits
    assert all("content_cosine" not in hit.scores for hit in hits)


async def test_semantic_candidate_also_gets_a_lexical_score(words, agent, urls):
    by_words, by_meaning = "ferry ferry ferry", "the ferry lies beside the crane in winter"
    memories = [NewMemory(type="episode", content=content, occurred_at=AT) for content in (by_words, by_meaning)]
    await words.remember(agent, memories)
    one_of_each = Query({"episode": 1}, "ferry", ByWords().embed([by_meaning])[0], ByWords.model)
    database = Database(urls.app)
    try:
        result = await MemorySearch(database).find(Scope(agent), one_of_each)
    finally:
        await database.close()
    bm25 = {hit.content: hit.scores.get("content_bm25", 0.0) for hit in result.hits}
    assert bm25[by_words] > bm25[by_meaning] > 0


async def test_long_memory_does_not_crowd_out_others(words, agent):
    await words.remember(agent, talk(30, seed=6))
    long = " ".join(f"The ferry berth number {n} and its crane were inspected in winter." for n in range(2_000))
    await words.remember(agent, [NewMemory(type="episode", content=long, occurred_at=AT, source="long")])
    hits = await words.recall(agent, "ferry berth crane winter inspected", limit=20, now=AT)
    assert len({hit.memory_id for hit in hits}) == 20


async def test_capped_term_count_reports_the_last_memory_counted(words, agent, urls):
    ids = sorted(await words.remember(agent, talk(400, seed=8)))
    connection = await asyncpg.connect(urls.app)
    facts = partial(
        statements.load("search").facts,
        agent_id=agent,
        lexemes=lexemes("Ines 17"),
        max_postings=MAX_POSTINGS,
        at=None,
        max_hidden=10,
        max_counted=50,
        half_life_seconds=1e6,
    )
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
            large, small = [await connection.fetchrow(*facts(large_passages=least)) for least in (399, 400)]
    finally:
        await connection.close()
    [[in_content, sessions, in_context, last]] = json.loads(large["terms"])[lexemes("Ines")[0]]
    assert (in_content, in_context, last) == (50, 50, str(ids[49]))
    assert sessions <= 20
    assert json.loads(large["terms"])["17"][0][3] is None
    assert json.loads(small["terms"])[lexemes("Ines")[0]] == [[400, 20, 400, None]]
