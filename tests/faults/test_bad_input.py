"""Promise P8: invalid input raises a typed error that names the field, and the longest valid message is answered."""

from __future__ import annotations

import random
from datetime import datetime
from uuid import uuid4

import pytest
from clients import ASKED, KEY, turn
from sites import opened

from cognitive import CognitiveError, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.errors import InvalidInput
from cognitive.turn import MAX_MESSAGE_LENGTH

pytestmark = pytest.mark.promise(number=8)

NAIVE = datetime(2026, 9, 1)  # noqa: DTZ001
BAD_TURNS = [
    pytest.param({"text": "x" * 10_000_000}, "text", id="10 MB message"),
    pytest.param({"text": "x" * (MAX_MESSAGE_LENGTH + 1)}, "text", id="a character too many"),
    pytest.param({"text": "a\x00b"}, "text", id="NUL"),
    pytest.param({"text": "a\ud800b"}, "text", id="lone surrogate"),
    pytest.param({"text": 7}, "text", id="a number for text"),
    pytest.param({"agent_id": "  "}, "agent_id", id="blank agent"),
    pytest.param({"agent_id": "a\x00"}, "agent_id", id="NUL in the agent"),
    pytest.param({"session_id": ""}, "session_id", id="no session"),
    pytest.param({"session_id": "x" * 2_000}, "session_id", id="long session"),
    pytest.param({"turn_id": "\udfff"}, "turn_id", id="surrogate in the turn id"),
    pytest.param({"user_id": "u\x00"}, "user_id", id="NUL in the user"),
    pytest.param({"now": NAIVE}, "now", id="naive now"),
    pytest.param({"kind": "robot"}, "kind", id="unknown kind"),
    pytest.param({"iteration": -1}, "iteration", id="negative iteration"),
    pytest.param({"plan_step": "a\x00"}, "plan_step", id="NUL in the plan step"),
    pytest.param({"colour": "red"}, "colour", id="unknown key"),
    pytest.param({"conversation": [{"role": "user", "content": "x", "colour": 1}]}, "colour", id="key of a message"),
    pytest.param({"conversation": [{"role": "robot", "content": "x"}]}, "role", id="unknown role"),
    pytest.param({"conversation": [{"role": "user", "content": "a\x00"}]}, "content", id="NUL in a message"),
    pytest.param({"conversation": [{"role": "user", "content": "x", "at": NAIVE}]}, "at", id="naive message"),
    pytest.param({"conversation": [{"role": "user", "content": "x" * 10_000_000}]}, "content", id="10 MB of history"),
    pytest.param({"tools": [{"name": ""}]}, "name", id="nameless tool"),
    pytest.param({"tools": [{"name": "t", "colour": 1}]}, "colour", id="key of a tool"),
]


@pytest.mark.parametrize(("bad", "field"), BAD_TURNS)
def test_invalid_turn_is_refused_with_the_fields_name(bad, field):
    with pytest.raises(InvalidInput, match=rf"\b{field}\b") as caught:
        Turn(**({"agent_id": "a", "session_id": "s", "text": "Hello?"} | bad))
    assert isinstance(caught.value, CognitiveError)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("make", "field"),
    [
        pytest.param(lambda: Outcome(response="a\x00"), "response", id="NUL in the response"),
        pytest.param(lambda: Outcome(response="\ud800"), "response", id="surrogate in the response"),
        pytest.param(lambda: Outcome(response="x" * 10_000_000), "response", id="10 MB response"),
        pytest.param(lambda: Outcome(status="perhaps"), "status", id="unknown status"),
        pytest.param(lambda: Outcome(citations=("not an id",)), "citations", id="citation that is not an id"),
        pytest.param(lambda: Outcome(ratings={"not an id": True}), "ratings", id="rating of an invalid id"),
        pytest.param(lambda: Outcome(answer="x"), "answer", id="unknown key of an outcome"),
        pytest.param(lambda: Outcome(tool_calls=[{"name": "t", "colour": 1}]), "colour", id="key of a call"),
        pytest.param(lambda: ToolCall(name=" "), "name", id="nameless call"),
        pytest.param(lambda: Tool(name="t", description="\x00"), "description", id="NUL in a description"),
        pytest.param(lambda: Message(role="user", text="x"), "text", id="unknown key of a message"),
        pytest.param(lambda: TurnRef("a", ""), "turn_id", id="reference without a turn"),
        pytest.param(lambda: TurnRef("\x00", "t"), "agent_id", id="NUL in a reference"),
        pytest.param(lambda: Policy(deadline=1), "deadline", id="unknown setting"),
    ],
)
def test_invalid_value_is_refused_with_the_fields_name(make, field):
    with pytest.raises(InvalidInput, match=rf"\b{field}\b") as caught:
        make()
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        pytest.param({"now": NAIVE}, "now", id="naive now"),
        pytest.param({"since": NAIVE}, "since", id="naive since"),
        pytest.param({"until": NAIVE}, "until", id="naive until"),
        pytest.param({"since": "2026-09-01"}, "since", id="a text for since"),
        pytest.param({"as_of": 7}, "as_of", id="a number for as_of"),
        pytest.param({"max_lag_seconds": "5"}, "max_lag_seconds", id="a text for the lag"),
        pytest.param({"query": "a\x00"}, "query", id="NUL"),
        pytest.param({"query": "\udc00"}, "query", id="lone surrogate"),
        pytest.param({"query": " "}, "query", id="blank"),
        pytest.param({"limit": 0}, "limit", id="limit of zero"),
        pytest.param({"limit": 10_000}, "limit", id="limit too high"),
        pytest.param({"memory_type": "dream"}, "memory_type", id="unknown type"),
        pytest.param({"tags": ("a\x00",)}, "tags", id="NUL in a tag"),
        pytest.param({"session_id": "s\x00"}, "session_id", id="NUL in the session"),
        pytest.param({"turn_id": "t\x00"}, "turn_id", id="NUL in the turn"),
    ],
)
async def test_invalid_recall_is_refused_with_the_fields_name(site, agent_with_key, arguments, field):
    async with opened(site) as layer:
        with pytest.raises(InvalidInput, match=rf"\b{field}\b"):
            await layer.recall(agent_with_key, **({"query": ASKED} | arguments))


