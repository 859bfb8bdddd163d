"""The tool catalog through the whole layer: the tools sent, the learning from calls, and failures."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder
from brain.users import Scope
from cognitive import CognitiveLayer, Message, Outcome, Policy, Tool, ToolCall, Turn
from cognitive.catalog import engine
from cognitive.catalog.engine import CatalogEngine, ToolCache
from cognitive.catalog.ranking import ToolEvidence
from cognitive.catalog.refine import Completion
from cognitive.errors import EmbeddingError, InvalidInput, PolicyError
from tests.internals import internals

WEAK, STRONG = "example/unknown-small-model", "anthropic/claude-opus-4-1"
LIMIT = 10_000
TOPICS = {
    "WeatherTool": "Forecasts rain, wind and temperatures for any city in the world.",
    "CurrencyTool": "Converts an amount of money between currencies at today's rate.",
    "RecipeTool": "Suggests dishes for dinner from what is left in the fridge.",
}
FILLER = [f"{noun}{place}" for noun in ("Ledger", "Valve", "Roster", "Quarry", "Splice") for place in range(40)]


def tool(name: str, description: str) -> Tool:
    properties = {
        each: {"type": "string", "title": each.title(), "description": f"The {each} that the tool works on."}
        for each in ("query", "location", "period")
    }
    parameters = {"type": "object", "properties": properties, "required": ["query"]}
    return Tool(name=name, description=description, parameters=parameters)


TOOLS = tuple(
    tool(name, TOPICS.get(name, f"Handles {name.lower()} records of the archive, one by one."))
    for name in (*FILLER, *TOPICS)
)


def size(tools) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    """A layer with a long deadline, so that a slow machine does not degrade its turns."""
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(deadline_ms=10_000)) as layer:
        yield layer


def ask(agent: str, text: str, **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, **({"tools": TOOLS, "model": WEAK} | fields))


def names(tools) -> list[str]:
    return [each["name"] for each in tools]


async def test_weak_model_gets_the_needed_tool_within_its_byte_limit(layer, agent):
    context = await layer.pre_turn(ask(agent, "Will it rain in Porto tomorrow?"))
    assert "WeatherTool" in names(context.tools)
    assert names(context.tools) == [each.name for each in TOOLS if each.name in names(context.tools)]
    assert context.trim.after_bytes == size(context.tools) <= LIMIT < context.trim.before_bytes
    assert len(context.tools) + len(context.trim.cut) == len(TOOLS)
    for sent in context.tools:
        assert isinstance(sent, dict)
        assert sent["parameters"]["required"] == ["query"]
        assert sent["parameters"]["properties"]["query"] == {"type": "string"}
        assert (sent.name, sent.description, sent.parameters) == tuple(sent.values())
    [weather] = [sent for sent in context.tools if sent.name == "WeatherTool"]
    assert weather.description == TOPICS["WeatherTool"]
    assert set(weather.parameters["properties"]) == {"query", "location", "period"}
    assert not [reason for reason in context.degraded if reason.startswith("tools")]


@pytest.mark.parametrize("fields", [{"model": None}, {"model": STRONG}, {"kind": "cron"}, {"tools": TOOLS[-3:]}])
async def test_tools_within_the_limit_are_passed_unchanged(layer, agent, fields):
    turn = ask(agent, "Will it rain in Porto tomorrow?", **fields)
    context = await layer.pre_turn(turn)
    assert [dict(sent) for sent in context.tools] == [
        {"name": each.name, "description": each.description, "parameters": each.parameters} for each in turn.tools
    ]
    assert context.trim is None


async def test_dropped_tools_are_logged_and_recorded(layer, agent, caplog):
    with caplog.at_level(logging.INFO, "cognitive"):
        context = await layer.pre_turn(ask(agent, "Will it rain in Porto tomorrow?"))
        await layer.pre_turn(ask(agent, "Will it rain in Porto tomorrow?", tools=TOOLS[-3:]))
    [line] = [record.getMessage() for record in caplog.records if "dropped:" in record.getMessage()]
    assert context.turn_id in line
    assert "tools by relevance" in line
    assert str(context.trim.before_bytes) in line
    await layer.post_turn(context, Outcome(response="It will."))  # also records a trim that pre_turn had no time for
    stored = (await internals(layer).turns.turn(Scope(agent), context.turn_id)).trace["trim"]
    assert stored["after_bytes"] == context.trim.after_bytes
    assert stored["cut_count"] == len(context.trim.cut)
    assert stored["dropped"] == list(context.trim.dropped)


async def test_tool_called_after_similar_messages_is_kept(layer, agent):
    text = "Please do the usual for the Hendersons before they call."
    before = await layer.pre_turn(ask(agent, text))
    last = before.trim.cut[-1]
    for status in ("failed", "completed"):
        context = await layer.pre_turn(ask(agent, text))
        assert last in context.trim.cut
        await layer.post_turn(context, Outcome(response="Done.", tool_calls=[ToolCall(name=last)], status=status))
    after = await layer.pre_turn(ask(agent, "Please do the usual for the Hendersons again before they call."))
    assert last in names(after.tools)
    assert after.trim.ranked_by[-1] == "calls"
    another = await layer.pre_turn(ask(f"{agent}-other", text))
    assert last in another.trim.cut


async def test_tool_called_in_the_conversation_is_kept(layer, agent):
    text = "Now the same for the next one."
    last = (await layer.pre_turn(ask(agent, text))).trim.cut[-1]
    conversation = [
        Message(role="assistant", tool_calls=[ToolCall(name=last, id="1")]),
        Message(role="tool", content="ok", tool_call_id="1"),
    ]
    assert last in names((await layer.pre_turn(ask(agent, text, conversation=conversation))).tools)


async def test_tool_vectors_are_embedded_once_in_the_background(agent, embedder):
    class Counting:
        model, dimension = embedder.model, embedder.dimension

        def __init__(self):
            self.texts = []

        def embed(self, texts):
            self.texts += texts
            return embedder.embed(texts)

    counting = Counting()
    cached = CachedEmbedder(counting)
    tool_cache = ToolCache(cached)
    catalog = tool_cache.catalog(TOOLS[-3:])
    assert tool_cache.catalog(TOOLS[-3:]) is catalog
    assert tool_cache.tool_vectors(catalog) is None
    for again in (catalog, tool_cache.catalog([each.model_copy() for each in TOOLS[-3:]])):
        tool_cache.start_embedding(again)
        await tool_cache.embedded()
        assert tool_cache.tool_vectors(again).places == (0, 1, 2)
    assert len(counting.texts) == 3
    await tool_cache.close()
    cached.close()


async def test_tools_are_ranked_by_words_when_the_embedder_fails(urls, agent, embedder):
    class Broken:
        model, dimension = embedder.model, embedder.dimension

        def embed(self, texts):
            raise EmbeddingError("no model today")

    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=Broken()) as layer:
        for _ in range(2):
            context = await layer.pre_turn(ask(agent, "Will it rain in Porto tomorrow?"))
            assert "WeatherTool" in names(context.tools)
            assert context.trim.ranked_by == ("words",)
            assert any("no model today" in reason for reason in context.degraded)


MANY = [each.model_copy(update={"name": f"{each.name}_{n}"}) for n in range(25) for each in TOOLS]


async def test_thousands_of_tools_fit_from_the_first_turn(layer, agent):
    for _ in range(2):
        context = await layer.pre_turn(ask(agent, "What is the weather in Porto?", tools=MANY))
        assert size(context.tools) == context.trim.after_bytes <= LIMIT
        assert "WeatherTool_0" in names(context.tools)


async def test_tools_are_fitted_by_name_when_ranking_is_late(urls, agent, embedder, monkeypatch):
    monkeypatch.setattr(engine, "_MIN_DEADLINE_MS", 0.001)
    hurry = Policy(deadline_ms=1, categories={"always_include": ("Valve7_24",)})
    talk = [
        Message(role="assistant", tool_calls=[ToolCall(name="Roster3_9", id="1")]),
        Message(role="tool", content="ok", tool_call_id="1"),
    ]
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=hurry) as layer:
        context = await layer.pre_turn(ask(agent, "What is the weather in Porto?", tools=MANY, conversation=talk))
        assert context.trim.late
        assert size(context.tools) == context.trim.after_bytes <= LIMIT < context.trim.before_bytes
        assert {"Valve7_24", "Roster3_9", "WeatherTool_0", "WeatherTool_24"} <= set(names(context.tools))
        assert len(context.tools) + len(context.trim.cut) == len(MANY)
        assert all(sent.parameters["required"] == ["query"] for sent in context.tools)
        assert any("not ranked in time" in reason for reason in context.degraded)


async def test_model_limits_file_extends_the_model_table(urls, agent, embedder, tmp_path, monkeypatch):
    path = tmp_path / "models.toml"
    path.write_text('["example/tiny"]\ninput_tokens = 4000\noutput_tokens = 500\ncatalog_bytes = 2000\ntier = "C"\n')
    monkeypatch.setenv("COGNITIVE_MODEL_LIMITS", str(path))
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy()) as layer:
        context = await layer.pre_turn(ask(agent, "Will it rain in Porto?", model="example/tiny-v2"))
    assert context.trim.after_bytes <= context.trim.limit == 2000
    path.write_text('["example/tiny"]\ninput_tokens = 0')
    with pytest.raises(PolicyError, match="example/tiny"):
        async with CognitiveLayer.open(urls.app, embedder=embedder):
            pass


async def test_disabled_fitting_leaves_tools_unchanged(urls, agent, embedder):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(tools={"fit_to_model": False})) as layer:
        assert (await layer.pre_turn(ask(agent, "Will it rain?"))).trim is None


# --- the second pass ---


UNSURE = "Please do the usual for the Hendersons before they call."


async def test_model_refines_an_uncertain_ranking_within_the_limit(layer, agent):
    context = await layer.pre_turn(ask(agent, UNSURE))
    assert context.trim.low_confidence
    wanted = context.trim.cut[0]
    prompts = []

    async def model(prompt: str) -> str:
        prompts.append(prompt)
        return f'Sure: ```{{"ids": ["{wanted}", "no-such-tool"]}}```'

    refined = await layer.refine_tools(context, model)
    assert (refined.reason, refined.picked) == ("chosen", (wanted,))
    assert names(refined.tools)[0] == wanted
    assert size(refined.tools) <= LIMIT
    assert 3 <= len(refined.tools) < len(context.tools)
    assert set(refined.tools[0].parameters["properties"]) == {"query", "location", "period"}
    assert json.dumps(UNSURE) in prompts[0]
    assert wanted in prompts[0]


async def test_many_large_chosen_tools_still_fit(layer, agent):
    large = [
        each.model_copy(
            update={
                "parameters": {
                    "type": "object",
                    "required": ["x"],
                    "properties": {"x": {"enum": [f"{each.name}{n}" for n in range(150)]}},
                }
            }
        )
        for each in TOOLS
    ]
    context = await layer.pre_turn(ask(agent, UNSURE, tools=large))
    chosen = [each.name for each in large[:12]]

    async def model(prompt: str) -> str:
        return json.dumps({"ids": chosen})

    refined = await layer.refine_tools(context, model)
    assert size(refined.tools) <= LIMIT
    assert names(refined.tools) == chosen[: len(refined.tools)]
    assert refined.trim.cut[0] == chosen[len(refined.tools)]


async def test_refining_keeps_the_tools_that_are_always_included(urls, agent, embedder):
    large = {"type": "object", "required": ["x"], "properties": {"x": {"enum": [f"value {n}" for n in range(150)]}}}
    tools = [Tool(name="speak"), *(each.model_copy(update={"parameters": large}) for each in TOOLS)]
    async with CognitiveLayer.open(
        urls.app, embedder=embedder, policy=Policy(categories={"always_include": ("speak",)})
    ) as layer:
        context = await layer.pre_turn(ask(agent, UNSURE, tools=tools))

        async def model(prompt: str) -> str:
            return json.dumps({"ids": [each.name for each in TOOLS[:12]]})

        refined = await layer.refine_tools(context, model)
    assert refined.reason == "chosen"
    assert "speak" in names(refined.tools)
    assert size(refined.tools) <= LIMIT


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        (Completion("", "content_filter"), "safety"),
        (Completion('{"ids": ["Wea', "length"), "length"),
        ("<think>hm", "thinking_only"),
        ("no idea", "unreadable"),
        ('{"ids": ["teleport"]}', "unknown_names"),
        ('{"ids": []}', "no_tool"),
        (RuntimeError("quota"), "error"),
        (None, "error"),
    ],
)
async def test_failed_refining_keeps_the_ranked_tools_with_a_reason(layer, agent, answer, reason):
    context = await layer.pre_turn(ask(agent, UNSURE))

    async def model(prompt: str):
        if isinstance(answer, Exception):
            raise answer
        return answer

    refined = await layer.refine_tools(context, model)
    assert (refined.reason, refined.tools) == (reason, context.tools)
    assert (reason == "no_tool") <= (refined.gap is not None)


async def test_refining_times_out_when_the_model_does_not_answer(urls, agent, embedder):
    async with CognitiveLayer.open(
        urls.app, embedder=embedder, policy=Policy(tools={"refine_deadline_ms": 20})
    ) as layer:
        context = await layer.pre_turn(ask(agent, UNSURE))
        refined = await layer.refine_tools(context, lambda _: asyncio.Event().wait())
    assert (refined.reason, refined.tools) == ("timeout", context.tools)


async def test_refining_calls_no_model_when_not_needed_or_not_allowed(layer, agent, embedder):
    async def model(prompt: str) -> str:
        raise AssertionError("the model was called")

    for fields in ({"model": None}, {"model": STRONG}, {"tools": TOOLS[-3:]}):
        context = await layer.pre_turn(ask(agent, UNSURE, **fields))
        assert (await layer.refine_tools(context, model)).reason == "not_needed"
    context = await layer.pre_turn(ask(agent, UNSURE, model="mistralai/mistral-small"))
    assert (await layer.refine_tools(context, model)).reason == "not_allowed"


async def test_message_that_matches_no_tool_reports_a_gap(embedder):
    cached = CachedEmbedder(embedder)
    catalog = CatalogEngine(cached)

    async def fitted(text):
        evidence = ToolEvidence(text, (await cached.embed([text]))[0])
        return (await catalog.fit(TOOLS, WEAK, evidence, Deadline(10_000), Policy())).trim

    await fitted("anything")
    await catalog.tool_cache.embedded()
    assert (await fitted("Will it rain in Porto tomorrow?")).gap is None
    assert "no tool" in (await fitted("My grandmother never liked jazz.")).gap
    await catalog.close()
    cached.close()


# --- past plans ---


async def test_past_plans_list_the_tools_called_by_this_agent(layer, agent):
    for text, call in (("Weather in Rome?", "WeatherTool"), ("The weather in Rome?", "WeatherTool"), ("Pay Bo", "Pay")):
        context = await layer.pre_turn(ask(agent, text, tools=()))
        await layer.post_turn(context, Outcome(response="Done.", tool_calls=[ToolCall(name=call)] * 2))
    weather, pay = await layer.explain.past_plans(agent)
    assert (weather.turns, weather.tools) == (2, (("WeatherTool", 2),))
    assert pay.tools == (("Pay", 1),)
    assert await layer.explain.past_plans(agent, "What is the weather like in Rome?") == (weather,)
    assert await layer.explain.past_plans(agent, limit=0) == ()
    assert await layer.explain.past_plans(f"{agent}-other") == ()
    with pytest.raises(InvalidInput, match="limit"):
        await layer.explain.past_plans(agent, limit=-1)
