"""Promise P9: a change of embedding model is online and resumable, and never compares vectors of two models.

The tests use two real models of different dimensions and a small corpus.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import asyncpg
import pytest
from clients import reembed_memories
from hashed import Hashed, new, old

from brain import statements
from brain.changes.backfill import Pace
from brain.embedding.minilm import MiniLM
from brain.embedding.wordllama import WordLlama
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import EmbeddingError
from tests.forked import forked

pytestmark = pytest.mark.promise(number=9)

CHECKOUT = Path(__file__).parents[2]
LINES = (CHECKOUT / "tests" / "data" / "boatyard.txt").read_text(encoding="utf-8").splitlines()
MEMORIES = [line for line in LINES if not line.startswith("? ")]
# each question follows the memory that answers it
QUESTIONS = [(line[2:], before) for before, line in pairwise(LINES) if line.startswith("? ")][::3]
TOLERANT = Policy(abstention=False, deadline_ms=5_000)  # only faults, not a busy machine, may degrade a turn
OLD, NEW = WordLlama.model, MiniLM.model

needs_wordllama = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed")


class Yard:
    """An agent whose turns go on while its model is changed."""

    def __init__(self, url: str, agent: str) -> None:
        self.url, self.agent = url, agent
        self.models: list[str] = []  # one for each turn, in order
        self.degraded: list[tuple[str, ...]] = []
        self.written = 0

    @asynccontextmanager
    async def opened(self, *embedders):
        async with CognitiveLayer.open(self.url, policy=TOLERANT, embedder=embedders) as layer:
            yield layer

    async def recall_at_ten(self, layer: CognitiveLayer) -> float:
        found = await asyncio.gather(*(layer.recall(self.agent, question, limit=10) for question, _ in QUESTIONS))
        answered = [answer in {hit.content for hit in hits} for hits, (_, answer) in zip(found, QUESTIONS, strict=True)]
        return sum(answered) / len(QUESTIONS)

    async def live(self, layer: CognitiveLayer, ended: asyncio.Event) -> None:
        """Run turns, writes and edits until `ended` is set; finish the current round."""
        [id] = await layer.remember(self.agent, [NewMemory(type="fact", content="Entry 0 of the log of the lock.")])
        while not ended.is_set():
            question, answer = QUESTIONS[len(self.models) % len(QUESTIONS)]
            context = await layer.pre_turn(Turn(agent_id=self.agent, session_id="talk", text=question))
            self.models.append(context.embedding_model)
            self.degraded.append(context.degraded)
            await layer.post_turn(context, Outcome(response=answer))
            self.written += 1
            await asyncio.sleep(0.05)  # a realistic pause
            content = f"Entry {self.written} of the log of the lock."
            await layer.remember(self.agent, [NewMemory(type="episode", content=content)])
            await layer.update(self.agent, id, content=f"The log of the lock has {self.written} entries.")

    @asynccontextmanager
    async def living(self, layer: CognitiveLayer):
        ended = asyncio.Event()
        task = asyncio.create_task(self.live(layer, ended))
        try:
            yield
        finally:
            ended.set()
            await task

    async def command(self, *arguments: str) -> dict:
        """Run `cognitive db reembed` and return its JSON for this agent."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *filter(None, sys.path)]),
            "COGNITIVE_DATABASE_URL": self.url,
            "COGNITIVE_EMBEDDING_MODELS": "wordllama",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "cognitive.cli.entry",
            "db",
            "reembed",
            "--agent",
            self.agent,
            "--json",
            *arguments,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        return json.loads(out)["agents"][0]


@pytest.fixture
def yard(urls, agent) -> Yard:
    return Yard(urls.app, agent)


@pytest.fixture(scope="module")
def wordllama() -> WordLlama:
    return WordLlama()


@pytest.fixture
def ask(urls, agent):
    async def ask(statement: str, *arguments):
        connection = await asyncpg.connect(urls.admin)
        try:
            return await connection.fetchval(statement, agent, *arguments)
        finally:
            await connection.close()

    return ask


VECTORS = "SELECT count(*) FROM cognitive.embedding WHERE agent_id = $1 AND model = $2"


async def at_least(ask, model: str, vectors: int) -> None:
    async with asyncio.timeout(120):
        while await ask(VECTORS, model) < vectors:
            await asyncio.sleep(0.01)


@needs_wordllama
async def test_model_change_survives_a_kill_under_live_turns(yard, ask, wordllama, embedder):
    async with yard.opened(wordllama, embedder) as layer, yard.opened(embedder, wordllama) as other:
        await layer.remember(yard.agent, [NewMemory(type="fact", content=line) for line in MEMORIES])
        before = await yard.recall_at_ten(layer)
        least = before - 0.01
        async with yard.living(layer):
            async with forked(reembed_memories, yard.url, yard.agent) as worker:
                await at_least(ask, NEW, 60)
                await worker.kill()
            assert 60 <= await ask(VECTORS, NEW) < await ask(VECTORS, OLD)
            assert await yard.recall_at_ten(other) >= least
            built = await yard.command("--to", "minilm", "--load", "1")
            assert built["lacking"] == 0
            assert built["turns"] > 0
            assert await yard.recall_at_ten(other) >= least
            assert await layer.admin.reembedding.cut_over(yard.agent, NEW) == OLD
            assert await yard.recall_at_ten(other) >= before + 0.05  # the new model is better
            async with asyncio.timeout(60):
                while yard.models[-1] == OLD:  # wait for the first turn with the new model
                    await asyncio.sleep(0.01)
        assert await ask(VECTORS, NEW) == await ask(VECTORS, OLD) == yard.written + len(MEMORIES) + 1
        assert set(yard.degraded) == {()}
        assert re.fullmatch("o+n+", "".join("o" if model == OLD else "n" for model in yard.models))
        [old_, new_] = sorted(
            await layer.admin.reembedding.list_models(yard.agent), key=lambda each: each.state, reverse=True
        )
        assert (old_.state, old_.lacking, new_.state, new_.lacking) == ("retired", 0, "live", 0)
        assert await layer.admin.reembedding.roll_back(yard.agent) == (NEW, OLD)
        assert await yard.recall_at_ten(other) >= least


