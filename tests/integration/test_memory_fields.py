"""Every field of a memory changes what is found, how it ranks, or what is shown or returned."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from brain.types import MAX_METADATA_BYTES
from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.errors import InvalidInput

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PATIENT = Policy(deadline_ms=10_000, abstention=False, deadlines={"recall_ms": 10_000})


@pytest.fixture
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=PATIENT, embedder=embedder) as layer:
        yield layer


async def stored(layer, agent, **fields):
    """Store a memory with these fields beside the same memory without them; return both ids."""
    plain = {"type": "fact", "content": "It opens at nine.", "occurred_at": AT, **fields}
    bare = {name: plain[name] for name in ("type", "content", "occurred_at")}
    return await layer.remember(agent, [NewMemory(**plain, source="with"), NewMemory(**bare, source="without")])


async def hits(layer, agent, query):
    return {hit.memory_id: hit for hit in await layer.recall(agent, query, limit=200)}


# --- what is found ---

LONG = "The harbour museum was built in 1911. " + "Nothing else is said about it here. " * 60 + "It is free on Sundays."


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        pytest.param("harbour museum", {"context": "About the harbour museum."}, id="context"),
        pytest.param("built in 1911", {"context": LONG}, id="the beginning of a long context"),
        pytest.param("free on Sundays", {"context": LONG}, id="the end of a long context"),
        pytest.param("Zubair", {"entities": ("Zubair", "Ines")}, id="entities"),
        pytest.param("museum", {"attributes": {"subject": "The museum"}}, id="subject of a fact"),
        pytest.param("tourism", {"attributes": {"category": "tourism"}}, id="category of a fact"),
        pytest.param(
            "rotation", {"type": "procedure", "attributes": {"name": "Rotation of keys"}}, id="name of a procedure"
        ),
        pytest.param(
            "security", {"type": "procedure", "attributes": {"domain": "security"}}, id="domain of a procedure"
        ),
        pytest.param("standup", {"type": "episode", "attributes": {"title": "Standup"}}, id="title of an episode"),
        pytest.param(
            "latency", {"type": "decision", "attributes": {"rationale": "Latency fell."}}, id="rationale of a decision"
        ),
    ],
)
async def test_field_is_found_by_its_words(layer, agent, query, fields):
    with_field, without = await stored(layer, agent, **fields)
    found = await hits(layer, agent, query)
    matched = {id: found[id].scores.get("context_matched", 0.0) for id in (with_field, without)}
    assert matched[with_field] > 0.0
    assert matched[without] == 0.0
    assert next(iter(found)) == with_field


@pytest.mark.parametrize(
    "fields",
    [
        {"context": "A place where old ships are exhibited to visitors. " + "Other things happen too. " * 60},
        {"entities": ("maritime museum",)},
        {"attributes": {"subject": "maritime museum"}},
    ],
    ids=["the beginning of a long context", "entities", "attributes"],
)
async def test_field_is_found_by_its_meaning(layer, agent, fields):
    with_field, without = await stored(layer, agent, **fields)
    found = await hits(layer, agent, "exhibition of vessels for the public")
    best = max(found[with_field].scores["context_cosine"], -1.0)
    assert best > found[without].scores["content_cosine"]
    assert next(iter(found)) == with_field


async def test_changed_field_is_indexed_again(layer, agent):
    [id, _] = await stored(layer, agent, entities=("Zubair",))
    await layer.update(agent, id, entities=("Ines",), attributes={"subject": "lighthouse"})
    assert next(iter(await hits(layer, agent, "lighthouse"))) == id
    assert "context_matched" not in (await hits(layer, agent, "Zubair"))[id].scores


# --- how it ranks ---


async def test_less_confident_memory_ranks_below_an_equal_one(layer, agent):
    doubtful, sure = await stored(layer, agent, confidence=0.3)
    found = await hits(layer, agent, "when does it open?")
    assert list(found) == [sure, doubtful]
    assert found[doubtful].score == pytest.approx(found[sure].score * (1 - 0.2 * 0.7), rel=1e-3)
    assert (found[doubtful].confidence, found[sure].confidence) == (np.float32(0.3), 1.0)


# --- what is shown and returned ---


async def test_decision_is_shown_with_its_rationale_and_outcome(layer, agent):
    attributes = {"rationale": 'The team knows "it" well.', "outcome": "success", "stakes": "high"}
    await layer.remember(
        agent, [NewMemory(type="decision", content="We chose Postgres.", occurred_at=AT, attributes=attributes)]
    )
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Why did we choose Postgres?"))
    assert '"We chose Postgres." (rationale: "The team knows' in context.text
    assert 'outcome: "success"' in context.text
    assert "high" not in context.text
    [hit] = await layer.recall(agent, "database choice")
    assert hit.attributes == attributes


async def test_rationale_of_a_pinned_decision_is_in_the_prefix(layer, agent):
    memory = NewMemory(type="decision", content="We chose Postgres.", pinned=True, attributes={"rationale": "Speed."})
    [id] = await layer.remember(agent, [memory])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Hello there, which database?"))
    assert '(rationale: "Speed.")' in context.prefix
    assert (await layer.explain.replay(agent, context.turn_id)).text == context.text
    await layer.update(agent, id, attributes={"rationale": "Price."})
    assert id in (await layer.explain.replay(agent, context.turn_id)).changed


async def test_metadata_is_returned_as_it_was_stored(layer, agent):
    metadata = {"priority": 3, "tags": ["a", {"b": None}], "ü": 1.5, "done": False}
    [id] = await layer.remember(agent, [NewMemory(type="fact", content="It opens at nine.", metadata=metadata)])
    assert (await layer.get(agent, [id]))[0].metadata == metadata
    await layer.update(agent, id, metadata={"priority": 4})
    assert (await layer.get(agent, [id]))[0].metadata == {"priority": 4}
    assert (await layer.admin.revisions(agent, id))[0].previous == {"metadata": metadata}


# --- bad input ---


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "decision", "attributes": {"reason": "x"}}, "no attribute 'reason'; it has outcome, rationale"),
        ({"type": "episode", "attributes": {"category": "x"}}, "no attribute 'category'; it has title, outcome"),
        ({"type": "decision", "attributes": {"stakes": "huge"}}, "stakes"),
        ({"metadata": {"a": "x" * MAX_METADATA_BYTES}}, "larger than 16384 bytes"),
        ({"metadata": {"a": "ü" * (MAX_METADATA_BYTES // 2)}}, "larger than 16384 bytes"),
        ({"metadata": {"a": float("nan")}}, "not JSON"),
        ({"metadata": {"a": object()}}, "not JSON"),
        ({"metadata": {"a\0": 1}}, "NUL"),
        ({"metadata": {"a": ["\ud800"]}}, "surrogate"),
        ({"metadata": ["a"]}, "metadata"),
        ({"confidence": 1.1}, "confidence"),
        ({"expires_at": datetime(2027, 1, 1)}, "expires_at"),  # noqa: DTZ001 - without a time zone
    ],
)
def test_invalid_field_gets_an_error_that_names_it(fields, message):
    with pytest.raises(InvalidInput, match=message):
        NewMemory(**{"type": "fact", "content": "It opens at nine.", **fields})


def test_metadata_may_be_as_large_as_the_limit():
    metadata = {"a": "x" * (MAX_METADATA_BYTES - len(json.dumps({"a": ""})))}
    assert NewMemory(type="fact", content="x", metadata=metadata).metadata == metadata
