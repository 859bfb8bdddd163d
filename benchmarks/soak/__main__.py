"""Two hundred conversations at once on one `cognitive serve`, for some minutes: nothing leaks, is mixed up or lost.

    python -m benchmarks.soak --minutes 10 --seed 1

Twenty agents of ten sessions each, through `CognitiveClient` and MCP. Some outcomes are repeated, one after the other
or at once, some are of failed turns, some clients go away in the middle of a request and come back or not. Every text
carries the marker of its session. Afterwards Postgres must hold what the clients were told, to the unit. Prints the
ledger as JSON; exits with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import httpx

from benchmarks.soak.report import SoakReport, compare, mark
from brain.embedded import EmbeddedServer
from brain.journal import Journal, journal_name
from cognitive import Message, NewMemory, Outcome, ToolCall, Turn
from cognitive.client import CognitiveClient, NotAllowed
from cognitive.errors import CognitiveError
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from cognitive.turn import TurnContext

T = TypeVar("T")

AGENTS, SESSIONS = 20, 10
TOPICS = ("crane", "harbour", "ledger", "turbine", "orchard", "cellar", "violin", "glacier", "bakery", "compass")
TYPES = ("decision", "fact", "procedure", "episode")
TALK = 40  # messages that a client hands in
OUTPUT = 20_000  # characters of a large tool's output
MAX_GROWTH = 4.0  # megabytes a minute beside what fills the bounded caches: a leak of 10 KB a turn is more
SETTLED = 2.0  # seconds until no connection is in use
WARM = 0.4  # of the time: caches fill, and the first contexts are not yet let go


@dataclass(frozen=True, slots=True)
class SoakRun:
    """What the sessions share."""

    ledger: SoakReport
    url: str
    until: float
    pause: float
    clients: dict[str, str]  # tokens by agent


class SoakSession:
    """One conversation: its turns come one after the other, as from a host."""

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
        """Turns until the time is over."""
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
            self._soak.ledger.opened.add((self._agent, context.turn_id))
            self._soak.ledger.did["turns left open"] += 1
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
            await self._gone(self._client.pre_turn(turn))  # what it showed to nobody is the turn's record all the same
            ledger.unsure.add((self._agent, turn_id))
            if self._chance.random() < 0.5:
                return None
        context = await self._timed("pre_turn", lambda: self._client.pre_turn(turn))
        ledger.prepared(context)
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
            ledger.saw("recalls", self._agent, None, [hit.content for hit in hits])
            return tuple(hit.memory_id for hit in hits)
        found = await self._timed("recall by MCP", lambda: self._by_mcp(query, context.turn_id))
        ledger.saw("recalls by MCP", self._agent, None, [json.dumps(found)])
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
            self._soak.ledger.unsure.add((self._agent, turn_id))
            return {}
        found: dict[str, Any] = answer.json()["result"]["structuredContent"]
        return found

    async def _stranger(self) -> None:
        other = f"agent{(int(self._agent[5:]) + 1) % AGENTS}"
        try:
            await self._client.recall(other, "the crane")
        except NotAllowed:
            self._soak.ledger.did["strangers refused"] += 1
        else:
            self._soak.ledger.wrong["mixed up: a stranger was let in"] += 1

    async def _settled(self, context: TurnContext, recalled: tuple[UUID, ...]) -> None:
        chance, ledger = self._chance.random(), self._soak.ledger
        outcome = self._outcome(context)
        put = self._putting(context, outcome)
        if chance < 0.05:
            await self._gone(self._client.post_turn(context, outcome))
        if chance > 0.95:
            reports = list(await asyncio.gather(put(), put()))
            ledger.did["outcomes at once"] += 1
            if all(report.recorded for report in reports) and not any(each.duplicate for each in reports):
                ledger.wrong["post_turn: two at once, and both were the first"] += 1
        else:
            reports = [await self._timed("post_turn", put)]
        for report in reports:
            ledger.settled(context, outcome.status, report, recalled)
        if chance > 0.87:
            changed = outcome.model_copy(update={"status": "failed", "response": "Something else."})
            again = await self._putting(context, changed)()
            ledger.settled(context, changed.status, again, recalled)
            ledger.did["outcomes repeated"] += 1
            if again.recorded and not again.duplicate:  # what goes to the journal may have been counted before
                ledger.wrong["post_turn: repeated, and counted again"] += 1
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
        """A client that goes away in the middle of its request."""
        task = asyncio.ensure_future(call)
        await asyncio.wait([task], timeout=self._chance.uniform(0.0, 0.06))
        self._soak.ledger.did["clients gone"] += not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _surely(self, call: Callable[[], Awaitable[T]], turn: TurnContext | None = None) -> T:
        """As a host with a queue would: until it is answered. What a recall found may count in its turn unanswered."""
        while True:
            try:
                return await call()
            except CognitiveError as error:
                if turn is not None:
                    self._soak.ledger.unsure.add((self._agent, turn.turn_id))
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


async def talk(soak: SoakRun, seed: int, patience: float) -> None:
    """All sessions, to their end."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=60, trust_env=False))
        sessions = []
        for agent, token in soak.clients.items():
            for n in range(SESSIONS):
                opening = CognitiveClient.open(soak.url, token=token, pre_turn_seconds=patience)
                sessions.append(SoakSession(soak, await stack.enter_async_context(opening), http, agent, n, seed))
        await asyncio.gather(*(session.run() for session in sessions))


