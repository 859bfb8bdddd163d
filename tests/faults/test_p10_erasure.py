"""P10: what is erased leaves no text, hash or vector of itself in any table, in our files, or in this process."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import re
import threading
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

from brain.cells import Cells
from brain.changes.filling import Pace
from brain.embedded import ServerUrls
from brain.erasure import derived
from brain.erasure.remains import Remains
from brain.store import identity
from brain.text import normalise
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn, TurnRef
from cognitive.errors import InvalidInput, UnknownMemory, UnknownTurn
from cognitive.feedback.settle import opened as recorded
from cognitive.server.hooks import Hooks
from cognitive.server.kept import Contexts

pytestmark = pytest.mark.promise(number=10)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SECRET = "The vault behind the aquarium opens with heliotrope seven marzipan nineteen."
FIRST = "It was once kept open by a wedge of petrified nougat and two brass thimbles."  # what the memory said before
WORDS = ("heliotrope", "marzipan", "nougat", "thimbles")  # of these, and of nothing else in the world of these tests
ASKED = "What opens the vault behind the aquarium?"
POLICY = Policy(abstention=False, deadline_ms=5_000, capture="exchange", window_messages=4, window_characters=2_000)
CUT = ("turns_cut", "sessions_cut", "subtasks_cut", "notes_cut", "memories_cut", "artifacts", "revisions")
OTHER = Policy(abstention=False, default_limit=1)
LATER = "test/erased-words-2"


class WordEmbedder:
    """Small and exact: a vector of hashed words, the same in every process."""

    dimension = 64

    def __init__(self, model: str = "test/erased-words") -> None:
        self.model = model

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.strip(".,?!").encode()) % self.dimension] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Interrupted(WordEmbedder):
    """Has something done once while it embeds what it waits for: in the middle of whatever needs those vectors."""

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


@dataclass(frozen=True)
class Site:
    """A database, and a data directory that is this test's alone."""

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


# --- an agent that used everything ---


async def lived(layer: CognitiveLayer, agent: str) -> tuple:
    """A life in which the secret got everywhere. Returns the secret's id and the contexts that a host may hold."""
    [secret] = await layer.remember(agent, [
        NewMemory(type="fact", content=FIRST, speaker="Ada", occurred_at=AT, session_id="s",
                  tags=("vault",), entities=("aquarium",), attributes={"subject": "vault"}),
    ])  # fmt: skip
    await layer.update(agent, secret, content=SECRET)
    *_, once = await layer.remember(agent, [
        NewMemory(type="episode", content="Yes, since Tuesday.", context=SECRET, occurred_at=AT, session_id="s"),
        NewMemory(type="fact", content="The crane is green.", occurred_at=AT),
        NewMemory(type="decision", content="The code stays as it is.", trust="talk", attributes={"rationale": SECRET}),
        *(NewMemory(type="fact", content=f"Bolt {n} is of steel.", occurred_at=AT) for n in range(40)),
        NewMemory(type="procedure", content=f"First of all: {SECRET}", occurred_at=AT),
    ])  # fmt: skip
    await layer.update(agent, once, content="Ask Ada first.")
    await Cells(layer._parts.store._database, large=16, size=8).sort(agent)
    talk = [Message(role="user" if n % 2 == 0 else "assistant", content=f"{n}: {'crane ' * 60}") for n in range(8)]
    talk += [
        Message(role="user", content=f"Note this: {SECRET}"),
        Message(role="assistant", content=f"Noted. {SECRET}"),
    ]
    contexts = []
    for n in range(3):
        asked = f"Is it true? {SECRET}" if n else ASKED
        turn = Turn(agent_id=agent, session_id="s", text=asked, conversation=talk if n else (), turn_id=f"turn-{n}")
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
    await layer.settled()
    await settled(layer)
    saved = await layer.policies.save(agent, {"half_life_days": 9}, by="ada", note=f"Since {SECRET}")
    await layer.policies.activate(agent, saved.version, by="ada", note=SECRET)
    await layer.reembedding.begin(agent, LATER)
    await layer.reembedding.fill(agent, LATER, Pace(load=1))
    assert await layer.reembedding.fill_turns(agent, LATER, 100, lambda message, record: message, Pace(load=1)) == 4
    until = datetime.now(UTC) + timedelta(minutes=1)
    await layer.policies.what_if(agent, {"half_life_days": 8}, until - timedelta(days=1), until)
    assert layer.policies._samples._kept
    return secret, contexts


async def settled(layer: CognitiveLayer) -> None:
    await layer._parts.continuity.finished()
    await layer._parts.shadowing.finished()
    await layer._parts.arrivals.finished()


