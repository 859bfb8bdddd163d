"""One simulated conversation of the soak test, which runs turns one after another as a host would."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import Any, TypeVar
from uuid import UUID

import httpx

from benchmarks.soak.report import SoakReport, mark
from cognitive import Message, NewMemory, Outcome, ToolCall, Turn
from cognitive.client import CognitiveClient, NotAllowed
from cognitive.errors import CognitiveError
from cognitive.turn import TurnContext

T = TypeVar("T")

AGENTS = 20
TOPICS = ("crane", "harbour", "ledger", "turbine", "orchard", "cellar", "violin", "glacier", "bakery", "compass")
TYPES = ("decision", "fact", "procedure", "episode")
TALK = 40  # messages that a client hands in
OUTPUT = 20_000  # characters of a large tool's output


@dataclass(frozen=True, slots=True)
class SoakRun:
    """The objects that all concurrent sessions of one soak run share: the server's URL, the time limit, the report."""

    ledger: SoakReport
    url: str
    until: float
    pause: float
    clients: dict[str, str]  # tokens by agent


class SoakSession:
    """One simulated conversation of a soak run: a user and a host that run turns one after another."""

    def __init__(
        self, soak: SoakRun, client: CognitiveClient, http: httpx.AsyncClient, agent: str, n: int, seed: int
    ) -> None:
        self._soak, self._client, self._http = soak, client, http
        self._agent, self._id = agent, f"s{n}"
        self._mark = mark(agent, self._id)
        self._chance = random.Random(f"{seed}/{agent}/{n}")
        self._talk: list[Message] = []
        self._count = 0

    async def run(self) -> None:
        """Run turns until the time of the soak run is over."""
        await self._wait(self._soak.pause)
        while monotonic() < self._soak.until:
            if self._chance.random() < 0.3:
                await self._remember()
            await self._turn()
            await self._wait(self._soak.pause)

    async def _turn(self) -> None:
        self._count += 1
        context = await self._prepared()
        if context is None:
            return
        recalled = await self._recalled(context) if self._chance.random() < 0.25 else ()
        await self._wait(self._soak.pause)
        if self._chance.random() < 0.03:
            self._soak.ledger.left_open.add((self._agent, context.turn_id))
            self._soak.ledger.counts["turns left open"] += 1
            return
        await self._settled(context, recalled)

    async def _prepared(self) -> TurnContext | None:
        ledger, turn_id = self._soak.ledger, str(UUID(int=self._chance.getrandbits(128), version=4))
        turn = Turn(
            agent_id=self._agent,
            session_id=self._id,
            turn_id=turn_id,
            conversation=tuple(self._talk[-TALK:]),
            text=f"When was the {self._chance.choice(TOPICS)} inspected, number {self._count}? {self._mark}",
        )
        if self._chance.random() < 0.03:
            await self._gone(self._client.pre_turn(turn))  # the turn is recorded although no client saw it
            ledger.uncertain.add((self._agent, turn_id))
            if self._chance.random() < 0.5:
                return None
        context = await self._timed("pre_turn", lambda: self._client.pre_turn(turn))
        ledger.add_context(context)
        return context

    async def _remember(self) -> None:
        ledger, topic = self._soak.ledger, self._chance.choice(TOPICS)
        memory = NewMemory(
            type=self._chance.choice(TYPES),
            session_id=self._id,
            source=f"{self._id}-{self._count}",
            content=f"The {topic} was inspected for the {self._count}th time and found {self._word()}. {self._mark}",
        )
        if self._chance.random() < 0.05:
            await self._gone(self._client.remember(self._agent, [memory]))
        await self._timed("remember", lambda: self._surely(lambda: self._client.remember(self._agent, [memory])))
        ledger.remembered[self._agent] += 1

    async def _recalled(self, context: TurnContext) -> tuple[UUID, ...]:
        query, ledger = f"the {self._chance.choice(TOPICS)} {self._word()}", self._soak.ledger
        if self._chance.random() < 0.1:
            await self._stranger()
        if self._chance.random() < 0.5:
            hits = await self._timed(
                "recall",
                lambda: self._surely(
                    lambda: self._client.recall(self._agent, query, limit=3, turn_id=context.turn_id), context
                ),
            )
            ledger.check_markers("recalls", self._agent, None, [hit.content for hit in hits])
            return tuple(hit.memory_id for hit in hits)
        found = await self._timed("recall by MCP", lambda: self._by_mcp(query, context.turn_id))
        ledger.check_markers("recalls by MCP", self._agent, None, [json.dumps(found)])
        return tuple(UUID(each["id"]) for each in found.get("memories", ()))

    async def _by_mcp(self, query: str, turn_id: str) -> dict[str, Any]:
        call = {
            "name": "recall_context",
            "arguments": {"query": query, "limit": 3},
            "_meta": {"cognitive/turn_id": turn_id},
        }
        answer = await self._http.post(
            f"{self._soak.url}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            headers={
                "Authorization": f"Bearer {self._soak.clients[self._agent]}",
                "Accept": "application/json, text/event-stream",
            },
        )
        if answer.status_code != 200 or "error" in answer.json() or answer.json()["result"].get("isError"):
            self._soak.ledger.errors[f"MCP: {answer.status_code} {answer.text[:200]}"] += 1
            self._soak.ledger.uncertain.add((self._agent, turn_id))
            return {}
        found: dict[str, Any] = answer.json()["result"]["structuredContent"]
        return found

    async def _stranger(self) -> None:
        other = f"agent{(int(self._agent[5:]) + 1) % AGENTS}"
        try:
            await self._client.recall(other, "the crane")
        except NotAllowed:
            self._soak.ledger.counts["strangers refused"] += 1
        else:
            self._soak.ledger.violations["mixed up: a stranger was let in"] += 1

    async def _settled(self, context: TurnContext, recalled: tuple[UUID, ...]) -> None:
        chance, ledger = self._chance.random(), self._soak.ledger
        outcome = self._outcome(context)
        put = self._putting(context, outcome)
        if chance < 0.05:
            await self._gone(self._client.post_turn(context, outcome))
        if chance > 0.95:
            reports = list(await asyncio.gather(put(), put()))
            ledger.counts["outcomes at once"] += 1
            if all(report.recorded for report in reports) and not any(each.duplicate for each in reports):
                ledger.violations["post_turn: two at once, and both were the first"] += 1
        else:
            reports = [await self._timed("post_turn", put)]
        for report in reports:
            ledger.add_outcome(context, outcome.status, report, recalled)
        if chance > 0.87:
            changed = outcome.model_copy(update={"status": "failed", "response": "Something else."})
            again = await self._putting(context, changed)()
            ledger.add_outcome(context, changed.status, again, recalled)
            ledger.counts["outcomes repeated"] += 1
            if again.recorded and not again.duplicate:  # what goes to the journal may have been counted before
                ledger.violations["post_turn: repeated, and counted again"] += 1
        self._said(context, outcome)

    def _putting(self, context: TurnContext, outcome: Outcome) -> Callable[[], Awaitable[Any]]:
        return lambda: self._surely(lambda: self._client.post_turn(context, outcome))

    def _outcome(self, context: TurnContext) -> Outcome:
        status = self._chance.choices(("completed", "failed", "abandoned"), (85, 10, 5))[0]
        quoted = "No."
        if context.shown and self._chance.random() < 0.5:  # the marker of another session is not this one's to say
            quoted = self._chance.choice(context.shown).content.partition(" zq-")[0]
        calls: tuple[ToolCall, ...] = ()
        if self._chance.random() < 0.2:
            lines = "\n".join(f"{self._mark} {n} {self._word()}" for n in range(OUTPUT // 40))
            calls = (ToolCall(id=f"call-{self._count}", name="read_log", arguments={"n": self._count}, result=lines),)
        return Outcome(response=f"{quoted} {self._mark}", status=status, tool_calls=calls)

    def _said(self, context: TurnContext, outcome: Outcome) -> None:
        self._talk.append(context.user_message)
        for call in outcome.tool_calls:
            bare = call.model_copy(update={"result": None})
            self._talk.append(Message(role="assistant", tool_calls=(bare,)))
            self._talk.append(Message(role="tool", content=call.result, tool_call_id=call.id))
        self._talk.append(Message(role="assistant", content=outcome.response))
        del self._talk[: -2 * TALK]

    async def _gone(self, call: Awaitable[Any]) -> None:
        """Start a request and abort it in the middle, as a client does that disconnects."""
        task = asyncio.ensure_future(call)
        await asyncio.wait([task], timeout=self._chance.uniform(0.0, 0.06))
        self._soak.ledger.counts["clients gone"] += not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _surely(self, call: Callable[[], Awaitable[T]], turn: TurnContext | None = None) -> T:
        """Repeat a call until it is answered, as a host with a queue does, and return the answer.

        If `turn` is given, the call is a recall in this turn, and unanswered attempts are recorded: the server may have
        counted them.
        """
        while True:
            try:
                return await call()
            except CognitiveError as error:
                if turn is not None:
                    self._soak.ledger.uncertain.add((self._agent, turn.turn_id))
                self._soak.ledger.errors[f"{type(error).__name__}: {str(error)[:120]}"] += 1
                await self._wait(1.0)

    async def _timed(self, name: str, call: Callable[[], Awaitable[T]]) -> T:
        began = perf_counter()
        done = await call()
        self._soak.ledger.seconds[name].append(perf_counter() - began)
        return done

    async def _wait(self, mean: float) -> None:
        await asyncio.sleep(self._chance.uniform(0.2 * mean, 1.8 * mean))

    def _word(self) -> str:
        return self._chance.choice(("sound", "rusty", "late", "twice its size", "in good order", "without a key"))
