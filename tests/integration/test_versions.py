"""Recall puts a newer version above the older one, and keeps siblings in the order of relevance, on real Postgres."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from cognitive import NewMemory, Turn

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
VERSIONS = [
    ("The door code is 4471.", "The code for the door is now 8820.", "What is the door code?"),
    ("Rosa lives in Bristol.", "Rosa has moved to Cardiff.", "Where does Rosa live?"),
    (
        "Kofi's favourite colour is orange.",
        "Kofi has gone off orange, everything has to be teal these days.",
        "What is Kofi's favourite colour?",
    ),
    (
        "Ana Kolb developed the booking app.",
        "Ben Roth, not Ana Kolb, is the one who developed the booking app.",
        "Who developed the booking app?",
    ),
]


@pytest.fixture(scope="module")
def groups(root):
    return json.loads((root / "tests" / "data" / "siblings.json").read_text(encoding="utf-8"))


async def store(layer, agent, contents, **fields):
    new = [
        NewMemory(type="fact", content=content, occurred_at=AT + timedelta(hours=n), **fields)
        for n, content in enumerate(contents)
    ]
    return await layer.remember(agent, new)


async def test_siblings_keep_the_order_of_relevance(layer, agent, groups):
    first, missing, asked = 0, [], 0
    for n, group in enumerate(groups):
        await store(layer, f"{agent}-{n}", group["memories"])
        for question in group["questions"]:
            answer, text = group["memories"][question["answer"]], question["question"]
            found = [hit.content for hit in await layer.recall(f"{agent}-{n}", text, limit=5)]
            asked, first = asked + 1, first + (found[0] == answer)
            if answer not in found:
                missing.append(text)
    assert len(missing) <= 0.02 * asked, missing
    assert first >= 0.9 * asked


@pytest.mark.parametrize(("older", "newer", "question"), VERSIONS, ids=["claim", "move", "change", "denial"])
async def test_newer_version_stands_above_the_older(layer, agent, older, newer, question):
    others = ["The gym opens at 6.", "The ferry to Oslo is late.", "Tom plays the cello."]
    await store(layer, agent, [older, newer, *others])
    found = [hit.content for hit in await layer.recall(agent, question, limit=5)]
    assert found.index(newer) < found.index(older)


async def test_a_turn_is_replayed_with_the_claims_of_its_memories(layer, agent):
    older, newer, question = VERSIONS[0]
    await store(layer, agent, [older, newer])
    now = AT + timedelta(days=1)
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=question, turn_id="t", now=now))
    assert context.shown[0].content == newer
    assert (await layer.explain.replay(agent, "t")).verdict == "identical"
