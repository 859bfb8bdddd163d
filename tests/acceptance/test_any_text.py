"""Promise P8: each Python string is refused by a typed error or returned unchanged."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.chaos.sample_data import WordEmbedder
from brain.text import storable
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Turn
from cognitive.errors import InvalidInput
from tests.internals import internals

pytestmark = pytest.mark.promise(number=8)

AWKWARD = st.sampled_from(
    [
        "\x00",
        "\ud800",
        "\udfff",
        "\x01",
        "\x1b[0m",
        "\x85",
        "\u2028",
        "\ufeff",
        "\u202e",
        "\u200b",
        "\u00e9",
        "e\u0301",
        "\u1100\u1161",
        "\U0001f469\u200d\U0001f4bb",
        "\U0010ffff",
        "\ufffe",
        "\u0e01\u0e33",
        "\u6f22\u5b57",
        "\u05e9\u05dc",
        "\\u0000",
        "\\",
        "'",
        '"',
        "$$",
        "%s",
        "{}",
        "\r\n",
        "\t",
        "<!-- -->",
        "NULL",
        "\u0130",
        "\u00df",
        "\ufb01",
        "\u212a",
    ]
)
TEXT = st.lists(AWKWARD | st.text(max_size=8), max_size=8).map("".join)
MANY = st.lists(TEXT, min_size=10, max_size=20)
SLOW = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], database=None
)


@pytest.fixture(scope="module")
async def words(urls):
    async with CognitiveLayer.open(urls.app, embedder=WordEmbedder()) as layer:
        yield layer


def make_or_none(make, text):
    """Return `make(text)`, or None if it raises InvalidInput for a blank or unstorable text."""
    try:
        return make(text)
    except InvalidInput:
        assert not text.strip() or storable(text) != text, repr(text)
        return None


@given(MANY)
@SLOW
async def test_memory_content_is_refused_or_returned_unchanged(words, agent, texts):
    accepted = [memory for text in texts if (memory := make_or_none(lambda t: NewMemory(type="fact", content=t), text))]
    stored = await words.get(agent, await words.remember(agent, accepted))
    assert [memory.content for memory in stored] == [memory.content for memory in accepted]


@given(st.sampled_from(["context", "speaker", "source", "session_id"]), TEXT)
@SLOW
async def test_memory_fields_are_refused_or_returned_unchanged(words, agent, name, text):
    unique = uuid4()  # a retried example must not find the memory of its first attempt
    memory = make_or_none(lambda t: NewMemory(**{"type": "episode", "content": f"Tea with {unique}.", name: t}), text)
    if memory is not None:
        [stored] = await words.get(agent, await words.remember(agent, [memory]))
        assert getattr(stored, name) == getattr(memory, name) == text


@given(st.tuples(TEXT, TEXT))
@SLOW
async def test_turn_text_is_refused_or_recorded_unchanged(words, agent, texts):
    message, response = texts
    turn = make_or_none(lambda t: Turn(agent_id=agent, session_id="s", text=t), message)
    outcome = make_or_none(lambda t: Outcome(response=t), response)
    if turn is None or outcome is None:
        return
    context = await words.pre_turn(turn)
    assert context.message == message
    await words.post_turn(context, outcome)
    assert (await internals(words).turns.turn(Scope(agent), context.turn_id)).message == message


@given(TEXT)
@SLOW
async def test_query_is_refused_or_answered(words, agent, text):
    try:
        hits = await words.recall(agent, text)
    except InvalidInput:
        assert not text.strip() or storable(text) != text
    else:
        assert isinstance(hits, tuple)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["remember", "update", "forget", "get"]), st.integers(0, 5), TEXT), max_size=12
)


@given(OPERATIONS)
@SLOW
async def test_store_behaves_like_a_dictionary(words, operations):
    """Operations in any order leave the same contents as in a dictionary."""
    agent, model, ids = f"model-{uuid4().hex}", {}, []
    for operation, n, text in operations:
        if operation == "remember":
            if memory := make_or_none(lambda t: NewMemory(type="fact", content=t), text):
                [id] = await words.remember(agent, [memory])
                ids += [id] if id not in ids else []
                model[id] = memory.content
        elif ids and (id := ids[n % len(ids)]) in model:
            if operation == "update" and text.strip() and storable(text) == text and text not in model.values():
                await words.update(agent, id, content=text)
                model[id] = text
            elif operation == "forget":
                await words.forget(agent, [id])
                del model[id]
    stored = await words.get(agent, ids)
    assert {memory.id: memory.content for memory in stored} == model
