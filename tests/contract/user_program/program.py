"""A user's program with every public call. `test_typing.py` checks its types; it is not run."""

# ruff: noqa: T201
from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import UUID

from cognitive import (
    Blocking,
    CognitiveError,
    CognitiveLayer,
    Degradation,
    Message,
    NewMemory,
    Outcome,
    Policy,
    Tool,
    ToolCall,
    Turn,
    TurnRef,
    action_prompt,
)
from cognitive.client import CognitiveClient

NOW = datetime.now(UTC)
TOOLS = [Tool(name="tides", description="High water.", intent_keywords=["tide"], category=["coding"])]
HISTORY = [Message(role="assistant", content="", tool_calls=[ToolCall(name="tides", id="1")]), Message(role="user")]


def memory(tags: list[str]) -> NewMemory:
    return NewMemory(type="fact", content="The key hangs there.", tags=tags, entities=["key"], occurred_at=NOW)


def turn() -> Turn:
    return Turn(agent_id="a", session_id="s", text="Where?", conversation=HISTORY, tools=TOOLS, attachments=["x"])


async def asynchronous() -> None:
    policy = Policy(deadline_ms=1000, capture="exchange").changed({"usage.half_life_days": 3})
    async with CognitiveLayer.open("postgresql://x", policy=policy, redact=str.strip) as layer:
        ids: list[UUID] = await layer.remember("a", [memory(["keys"])])
        context = await layer.pre_turn(turn())
        messages: list[Message] = [*context.prompt("system"), action_prompt()]
        window = await layer.fit(context, messages)
        shown: list[str] = [each.content for each in context.shown]
        missing: tuple[Degradation, ...] = context.degraded
        report = await layer.post_turn(context, Outcome(response="There.", citations=ids, tool_calls=[]))
        used: list[bool] = [each.referenced for each in report.attributions]
        layer.settle(TurnRef("a", "t"), Outcome(status="failed"))
        await layer.flush()
        hits = await layer.recall("a", "key", "fact", 3, tags=["keys"], where={"tags": {"in": ["keys"]}})
        for hit in hits:
            await layer.update("a", hit.memory_id, content="It hangs here.")
            await layer.rate("a", context.turn_id, hit.memory_id, useful=True)
        print(shown, missing, used, window.messages, hits.more, (await layer.get("a", ids))[0].content)
        print((await layer.why("a", context.turn_id, ids[0])).summary)
        print([each.status for each in await layer.explain.turns("a", session_id="s")])
        print((await layer.policies.effective("a")).live.deadline_ms, (await layer.health()).findings)
        print(await layer.resume("a", "s"), await layer.end_session("a", "s"))
        await layer.work.plan("a", "s", ["one", "two"])
        await layer.retire("a", ids)
        await layer.restore("a", ids)
        print((await layer.upkeep.duplicates("a")).items, (await layer.admin.find("a"))[0].tags)
        print([user.turns for user in await layer.admin.users("a", "ada", limit=3)])
        async for line in layer.admin.export("a"):
            print(line)
        print((await layer.forget("a", ids)).memories, (await layer.erase_agent("a")).memories)


def synchronous(lines: Iterable[str]) -> list[UUID]:
    with Blocking.open(policy=Policy(placement="system")) as layer:
        context = layer.pre_turn(turn())
        layer.settle(context, Outcome(response="There."))
        layer.flush(context)
        for hit in layer.recall("a", "key", limit=3):
            print(hit.content, layer.update("a", hit.memory_id, pinned=True).pinned)
        print("".join(layer.admin.export("a")), layer.sessions.artifacts("a", "s"), layer.health().findings)
        print(layer.admin.users("a", after="ada")[0].last_at)
        print(layer.policies.current("a").deadline_ms, layer.explain.turns("a")[0].status)
        try:
            return layer.admin.import_lines("a", lines)
        except CognitiveError:
            return layer.remember("a", [memory([])])


def started() -> None:
    layer = Blocking.start(policy=Policy())
    print(layer.recall("a", "key"))
    layer.close()


async def remote() -> None:
    async with CognitiveClient.open("http://127.0.0.1:8765", token="t") as client:
        context = await client.pre_turn(turn())
        await client.post_turn(context, Outcome(response="There."))
        print((await client.recall("a", "key"))[0].content)


asyncio.run(asynchronous())