async def idle(url: str, ledger: SoakReport) -> None:
    """Connections at rest, and soon."""
    postgres, began = await asyncpg.connect(url), monotonic()
    try:
        while True:
            states = await postgres.fetch(
                "SELECT coalesce(state, '') AS state, wait_event, query FROM pg_stat_activity"
                " WHERE application_name = 'cognitive-layer' AND coalesce(state, '') <> 'idle'"
            )
            if not states:
                ledger.seconds["until all connections were idle"].append(monotonic() - began)
                return
            if monotonic() - began > SETTLED:
                ledger.wrong[f"connections in use: {[tuple(row) for row in states]}"] += 1
                return
            await asyncio.sleep(0.05)
    finally:
        await postgres.close()


async def journalled(directory: Path, ledger: SoakReport) -> None:
    """What waited for Postgres has found its way; what could not is of turns that the server never knew."""
    journal = Journal(directory / "journal" / journal_name(None))
    for _ in range(60):
        if not (left := journal.count()):
            break
        await asyncio.sleep(1)
    ledger.wrong.update({"journal: not drained": left})
    ledger.did["outcomes parked"] = journal.count(parked=True)


def looked(path: Path, ledger: SoakReport) -> dict[str, Any]:
    """What the server held over time: nothing of it may grow once it is warm."""
    looks = [json.loads(line) for line in path.read_text().splitlines()]
    warm = looks[int(len(looks) * WARM) :]
    minutes = [(look["at"] - warm[0]["at"]) / 60 for look in warm]
    slope = statistics.linear_regression(minutes, [look["megabytes"] - look["cached"] for look in warm]).slope
    if slope > MAX_GROWTH:
        ledger.wrong[f"memory: grows by {slope:.1f} MB a minute beside its caches"] += 1
    last, most = looks[-1], {name: max(look[name] for look in looks) for name in looks[-1]}
    if most["kept"] > ServerConfig().max_cached_contexts:
        ledger.wrong[f"contexts: {most['kept']} are kept"] += 1
    for name, least in (("tasks", 12), ("threads", 12), ("files", 12)):
        if last[name] > looks[2][name] + least:
            ledger.wrong[f"{name}: {looks[2][name]} at first, {last[name]} in the end"] += 1
    whole = looks[-1]["at"] - looks[0]["at"]
    return {
        "megabytes": [round(look["megabytes"]) for look in looks[:: max(1, len(looks) // 12)]],
        "megabytes a minute, warm, beside its caches": round(slope, 2),
        "most": {k: round(v) for k, v in most.items() if k != "at"},
        "last": {k: round(v) for k, v in last.items() if k != "at"},
        "processor": round((last["processor"] - looks[0]["processor"]) / whole, 2),
        "late by ms, p50 of the worst of a second": statistics.median(look["lag_ms"] for look in looks),
    }


def told(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {"n": len(ordered)} | {
        name: round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 1) for name, share in at.items()
    }


async def soaked(given: argparse.Namespace, directory: Path) -> int:
    """Starts the server, talks, compares, stops it."""
    ledger, tokens = SoakReport(), directory / "tokens.toml"
    clients = {f"agent{n}": create(tokens, f"agent{n}")[1] for n in range(AGENTS)}
    looks, log = directory / "looks", (directory / "server.log").open("wb")
    serving = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.soak.server",
        str(looks),
        "serve",
        "--port",
        "0",
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        env={**os.environ, "COGNITIVE_DATA_DIR": str(directory)},
        cwd=Path(__file__).parents[2],
    )
    postgres = EmbeddedServer(directory)
    try:
        assert serving.stdout is not None
        url = (await serving.stdout.readline()).decode().removeprefix("Listening on ").strip()
        assert url, (directory / "server.log").read_text()
        admin = (await asyncio.to_thread(postgres.acquire)).admin
        soak = SoakRun(ledger, url, monotonic() + given.minutes * 60, given.pause, clients)
        load = os.getloadavg()
        await talk(soak, given.seed, given.patience)
        await idle(admin, ledger)
        await journalled(directory, ledger)
        await asyncio.sleep(2)  # another look or two
        held = looked(looks.with_suffix(".jsonl"), ledger)
        serving.terminate()
        began = monotonic()
        ledger.wrong.update({f"server: ended with {await serving.wait()}": int(serving.returncode != 0)})
        ledger.seconds["until the server had stopped"].append(monotonic() - began)
        await compare(ledger, admin)
    finally:
        if serving.returncode is None:
            serving.kill()
            await serving.wait()
        await asyncio.to_thread(postgres.release)
    _print(given, ledger, held, load)
    return int(bool(+ledger.wrong))


def _print(given: argparse.Namespace, ledger: SoakReport, held: dict[str, Any], load: tuple[float, ...]) -> None:
    statuses = [status for status, _ in ledger.closed.values()]
    lines = {
        "seed": given.seed,
        "minutes": given.minutes,
        "sessions": AGENTS * SESSIONS,
        "pause": given.pause,
        "load before and after": [load[0], os.getloadavg()[0]],
        "outcomes": {status: statuses.count(status) for status in sorted(set(statuses))},
        "memories": ledger.remembered.total(),
        "did": dict(ledger.did),
        "degraded": dict(ledger.degraded),
        "errors": dict(ledger.errors),
        "ms": {name: told(taken) for name, taken in ledger.seconds.items()},
        "server": held,
        "wrong": dict(+ledger.wrong),
    }
    sys.stdout.write("\n".join(f"{name}: {json.dumps(value)}" for name, value in lines.items()) + "\n")


def main() -> int:
    """Parses, and runs in a directory of its own unless one is given."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    asked.add_argument("--pause", type=float, default=20.0, help="seconds that the model takes, and then the user")
    asked.add_argument("--patience", type=float, default=1.0, help="seconds that a client waits for pre_turn")
    asked.add_argument("--keep", type=Path, help="a directory to run in, which is kept")
    given = asked.parse_args()
    if given.keep is not None:
        return asyncio.run(soaked(given, given.keep))
    with tempfile.TemporaryDirectory(prefix="cognitive-soak-") as place:
        Path(place).chmod(0o711)  # as root the server runs as a user of its own, which must get there
        return asyncio.run(soaked(given, Path(place)))


if __name__ == "__main__":
    sys.exit(main())
