"""Stored responses: their beginning, if the policy allows it, and no text of a forgotten memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from brain.journal import Journal
from brain.opened_turns import written
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.recording.record import open_turn
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
POLICY = Policy(
    abstention=False,
    dedup={"enabled": False},
    deadline_ms=20_000,
    agents={"silent": {"retention": {"keep_responses": False}}},
)
WINCH = "The winch of the ferry turns by hand since the storm."
GREETING = Outcome(response="Good morning to you.")
ANSWER = Outcome(response="By hand: the winch of the ferry turns by hand since the storm.")


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def winch(layer, agent):
    return (await layer.remember(agent, [NewMemory(type="fact", content=WINCH, occurred_at=AT)]))[0]


def make_turn(agent, turn_id, minute=0, *, session="s", text="How does the winch of the ferry turn?"):
    return Turn(agent_id=agent, session_id=session, text=text, turn_id=turn_id, now=AT + timedelta(minutes=minute))


async def stored_response(layer, agent, turn_id):
    return (await layer.explain.analytics.turn(Scope(agent), turn_id)).response


async def test_beginning_of_a_response_is_stored_with_its_turn(layer, agent, winch):
    context = await layer.pre_turn(make_turn(agent, "t"))
    assert await stored_response(layer, agent, "t") is None

    await layer.post_turn(context, Outcome(response="x" * 20_000))
    await layer.post_turn(context, Outcome(response="said again"))

    assert await stored_response(layer, agent, "t") == "x" * POLICY.retention.max_response_chars


async def test_policy_can_disable_storing_responses(layer):
    await layer.post_turn(await layer.pre_turn(make_turn("silent", "t")), ANSWER)

    assert await stored_response(layer, "silent", "t") is None
    await layer.erase_agent("silent")


async def test_erasing_an_agent_deletes_its_responses(layer, agent, winch):
    await layer.post_turn(await layer.pre_turn(make_turn(agent, "t")), ANSWER)

    assert (await layer.erase_agent(agent)).responses == 1
    assert await layer.explain.analytics.turn(Scope(agent), "t") is None


async def test_forgetting_a_memory_deletes_dependent_responses(layer, agent, winch):
    turns = (
        make_turn(agent, "before", 0, text="Hello!"),
        make_turn(agent, "shown", 1),
        make_turn(agent, "after", 2, text="Say that again?"),
        make_turn(agent, "elsewhere", 3, session="another", text="Hello!"),
    )
    outcomes = {"before": GREETING, "shown": ANSWER, "after": GREETING, "elsewhere": GREETING}
    for turn in turns:
        await layer.post_turn(await layer.pre_turn(turn), outcomes[turn.turn_id])
    said = make_turn(agent, "said", 4, session="a third", text="Hello!")
    await layer.post_turn(await layer.pre_turn(said), ANSWER)

    receipt = await layer.forget(agent, [winch])

    assert receipt.responses == 3
    left = {turn.turn_id: await stored_response(layer, agent, turn.turn_id) for turn in (*turns, said)}
    hello = GREETING.response
    assert left == {"before": hello, "shown": None, "after": None, "elsewhere": hello, "said": None}


async def test_forgetting_a_pinned_memory_deletes_every_response(layer, agent):
    (pinned,) = await layer.remember(agent, [NewMemory(type="fact", content=WINCH, pinned=True)])
    await layer.post_turn(await layer.pre_turn(make_turn(agent, "t", text="Hello!")), ANSWER)

    assert (await layer.forget(agent, [pinned])).responses == 1
    assert await stored_response(layer, agent, "t") is None


async def test_response_given_after_forgetting_is_not_stored(layer, agent, winch):
    await layer.pre_turn(make_turn(agent, "late"))

    assert (await layer.forget(agent, [winch])).responses == 0
    await layer.post_turn(TurnRef(agent, "late"), ANSWER)

    assert await stored_response(layer, agent, "late") is None


@pytest.mark.parametrize("forgotten", [False, True])
async def test_journaled_response_is_stored_unless_its_memory_was_forgotten(layer, agent, winch, tmp_path, forgotten):
    context = await layer.pre_turn(make_turn(agent, "once"))

    opening = replace(open_turn(context), turn_id="journaled")
    journal = Journal(tmp_path / "journal" / "x.sqlite")
    journal.put(Scope(agent), "journaled", opening=written(opening), outcome=ANSWER.model_dump_json())
    if forgotten:
        await layer.forget(agent, [winch])

    recorder = OutcomeRecorder(internals(layer).turns, journal, internals(layer).resolver, internals(layer).capture)
    await recorder.drain(journal.find(Scope(agent), "journaled"))

    assert await stored_response(layer, agent, "journaled") == (None if forgotten else ANSWER.response)