# --- where it may be ---


async def tables(site: Site) -> dict[str, list[str]]:
    """Every table's rows as text, by the catalogue: a new table is searched without a word here. What is compressed in
    a column is read.
    """
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


async def everywhere(site: Site, agent: str, *others: str) -> list[str]:
    """Names of the tables and files that hold the secret's words, its hash, or what else is looked for."""
    own = {name: [row for row in rows if agent in row] for name, rows in (await tables(site)).items()}
    marks = [*WORDS, digest(), *others]
    inside = [name for name, rows in own.items() if any(mark in normalise(row) for row in rows for mark in marks)]
    return inside + files(site)


def files(site: Site) -> list[str]:
    """Of the data directory, those that hold a word of it."""
    ours = [path for path in site.directory.rglob("*") if path.is_file()]
    return [path.name for path in ours if any(word.encode() in path.read_bytes() for word in WORDS)]


def digest() -> str:
    return identity(NewMemory(type="fact", content=SECRET, speaker="Ada", occurred_at=AT, session_id="s")).hex()


async def vectors_of_turns(site: Site, agent: str) -> set[str]:
    """The turns that have a vector, by whichever model."""
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
    """The beginning of a memory's vector as Postgres tells it."""
    connection = await asyncpg.connect(site.urls.admin)
    try:
        told = await connection.fetchval("SELECT embedding::text FROM cognitive.embedding WHERE memory_id = $1", memory)
    finally:
        await connection.close()
    return told[1:60]


def in_this_process() -> list[str]:
    """Keys of the caches of this process that hold the secret; what these tests hold themselves is not counted."""
    gc.collect()
    held = []
    for thing in gc.get_objects():
        if isinstance(thing, dict) and type(thing).__name__ in ("dict", "OrderedDict"):
            held += [key for key in list(thing) if isinstance(key, str) and WORDS[0] in key and key != SECRET]
    return held


# --- the promise ---


async def test_a_forgotten_memory_is_nowhere(site, agent):
    async with opened(site) as layer:
        secret, contexts = await lived(layer, agent)
        made = await vector(site, secret)
        before = await everywhere(site, agent, made)
        assert set(before) == {
            "memory", "passage", "posting", "embedding", "turn", "session", "piece", "subtask", "revision", "candidate",
            "choice",
        }  # fmt: skip
        asked = await vectors_of_turns(site, agent)
        assert len(asked) == 4
        receipt = await layer.forget(agent, [secret])
        await settled(layer)
        assert await everywhere(site, agent, made) == []
        assert await vectors_of_turns(site, agent) < asked  # of those that said it there is none left
        assert receipt.memories > 1  # what was captured of it said nothing else
        assert all(getattr(receipt, name) for name in CUT)
        assert not layer.policies._samples._kept
        assert (await layer.policies.standing(agent)).live.half_life_days == 9
        assert [hit.content for hit in await layer.recall(agent, "green crane")][:1] == ["The crane is green."]
        with pytest.raises(UnknownMemory):
            await layer.forget(agent, [secret])
        del contexts
        assert in_this_process() == []


async def test_an_erased_agent_is_nowhere_and_stays_so(site, agent):
    async with opened(site) as layer:
        _, contexts = await lived(layer, agent)
        late = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="late"))
        await layer.erase_agent(agent)
        with pytest.raises(UnknownTurn):
            await layer.post_turn(late, Outcome(response=SECRET))
        with pytest.raises(UnknownTurn):
            await layer.post_turn(contexts[0], Outcome(response=SECRET))
        await settled(layer)
        assert {name for name, rows in (await tables(site)).items() if any(agent in row for row in rows)} == {"erasure"}
        assert await everywhere(site, agent) == []
        [erasure] = await layer.erasures(agent)
        assert erasure.what == "agent"
        assert erasure.counts["turns"] == 5
        anew = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Hello again, what is new?"))
        assert (await layer.post_turn(anew, Outcome(response="Nothing."))).recorded


