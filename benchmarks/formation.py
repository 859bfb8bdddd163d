"""Measure what the default rules form from exchanges: precision, recall by kind, quiet, and processor time.

    python -m benchmarks.formation [FILE]

FILE is a list of exchanges with `user`, `assistant`, `before` and `expected` memories (`kind` and `text`); the default
is tests/data/formation/sentences.json, written for this project by someone who had not seen the rules.

- precision: the share of formed memories that are expected: the kinds are equal, and the texts say the same.
- recall: the share of expected memories that are formed.
- quiet: the share of exchanges that should form nothing from which nothing is formed.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from brain.text import STOP_WORDS, stem, words
from cognitive.formation.extract import extract
from cognitive.policy import Policy

SENTENCES = Path(__file__).parents[1] / "tests/data/formation/sentences.json"
_MIN_JACCARD = 0.5
_MIN_CONTAINED = 0.8  # of the shorter text's words
_MAX_WORDS = 40  # of a formed text that is not four times as long as the expected one


def form(user: str, assistant: str, before: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return what the default policy's rules form from an exchange, each with its `type` (a kind) and `text`.

    `before` is the conversation before it, which the rules don't read.
    """
    kinds = Policy().formation.kinds
    return [{"type": each.kind, "text": each.text} for each in extract(user, assistant, kinds).proposals]


def measure(exchanges: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return precision and recall of all kinds together ("all") and of each kind, and the share of quiet exchanges."""
    counts: Counter[tuple[str, str]] = Counter()
    for exchange in exchanges:
        formed = form(exchange["user"], exchange["assistant"], exchange["before"])
        _count(formed, exchange["expected"], counts)
    kinds = sorted({kind for kind, _ in counts} - {"all"})
    quiet = counts["all", "silent"] / max(counts["all", "empty"], 1)
    return {"all": {**_ratios(counts, "all"), "quiet": quiet}, **{kind: _ratios(counts, kind) for kind in kinds}}


def milliseconds(exchanges: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the processor time of forming from each exchange, in milliseconds, ascending."""
    times = []
    for exchange in exchanges:
        begin = time.process_time()
        form(exchange["user"], exchange["assistant"], exchange["before"])
        times.append((time.process_time() - begin) * 1000)
    return sorted(times)


def says(formed: str, expected: str) -> bool:
    """Return True if a formed text says what an expected one says, by their words."""
    one, other = _words(formed), _words(expected)
    shared = len(one & other)
    if shared >= _MIN_JACCARD * len(one | other):
        return True
    is_short = len(one) <= max(_MAX_WORDS, 4 * len(other))
    return shared >= min(2, len(other)) and shared >= _MIN_CONTAINED * min(len(one), len(other)) and is_short


def _words(text: str) -> set[str]:
    found = [word for word in words(text) if word not in STOP_WORDS] or words(text)
    return {stem(re.sub(r"'s$", "", word)) for word in found}


def _count(
    formed: Sequence[Mapping[str, str]], expected: Sequence[Mapping[str, str]], counts: Counter[tuple[str, str]]
) -> None:
    free = list(expected)
    for memory in formed:
        match = next((each for each in free if _fits(memory, each)), None)
        if match is not None:
            free.remove(match)
        for kind in ("all", memory["type"]):
            counts[kind, "formed"] += 1
            counts[kind, "right"] += match is not None
    for each in expected:
        for kind in ("all", each["kind"]):
            counts[kind, "expected"] += 1
            counts[kind, "found"] += any(_fits(memory, each) for memory in formed)
    if not expected:
        counts["all", "empty"] += 1
        counts["all", "silent"] += not formed


def _fits(memory: Mapping[str, str], expected: Mapping[str, str]) -> bool:
    return memory["type"] == expected["kind"] and says(memory["text"], expected["text"])


def _ratios(counts: Counter[tuple[str, str]], kind: str) -> dict[str, float]:
    precision = counts[kind, "right"] / max(counts[kind, "formed"], 1)
    return {"precision": precision, "recall": counts[kind, "found"] / max(counts[kind, "expected"], 1)}


def main(path: Path = SENTENCES) -> None:
    """Print the figures of a file of exchanges."""
    exchanges = json.loads(path.read_text(encoding="utf-8"))
    for kind, figures in measure(exchanges).items():
        values = "  ".join(f"{name} {value:.2f}" for name, value in figures.items())
        sys.stdout.write(f"{kind:12} {values}\n")
    times = milliseconds(exchanges)
    sys.stdout.write(f"processor time: median {times[len(times) // 2]:.2f} ms, at most {times[-1]:.2f} ms\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
