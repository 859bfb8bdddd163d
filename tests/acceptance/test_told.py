"""Facts that were told in conversations are shown later, also those that were asked about before they were known.

The facts, questions and chatter were written by two people who did not know the rules. `benchmarks.told` reports all
three questions of each fact.
"""

from __future__ import annotations

import json

import pytest

from benchmarks.told import PATIENT, measure
from cognitive import CognitiveLayer, NewMemory, Turn

QUESTION = "Where do we keep the spare key of the boathouse?"
FACT = "The spare key of the boathouse hangs behind the red lifebuoy."


@pytest.fixture(scope="module")
async def asked(urls, embedder, root):
    sets = json.loads((root / "tests/data/told.json").read_text(encoding="utf-8"))
    async with CognitiveLayer.open(urls.app, policy=PATIENT, embedder=embedder) as layer:
        return [each for told in sets for each in await measure(layer, told, questions=1)]


def test_facts_told_in_talk_are_shown(asked):
    hidden = {each.question: each.cause for each in asked if not each.shown}
    assert len(asked) == 40
    assert len(hidden) <= 0.05 * len(asked), hidden


def test_earlier_question_never_ranks_above_the_fact(asked):
    assert [each.question for each in asked if not each.results] == []
    assert {each.question: each.ahead for each in asked if each.ahead} == {}


def line(content: str, n: int, speaker: str = "user") -> NewMemory:
    return NewMemory(type="episode", content=content, speaker=speaker, session_id=f"s{n}", trust="talk")


async def results(layer, agent, text: str):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="now", text=text))
    return {each.candidate.hit.content: each for each in context.trace.candidates}


async def test_repeated_message_is_left_out_and_why_says_so(layer, agent):
    await layer.remember(agent, [line(QUESTION, 1), line(FACT, 2)])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="now", text=f"Hey! {QUESTION}"))
    results = {each.candidate.hit.content: each for each in context.trace.candidates}
    assert results[QUESTION].disposition == "restated"
    assert results[FACT].disposition == "shown"
    why = await layer.why(agent, context.turn_id, results[QUESTION].candidate.hit.memory_id)
    assert "the message says it word for word" in why.summary


@pytest.mark.parametrize("question", [f"Is it true that {FACT[:-1]}?", f"{FACT[:-1]}?", f"{FACT[:-1]}, right?"])
async def test_confirming_question_is_not_the_statement_it_asks_about(layer, agent, question):
    await layer.remember(agent, [line(FACT, 1)])
    found = await results(layer, agent, question)
    assert found[FACT].disposition == "shown"


async def test_answer_that_nothing_is_known_ranks_below_the_fact(layer, agent):
    unknown = "I don't know where the spare key of the boathouse is kept."
    asked = "Do you know where the boathouse's spare key is?"
    await layer.remember(agent, [line(asked, 1), line(unknown, 1, "assistant"), line(FACT, 2)])
    found = await results(layer, agent, QUESTION)
    assert found[FACT].candidate.rank == 1
    assert found[FACT].disposition == "shown"