async def test_the_journal_of_a_dead_database_is_cut_too(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        settlement = layer._parts.settlement
        await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
        with layer._parts.journal.drained_by_one():  # what is kept waits, as when Postgres is away
            await settlement._keep(agent, "lost", None, Outcome(response=f"Yes. {SECRET}"))
            await settlement._keep(agent, "t", None, Outcome(response=f"Yes. {SECRET}"))
            assert files(site)
            receipt = await layer.forget(agent, [secret])
            assert receipt.journaled == 2
            assert await everywhere(site, agent) == []
        while layer._parts.journal.count():
            await asyncio.sleep(0.01)
        assert await everywhere(site, agent) == []


async def test_what_is_drained_while_it_is_forgotten_brings_nothing_back(site, agent):
    embedder = Interrupted("Yes.")
    async with opened(site, embedder=embedder) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        with layer._parts.journal.drained_by_one():
            await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
            await layer._parts.settlement._keep(agent, "t", None, Outcome(response=f"Yes. {SECRET}"))
            embedder.meanwhile = lambda: layer.forget(agent, [secret])
        while layer._parts.journal.count():
            await asyncio.sleep(0.01)
        assert await everywhere(site, agent) == []
        assert [memory.content for memory in await layer.tagged(agent, ["captured"])][:1] == ["Is it so? [erased]."]


async def test_an_outcome_of_a_turn_that_was_prepared_before_captures_what_is_left_of_its_message(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        before = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="t"))
        await layer.forget(agent, [secret])
        await layer.post_turn(before, Outcome(response="Nobody knows."))
        assert [memory.content for memory in await layer.tagged(agent, ["captured"])][:1] == ["Is it so? [erased]."]
        assert await everywhere(site, agent) == []


async def test_what_is_captured_while_it_is_forgotten_goes_too(site, agent):
    embedder = Interrupted("[erased]")
    async with opened(site, embedder=embedder) as layer, opened(site, embedder=WordEmbedder()) as another:
        talk = NewMemory(type="episode", content=f"Well. {SECRET}", occurred_at=AT, trust="talk")
        [secret, _] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT), talk])
        later = talk.model_copy(update={"content": f"So it is. {SECRET}"})
        embedder.meanwhile = lambda: another.remember(agent, [later])
        receipt = await layer.forget(agent, [secret])
        assert (receipt.memories, receipt.memories_cut) == (1, 2)
        assert {memory.content for memory in await layer.tagged(agent, [])} == {
            "Well. [erased].",
            "So it is. [erased].",
        }
        assert await everywhere(site, agent) == []


async def test_a_replay_of_a_turn_that_showed_it_says_so_and_of_one_that_said_it_too(site, agent):
    async with opened(site) as layer:
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        showed = await layer.pre_turn(Turn(agent_id=agent, session_id="a", text=ASKED, turn_id="showed"))
        assert secret in {shown.memory_id for shown in showed.shown}
        await layer.pre_turn(Turn(agent_id=agent, session_id="b", text=f"Is it so? {SECRET}", turn_id="said"))
        await layer.forget(agent, [secret])
        replay = await layer.replay(agent, "showed")
        assert (replay.verdict, secret in replay.gone) == ("changed since", True)
        assert "erased" in replay.because
        with pytest.raises(InvalidInput, match="erased"):
            await layer.replay(agent, "said")
        assert (await layer.account(agent, "said")).message == "Is it so? [erased]."


async def test_memories_that_were_handed_over_and_say_the_same_stay_and_are_told(site, agent):
    async with opened(site) as layer:
        ids = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, source=source) for source in "ab"])
        receipt = await layer.forget(agent, ids[:1])
        assert (receipt.memories, receipt.restated) == (1, 1)
        assert [memory.content for memory in await layer.get(agent, ids)] == [SECRET]


async def test_prepared_turns_that_wait_in_a_server_let_go_of_it(site, agent):
    async with opened(site) as layer:
        kept, hooks = Contexts(8), Hooks(layer)
        layer.forgetting.holds(kept.let_go)
        [secret] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET, occurred_at=AT)])
        kept.keep(await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED, turn_id="held")))
        kept.keep(await layer.pre_turn(Turn(agent_id=f"{agent}-2", session_id="s", text=ASKED, turn_id="theirs")))
        asked = {"session_id": "hooked", "prompt": ASKED, "prompt_id": "p"}
        await hooks.on("user-prompt-submit", json.dumps(asked).encode(), agent=agent)
        await layer.forget(agent, [secret])
        assert kept.of(agent, "held") == TurnRef(agent, "held")
        assert len(kept) == 1
        assert isinstance(next(iter(hooks._sessions.values())).open.turn, TurnRef)
        assert (await layer.post_turn(kept.of(agent, "held"), Outcome(response="I do not know."))).recorded


async def test_an_outcome_in_another_machines_journal_does_not_bring_an_erased_agent_back(
    site, agent, tmp_path, monkeypatch
):
    async with opened(site) as elsewhere:
        context = await elsewhere.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="t"))
        await elsewhere.post_turn(context, Outcome(response=SECRET))
        async with opened(site) as here:
            await here.erase_agent(agent)
        await elsewhere._parts.settlement._keep(agent, "t", recorded(context), Outcome(response=SECRET))
        entry = await asyncio.to_thread(elsewhere._parts.settlement._journal.find, agent, "t")
        if entry is not None:  # or the journal was drained already, which is what is asked here
            await elsewhere._parts.settlement.drain(entry)
        assert await everywhere(site, agent) == []
        assert await elsewhere.turns(agent) == []


