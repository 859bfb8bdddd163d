"""`remember_conversation`: a conversation held elsewhere becomes captured lines and formed memories, once."""

from __future__ import annotations

import pytest

from cognitive import CognitiveLayer, Policy
from cognitive.errors import InvalidInput

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Our boiler is in the cellar, behind the red door."},
    {"role": "assistant", "content": "Good to know. Is it a gas boiler?"},
    {"role": "user", "content": "I can't stand the smell of gas. What else could we install?"},
    {"role": "assistant", "content": "A heat pump would be an option for your house."},
]


@pytest.fixture
async def patient(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=8_000), embedder=embedder) as layer:
        yield layer


async def contents(layer, agent: str, user: str | None = None) -> list[tuple[str, str]]:
    found = await layer.recall(agent, "boiler, gas and the house", limit=50, user_id=user)
    ids = [hit.memory_id for hit in found]
    return sorted((memory.type, memory.content) for memory in await layer.get(agent, ids, user_id=user))


async def test_lines_and_formed_memories_are_stored_for_the_user(patient, agent):
    report = await patient.remember_conversation(agent, TALK, user_id="ada")
    assert (len(report.lines), len(report.formed), report.known) == (4, 2, 0)
    stored = await patient.get(agent, [*report.lines, *report.formed], user_id="ada")
    assert {memory.user_id for memory in stored} == {"ada"}
    assert sorted(memory.content for memory in stored if "formed" in memory.tags) == [
        "I can't stand the smell of gas.",
        TALK[1]["content"],
    ]
    assert await contents(patient, agent) == []


async def test_repeated_and_longer_conversation_adds_only_what_is_new(patient, agent):
    first = await patient.remember_conversation(agent, TALK[:3], user_id="ada")
    again = await patient.remember_conversation(agent, TALK[:3], user_id="ada")
    longer = await patient.remember_conversation(agent, TALK, user_id="ada")
    assert (again.lines, again.formed, again.known) == ((), (), 1)
    assert (len(first.lines), len(longer.lines), longer.known) == (2, 2, 1)


async def test_forgotten_memory_is_not_formed_from_the_same_conversation(patient, agent):
    report = await patient.remember_conversation(agent, TALK[:3])
    await patient.forget(agent, report.formed)
    again = await patient.remember_conversation(agent, TALK[:3])
    assert (again.formed, again.known) == ((), 1)


async def test_later_value_of_a_conversation_replaces_the_earlier_one(patient, agent):
    talk = [{"role": "user", "content": f"Our rent is {rent} euros."} for rent in (900, 950)]
    report = await patient.remember_conversation(agent, talk)
    old, new = await patient.get(agent, report.formed)
    assert (old.hidden_reason, old.replaced_by) == ("superseded", new.id)


async def test_conversation_of_last_year_replaces_nothing_of_this_year(patient, agent):
    def talk(rent: int, at: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": f"Our rent is {rent} euros.", "at": at}]

    this_year = await patient.remember_conversation(agent, talk(950, "2026-03-01T09:00:00Z"), session_id="new")
    last_year = await patient.remember_conversation(agent, talk(900, "2025-03-01T09:00:00Z"), session_id="old")
    new, old = await patient.get(agent, [*this_year.formed, *last_year.formed])
    assert (new.hidden_reason, old.hidden_reason, old.replaced_by) == (None, "superseded", new.id)
    lines = await patient.get(agent, [*this_year.lines, *last_year.lines])
    assert [line.hidden_reason for line in lines] == [None, None]


@pytest.mark.parametrize(
    "wrong", ["hello", {"role": "poet", "content": "x"}, {"content": "x"}, {"role": "user", "a": 1}]
)
async def test_invalid_message_stores_nothing(patient, agent, wrong):
    with pytest.raises(InvalidInput):
        await patient.remember_conversation(agent, [*TALK, wrong])
    assert await contents(patient, agent) == []
