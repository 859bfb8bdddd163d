"""Limits on the number of shown memories: they apply to turns, and never exclude the best match."""

from __future__ import annotations

import pytest

from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.tokens import count

RUNBOOK = "Rotate the signing key of the payment gateway: " + " ".join(
    f"In step {n} open the vault of {place}, create a fresh key pair and write its fingerprint to the {place} log."
    for n, place in enumerate(("Oslo", "Lyon", "Porto", "Graz", "Turin", "Malmo"), 1)
)
NOTES = [
    f"{subject} the ferry to the island."
    for subject in (
        "Tickets cost nine euros on",
        "Dogs travel free on",
        "Bicycles need a strap on",
        "Coffee is sold on",
        "Ada works on Sundays on",
        "Phones have no signal on",
        "The upper deck is closed on",
        "Luggage is weighed before boarding",
    )
]


@pytest.fixture
async def opened(urls, embedder):
    policy = Policy(deadline_ms=10_000, abstention=False)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


def turn(agent, text):
    return Turn(agent_id=agent, session_id="s", text=text)


async def test_best_match_is_shown_although_it_exceeds_the_category(opened, agent):
    short = "The payment gateway is written in Go."
    await opened.remember(agent, [NewMemory(type="procedure", content=RUNBOOK), NewMemory(type="fact", content=short)])
    context = await opened.pre_turn(turn(agent, "Rotate the signing key of the payment gateway and fix the tests"))
    assert context.plan.caps is not None
    assert count(context.text) > context.plan.caps.tokens
    assert [memory.content for memory in context.shown] == [RUNBOOK]


async def test_recall_returns_as_many_memories_of_one_speaker_as_asked(opened, agent):
    await opened.remember(
        agent, [NewMemory(type="fact", content=note, speaker="mallory", trust="talk") for note in NOTES]
    )
    hits = await opened.recall(agent, "the ferry to the island", limit=len(NOTES))
    assert {hit.content for hit in hits} == set(NOTES)
    assert len((await opened.pre_turn(turn(agent, "the ferry to the island"))).shown) == 5


async def test_limit_per_source_counts_distinct_statements(opened, agent):
    repeated = [NOTES[0]] * 6
    await opened.remember(
        agent, [NewMemory(type="fact", content=note, speaker="ada", trust="talk") for note in [*repeated, *NOTES[1:4]]]
    )
    context = await opened.pre_turn(turn(agent, "the ferry to the island"))
    assert {memory.content for memory in context.shown} == set(NOTES[:4])
