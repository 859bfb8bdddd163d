"""Commands show the procedures and facts that they need, as questions do, on real Postgres.

The stores and commands of `tests/data/plans/commands.json` and `more_commands.json` were written by two people who had
not seen the rules.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cognitive import CognitiveLayer, NewMemory, Policy, Turn

PLANS = Path(__file__).parents[1] / "data" / "plans"
NOW = datetime(2026, 6, 17, 10, tzinfo=UTC)
MIN_SHARE = {"commands": 0.7, "more_commands": 0.85}  # of what the same questions show
MAX_EMPTY = 0.3  # of the commands may show nothing


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(deadline_ms=20_000.0)) as opened:
        yield opened


@pytest.mark.parametrize("file", MIN_SHARE)
async def test_commands_show_what_they_need_nearly_as_questions_do(layer, agent, file):
    data = json.loads((PLANS / f"{file}.json").read_text(encoding="utf-8"))
    shares: dict[str, list[float]] = {"command": [], "question": []}
    empty = 0
    for name, memories in data["stores"].items():
        own = f"{agent}-{name}"
        stored = [NewMemory(**each, occurred_at=NOW - timedelta(days=30 + 3 * n)) for n, each in enumerate(memories)]
        ids = await layer.remember(own, stored)
        for case in (each for each in data["cases"] if each["store"] == name):
            needed = {ids[n] for n in case["needed"]}
            for kind, found in shares.items():
                context = await layer.pre_turn(Turn(agent_id=own, session_id=kind, text=case[kind], now=NOW))
                shown = {memory.memory_id for memory in context.shown}
                found.append(len(shown & needed) / len(needed))
                empty += kind == "command" and not shown
    assert sum(shares["command"]) >= MIN_SHARE[file] * sum(shares["question"])
    assert empty <= MAX_EMPTY * len(data["cases"])
