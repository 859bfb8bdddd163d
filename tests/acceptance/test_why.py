"""`why` names the rule that moved a memory and the number that decided, on the turns of the demo and on others."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Policy, Turn
from cognitive.cli import conversation, demo
from cognitive.lab.why import Explanation

NOTHING = "nothing stored is about this message"
AT = datetime(2026, 9, 1, tzinfo=UTC)


class Played(NamedTuple):
    """The layer that played the demo, and the explanations of all candidates of each turn, by the message."""

    layer: CognitiveLayer
    turns: dict[str, list[Explanation]]


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
async def played(layer):
    story, agent = conversation.load_default(), "why-demo"
    await demo._load(layer, agent, story)
    turns, said = {}, {}
    for turn in story.turns:
        messages = said.setdefault(turn.session, [])
        context = await layer.pre_turn(
            Turn(
                agent_id=agent,
                session_id=turn.session,
                text=turn.text,
                now=turn.at,
                conversation=turn.conversation or tuple(messages),
            )
        )
        messages += [Message(role="user", content=turn.text), Message(role="assistant", content=turn.response)]
        turns[turn.text] = await layer.explain.candidates(agent, context.turn_id)
    return Played(layer, turns)


def test_demo_turns_say_nothing_is_stored_only_where_that_is_so(played):
    for told in played.turns.values():
        scores = [value for each in told for name, value in each.scores.items() if "cosine" in name or "match" in name]
        said = [NOTHING in each.summary for each in told if each.reason.startswith(("below the threshold:", NOTHING))]
        assert not said or any(said) == (max(scores) < 0.2)


async def test_threshold_that_why_names_shows_memories(played):
    [told] = [told for text, told in played.turns.items() if "villanelle" in text]
    [reason] = {each.reason for each in told if each.disposition == "irrelevant"}
    assert re.search(r"below the threshold: evidence 0\.\d{3} is 0\.\d{3} less than evidence.threshold 0\.450", reason)
    [needed] = re.findall(r"at a threshold of at most (\S+)", reason)
    policy = Policy(evidence={"threshold": float(needed)})
    replayed = await played.layer.explain.replay("why-demo", told[0].turn_id, policy)
    assert replayed.difference.entered


def test_each_dropped_memory_of_the_demo_has_the_deciding_number(played):
    dropped = [each for told in played.turns.values() for each in told if each.disposition == "irrelevant"]
    assert dropped
    for each in dropped:
        assert re.search(r" -?0\.\d{3} is 0\.\d{3} less than |^not listed|^it states nothing", each.reason), each.reason


def test_demo_names_the_factor_on_a_line_that_only_asks(played):
    asking = [each.summary for told in played.turns.values() for each in told if "only asks" in each.summary]
    assert asking
    assert all(
        "Its score is multiplied by 0.50, because it only asks, refuses or says" in summary for summary in asking
    )


def fact(content: str, days: int = 0) -> NewMemory:
    return NewMemory(type="fact", content=content, occurred_at=AT + timedelta(days=days))


async def explained(layer, agent: str, text: str, *memories: NewMemory) -> list[Explanation]:
    """Store memories, ask, and return their explanations in the order of `memories`."""
    ids = await layer.remember(agent, memories)
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text, now=AT + timedelta(days=30)))
    return [await layer.why(agent, context.turn_id, each) for each in ids]


async def test_why_names_the_identifier_that_moved_a_memory(layer, agent):
    near, requested = await explained(
        layer,
        agent,
        "What is ticket QB-31132 about?",
        fact("What ticket QB-31133 is about: the export of tickets."),
        fact("The archive of old invoices was lost, see QB-31132."),
    )
    assert (requested.rank_before, requested.rank) == (2, 1)
    assert requested.summary.endswith(
        "It was moved from rank 2 to 1 by a rule: it contains 1 of 1 identifiers: qb-31132."
    )
    assert near.summary.endswith("It was moved from rank 1 to 2 because a rule moved others above it.")


async def test_why_names_the_rule_on_versions_with_its_date(layer, agent):
    old, new = await explained(
        layer,
        agent,
        "What is the door code?",
        fact("The door code is 4471."),
        fact("The code for the door of ours is 8820 now.", 1),
    )
    assert (new.rank_before, new.rank) == (2, 1)
    rule = "of 2 memories that state the same attribute of the same subject, the newer is first"
    assert f"It was moved from rank 2 to 1 by a rule: {rule} (the newest is of 2026-09-02 00:00)." in new.summary
    assert f"It was moved from rank 1 to 2 by a rule: {rule}" in old.summary


async def test_why_names_the_exchange_with_a_more_complete_memory(layer, agent):
    less, more = await explained(
        layer,
        agent,
        "What is the code of the cellar door?",
        fact("The code of the cellar door is 4471."),
        fact("The code of the cellar door is 4471, but only the caretaker of the house may hand it out."),
    )
    assert (less.rank_before, less.rank, less.disposition) == (1, 2, "duplicate")
    assert less.summary.endswith("It was moved from rank 1 to 2 by a rule: a more complete memory took its place.")
    assert (more.rank_before, more.rank, more.disposition) == (2, 1, "shown")
    assert more.summary.endswith(
        "It was moved from rank 2 to 1 by a rule: it takes the place of a less complete memory that says the same."
    )
    assert more.score < less.score


async def test_unrelated_message_is_told_that_nothing_is_stored(layer, agent):
    [only] = await explained(
        layer, agent, "Quels champignons poussent sous les hêtres?", fact("Deploys are on Mondays.")
    )
    assert only.summary.startswith(f"Not shown: {NOTHING}: no common word, best cosine -0.0")
