"""The user's block in the system message: pinned memories, and the newest preferences and standing instructions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.context.system_memories import MAX_WISH_TOKENS
from cognitive.tokens import count

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
async def patient(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=8_000), embedder=embedder) as layer:
        yield layer


def wish(text: str, day: int = 0, user: str | None = "ada", **fields) -> NewMemory:
    at = START + timedelta(days=day)
    attributes = {"kind": fields.pop("kind", "preference")}
    return NewMemory(type="fact", content=text, user_id=user, occurred_at=at, attributes=attributes, **fields)


async def ask(layer, agent: str, text: str = "What should I cook tonight?", user: str | None = "ada", **turn):
    return await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text, user_id=user, **turn))


async def test_block_holds_the_users_wishes_and_pinned_memories(patient, agent):
    await patient.remember(
        agent,
        [
            wish("I like rice."),
            wish("Answer in French.", 1, kind="instruction"),
            NewMemory(type="fact", content="Ada is a doctor.", user_id="ada", pinned=True),
            NewMemory(type="fact", content="The shop opens at nine.", pinned=True),
        ],
    )
    context = await ask(patient, agent)
    assert [line in context.user_prefix for line in ("doctor", "rice", "French", "nine")] == [True, True, True, False]
    assert "nine" in context.prefix
    assert "doctor" not in context.prefix
    assert context.user_prefix_tokens == count(context.user_prefix)
    assert context.system("Be kind.") == f"Be kind.\n\n{context.prefix}\n\n{context.user_prefix}"
    assert context.user_prefix in context.prompt()[0].content


async def test_untrusted_repetition_does_not_displace_a_pinned_memory(urls, embedder, agent):
    policy = Policy(deadline_ms=8_000, trust={"min_level": {"fact": "agent"}})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        stored = {"agent": "Ada is a doctor.", "talk": "Ada is a doctor!"}
        for trust, text in stored.items():
            await layer.remember(agent, [NewMemory(type="fact", content=text, user_id="ada", trust=trust, pinned=True)])
        context = await ask(layer, agent)
    assert "doctor" in context.user_prefix


async def test_shared_block_is_the_same_for_all_users(patient, agent):
    await patient.remember(
        agent,
        [
            NewMemory(type="fact", content="The shop opens at nine.", pinned=True),
            wish("I like rice."),
            NewMemory(type="fact", content="Ben is a baker.", user_id="ben", pinned=True),
            wish("Answer briefly.", user=None),
        ],
    )
    contexts = [await ask(patient, agent, user=user) for user in ("ada", "ben", None)]
    assert len({context.prefix for context in contexts}) == 1
    assert ["rice" in context.user_prefix for context in contexts] == [True, False, False]
    assert ["baker" in context.user_prefix for context in contexts] == [False, True, False]
    assert contexts[2].user_prefix == ""


async def test_only_the_newest_wishes_that_fit_are_in_the_block(patient, agent):
    names = ("apples", "bread", "cheese", "dates", "eggs", "figs", "grapes")
    await patient.remember(agent, [wish(f"I like {name}.", day) for day, name in enumerate(names)])
    context = await ask(patient, agent)
    assert [name for name in names if name in context.user_prefix] == list(names[2:])
    await patient.remember(agent, [wish(f"I like {name} " + "very much indeed " * 30, 20) for name in ("ham", "nuts")])
    block = (await ask(patient, agent)).user_prefix
    assert "nuts" in block
    assert "ham" not in block  # both together need more tokens than there are
    assert count(block) < MAX_WISH_TOKENS + 60


async def test_wishes_in_the_block_are_not_shown_again(patient, agent):
    [rice, _, opening] = await patient.remember(
        agent,
        [
            wish("I like rice with saffron."),
            *(wish(text, 1) for text in ("I like tea.",)),
            NewMemory(type="fact", content="Saffron is in the upper drawer.", user_id="ada"),
        ],
    )
    context = await ask(patient, agent, "Which saffron dish do I like?")
    assert rice not in [shown.memory_id for shown in context.shown]
    await patient.post_turn(context, Outcome(response="Rice."))
    hits = await patient.recall(agent, "saffron", user_id="ada", turn_id=context.turn_id)
    assert rice not in [hit.memory_id for hit in hits]
    assert opening in [shown.memory_id for shown in context.shown] or opening in [hit.memory_id for hit in hits]


async def test_block_keeps_its_bytes_until_a_wish_changes(patient, agent):
    [rice] = await patient.remember(agent, [wish("I like rice.")])
    blocks = [(await ask(patient, agent, text)).user_prefix for text in ("Hello!", "What is for lunch?", "Why?")]
    await patient.retire(agent, [rice], user_id="ada")
    assert len(set(blocks)) == 1
    assert (await ask(patient, agent)).user_prefix == ""


async def test_replay_renders_the_block_again(patient, agent):
    await patient.remember(agent, [wish("I like rice."), wish("Answer in French.", 1, kind="instruction")])
    context = await ask(patient, agent)
    replay = await patient.explain.replay(agent, context.turn_id, user_id="ada")
    assert (replay.verdict, replay.user_prefix) == ("identical", context.user_prefix)