@needs_wordllama
async def test_compare_models_measures_the_effect_of_a_change(yard, wordllama, embedder):
    async with yard.opened(wordllama, embedder) as layer:
        await layer.remember(yard.agent, [NewMemory(type="fact", content=line) for line in MEMORIES])
        for question, answer in QUESTIONS[:12]:
            context = await layer.pre_turn(Turn(agent_id=yard.agent, session_id="talk", text=question))
            await layer.post_turn(context, Outcome(response=answer))
        await layer.admin.reembedding.begin(yard.agent, NEW)
        await layer.admin.reembedding.fill(yard.agent, NEW, Pace(load=1))
        comparison = await layer.admin.compare_models(yard.agent, NEW)
        assert (comparison.old, comparison.new, comparison.turns) == (OLD, NEW, 12)
        assert 0.2 < comparison.overlap < 0.95
        assert comparison.judged > 0
        assert comparison.old_recall > 0.8  # the used memories were found by the old model
        assert await layer.admin.reembedding.live(yard.agent) == OLD
        assert (await layer.admin.compare_models(yard.agent, OLD)).overlap == 1.0


class Breaking(Hashed):
    """An embedder that fails once, in its n-th batch."""

    def __init__(self, *args, at: int) -> None:
        super().__init__(*args)
        self._left = at

    def embed(self, texts):
        self._left -= len(texts) > 1
        if self._left == 0:
            raise RuntimeError("out of memory")
        return super().embed(texts)


async def test_failed_batch_is_resumed_and_no_memory_is_embedded_twice(yard, ask):
    async with yard.opened(old()) as layer:
        await layer.remember(yard.agent, [NewMemory(type="fact", content=line) for line in MEMORIES[:40]])
    for at in range(1, 8):
        model = Breaking(f"test/breaking-{at}", 32, 1, at=at)
        async with yard.opened(old(), model) as layer:
            await layer.admin.reembedding.begin(yard.agent, model.model)
            with suppress(EmbeddingError):
                await layer.admin.reembedding.fill(yard.agent, model.model, Pace(batch=8, load=1))
                assert at > 5
            assert await layer.admin.reembedding.fill(yard.agent, model.model, Pace(batch=8, load=1)) == 0
        assert await ask(VECTORS, model.model) == 40
        assert len(model.texts) - 1 == 40  # one more text was embedded for warming up


async def test_cancelled_reembedding_is_finished_by_the_next_worker(yard, ask):
    async with yard.opened(old(), new()) as layer:
        await layer.remember(yard.agent, [NewMemory(type="fact", content=line) for line in MEMORIES[:60]])
        await layer.admin.reembedding.begin(yard.agent, "test/new")
        for ticks in range(1, 400, 23):
            task = asyncio.create_task(layer.admin.reembedding.fill(yard.agent, "test/new", Pace(batch=4, load=1)))
            for _ in range(ticks):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await layer.admin.reembedding.fill(yard.agent, "test/new", Pace(batch=4, load=1)) == 0
    assert await ask(VECTORS, "test/new") == await ask(VECTORS, "test/old") == 60


READS = re.compile(r"<#>|<=>|<->|(?<!cognitive)\.embedding\b")
# Not what reads only the names of the models.
SOURCES = re.compile(r"(?<!SELECT model FROM )cognitive\.(?:embedding|turn_embedding)\b(?! ?\()")


def test_every_statement_that_reads_vectors_names_one_model():
    """Each use of a table of vectors is followed by a condition on its model, or takes the first model of a memory.

    The condition names a parameter, or the model of the vector that is compared with the others.
    """
    seen = 0
    for file in sorted((CHECKOUT / "brain" / "statements").glob("*.sql")):
        for name, statement in statements.parse(file.read_text(encoding="utf-8")).items():
            body = "\n".join(line for line in statement.sql.splitlines() if not line.lstrip().startswith("--"))
            if not READS.search(body) or not SOURCES.search(body):
                continue
            if body.startswith("INSERT") or name in (
                "own_turns",
                "move_memories",
            ):  # these write vectors and compare none
                continue
            pieces = SOURCES.split(body)[1:]
            named = [re.search(r"\bmodel = (\$\d+|own\.model)|ORDER BY e\.model LIMIT 1", piece) for piece in pieces]
            assert all(named), f"{file.name}: {name}"
            assert len({match[1] for match in named} - {"own.model"}) == 1, f"{file.name}: {name}"
            seen += 1
    assert seen >= 4
