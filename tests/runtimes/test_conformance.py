"""What every runtime keeps to, whatever the framework: each case on the framework's own classes, the real layer and
Postgres. A case that a framework cannot have is skipped with the reason.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from harness import Call, Can, Fail, Harness, Say

from brain.embedded import ServerUrls
from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.policy.models import ModelRow
from cognitive.prompt import OPENING
from cognitive.runtimes.tools import RECALL_NAME, RECALL_UNAVAILABLE

KEY = "The spare key of the boat house hangs behind the brass barometer in the pantry of the captain."
PARROT = "The parrot of the harbour master is called Biscuit."
PINNED = "Every answer gives distances in nautical miles."
ASK = "Do you remember where the spare key of the boat house hangs?"  # of the category "memory", which needs no exec
WORK = "Run the tests and debug the script."  # of the category "coding", which does
SETTINGS: Mapping[str, Any] = {
    "abstention": False,  # what is remembered is shown: the turns here are about where, not about whether
    "deadline_ms": 20_000,  # nor about a busy machine
    "limits": {"default": 1, "hinted_type": 1, "other_types": 1},  # the others are there to be recalled
    "categories.rules": {"coding": {"model": "big", "thinking_level": "high"}, "memory": {"thinking_level": "low"}},
    "budgets.models": {"narrow": ModelRow(input_tokens=60_000, output_tokens=1_000, catalog_bytes=4_000)},
}
PLACEMENTS = ("user_tail", "journaled", "system")
NAMES = sorted(path.stem.removesuffix("_harness") for path in Path(__file__).parent.glob("*_harness.py"))

# What a framework says of itself, by its name: filters of the warnings that its own code gives.
WARNINGS: Mapping[str, tuple[str, ...]] = {"llamaindex": ("ignore::pydantic.warnings.PydanticDeprecationWarning",)}


def _marked(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.filterwarnings(each) for each in WARNINGS.get(name, ())])


@pytest.fixture(scope="module", params=map(_marked, NAMES))
def harness(request: pytest.FixtureRequest) -> Harness:
    try:
        return importlib.import_module(f"{request.param}_harness").HARNESS
    except ModuleNotFoundError as missing:
        pytest.skip(f"not installed: {missing.name}")


@pytest.fixture(scope="module")
async def layers(urls, embedder) -> AsyncIterator[Mapping[str, CognitiveLayer]]:
    async with AsyncExitStack() as stack:
        policies = {placement: Policy(placement=placement).changed(SETTINGS) for placement in PLACEMENTS}
        yield {
            placement: await stack.enter_async_context(CognitiveLayer.open(urls.app, policy=policy, embedder=embedder))
            for placement, policy in policies.items()
        }


@pytest.fixture(scope="module")
def layer(layers) -> CognitiveLayer:
    return layers["user_tail"]


@pytest.fixture
async def key(layer, agent) -> UUID:
    return (await layer.remember(agent, [NewMemory(type="fact", content=KEY)]))[0]


def needs(harness: Harness, *abilities: Can) -> None:
    lacking = [each for each in abilities if each not in harness.can]
    if lacking:
        pytest.skip(f"{harness.name} has no way to: {', '.join(lacking)}")


async def recorded(layer: CognitiveLayer, agent: str) -> list[Mapping[str, Any]]:
    """The agent's turns, oldest first, when all of them are settled."""
    await layer.flush()
    return (await layer.explain.turns(agent))[::-1]


async def statuses(layer: CognitiveLayer, agent: str) -> list[str]:
    return [turn.status for turn in await recorded(layer, agent)]


async def runtimes(urls: ServerUrls, agent: str) -> set[str]:
    """What is recorded as having run the agent's turns."""
    connection = await asyncpg.connect(urls.admin)
    try:
        rows = await connection.fetch("SELECT runtime FROM cognitive.turn WHERE agent_id = $1", agent)
    finally:
        await connection.close()
    return {row["runtime"] for row in rows}


# --- what the model sees ---


