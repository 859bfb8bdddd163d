"""The round trips to Postgres that a turn and a recall take, counted on the connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

import pytest

from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn
from tests.internals import internals

FACTS = [
    NewMemory(type="fact", content=f"The {colour} key opens door {n}.") for n, colour in enumerate(("red", "blue"))
]


class Counter:
    """A relay in front of a server on a unix socket that counts the messages after which a client waits."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        self._upstream = f"{asked['host']}/.s.PGSQL.{asked.get('port', '5432')}"
        self._login = f"postgresql://{parts.username}@127.0.0.1:{{port}}{parts.path}?sslmode=disable"
        self._tasks: set[asyncio.Task[None]] = set()
        self.messages = 0
        self.url = ""

    @asynccontextmanager
    async def run(self) -> AsyncIterator[Counter]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = self._login.format(port=server.sockets[0].getsockname()[1])
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_unix_connection(self._upstream)
        tasks = [asyncio.create_task(self._to_server(reader, forth)), asyncio.create_task(_copy(back, writer))]
        self._tasks.update(tasks)

    async def _to_server(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            length = await reader.readexactly(4)  # the first message has no type
            writer.write(length + await reader.readexactly(int.from_bytes(length, "big") - 4))
            while True:
                head = await reader.readexactly(5)
                writer.write(head + await reader.readexactly(int.from_bytes(head[1:], "big") - 4))
                self.messages += head[:1] in (b"Q", b"S")
        writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


@pytest.fixture
async def counter(urls):
    async with Counter(urls.app).run() as counter:
        yield counter


async def background(layer: CognitiveLayer, agent: str) -> None:
    """Wait for the work that a turn leaves behind."""
    await internals(layer).session_manager.writer.wait_for(agent)
    await internals(layer).capture.wait_for(agent)


@pytest.mark.parametrize(("capture", "after"), [("off", 4), ("exchange", 10)])
async def test_turn_and_recall_take_few_round_trips(counter, embedder, agent, capture, after):
    policy = Policy(deadline_ms=30_000, capture=capture)
    async with CognitiveLayer.open(counter.url, policy=policy, embedder=embedder) as layer:
        await layer.remember(agent, FACTS)

        async def recall() -> int:
            start = counter.messages
            assert await layer.recall(agent, "Which door does the red key open?")
            return counter.messages - start

        async def turn(n: int) -> tuple[int, int]:
            start = counter.messages
            turn = Turn(agent_id=agent, session_id="s", text="Which door does the red key open?", turn_id=f"t{n}")
            context = await layer.pre_turn(turn)
            prepared = counter.messages
            await background(layer, agent)
            recorded = counter.messages
            assert (bool(context.shown), context.degraded) == (True, ())
            assert (await layer.post_turn(context, Outcome(response=f"The red key opens door 0, turn {n}."))).recorded
            posted = counter.messages
            await background(layer, agent)
            return prepared - start, posted - recorded

        # the first calls of a connection prepare statements
        recalls, turns = [await recall() for _ in range(6)], [await turn(n) for n in range(12)]
        before, afterwards = zip(*turns, strict=True)
        assert (min(recalls), min(before)) == (4, 6), (recalls, before)
        assert min(afterwards) == after, afterwards


async def test_hiding_memories_of_many_users_takes_few_round_trips(counter, embedder, agent, monkeypatch):
    monkeypatch.setattr("cognitive.api.memories.BATCH", 16)
    memories = [NewMemory(type="fact", content=f"Room {n}.", user_id=f"user {n}") for n in range(24)]
    async with CognitiveLayer.open(counter.url, embedder=embedder) as layer:
        ids = await layer.remember(agent, memories)
        for call, reason in ((layer.retire, "retired"), (layer.restore, None)):
            start = counter.messages
            assert {each.hidden_reason for each in await call(agent, ids, user_id=ALL_USERS)} == {reason}
            assert counter.messages - start < 100
