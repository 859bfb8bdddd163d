"""Time the attribution of a response (finding the memories that it used), by strategy and length of the response.

    python -m benchmarks.attribution 100 1000 10000 100000

Memories and responses are sentences of this project's documents. The column `own words` times the removal of quotes
from the response: the quoted text is a tool's output that is about ten times as long as the response and contains half
of it. Prints a table of milliseconds, each the median of seven repetitions.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from brain.text import sentences
from cognitive.feedback.overlap import STRATEGIES, overlaps
from cognitive.feedback.strip_quotes import own_words

DOCUMENTS = Path(__file__).parents[1] / "docs"
MEMORIES = 40
RUNS = 7


def prose() -> list[str]:
    """Return the sentences of this project's documents that are long enough to be a memory."""
    documents = [path.read_text(encoding="utf-8") for path in sorted(DOCUMENTS.rglob("*.md"))]
    paragraphs = "\n\n".join(documents).split("\n\n")
    found = [sentence for paragraph in paragraphs for sentence in sentences(" ".join(paragraph.split()))]
    return [sentence for sentence in found if 8 <= len(sentence.split()) <= 40]


def text(chance: random.Random, said: list[str], length: int) -> str:
    """Return a text of about `length` words, made of random sentences from `said`."""
    drawn, words = [], 0
    while words < length:
        drawn.append(chance.choice(said))
        words += len(drawn[-1].split())
    return " ".join(drawn)


def milliseconds(work: Callable[[], object]) -> str:
    """Call `work` seven times and return the median duration in milliseconds, formatted."""
    took = []
    for _ in range(RUNS):
        start = perf_counter()
        work()
        took.append((perf_counter() - start) * 1000)
    return f"{statistics.median(took):.1f}"


def row(chance: random.Random, said: list[str], memories: list[str], length: int) -> str:
    """Time the attribution of responses of `length` words, and return a row of the printed table."""
    response = text(chance, said, length)
    file = f"{text(chance, said[::2], 9 * length)} {response[: len(response) // 2]}"
    took = [milliseconds(partial(overlaps, memories, response, strategy=name)) for name in STRATEGIES]
    return f"| {length:,} | {' | '.join([*took, milliseconds(partial(own_words, response, quoted=[file]))])} |"


def report(lengths: list[int]) -> None:
    """Print a table of attribution times with a row per response length in words."""
    chance = random.Random(7)
    said = prose()
    memories = chance.sample(said, MEMORIES)
    lines = [f"| words against {MEMORIES} memories | {' | '.join(STRATEGIES)} | own words |", "|---" * 5 + "|"]
    sys.stdout.write("\n".join([*lines, *(row(chance, said, memories, length) for length in lengths)]) + "\n")


def main() -> None:
    """Parse the command line and time the attribution of responses of the given lengths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "lengths", type=int, nargs="*", default=[100, 1000, 10_000, 100_000], help="words of a response"
    )
    report(parser.parse_args().lengths)


if __name__ == "__main__":
    main()
