"""Helpers of the erasure tests: store a secret everywhere an agent stores text, and search for it there."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
import pytest

from brain.changes.backfill import Pace
from brain.embedded import ServerUrls
from brain.ivf_index import IvfIndex
from brain.journal import Journal
from brain.preparing import identity
from brain.text import normalise
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SECRET = "The vault behind the aquarium opens with heliotrope seven marzipan nineteen."
FIRST = "It was once kept open by a wedge of petrified nougat and two brass thimbles."  # the memory's earlier content
WORDS = ("heliotrope", "marzipan", "nougat", "thimbles")  # words that occur in the two texts above only
ASKED = "What opens the vault behind the aquarium?"
POLICY = Policy(abstention=False, deadline_ms=5_000, capture="exchange", window={"max_messages": 4, "max_chars": 2_000})
CUT = ("turns_cut", "sessions_cut", "subtasks_cut", "notes_cut", "memories_cut", "artifacts", "revisions")
OTHER = Policy(abstention=False, limits={"default": 1})
LATER = "test/erased-words-2"


class WordEmbedder:
    """An embedder with vectors of hashed words, equal in every process."""

    dimension = 64

    def __init__(self, model: str = "test/erased-words") -> None:
        self.model = model

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.strip(".,?!").encode()) % self.dimension] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class InterruptingEmbedder(WordEmbedder):
    """An embedder that runs `meanwhile` once, while it embeds a text that contains `awaited`."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self._awaited = awaited
        self._loop = asyncio.get_running_loop()
        self.meanwhile: Callable[[], Coroutine[Any, Any, object]] | None = None

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.meanwhile is not None and any(self._awaited in text for text in texts):
            meanwhile, self.meanwhile = self.meanwhile, None
            asyncio.run_coroutine_threadsafe(meanwhile(), self._loop).result()
        return super().embed(texts)


@asynccontextmanager
async def undrained(journal: Journal) -> AsyncIterator[None]:
    """Keep the entries of a journal in it, as when Postgres is away. Wait for a drain that has begun."""
    journal.path.parent.mkdir(parents=True, exist_ok=True)  # without the folder there is no lock to hold
    while True:
        with journal.draining() as alone:
            if alone:
                yield
                return
        await asyncio.sleep(0.01)


@dataclass(frozen=True)
class Site:
    """A database, and a data directory of one test."""

    urls: ServerUrls
    directory: Path


@pytest.fixture
def site(urls, tmp_path, monkeypatch) -> Site:
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))
    return Site(urls, tmp_path)


@asynccontextmanager
async def opened(site: Site, **plugins) -> AsyncIterator[CognitiveLayer]:
    parts = {"policy": POLICY, "shadow": OTHER, "embedder": (WordEmbedder(), WordEmbedder(LATER))} | plugins
    async with CognitiveLayer.open(site.urls.app, **parts) as layer:
        yield layer


# --- an agent that uses every feature ---


async def use_every_feature(layer: CognitiveLayer, agent: str) -> tuple:
    """Use every feature with the secret. Return the secret's id and the turns' contexts."""
    [secret] = await layer.remember(
        agent,
        [
            NewMemory(
                type="fact",
                content=FIRST,
                speaker="Ada",
                occurred_at=AT,
                session_id="s",
                tags=("vault",),
                entities=("aquarium",),
                attributes={"subject": "vault"},
            ),
        ],
    )
    await layer.update(agent, secret, content=SECRET)
    *_, once = await layer.remember(
        agent,
        [
            NewMemory(type="episode", content="Yes, since Tuesday.", context=SECRET, occurred_at=AT, session_id="s"),
            NewMemory(type="fact", content="The crane is green.", occurred_at=AT),
            NewMemory(
                type="decision", content="The code stays as it is.", trust="talk", attributes={"rationale": SECRET}
            ),
            *(NewMemory(type="fact", content=f"Bolt {n} is of steel.", occurred_at=AT) for n in range(40)),
            NewMemory(type="procedure", content=f"First of all: {SECRET}", occurred_at=AT),
        ],
    )
    await layer.update(agent, once, content="Ask Ada first.")
    await IvfIndex(internals(layer).database, large=16, size=8).build(agent)
    talk = [Message(role="user" if n % 2 == 0 else "assistant", content=f"{n}: {'crane ' * 60}") for n in range(8)]
    talk += [
        Message(role="user", content=f"Note this: {SECRET}"),
        Message(role="assistant", content=f"Noted. {SECRET}"),
    ]
    contexts = []
    for n in range(3):
        message = f"Is it true? {SECRET}" if n else ASKED
        turn = Turn(agent_id=agent, session_id="s", text=message, conversation=talk if n else (), turn_id=f"turn-{n}")
        context = await layer.pre_turn(turn)
        contexts.append(context)
        await layer.recall(agent, "vault aquarium", turn_id=context.turn_id)
        call = ToolCall(name="read_file", arguments={"path": "vault.txt"}, result=f"{SECRET}\n" + "log line\n" * 4_000)
        await layer.post_turn(context, Outcome(response=SECRET, tool_calls=[call]))
        talk += [Message(role="user", content=context.message), Message(role="assistant", content=SECRET)]
    earlier = await layer.pre_turn(Turn(agent_id=agent, session_id="t", text=f"Was it so? {FIRST}", turn_id="earlier"))
    await layer.post_turn(earlier, Outcome(response="It was."))
    assert secret in {shown.memory_id for shown in contexts[0].shown}
    await layer.rate(agent, "turn-0", secret, useful=True)
    await layer.work.plan(agent, "s", [f"Check that {SECRET}", "Paint the crane"])
    task = await layer.work.begin(agent, "s", "Open the vault")
    await layer.work.complete(agent, task.id, f"Done: {SECRET}")
    await layer.flush()
    await drain_background(layer)
    saved = await layer.policies.save(agent, {"usage.half_life_days": 9}, by="ada", note=f"Since {SECRET}")
    await layer.policies.activate(agent, saved.version, by="ada", note=SECRET)
    await layer.admin.reembedding.begin(agent, LATER)
    await layer.admin.reembedding.fill(agent, LATER, Pace(load=1))
    assert (
        await layer.admin.reembedding.fill_turns(agent, LATER, 100, lambda message, record: message, Pace(load=1)) == 4
    )
    until = datetime.now(UTC) + timedelta(minutes=1)
    await layer.policies.what_if(agent, {"usage.half_life_days": 8}, until - timedelta(days=1), until)
    assert layer.policies._samples._kept
    return secret, contexts