@pytest.mark.parametrize("placement", PLACEMENTS)
async def test_what_is_remembered_stands_once_in_every_call_and_never_in_the_history(harness, layers, agent, placement):
    needs(harness, *({"system", "journaled"} & {placement}))
    layer = layers[placement]
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    session = harness.session(layer, agent, "s")
    ran = await session.run(ASK, [Call("lookup", {"q": "x"}), Say("It does.")])
    assert ran.error is None
    assert ran.response == "It does."
    assert len(ran.requests) == 2
    for request in ran.requests:
        assert request.text.count(KEY) == 1
        assert "base" in request.system
        spoken = [text for role, text in request.messages if role == "user"]
        assert (KEY in request.system) == (placement == "system")
        behind = [text for text in spoken if KEY in text and (text.startswith(ASK) or "beside" in harness.can)]
        assert bool(behind) == (placement != "system")
    assert "tool-says-x" in ran.requests[1].text
    assert ASK in ran.history or "history" not in harness.can
    assert KEY not in ran.history
    assert OPENING not in ran.history


async def test_a_turns_block_is_gone_in_the_next(harness, layer, agent, key):
    needs(harness, "history")
    session = harness.session(layer, agent, "s")
    await session.run(ASK, [Say("It does.")])
    ran = await session.run("Thanks!", [Say("You are welcome.")])
    assert ASK in ran.requests[0].text
    assert OPENING not in ran.requests[0].text
    assert "It does." in ran.requests[0].text


async def test_a_journaled_prompt_begins_with_the_one_before(harness, layers, agent):
    needs(harness, "journaled", "history")
    layer = layers["journaled"]
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    session = harness.session(layer, agent, "s")
    first = (await session.run(ASK, [Call("lookup", {"q": "x"}), Say("It does.")])).requests[-1]
    then = await session.run(WORK, [Say("They pass.")])
    assert then.requests[0].system == first.system
    assert then.requests[0].messages[: len(first.messages)] == first.messages
    assert then.requests[0].text.count(KEY) == 1, "what stands there is not shown again"
    assert OPENING not in then.history


async def test_what_is_pinned_stands_behind_the_system_prompt(harness, layer, agent):
    needs(harness, "system")
    await layer.remember(agent, [NewMemory(type="procedure", content=PINNED, pinned=True)])
    ran = await harness.session(layer, agent, "s", system="You are a pilot.").run(WORK, [Say("They pass.")])
    assert ran.requests[0].system.startswith("You are a pilot.")
    assert PINNED in ran.requests[0].system
    assert PINNED not in ran.history


async def test_tools_that_a_turn_does_not_need_are_hidden_and_come_back(harness, layer, agent):
    needs(harness, "hides_tools")
    session = harness.session(layer, agent, "s")
    asked = await session.run(ASK, [Say("No.")])
    worked = await session.run(WORK, [Call("exec", {"command": "make test"}), Say("They pass.")])
    assert "exec" not in asked.requests[0].tools
    assert "lookup" in asked.requests[0].tools, "no category knows it, so none takes it away"
    assert {"exec", "lookup"} <= set(worked.requests[0].tools)
    assert worked.called == ["exec"]


async def test_a_tool_that_a_turn_does_not_need_does_not_run_even_if_the_model_names_it(harness, layer, agent):
    needs(harness, "denies_tools")
    session = harness.session(layer, agent, "s")
    asked = await session.run(ASK, [Call("exec", {"command": "make test"}), Say("No.")])
    worked = await session.run(WORK, [Call("exec", {"command": "make test"}), Say("They pass.")])
    assert (asked.error, asked.response, asked.called) == (None, "No.", [])
    assert "ran make test" not in asked.requests[1].text
    assert (worked.response, worked.called) == ("They pass.", ["exec"])


async def test_a_catalog_that_the_model_cannot_carry_is_shortened(harness, layer, agent):
    needs(harness, "hides_tools", "compacts")
    tools = {f"tool_{n}": f"Reads gauge {n}. " + f"It is the gauge of pump {n}, by the quay. " * 20 for n in range(20)}
    session = harness.session(layer, agent, "s", tools=tools, model="narrow")
    ran = await session.run(ASK, [Call("tool_3", {"q": "x"}), Say("No.")])
    given = {name: said for name, said in ran.requests[0].tools.items() if name in tools}
    assert given
    assert sum(map(len, given.values())) < 4_000
    assert all(len(said) < len(tools[name]) for name, said in given.items())
    if "tool_3" in given:
        assert ran.called == ["tool_3"]


async def test_thinking_model_and_hint_of_the_plan_reach_the_call(harness, layer, agent):
    session = harness.session(layer, agent, "s", models=("big",))
    asked = (await session.run(ASK, [Say("No.")])).requests[0]
    worked = (await session.run(WORK, [Say("They pass.")])).requests[0]
    assert "[Context: memory task" in asked.text
    assert "[Context: coding task" in worked.text
    if "thinking" in harness.can:
        assert "low" in str(asked.thinking).lower()
        assert "high" in str(worked.thinking).lower()
    if "routes_models" in harness.can:
        assert (asked.model, worked.model) == ("main", "big")


