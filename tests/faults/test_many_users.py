"""Promise P4: 200 users of one agent never see each other's words, though calls are cancelled and connections lost."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from datetime import UTC, datetime

import asyncpg
import pytest
from erased import WordEmbedder

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn
from cognitive.errors import CognitiveError
from tests.integration.test_users import SCOPED
from tests.internals import internals

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
USERS = 200
CALLS = 400
AT_ONCE = 12


def canary(user: int) -> str:
    return f"kanari{user:03}"


class Caller:
    """Makes random calls as one user, and checks that each answer has no other user's canary."""

    def __init__(self, layer: CognitiveLayer, agent: str, user: int, chance: random.Random) -> None:
        self._layer, self._agent, self._user, self._chance = layer, agent, user, chance
        self._name, self._word = f"user-{user}", canary(user)

    async def call(self, number: int) -> object:
        calls = (self.turn, self.turn, self.remember, self.recall, self.change, self.work, self.forget)
        return await self._chance.choice(calls)(number)

    async def turn(self, number: int) -> object:
        log = "\n".join(f"{self._word} line {n}" for n in range(700))
        conversation = (
            Message(role="assistant", tool_calls=(ToolCall(id="c", name="read"),)),
            Message(role="tool", content=log, tool_call_id="c"),
        )
        turn = Turn(
            agent_id=self._agent,
            session_id="s",  # of the same name for all users, like the turns
            turn_id=f"t{number % 5}",
            user_id=self._name,
            text=f"Where does the {self._word} sleep today?",
            conversation=conversation if number % 4 == 0 else (),
        )
        context = await self._layer.pre_turn(turn)
        report = await self._layer.post_turn(context, Outcome(response=f"The {self._word} sleeps in the barn."))
        return context, report

    async def remember(self, number: int) -> object:
        fact = f"The {self._word} sleeps in barn {number}."
        memory = NewMemory(
            type="fact", content=fact, user_id=self._name, source=f"s{number % 3}", pinned=number % 9 == 0
        )
        return await self._layer.remember(self._agent, [memory])

    async def recall(self, number: int) -> object:
        return await self._layer.recall(self._agent, "Which one sleeps in the barn?", limit=50, user_id=self._name)

    async def change(self, number: int) -> object:
        hits = await self._layer.recall(self._agent, "barn", user_id=self._name)
        if not hits:
            return None
        text = f"The {self._word} moved {number}."
        return await self._layer.update(self._agent, hits[0].memory_id, content=text, by="host", user_id=self._name)

    async def work(self, number: int) -> object:
        await self._layer.work.plan(self._agent, "s", [f"Feed the {self._word}"], user_id=self._name)
        await self._layer.work.begin(self._agent, "s", f"Wash the {self._word}", user_id=self._name)
        return await self._layer.resume(self._agent, "s", user_id=self._name)

    async def forget(self, number: int) -> object:
        found = await self._layer.admin.find(self._agent, limit=2, user_id=self._name)
        return await self._layer.forget(self._agent, [memory.id for memory in found[:1]], user_id=self._name)


async def interrupted(task: asyncio.Task, steps: int) -> None:
    """Cancel a task after some steps of the event loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()


async def test_200_users_see_only_their_own_words_whatever_fails(urls, agent):
    chance, answers = random.Random(7), 0
    admin = await asyncpg.connect(urls.admin)
    policy = Policy(capture="exchange", deadline_ms=5_000)
    async with CognitiveLayer.open(urls.app, embedder=WordEmbedder(), policy=policy) as layer:
        running = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> None:
            nonlocal answers
            user = chance.randrange(USERS)
            async with running:
                task = asyncio.create_task(Caller(layer, agent, user, chance).call(number))
                if number % 5 == 0:
                    await interrupted(task, chance.randrange(200))
                if number % 60 == 0:
                    await admin.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE application_name = 'cognitive-layer' AND pid <> pg_backend_pid()"
                    )
                with suppress(CognitiveError, asyncio.CancelledError):
                    answer = repr(await task)
                    others = {word for n in range(USERS) if (word := canary(n)) in answer} - {canary(user)}
                    assert not others, (number, others)
                    answers += 1

        await asyncio.gather(*map(one, range(CALLS)))
        await internals(layer).background.drain()
    assert answers > CALLS / 2
    for table in SCOPED:
        rows = await admin.fetch(
            f"SELECT user_id, t::text AS row FROM cognitive.{table} AS t WHERE agent_id = $1", agent
        )
        for row in rows:
            own = canary(int(row["user_id"].removeprefix("user-"))) if row["user_id"] else ""
            assert not {word for n in range(USERS) if (word := canary(n)) in row["row"]} - {own}, table
    await admin.close()