async def drain_background(layer: CognitiveLayer) -> None:
    await internals(layer).background.drain()


# --- places where the secret may be ---


async def tables(site: Site) -> dict[str, list[str]]:
    """Return the rows of every table in the catalog as text, with compressed columns unpacked."""
    connection = await asyncpg.connect(site.urls.admin)
    try:
        names = [
            r["tablename"]
            for r in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive'")
        ]
        found = {}
        for name in names:
            rows = await connection.fetch(f"SELECT t.*, t::text AS whole FROM cognitive.{name} AS t")
            found[name] = [f"{row['whole']} {' '.join(unpacked(tuple(row.values())))}" for row in rows]
        return found
    finally:
        await connection.close()


def unpacked(values) -> Iterator[str]:
    for value in values:
        if isinstance(value, bytes):
            with suppress(zlib.error):
                yield zlib.decompress(value).decode()
        elif isinstance(value, str) and '"record": "' in value:
            yield zlib.decompress(base64.b64decode(json.loads(value)["record"])).decode()


async def places_of_secret(site: Site, agent: str, *others: str) -> list[str]:
    """Return the names of tables and files that hold the secret's words, its hash, or one of `others`."""
    own = {name: [row for row in rows if agent in row] for name, rows in (await tables(site)).items()}
    marks = [*WORDS, digest(), *others]
    inside = [name for name, rows in own.items() if any(mark in normalise(row) for row in rows for mark in marks)]
    return inside + files(site)


def files(site: Site) -> list[str]:
    """Return the names of files in the data directory that hold a word of the secret."""
    ours = [path for path in site.directory.rglob("*") if path.is_file()]
    return [path.name for path in ours if any(word.encode() in path.read_bytes() for word in WORDS)]


def digest() -> str:
    return identity(NewMemory(type="fact", content=SECRET, speaker="Ada", occurred_at=AT, session_id="s")).hex()


async def vectors_of_turns(site: Site, agent: str) -> set[str]:
    """Return the ids of turns that have a vector of any model."""
    connection = await asyncpg.connect(site.urls.admin)
    try:
        rows = await connection.fetch(
            "SELECT turn_id FROM cognitive.turn WHERE agent_id = $1 AND query IS NOT NULL"
            " UNION SELECT turn_id FROM cognitive.turn_embedding WHERE agent_id = $1",
            agent,
        )
    finally:
        await connection.close()
    return {row["turn_id"] for row in rows}


async def vector(site: Site, memory: UUID) -> str:
    """Return the beginning of a memory's vector as text."""
    connection = await asyncpg.connect(site.urls.admin)
    try:
        text = await connection.fetchval("SELECT embedding::text FROM cognitive.embedding WHERE memory_id = $1", memory)
    finally:
        await connection.close()
    return text[1:60]


def in_this_process() -> list[str]:
    """Return the cache keys of this process that contain the secret, except the tests' own constant."""
    gc.collect()
    held = []
    for thing in gc.get_objects():
        if isinstance(thing, dict) and type(thing).__name__ in ("dict", "OrderedDict"):
            held += [key for key in list(thing) if isinstance(key, str) and WORDS[0] in key and key != SECRET]
    return held
