"""Promise P5: equal questions get equal bytes in another process under another hash seed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cognitive import NewMemory, Outcome, Turn

pytestmark = pytest.mark.promise(number=5)

CHECKOUT = Path(__file__).parents[2]
AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
SEEDS = ("1", "424242")

ASKING = """
import asyncio, json, sys
from datetime import datetime, UTC
from cognitive import CognitiveLayer, Message, Policy, Turn
from cognitive.feedback.attribute import overlaps

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
WINDOW = [Message(role="user", content="The amber kettle was moved to the cellar by Ada. What else is there?"),
          Message(role="assistant", content="Ada moved the amber kettle to the cellar. Not the copper one.")]
QUESTIONS = [
    "Where is the amber kettle of Ada, and who moved the copper violin to the attic last September?",
    "What did we decide about the violins, the kettles and the globes?",
    "How do I clean a brass telescope?", "two weeks ago Bea lost something", "continue", "Hello!",
    "Who keeps amber, copper, brass, ivory and walnut things in the attic, cellar, garage, pantry or studio?",
]

async def main():
    url, agent = sys.argv[1:]
    results = []
    async with CognitiveLayer.open(url, policy=Policy(deadline_ms=30_000, abstention=False)) as layer:
        for n, text in enumerate(QUESTIONS):
            context = await layer.pre_turn(Turn(
                agent_id=agent, session_id="s", text=text, conversation=WINDOW, now=NOW, turn_id=f"turn-{n}"))
            ranked = [[str(f.candidate.hit.memory_id), f.disposition, repr(f.value), f.reason, repr(f.candidate.score),
                      {k: repr(v) for k, v in f.candidate.factors.items()},
                      {k: repr(v) for k, v in f.candidate.hit.scores.items()}, repr(f.candidate.boost)]
                     for f in context.trace.candidates]
            hits = await layer.recall(agent, text, limit=200, now=NOW)
            memories = [shown.content for shown in context.shown] + [hit.content for hit in hits[:20]]
            response = " ".join(hit.content for hit in hits[3:6]) + " As Ada and Bea said of copper and brass."
            results.append({
                "text": context.text, "prefix": context.prefix, "degraded": context.degraded,
                "plan": repr(context.plan),
                "shown": [[str(s.memory_id), s.type, s.content, s.source, repr(s.score), s.tokens]
                          for s in context.shown],
                "candidates": ranked, "channels": context.trace.channels,
                "hits": [[str(h.memory_id), repr(h.score), {k: repr(v) for k, v in h.scores.items()}] for h in hits],
                "overlaps": {strategy: [repr(o) for o in overlaps(memories, response, said=text, strategy=strategy)]
                             for strategy in ("relative", "windowed", "jaccard")},
            })
    print(json.dumps(results))

asyncio.run(main())
"""


def ask(url: str, agent: str, seed: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", ASKING, url, agent],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=180,
    ).stdout


async def test_equal_questions_get_equal_bytes_in_other_processes(layer, urls, agent):
    rolled = random.Random(3)
    people, stuff = ["Ada", "Bea", "Cyd", "Dov"], ["amber", "copper", "brass", "ivory", "walnut"]
    things, places = ["kettle", "violin", "globe", "telescope"], ["attic", "cellar", "garage", "pantry", "studio"]
    memories = []
    for n in range(120):
        who, of, what, where = (rolled.choice(words) for words in (people, stuff, things, places))
        type_, content = rolled.choice(
            [
                ("fact", f"The {of} {what} belongs to {who}."),
                (
                    "episode",
                    f"I moved the {of} {what} to the {where}, and it was {rolled.choice(stuff)} dust everywhere.",
                ),
                ("decision", f"We decided that the {of} {what} stays in the {where}."),
                ("procedure", f"To clean a {of} {what}: take it to the {where}, and ask {who}."),
            ]
        )
        memories.append(
            NewMemory(
                type=type_,
                content=content,
                source=str(n),
                session_id=f"s{n % 13}" if n % 5 else None,
                speaker=who if type_ == "episode" else None,
                pinned=n in (7, 77),
                context=memories[-1].content if memories and n % 3 else "",
                occurred_at=AT + timedelta(hours=5 * (n // 4)),
            )
        )
    ids = await layer.remember(agent, memories)
    await layer.remember(
        agent,
        [NewMemory(type="fact", content="The amber kettle belongs to nobody now.", supersedes=ids[0], occurred_at=AT)],
    )
    for n in range(6):
        turn = Turn(agent_id=agent, session_id="s", text=f"Where is the {stuff[n % 5]} kettle, or the violin?", now=NOW)
        context = await layer.pre_turn(turn)
        cited = [shown.memory_id for shown in context.shown[::2]]
        await layer.post_turn(context, Outcome(response="x", citations=cited or [ids[0]]))

    first, *others = await asyncio.gather(*(asyncio.to_thread(ask, urls.app, agent, seed) for seed in SEEDS))
    turns = json.loads(first)
    assert all(turn["degraded"] == [] for turn in turns)
    assert sum(len(turn["shown"]) for turn in turns) > 20
    assert sum(len(turn["hits"]) for turn in turns) > 200
    assert any("used in" in json.dumps(turn["candidates"]) for turn in turns)
    for other in others:
        for mine, theirs in zip(turns, json.loads(other), strict=True):
            for part, value in mine.items():
                assert theirs[part] == value, part
        assert other == first