@pytest.mark.parametrize(
    "bad", [pytest.param("\x00", id="NUL"), pytest.param("\ud800", id="surrogate"), pytest.param("", id="nothing")]
)
async def test_invalid_ids_are_refused_by_every_method(site, agent_with_key, bad):
    some = uuid4()
    async with opened(site) as layer:
        for agent, other in ((bad, "x"), (agent_with_key, bad)):
            for call in (
                lambda a, o: layer.why(a, o, some),
                lambda a, o: layer.rate(a, o, some, useful=True),
                lambda a, o: layer.resume(a, o),
                lambda a, o: layer.end_session(a, o),
                lambda a, o: layer.explain.candidates(a, o),
            ):
                with pytest.raises(InvalidInput):
                    await call(agent, other)
        for call in (layer.get, layer.forget):
            with pytest.raises(InvalidInput):
                await call(bad, [some])
        with pytest.raises(InvalidInput):
            await layer.erase_agent(bad)


async def test_ids_too_long_for_an_index_are_refused(site, agent_with_key):
    session = "".join(random.Random(1).choices([chr(code) for code in range(0x4E00, 0x9F00)], k=1_000))  # 3,000 bytes
    async with opened(site, Policy(deadline_ms=20_000)) as layer:
        with pytest.raises(InvalidInput, match="too long") as caught:
            await layer.remember(agent_with_key, [NewMemory(type="fact", content="A kettle.", session_id=session)])
        assert len(str(caught.value)) < 1_000
        context = await layer.pre_turn(Turn(agent_id=agent_with_key, session_id=session, text=ASKED))
        with pytest.raises(InvalidInput, match="too long"):
            await layer.post_turn(context, Outcome(response="A kettle."))


async def test_longest_accepted_message_is_answered(site, agent_with_key):
    filler = "The quarterly report goes on about logistics. "
    text = (filler * (MAX_MESSAGE_LENGTH // len(filler)))[: MAX_MESSAGE_LENGTH - len(ASKED) - 1] + "\n" + ASKED
    patient = Policy(abstention=False, deadline_ms=20_000, deadlines={"post_turn_ms": 20_000})
    async with opened(site, patient) as layer:
        context = await layer.pre_turn(turn(agent_with_key, text))
        assert context.degraded == ()
        assert KEY in context.text
        report = await layer.post_turn(context, Outcome(response=filler * 20_000 + KEY))
    assert [a.referenced for a, s in zip(report.attributions, context.shown, strict=True) if s.content == KEY] == [True]


async def test_unknown_trust_of_an_author_is_refused_with_the_arguments_name(site, agent_with_key):
    some = uuid4()
    async with opened(site) as layer:
        for call in (
            lambda by: layer.update(agent_with_key, some, by=by, content="x"),
            lambda by: layer.retire(agent_with_key, [some], by=by),
            lambda by: layer.restore(agent_with_key, [some], by=by),
            lambda by: layer.merge(agent_with_key, [some], uuid4(), by=by),
            lambda by: layer.share(agent_with_key, [some], by=by, user_id="ada"),
        ):
            for by in ("robot", None):
                with pytest.raises(InvalidInput, match=r"\bby\b"):
                    await call(by)


@pytest.mark.parametrize("page", [{"limit": "9"}, {"limit": 1.5}, {"offset": None}, {"offset": -1}])
async def test_page_that_is_no_number_is_refused(site, agent_with_key, page):
    async with opened(site) as layer:
        with pytest.raises(InvalidInput, match=next(iter(page))):
            await layer.admin.find(agent_with_key, **page)
