"""Run a long session with long tool outputs through the window alone; measure size, memory, time and reusable bytes.

    python -m benchmarks.window_session --turns 2000

The window is the part of the conversation that a prompt contains. Every turn is a user's message, one tool call with an
output of 50 KB, and an answer. A host is the program that keeps the conversation: one type passes the last window plus
the new messages, the other the whole conversation. Both keep the session's state: the summary, extended whenever
messages are evicted from the window, and the last message that it summarizes. Prints one JSON object per host and tenth
of the session.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any

from cognitive import Message, Policy, ToolCall
from cognitive.window import summary
from cognitive.window.fit import PreviousSummary, fit
from cognitive.window.rendering import WindowCache
from tests.provider_rules import violations

START = datetime(2026, 9, 1, 12, tzinfo=UTC)
OUTPUT = 50_000
MODEL_TOKENS = 100_000
WORDS = [f"{a}{b}{c}" for a in "kmprst" for b in "aeiou" for c in ("ber", "dan", "gil", "lo", "vi", "x", "zen")]

Host = Callable[[list[Message], Sequence[Message], Sequence[Message]], list[Message]]


def turn(number: int) -> list[Message]:
    """Return the messages that the turn with this number adds, a minute after those of the previous turn."""
    chance = random.Random(number)
    lines = [f"src/part{n}.py:{chance.randint(1, 999)}: {' '.join(chance.choices(WORDS, k=9))}" for n in range(2_000)]
    at = START + timedelta(minutes=number)
    call = ToolCall(name="bash", id=f"call_{number}", arguments={"command": f"make check-{number}"})
    said = f"Check {number} names {chance.choice(WORDS)} first; I note it and go on."
    return [
        Message(role="user", content=f"Please run check {number} and tell me what it says.", at=at),
        Message(role="assistant", tool_calls=(call,), at=at),
        Message(role="tool", tool_call_id=call.id, content="\n".join(lines)[:OUTPUT], at=at),
        Message(role="assistant", content=said, at=at),
    ]


def whole(conversation: list[Message], shown: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """Return the whole conversation with the new messages, as a host does that never shortens it."""
    return [*conversation, *new]


def windowed(conversation: list[Message], shown: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """Return the window of the last turn plus the new messages, as a host does that passes this window on."""
    return [*shown, *new]


def resident() -> float:
    """Return the resident memory of this process in MB."""
    with open("/proc/self/statm", encoding="ascii") as status:
        return int(status.read().split()[1]) * resource.getpagesize() / 1e6


def spoken(messages: Sequence[Message]) -> list[str]:
    """Return each message as the bytes that a prompt would contain."""
    return [f"{message.role}\0{message.tool_call_id}\0{message.content}" for message in messages]


def run(name: str, host: Host, turns: int) -> None:
    """Run a session of `turns` turns with the host type `name`, and print the measurements."""
    conversation: list[Message] = []
    kept, policy, cache = PreviousSummary(), Policy(), WindowCache()
    took, sizes, shared, before = [], [], [], list[str]()
    shown: Sequence[Message] = ()
    for number in range(turns):
        new = turn(number)
        conversation = host(conversation, shown, new)
        begin = perf_counter()
        window = fit(
            conversation,
            session_id=name,
            kept=kept,
            now=new[0].at or START,
            policy=policy,
            tokens=MODEL_TOKENS,
            cache=cache,
        )
        took.append((perf_counter() - begin) * 1000)
        if window.evicted:
            kept = PreviousSummary(
                summary.extract(kept.summary, window.evicted, policy.window.max_summary_chars), window.summarized_until
            )
        shown = window.messages
        assert not violations(shown)
        prompt = spoken(shown)
        same = next((n for n, (a, b) in enumerate(zip(before, prompt, strict=False)) if a != b), len(before))
        shared.append(sum(map(len, before[:same])) / max(1, sum(map(len, before))))
        sizes.append(window.trace.after)
        before = prompt
        if (number + 1) % (turns // 10) == 0:
            report(name, number + 1, took, sizes, shared)
            took, sizes, shared = [], [], []


def report(name: str, number: int, took: list[float], sizes: list[Any], shared: list[float]) -> None:
    """Print the measurements of one tenth of the session of the host `name`."""
    row = {
        "host": name,
        "turn": number,
        "p50 ms": round(statistics.median(took), 1),
        "p95 ms": round(sorted(took)[int(len(took) * 0.95)], 1),
        "resident MB": round(resident()),
        "messages": max(size.messages for size in sizes),
        "characters": max(size.characters for size in sizes),
        "tokens": max(size.tokens for size in sizes),
        "bytes kept": round(statistics.mean(shared), 3),
        "prompts begun anew": sum(each < 0.5 for each in shared),
    }
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Parse the command line and run a long session with each type of host."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000)
    turns = parser.parse_args().turns
    run("windowed", windowed, turns)
    run("whole", whole, turns)


if __name__ == "__main__":
    main()