def without(text: str) -> str:
    """A redactor of the words that are looked for here."""
    return re.sub("|".join(WORDS), "[flower]", text, flags=re.IGNORECASE)


async def test_what_is_redacted_is_stored_nowhere_and_the_model_still_reads_the_message(site, agent):
    async with opened(site, redact=without) as layer:
        secret, contexts = await lived(layer, agent)
        assert await everywhere(site, agent) == []
        assert contexts[1].message == f"Is it true? {SECRET}"
        assert SECRET in contexts[1].prompt()[-1].content
        assert (await layer.get(agent, [secret]))[0].content == without(SECRET)
        assert (await layer.replay(agent, "turn-0")).verdict == "identical"
        settlement = layer._parts.settlement
        settlement.keep_opening(agent, recorded(contexts[2]))
        await settlement.kept()
        assert files(site) == []


class Broken:
    """A redactor that works, until it is told to hang or to fail."""

    def __init__(self) -> None:
        self.fault, self.released, self.ended = "", threading.Event(), 0

    def __call__(self, text: str) -> str:
        if self.fault == "hangs":
            self.released.wait(60)
        self.ended += 1
        if self.fault == "raises":
            raise RuntimeError(text)
        return without(text)


@pytest.fixture
def redactor() -> Iterator[Broken]:
    broken = Broken()
    yield broken
    broken.released.set()


async def test_what_a_redactor_raises_on_is_withheld(site, agent, redactor):
    async with opened(site, redact=redactor) as layer:
        redactor.fault = "raises"
        [id] = await layer.remember(agent, [NewMemory(type="fact", content=SECRET)])
        assert (await layer.get(agent, [id]))[0].content == "[withheld]"
        assert await everywhere(site, agent) == []


@pytest.mark.parametrize(("fault", "reason"), [("hangs", "not in time"), ("raises", "the redactor failed")])
async def test_a_turn_does_not_wait_for_its_redactor_and_says_what_it_lacks(site, agent, redactor, fault, reason):
    brief = POLICY.model_copy(update={"deadline_ms": 1_000.0, "post_turn_deadline_ms": 1_000.0})
    async with opened(site, redact=redactor, policy=brief) as layer:
        [crane] = await layer.remember(agent, [NewMemory(type="fact", content="The crane is green.", pinned=True)])
        redactor.fault, redactor.ended = fault, 0
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=SECRET, turn_id="t"))
        assert [each for each in context.degraded if each.startswith(f"redaction: {reason}")]
        assert (context.message, context.shown, context.plan.reasons) == (SECRET, (), ("withheld",))
        assert "green" in context.prefix  # what is pinned is shown whatever is asked
        rated = Outcome(response=f"Yes. {SECRET}", ratings={crane: True})
        assert not (await layer.post_turn(context, rated)).duplicate
        assert (redactor.ended == 0) == (fault == "hangs")
        redactor.released.set()
        await settled(layer)
        while await asyncio.to_thread(layer._parts.journal.count):
            await asyncio.sleep(0.05)
        assert (await layer.turns(agent))[0]["status"] == "completed"
        assert await everywhere(site, agent) == []


async def test_other_turns_go_on_while_memories_wait_for_a_redactor(site, agent, redactor):
    async with opened(site, redact=redactor) as layer:
        redactor.fault = "hangs"
        remembering = asyncio.create_task(layer.remember(agent, [NewMemory(type="fact", content="It is old.")]))
        await asyncio.sleep(0)  # it has come to its redactor
        redactor.fault = ""
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED))
        assert (context.degraded, remembering.done()) == ((), False)
        redactor.released.set()
        assert len(await remembering) == 1


async def test_under_the_lock_only_what_was_written_since_is_looked_at(site, agent):
    async with opened(site) as layer:
        database, remains = layer._parts.store._database, Remains([SECRET])
        since = await database.run(agent, lambda c: c.fetchval(derived.SQL["running"]))
        await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Is it so? {SECRET}", turn_id="since"))
        later = since + 1_000_000
        assert not (await database.run(agent, lambda c: derived.erase(c, agent, remains, later)))["turns"]
        assert (await database.run(agent, lambda c: derived.erase(c, agent, remains, since)))["turns"] == 1
