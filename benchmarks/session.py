"""Run a long session through the whole layer and a real Postgres, and measure whether turns stay fast and small.

    python -m benchmarks.session --turns 2000 --host windowed

Every turn is a user's message, `pre_turn`, one tool call with an output of 50 KB, an answer, `post_turn`. The agent has
1,000 memories and the default policy with its deadline. A host is the program that keeps the conversation: one type
passes on the window that the layer returned plus the new messages, the other the whole conversation. Prints for each
host, after every 200 turns, one JSON object: milliseconds in total, by stage and of processor time (threads included),
maximum sizes, resident memory without the host's conversation, the size of the database, and the degradations.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time

import asyncpg

from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, ToolCall, Turn
from cognitive.tokens import count
from cognitive.turn import TurnContext

START = datetime(2026, 1, 1, tzinfo=UTC)
MEMORIES = 1_000
OUTPUT = 50_000  # characters
EVERY = 200  # turns per line
PAUSE = 0.1  # seconds that the model takes, and then the user: neither is faster, and what follows a turn is done then
MODEL = "anthropic/claude-sonnet-4"
WORDS = [f"{a}{b}{c}" for a in "kmprst" for b in "aeiou" for c in ("ber", "dan", "gil", "lo", "vi", "x", "zen")]

Host = Callable[[list[Message], Sequence[Message], Sequence[Message]], list[Message]]


def whole(conversation: list[Message], shown: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """Return the whole conversation with the new messages, as a host does that never shortens it."""
    return [*conversation, *new]


def windowed(conversation: list[Message], shown: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """Return the window that the layer returned plus the new messages, as a host does that passes this window on."""
    return [*shown, *new]


HOSTS: dict[str, Host] = {"windowed": windowed, "whole": whole}


def memories() -> list[NewMemory]:
    """Return lines of conversation in sessions of 25, to store as memories."""
    chance = random.Random(1)
    return [
        NewMemory(
            type="episode",
            content=f"We said of {' '.join(chance.choices(WORDS, k=chance.randint(8, 20)))}.",
            speaker=chance.choice(("Ines", "Tomasz")),
            session_id=f"past-{n // 25}",
            source=str(n),
            occurred_at=START + timedelta(minutes=n),
        )
        for n in range(MEMORIES)
    ]


def asked(name: str, number: int) -> str:
    """Return the user's message of the turn with this number."""
    chance = random.Random(f"{name} asks {number}")
    return f"Please run check {number}. What did we say about {chance.choice(WORDS)} and {chance.choice(WORDS)}?"


def called(name: str, number: int) -> ToolCall:
    """Return the tool call of the turn with this number, with an output of 50 KB."""
    chance = random.Random(f"{name} calls {number}")
    lines = [f"src/part{n}.py:{chance.randint(1, 999)}: {' '.join(chance.choices(WORDS, k=9))}" for n in range(1_000)]
    output = "\n".join(lines)[:OUTPUT]
    return ToolCall(name="bash", id=f"call_{number}", arguments={"command": f"make check-{number}"}, result=output)


def answer(name: str, number: int) -> str:
    """Return the response of the turn with this number."""
    chance = random.Random(f"{name} answers {number}")
    found = ", ".join(chance.choices(WORDS, k=4))
    return f"Check {number} names {found}. I note the first one and go on. The {chance.choice(WORDS)} part is done."


def added(context: TurnContext, call: ToolCall, response: str) -> list[Message]:
    """Return the messages that a turn adds to the host's conversation."""
    return [
        context.user_message,
        Message(role="assistant", tool_calls=(call.model_copy(update={"result": None}),)),
        Message(role="tool", tool_call_id=call.id, content=call.result),
        Message(role="assistant", content=response),
    ]


class TurnFigures:
    """The measurements of a series of turns: times, sizes and degradations."""

    def __init__(self) -> None:
        self.before, self.after, self.processor = list[float](), list[float](), list[float]()
        self.stages: dict[str, list[float]] = defaultdict(list)
        self.degraded = Counter[str]()
        self.characters = self.tokens = 0

    def add(self, context: TurnContext) -> None:
        """Add the measurements of a prepared turn."""
        for reason in context.degraded:
            self.degraded[re.sub(r"\d+", "n", reason)] += 1
        for stage, milliseconds in context.trace.timings.items():
            self.stages[stage].append(milliseconds)
        prompt = [message.content for message in context.prompt("You are a careful engineer.")]
        self.characters = max(self.characters, sum(map(len, prompt)))
        self.tokens = max(self.tokens, sum(map(count, prompt)))

    def row(self) -> dict[str, object]:
        """Return the measurements as a JSON object to print."""
        ordered = sorted(self.before)
        return {
            "pre_turn p50 ms": round(statistics.median(ordered), 1),
            "p95 ms": round(ordered[int(len(ordered) * 0.95)], 1),
            "processor p50 ms": round(statistics.median(self.processor), 1),
            "post_turn p50 ms": round(statistics.median(self.after), 1),
            "stages p50 ms": {name: round(statistics.median(each), 1) for name, each in self.stages.items()},
            "prompt characters": self.characters,
            "prompt tokens": self.tokens,
            "degraded": dict(self.degraded),
        }


def resident() -> float:
    """Return the resident memory of this process in MB."""
    with open("/proc/self/statm", encoding="ascii") as status:
        return int(status.read().split()[1]) * resource.getpagesize() / 1e6


async def run(layer: CognitiveLayer, database: asyncpg.Connection, name: str, turns: int) -> None:
    """Run the turns of the host type `name` through the layer, and print the measurements."""
    await layer.remember(name, memories())
    conversation, figures = list[Message](), TurnFigures()
    for number in range(turns):
        turn = Turn(agent_id=name, session_id="long", text=asked(name, number), conversation=conversation, model=MODEL)
        start, worked = perf_counter(), process_time()
        context = await layer.pre_turn(turn)
        figures.before.append((perf_counter() - start) * 1000)
        figures.processor.append((process_time() - worked) * 1000)
        await asyncio.sleep(PAUSE)
        call, response = called(name, number), answer(name, number)
        start = perf_counter()
        await layer.post_turn(context, Outcome(response=response, tool_calls=(call,)))
        figures.after.append((perf_counter() - start) * 1000)
        await asyncio.sleep(PAUSE)
        figures.add(context)
        conversation = HOSTS[name](conversation, context.messages, added(context, call, response))
        if (number + 1) % EVERY == 0 or number + 1 == turns:
            own = sum(len(message.content) for message in conversation) / 1e6
            size = await database.fetchval("SELECT pg_database_size(current_database())")
            row = {
                "host": name,
                "turn": number + 1,
                **figures.row(),
                "resident MB": round(resident() - own),
                "database MB": round(size / 1e6),
            }
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
            figures = TurnFigures()


async def report(directory: str, turns: int, hosts: Sequence[str]) -> None:
    """Run the sessions of all named hosts on an embedded server in `directory`."""
    server = EmbeddedServer(Path(directory))
    urls = server.acquire()
    await upgrade(urls.owner)
    database = await asyncpg.connect(urls.admin)
    async with CognitiveLayer.open(urls.app, embedder=MiniLM()) as layer:
        for name in hosts:
            await run(layer, database, name, turns)
    await database.close()
    server.release()


def main() -> None:
    """Parse the command line and run long sessions, with a database in a temporary directory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--host", choices=HOSTS, action="append", help="one kind of host; default: all, in turn")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as place:
        Path(place).chmod(0o711)  # for root: the server runs as another user, who must reach the folder
        asyncio.run(report(place, given.turns, given.host or list(HOSTS)))


if __name__ == "__main__":
    main()
