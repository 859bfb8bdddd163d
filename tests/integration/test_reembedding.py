"""A change of embedding model: writes go to all stored models, reads use the live one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import asyncpg
import numpy as np
import pytest
from hashed import Hashed, Held, new, old, twin

from brain.changes.backfill import Pace
from brain.deadline import Deadline
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import EmbeddingError, InvalidInput
from cognitive.lab.comparison import searched_text
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
KEY = "The spare key of the boat house hangs behind the barometer."
QUESTION = "Where does the spare key of the boat house hang?"
FULL = Pace(batch=8, load=1)
TOLERANT = Policy(abstention=False, deadline_ms=5_000)


def lines(n: int) -> list[NewMemory]:
    return [
        NewMemory(
            type="episode",
            content=f"Entry {k}: the crane number {k % 7} was inspected.",
            source=f"line-{k}",
            context="What was done today?",
            session_id="s",
            occurred_at=AT + timedelta(minutes=k),
        )
        for k in range(n)
    ]


@pytest.fixture
def opened(urls):
    @asynccontextmanager
    async def opened(*embedders):
        async with CognitiveLayer.open(urls.app, policy=TOLERANT, embedder=embedders) as layer:
            yield layer

    return opened


@pytest.fixture
def ask(urls, agent):
    """Return a function that executes a statement about the agent as administrator."""

    async def ask(statement: str, *arguments):
        connection = await asyncpg.connect(urls.admin)
        try:
            return await connection.fetch(statement, agent, *arguments)
        finally:
            await connection.close()

    return ask


@pytest.fixture
def counted(ask):
    async def counted() -> dict[str, int]:
        rows = await ask("SELECT model, count(*) AS n FROM cognitive.embedding WHERE agent_id = $1 GROUP BY model")
        return {row["model"]: row["n"] for row in rows}

    return counted


@pytest.fixture
async def stored(opened, agent):
    """Store twelve lines and the key with the old model."""
    async with opened(old()) as layer:
        return await layer.remember(agent, [*lines(12), NewMemory(type="fact", content=KEY, occurred_at=AT)])


async def build(layer: CognitiveLayer, agent: str, model: str = "test/new") -> int:
    await layer.admin.reembedding.begin(agent, model)
    return await layer.admin.reembedding.fill(agent, model, FULL)


def turn(agent: str, text: str = QUESTION) -> Turn:
    return Turn(agent_id=agent, session_id="talk", text=text, now=AT + timedelta(days=2))


async def cosines(layer: CognitiveLayer, agent: str) -> list[float]:
    return [hit.scores["content_cosine"] for hit in await layer.recall(agent, QUESTION, now=AT + timedelta(days=2))]


async def states(layer: CognitiveLayer, agent: str) -> dict[str, tuple[str, int]]:
    return {each.model: (each.state, each.lacking) for each in await layer.admin.reembedding.list_models(agent)}


async def test_first_writer_determines_the_live_model(opened, agent, counted):
    async with opened(old(), new()) as layer:
        await layer.remember(agent, lines(2))
        assert await states(layer, agent) == {"test/old": ("live", 0)}
    async with opened(new(), old()) as layer:
        await layer.remember(agent, lines(4))
        assert await states(layer, agent) == {"test/old": ("live", 0)}
    assert await counted() == {"test/old": 8}


async def test_writes_go_to_both_models_once_a_new_model_begins(opened, stored, agent, counted):
    async with opened(old(), new()) as layer, opened(old(), new()) as other:
        await other.recall(agent, QUESTION)  # from now on this process has cached one model
        await layer.admin.reembedding.begin(agent, "test/new")
        await other.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        assert await counted() == {"test/old": 26, "test/new": 1}
        await other.update(agent, stored[-1], content="The spare key is lost.")
        assert await counted() == {"test/old": 26, "test/new": 2}


async def test_built_model_is_complete_and_read_only_after_cut_over(opened, stored, agent, counted):
    async with opened(old(), new()) as layer, opened(new(), old()) as other:
        assert await build(layer, agent) == 0
        assert await counted() == {"test/old": 25, "test/new": 25}
        assert await states(layer, agent) == {"test/old": ("live", 0), "test/new": ("ready", 0)}
        before = await other.pre_turn(turn(agent))
        assert (before.embedding_model, before.degraded) == ("test/old", ())
        assert await layer.admin.reembedding.cut_over(agent, "test/new") == "test/old"
        after = await other.pre_turn(turn(agent))
        assert (after.embedding_model, after.degraded) == ("test/new", ())
        assert KEY in before.text
        assert KEY in after.text
        assert await states(other, agent) == {"test/old": ("retired", 0), "test/new": ("live", 0)}


@pytest.mark.parametrize("second", [new, twin])
async def test_vectors_of_two_models_are_never_compared(opened, stored, agent, second):
    """Postgres refuses vectors of two dimensions; two models of one dimension give a cosine of at most 0.5 here."""
    async with opened(old(), second()) as layer, opened(second(), old()) as other:
        model = second().model
        work = layer.admin.reembedding
        for step in (build, lambda *_: work.cut_over(agent, model), lambda *_: work.roll_back(agent)):
            await step(layer, agent, model)
            for each in (layer, other):
                context = await each.pre_turn(turn(agent))
                assert context.degraded == ()
                assert max(await cosines(each, agent)) > 0.75


async def test_incomplete_model_cannot_go_live(opened, stored, agent):
    async with opened(old(), new()) as layer:
        with pytest.raises(InvalidInput, match="13 memories lack"):
            await layer.admin.reembedding.cut_over(agent, "test/new")
        await layer.admin.reembedding.begin(agent, "test/new")
        with pytest.raises(InvalidInput, match="13 memories lack"):
            await layer.admin.reembedding.cut_over(agent, "test/new")
        assert await layer.admin.reembedding.live(agent) == "test/old"


async def test_model_change_can_be_rolled_back_until_the_old_model_is_dropped(opened, stored, agent, counted, ask):
    async with opened(old(), new()) as layer:
        await build(layer, agent)
        await layer.admin.reembedding.cut_over(agent, "test/new")
        assert await layer.admin.reembedding.roll_back(agent) == ("test/new", "test/old")
        assert (await layer.pre_turn(turn(agent))).embedding_model == "test/old"
        assert await layer.admin.reembedding.roll_back(agent) == ("test/old", "test/new")
        assert await layer.admin.reembedding.droppable(agent) == ("test/old",)
        dropped = await layer.admin.reembedding.drop(agent, "test/old")
        assert (dropped.embeddings, await counted()) == (25, {"test/new": 25})
        with pytest.raises(InvalidInput, match="no model to go back to"):
            await layer.admin.reembedding.roll_back(agent)
        with pytest.raises(InvalidInput, match="live"):
            await layer.admin.reembedding.drop(agent, "test/new")
        await layer.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        assert await counted() == {"test/new": 26}


async def test_process_without_the_live_model_reads_the_old_one_degraded(opened, stored, agent):
    async with opened(old(), new()) as layer, opened(old()) as behind:
        await build(layer, agent)
        await layer.admin.reembedding.cut_over(agent, "test/new")
        context = await behind.pre_turn(turn(agent))
        assert (context.embedding_model, KEY in context.text) == ("test/old", True)
        assert "live model test/new" in context.degraded[0]
        [missed] = await behind.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        assert (await states(layer, agent))["test/new"] == ("live", 1)
        assert await layer.admin.reembedding.fill(agent, "test/new", FULL) == 0  # a worker adds the missing vectors
        hits = await layer.recall(agent, "oars under the bench")
        assert (hits[0].memory_id, hits[0].scores["content_cosine"] > 0.7) == (missed, True)
        await layer.admin.reembedding.drop(agent, "test/old")
        context = await behind.pre_turn(turn(agent))
        assert KEY in context.text  # found lexically
        assert "live model test/new" in context.degraded[0]


async def test_process_with_another_model_does_not_affect_others(opened, stored, agent, counted):
    async with opened(new()) as stranger, opened(old()) as layer:
        assert "live model test/old" in (await stranger.pre_turn(turn(agent))).degraded[0]
        await stranger.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        assert await counted() == {"test/old": 25, "test/new": 1}
        assert await states(layer, agent) == {"test/old": ("live", 1), "test/new": ("building", 13)}
        assert (await layer.pre_turn(turn(agent))).degraded == ()


async def test_unnamed_live_model_defaults_to_the_one_with_most_vectors(opened, stored, agent, ask):
    async with opened(new(), old()) as layer:
        await ask("UPDATE cognitive.agent_state SET model = NULL WHERE agent_id = $1")
        await ask("DELETE FROM cognitive.embedding_model WHERE agent_id = $1")
        context = await layer.pre_turn(turn(agent))
        assert (context.embedding_model, context.degraded) == ("test/old", ())
        await layer.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        assert await states(layer, agent) == {"test/old": ("live", 0)}


async def test_edit_during_reembedding_reaches_both_models(opened, stored, agent, ask):
    held = Held("test/new", 96, 1, at="barometer")
    async with opened(old(), held) as layer, opened(old()) as editor:
        await layer.admin.reembedding.begin(agent, "test/new")
        building = asyncio.create_task(layer.admin.reembedding.fill(agent, "test/new", FULL))
        await asyncio.to_thread(held.reached.wait, 30)
        await editor.update(agent, stored[-1], content="The spare key lies under the mat.")
        held.go.set()
        assert await building == 0
        rows = await ask(
            "SELECT model, embedding::text AS vector FROM cognitive.embedding WHERE agent_id = $1 AND memory_id = $2",
            stored[-1],
        )
        vectors = {row["model"]: np.array([float(x) for x in row["vector"].strip("[]").split(",")]) for row in rows}
        for embedder in (old(), new()):
            assert vectors[embedder.model] @ embedder.embed(["The spare key lies under the mat."])[0] > 0.999


async def test_memory_forgotten_during_reembedding_stays_forgotten(opened, stored, agent, ask):
    held = Held("test/new", 96, 1, at="barometer")
    async with opened(old(), held) as layer:
        await layer.admin.reembedding.begin(agent, "test/new")
        building = asyncio.create_task(layer.admin.reembedding.fill(agent, "test/new", FULL))
        await asyncio.to_thread(held.reached.wait, 30)
        await layer.forget(agent, [stored[-1]])
        held.go.set()
        assert await building == 0
    assert not await ask("SELECT 1 FROM cognitive.embedding WHERE agent_id = $1 AND memory_id = $2", stored[-1])


async def test_agent_erased_during_reembedding_leaves_no_row(opened, stored, agent, ask, urls):
    held = Held("test/new", 96, 1, at="barometer")
    async with opened(old(), held) as layer:
        await layer.admin.reembedding.begin(agent, "test/new")
        building = asyncio.create_task(layer.admin.reembedding.fill(agent, "test/new", FULL))
        await asyncio.to_thread(held.reached.wait, 30)
        await layer.erase_agent(agent)
        held.go.set()
        with pytest.raises(InvalidInput, match="no agent"):
            await building
    tables = await ask(
        "SELECT tablename FROM pg_tables"
        " WHERE schemaname = 'cognitive' AND tablename NOT IN ('alembic_version', 'erasure') AND $1::text IS NOT NULL"
    )
    for table in tables:
        assert not await ask(f"SELECT 1 FROM cognitive.{table['tablename']} WHERE agent_id = $1"), table["tablename"]


async def test_concurrent_reembedding_workers_share_the_work(opened, agent, counted):
    models = new(), new()
    async with opened(old()) as layer:
        await layer.remember(agent, lines(200))
    async with opened(old(), models[0]) as one, opened(old(), models[1]) as other:
        await one.admin.reembedding.begin(agent, "test/new")
        done = await asyncio.gather(*(each.admin.reembedding.fill(agent, "test/new", FULL) for each in (one, other)))
    assert list(done) == [0, 0]
    assert await counted() == {"test/old": 400, "test/new": 400}
    assert all(len(model.texts) > 50 for model in models)
    assert sum(len(model.texts) for model in models) < 450  # only the last batches may be embedded twice


async def test_past_turns_are_reembedded_with_the_new_model(opened, stored, agent, ask):
    async with opened(old(), new()) as layer:
        first = await layer.pre_turn(turn(agent))
        await layer.post_turn(first, Outcome(response=KEY))
        await build(layer, agent)
        assert await layer.admin.reembedding.fill_turns(agent, "test/new", 100, searched_text, FULL) == 1
        assert await layer.admin.reembedding.fill_turns(agent, "test/new", 100, searched_text, FULL) == 0
        await layer.admin.reembedding.cut_over(agent, "test/new")
        [past] = await _past(layer, agent)
        assert (past.turn_id, round(past.cosine, 2)) == (first.turn_id, 1.0)
        compared = await layer.admin.compare_models(agent, "test/old")
        assert (compared.turns, compared.judged, compared.old_recall, compared.new_recall) == (1, 1, 1.0, 1.0)
        dropped = await layer.admin.reembedding.drop(agent, "test/old")
        assert dropped.turns == 1
        assert [past.turn_id for past in await _past(layer, agent)] == [first.turn_id]
        [row] = await ask("SELECT model FROM cognitive.turn WHERE agent_id = $1 AND status = 'completed'")
        assert row["model"] == "test/new"


async def _past(layer: CognitiveLayer, agent: str):
    at, inside = AT + timedelta(days=2), internals(layer)
    plan = inside.planner.plan(turn(agent), at, TOLERANT)
    deadline = Deadline(5_000)
    reads = inside.engine.begin_reads(turn(agent), at, deadline)
    built = await inside.engine.build(plan, turn(agent), at, deadline, TOLERANT, reads)
    return built.inputs.found.past


async def test_model_with_another_dimension_is_refused(opened, stored, agent, counted):
    async with opened(Hashed("test/old", 96)) as layer:
        with pytest.raises(EmbeddingError, match=r"96 dimensions.*have 64"):
            await layer.remember(agent, [NewMemory(type="fact", content="The oars are under the bench.")])
        with pytest.raises(EmbeddingError, match=r"96 dimensions.*have 64"):
            await layer.admin.reembedding.begin(agent, "test/old")
        assert "different halfvec dimensions" in (await layer.pre_turn(turn(agent))).degraded[0]
    assert await counted() == {"test/old": 25}


async def test_duplicate_embedders_and_unknown_models_are_refused(opened, stored, agent):
    with pytest.raises(EmbeddingError, match="each of another model"):
        async with opened(old(), old()):
            pass
    async with opened(old()) as layer:
        with pytest.raises(EmbeddingError, match="does not have"):
            await layer.admin.reembedding.begin(agent, "test/new")
        with pytest.raises(InvalidInput, match="no agent"):
            await layer.admin.reembedding.begin(f"{agent}-nobody", "test/old")
