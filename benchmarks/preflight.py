"""Measure how messages are classified before a turn: accuracy on labelled messages, time, and optional methods.

    python -m benchmarks.preflight

The labelled messages have a tuning half and a test half. Prints tables of:

- precision and recall per category, needed tools that were left out, and turns that skip the search for memories.
- the same for messages that no rule classifies, with a fallback that compares them with example messages.
- the same on the test half, when the tuning half serves as past turns to learn from.
- milliseconds to classify messages of 10,000 characters: median and third quartile of 200 calls, and the first call.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from brain.embedding.embedders import CachedEmbedder
from brain.embedding.minilm import MiniLM
from brain.turn_records import TurnToolCalls
from cognitive.plan import CATEGORIES, Plan, Signals
from cognitive.policy import Policy
from cognitive.preflight import classification, signals
from cognitive.preflight import plan as planning
from cognitive.preflight.category_learning import NOTHING_LEARNED, CategoryLearning, learn
from cognitive.preflight.classifier import ExemplarClassifier
from cognitive.preflight.rules.categories import CATEGORY_DEFINITIONS
from cognitive.tool import Tool

MESSAGES = json.loads((Path(__file__).parents[1] / "tests" / "data" / "messages.json").read_text(encoding="utf-8"))
CORE = tuple(dict.fromkeys(tool for need in CATEGORY_DEFINITIONS for tool in need.tools))
TOOLS = tuple(Tool(name=name) for name in CORE)
NOW = datetime(2026, 11, 18, tzinfo=UTC)
POLICY = Policy()
LENGTH, RUNS = 10_000, 200


def planned(text: str, learned: CategoryLearning = NOTHING_LEARNED, guessed: Iterable[str] = ()) -> Plan:
    """Return the plan of a message.

    It depends on what was learned from past turns, and on categories guessed from examples.
    """
    read = signals.read(text, now=NOW)
    frame, reasons = classification.select_frame(text, read)
    result = classification.classify_turn(text, read, (), (), POLICY, learned.factors)
    found = result.categories or tuple(guessed)
    plan = planning.create_plan(read, frame, reasons, POLICY, None, found)
    return planning.add_tools(plan, TOOLS, None, POLICY, learned.tools_for(found), result.possible)


def judge(rows: list[Mapping[str, Any]], plans: list[Plan]) -> str:
    """Compare plans with the labels of their messages.

    Returns a table of precision and recall, and a line on needed tools that the plans left out.
    """
    right, found, expected = Counter[str](), Counter[str](), Counter[str]()
    for row, plan in zip(rows, plans, strict=True):
        labels, told = set(row["categories"]), set(plan.categories)
        if "complex" in labels | told:
            labels, told = labels & {"complex"}, told & {"complex"}
        right.update(labels & told)
        found.update(told)
        expected.update(labels)
    lines = [
        f"| {name} | {expected[name]} | {right[name] / max(1, found[name]):.2f} | "
        f"{right[name] / max(1, expected[name]):.2f} |"
        for name in CATEGORIES
    ]
    lost = sum(tool not in plan.tools for row, plan in zip(rows, plans, strict=True) for tool in row["needs"])
    needed = sum(len(row["needs"]) for row in rows)
    kept = statistics.mean(len(plan.tools) for plan in plans)
    return "\n".join([*lines, f"needed tools lost: {lost} of {needed}; kept on average {kept:.1f} of {len(CORE)}"])


def skips(rows: list[Mapping[str, Any]], plans: list[Plan]) -> str:
    """Return a line on how many turns skip the search for memories.

    Turns with small talk should skip it; those with questions about memories should not.
    """
    small = [not plan.retrieval for row, plan in zip(rows, plans, strict=True) if row["categories"] == ["casual"]]
    asked = [not plan.retrieval for row, plan in zip(rows, plans, strict=True) if "memory" in row["categories"]]
    return f"memory skipped: small talk {sum(small)} of {len(small)}, questions to memory {sum(asked)} of {len(asked)}"


async def guesses(texts: list[str]) -> list[tuple[str, ...]]:
    """Return, for each text, the categories that the fallback finds by comparing it with example messages."""
    embedder = CachedEmbedder(MiniLM())
    classifier = ExemplarClassifier(embedder)
    await classifier.prepare()
    said = [await classifier.classify(text, (await embedder.embed([text]))[0]) for text in texts]
    embedder.close()
    return said


def hostile() -> Mapping[str, str]:
    """Return long messages that could be slow to classify, by name."""
    chance = random.Random(1)
    words = [word for row in MESSAGES for word in row["text"].split()]
    made = {
        "words of the messages": " ".join(chance.choice(words) for _ in range(LENGTH)),
        "one letter": "a",
        "blanks": " ",
        "question marks": "?",
        "back-ticks": "`",
        "list": "\n1. x",
        "paths": "a/b.c ",
        "names": "Anna's dog ",
        "first, first": "first ",
        "what my": "what my ",
        "base58": "7xKXtg2CW87d97TXJSDpbD5j",
        "emoji": "\U0001f44d",
        "joiners": "\u200d",
        "surrogates": "\ud800",
        "quotes": "'\")*]",
        "random ASCII": "".join(chr(chance.randrange(32, 127)) for _ in range(LENGTH)),
        "random Latin": "".join(chr(chance.randrange(32, 256)) for _ in range(LENGTH)),
        "random Unicode": "".join(chr(chance.randrange(0xE000, 0x110000)) for _ in range(LENGTH)),
    }
    return {name: (text * (LENGTH // len(text) + 1))[:LENGTH] for name, text in made.items()}


def times() -> str:
    """Time the classification of long messages, and return the rows of a table."""
    lines = []
    for name, text in hostile().items():
        took = []
        for turn in range(RUNS + 1):
            message = text[turn:] + text[:turn]
            start = perf_counter()
            classification.classify(message, Signals(message[:200]), POLICY)
            took.append((perf_counter() - start) * 1000)
        quartiles = statistics.quantiles(took[1:], n=4)
        lines.append(f"| {name} | {quartiles[1]:.3f} | {quartiles[2]:.3f} | {took[0]:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure the classification of the labelled messages, and print all tables."""
    out: list[str] = []
    halves = {half: [row for row in MESSAGES if row["half"] == half] for half in ("tuning", "test")}
    for half, rows in halves.items():
        plans = [planned(row["text"]) for row in rows]
        out.append(f"\n{half}: {len(rows)} messages\n{judge(rows, plans)}\n{skips(rows, plans)}")
    rows = halves["test"]
    said = asyncio.run(guesses([row["text"] for row in rows]))
    silent = [n for n, row in enumerate(rows) if not planned(row["text"]).categories]
    some = [rows[n] for n in silent]
    plans = [planned(rows[n]["text"], guessed=said[n]) for n in silent]
    named = [(set(plan.categories), set(row["categories"])) for row, plan in zip(some, plans, strict=True)]
    right = sum(bool(told & labels) for told, labels in named)
    guessed = sum(bool(told) for told, _ in named)
    out.append(f"\ntest half, no rule fires: {len(some)}; guessed by exemplars {guessed}, right {right}")
    out.append(judge(some, plans).splitlines()[-1])
    history = [
        TurnToolCalls(None, plan.categories, tuple(row["needs"]))
        for row in halves["tuning"]
        if (plan := planned(row["text"])).categories
    ]
    learned = learn(history, POLICY)
    out.append(f"\ntest half, the tuning half as history, {dict(learned.factors)} {dict(learned.tools)}")
    out.append(judge(rows, [planned(row["text"], learned) for row in rows]))
    out.append(
        f"\nmilliseconds for {LENGTH} characters\n| message | median | third quartile | first |\n|---|---|---|---|\n"
        f"{times()}"
    )
    sys.stdout.write("\n".join([*out, ""]))


if __name__ == "__main__":
    main()