async def test_a_long_conversation_is_bounded_at_the_call_and_whole_in_the_history(harness, layer, agent):
    needs(harness, "window", "history")
    history = [(f"Question {n}? " + "Why is that? " * 60, f"Answer {n}. " + "Because. " * 90) for n in range(200)]
    session = harness.session(layer, agent, "s", history=history)
    ran = await session.run(WORK, [Call("lookup", {"q": "x"}), Say("They pass.")])
    policy = Policy()
    for request in ran.requests:
        assert len(request.messages) <= policy.window.max_messages + 4  # of this turn
        assert sum(len(text) for _, text in request.messages) <= policy.window.max_chars
        assert "Answer 199." in request.text
        assert WORK in request.text
    assert all(f"Question {n}? " in ran.history for n in (0, 100, 199))


# --- what is learnt of it ---


@pytest.mark.parametrize("stream", [False, True])
async def test_a_turn_of_several_calls_is_one_and_teaches(harness, layer, urls, agent, key, stream):
    needs(harness, *(("streams",) if stream else ()))
    session = harness.session(layer, agent, "s")
    ran = await session.run(ASK, [Call("lookup", {"q": "a"}), Call("lookup", {"q": "b"}), Say(KEY)], stream=stream)
    assert (ran.error, ran.response, ran.called) == (None, KEY, ["lookup", "lookup"])
    assert len(ran.requests) == 3
    [turn] = await recorded(layer, agent)
    assert (turn.status, turn.session_id, turn.message) == ("completed", "s", ASK)
    assert await runtimes(urls, agent) == {harness.name}
    assert (await layer.why(agent, turn.turn_id, key)).used is True
    assert [plan.tools for plan in await layer.explain.past_plans(agent)] == [(("lookup", 1),)]
    await session.run(ASK, [Say("As I said.")])
    again = (await recorded(layer, agent))[-1]
    assert (await layer.why(agent, again.turn_id, key)).boost["shown"] > 0.9


async def test_what_an_answer_quotes_from_a_tool_proves_no_use_of_a_memory(harness, layer, agent, key):
    ran = await harness.session(layer, agent, "s").run(ASK, [Call("lookup", {"q": KEY}), Say(KEY)])
    assert (ran.error, ran.response, ran.called) == (None, KEY, ["lookup"])
    [turn] = await recorded(layer, agent)
    assert (await layer.why(agent, turn.turn_id, key)).used is False, "the tool's result came with the outcome"


@pytest.mark.parametrize("script", [[Fail()], [Call("lookup", {"q": "x"}), Fail()]], ids=["first call", "second call"])
@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_of_the_model_fails_the_turn_and_teaches_nothing(harness, layer, agent, key, script, stream):
    needs(harness, "errors", *(("streams",) if stream else ()))
    session = harness.session(layer, agent, "s")
    ran = await session.run(ASK, script, stream=stream)
    assert ran.error is not None, "it is the user's to handle"
    [turn] = await recorded(layer, agent)
    assert turn.status == "failed"
    await taught_nothing(harness, layer, agent, key)


async def test_a_stream_that_is_left_ends_the_turn_and_teaches_nothing(harness, layer, agent, key):
    needs(harness, "streams", "abandons")
    await harness.session(layer, agent, "s").run(ASK, [Say(KEY)], stream=True, abandon=True)
    [turn] = await recorded(layer, agent)
    assert turn.status in ("abandoned", "failed")
    await taught_nothing(harness, layer, agent, key)


async def taught_nothing(harness: Harness, layer: CognitiveLayer, agent: str, key: UUID) -> None:
    """The memory of the last turn was not judged, and the next turn, which is well, knows of no showing."""
    last = (await recorded(layer, agent))[-1]
    assert (await layer.why(agent, last.turn_id, key)).used is None
    ran = await harness.session(layer, agent, "other").run(ASK, [Say(KEY)])
    assert ran.response == KEY
    turn = (await recorded(layer, agent))[-1]
    assert turn.status == "completed"
    assert (await layer.why(agent, turn.turn_id, key)).boost["shown"] == 0


