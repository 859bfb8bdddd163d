"""Measure retrieval in German and Spanish, for each language that the word index can be set to, or recognises.

    python -m benchmarks.languages

The questions use other inflected forms of the words than the memories. Prints for each language and index the share of
questions whose answer is the first memory, or among the first ten, by word search alone and by `recall`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain.changes.backfill import Pace
from brain.languages import ENGLISH, SIMPLE
from cognitive import CognitiveLayer, NewMemory, Policy

DATA = json.loads((Path(__file__).parents[1] / "tests" / "data" / "inflected.json").read_text(encoding="utf-8"))
AT = datetime(2026, 10, 3, tzinfo=UTC)


def places(hits: Sequence[str], by_words: Sequence[str], answer: str) -> tuple[int, int]:
    """Return the ranks of the memory `answer` among all results and among those of the word search.

    Ranks start at 1; 99 means that the memory was not found.
    """
    by_all, worded = (found.index(answer) + 1 if answer in found else 99 for found in (hits, by_words))
    return by_all, worded


async def measure(layer: CognitiveLayer, language: str, index: str | None) -> list[tuple[int, int]]:
    """Ask all questions in a language, with the agent's word index set to the language `index`; None sets none.

    Returns the ranks of the answers; see `places`.
    """
    agent, rows = f"{language} in {index}", DATA[language]
    contents = [row["memory"] for row in rows["asked"]] + rows["others"]
    if index is not None:
        await layer.admin.set_language(agent, index, pace=Pace(load=1))
    await layer.remember(
        agent,
        [NewMemory(type="fact", content=each, occurred_at=AT + timedelta(n)) for n, each in enumerate(contents)],
    )
    found = []
    for row in rows["asked"]:
        hits = await layer.recall(agent, row["question"], limit=len(contents), now=AT + timedelta(60))
        worded = sorted(
            (hit for hit in hits if "content_bm25" in hit.scores), key=lambda hit: -hit.scores["content_bm25"]
        )
        found.append(places([hit.content for hit in hits], [hit.content for hit in worded], row["memory"]))
    return found


async def main() -> None:
    """Measure each language with each language of the index, on the configured database, and print the results.

    Each combination has a separate agent.
    """
    sys.stdout.write(
        "| questions | indexed in | words: first | words: R@10 | all: first | all: R@10 |\n|---|---|---|---|---|---|\n"
    )
    async with CognitiveLayer.open(policy=Policy(deadline_ms=60_000)) as layer:
        for language in DATA:
            for index in (ENGLISH, SIMPLE, None):
                found = await measure(layer, language, index)
                shares = [
                    sum(place[which] <= most for place in found) / len(found) for which in (1, 0) for most in (1, 10)
                ]
                indexed = await layer.admin.language(f"{language} in {index}")
                row = (
                    f"{len(found)} {language}",
                    indexed if index else f"not set: {indexed}",
                    *(f"{share:.2f}" for share in shares),
                )
                sys.stdout.write(f"| {' | '.join(row)} |\n")


if __name__ == "__main__":
    asyncio.run(main())