async def test_an_agent_within_a_tool_is_left_alone(harness, layer, agent, key):
    needs(harness, "subagents")
    inner = f"{agent}-inner"
    await layer.remember(inner, [NewMemory(type="fact", content=KEY)])
    session = harness.session(layer, agent, "s", nested=harness.session(layer, inner, "inner"))
    ran = await session.run(ASK, [Call("delegate", {"q": ASK}), Say(KEY)])
    assert ran.response == KEY
    assert await statuses(layer, agent) == ["completed"]
    assert await statuses(layer, inner) == []


# --- what must not happen ---


async def test_conversations_at_once_do_not_mix(harness, layer, agent):
    agents = {f"{agent}-{n}": f"The spare key of the boat house hangs on hook {n * 1111}." for n in range(1, 9)}
    for each, canary in agents.items():
        await layer.remember(each, [NewMemory(type="fact", content=canary)])
    sessions = {each: harness.session(layer, each, "s") for each in agents}
    scripts = {each: [Call("lookup", {"q": each}), Say(f"Noted by {each}.")] for each in agents}
    ran = dict(zip(agents, await asyncio.gather(*(s.run(ASK, scripts[a]) for a, s in sessions.items())), strict=True))
    for each, own in agents.items():
        assert ran[each].response == f"Noted by {each}."
        assert [canary for canary in agents.values() if canary in ran[each].requests[1].text] == [own]
        assert await statuses(layer, each) == ["completed"]


async def test_a_dead_database_is_no_business_of_the_users(harness, embedder, agent, tmp_path, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))  # whose journal keeps what cannot be counted
    policy = Policy(deadline_ms=300, deadlines={"fit_ms": 300, "post_turn_ms": 300, "recall_ms": 300})
    nowhere = "postgresql://nobody@127.0.0.1:1/cognitive"
    recall = [Call(RECALL_NAME, {"query": ASK})] if "recall" in harness.can else []
    async with asyncio.timeout(60), CognitiveLayer.open(nowhere, policy=policy, embedder=embedder) as layer:
        session = harness.session(layer, agent, "s")
        ran = await session.run(ASK, [Call("lookup", {"q": "x"}), *recall, Say("No idea.")])
        then = await session.run(WORK, [Say("They pass.")])
    assert (ran.error, ran.response, ran.called) == (None, "No idea.", ["lookup"])
    assert (then.error, then.response) == (None, "They pass.")
    assert RECALL_UNAVAILABLE in ran.requests[-1].text or not recall


async def test_an_agent_in_another_event_loop_goes_on_and_breaks_nothing(harness, layer, agent, key, caplog):
    """As the frameworks' own synchronous methods would call it: in a thread, by `asyncio.run`."""
    session = harness.session(layer, agent, "s")
    for _ in range(2):
        script = [Call("lookup", {"q": "x"}), Say("No.")]
        elsewhere = await asyncio.to_thread(asyncio.run, session.run(ASK, script))
        assert (elsewhere.error, elsewhere.response, elsewhere.called) == (None, "No.", ["lookup"])
    told = [record.getMessage() for record in caplog.records if record.name == "cognitive.runtimes.turn_session"]
    assert len(told) == ("blocks" not in harness.can), "once, not for each turn"
    assert all("WrongEventLoop" in each for each in told)
    here = await harness.session(layer, agent, "here").run(ASK, [Say(KEY)])
    assert KEY in here.requests[0].text
    assert set(await statuses(layer, agent)) == {"completed"}


async def test_text_that_postgres_cannot_store_is_no_error_of_the_run(harness, layer, agent, key):
    ran = await harness.session(layer, agent, "s").run("\0" + ASK + " \ud83d", [Call("lookup", {"q": "\0"}), Say(KEY)])
    assert (ran.error, ran.response) == (None, KEY)
    assert KEY in ran.requests[0].text
    assert await statuses(layer, agent) == ["completed"]


async def test_the_recall_tool_finds_what_the_prompt_does_not_show_and_nothing_else(harness, layer, agent, key):
    needs(harness, "recall")
    await layer.remember(agent, [NewMemory(type="fact", content=PARROT)])
    query = {"query": "the spare key, and what the parrot of the harbour master is called"}
    ran = await harness.session(layer, agent, "s").run(ASK, [Call(RECALL_NAME, query), Say("Biscuit.")])
    assert RECALL_NAME in ran.requests[0].tools
    assert PARROT not in ran.requests[0].text
    assert ran.requests[1].text.count(PARROT) == 1
    assert ran.requests[1].text.count(KEY) == 1, "in the turn's block, and not in the tool's answer"
    [turn] = await recorded(layer, agent)
    assert turn.status == "completed"
