"""The conformance suite of the runtimes. Each case uses the framework's own classes, the real layer and Postgres.

A case that a framework does not support is skipped with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from harness import Call, Can, Fail, Harness, RunResult, Say, Session, Step

from brain.embedded import ServerUrls
from cognitive import ALL_USERS, Blocking, CognitiveLayer, NewMemory, Policy
from cognitive.policy.models import ModelRow
from cognitive.prompt import OPENING
from cognitive.runtimes.tools import RECALL_NAME, RECALL_UNAVAILABLE

KEY = "The spare key of the boat house hangs behind the brass barometer in the pantry of the captain."
PARROT = "The parrot of the harbour master is called Biscuit."
PINNED = "Every answer gives distances in nautical miles."
ASK = "Do you remember where the spare key of the boat house hangs?"  # category "memory", which does not need exec
WORK = "Run the tests and debug the script."  # category "coding", which needs exec
SETTINGS: Mapping[str, Any] = {
    "abstention": False,  # show memories whatever their score
    "deadline_ms": 20_000,  # long enough for a busy machine
    "limits": {"default": 1, "hinted_type": 1, "other_types": 1},  # leave the other memories to the recall tool
    "categories.rules": {"coding": {"model": "big", "thinking_level": "high"}, "memory": {"thinking_level": "low"}},
    "budgets.models": {"narrow": ModelRow(input_tokens=60_000, output_tokens=1_000, catalog_bytes=4_000)},
}
PLACEMENTS = ("user_tail", "journaled", "system")


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
    missing_abilities = [each for each in abilities if each not in harness.can]
    if missing_abilities:
        pytest.skip(f"{harness.name} has no way to: {', '.join(missing_abilities)}")


async def recorded(layer: CognitiveLayer, agent: str) -> list[Mapping[str, Any]]:
    """Settle all turns and return those of the agent, oldest first."""
    await layer.flush()
    return (await layer.explain.turns(agent, user_id=ALL_USERS))[::-1]


async def in_thread(call: Callable[[], Any]) -> Any:
    """Run a function in another thread, and close the event loop that a framework's synchronous call leaves there."""

    def run() -> Any:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        with closing(loop):
            return call()

    return await asyncio.to_thread(run)


async def statuses(layer: CognitiveLayer, agent: str) -> list[str]:
    return [turn.status for turn in await recorded(layer, agent)]


async def runtimes(urls: ServerUrls, agent: str) -> set[str]:
    """Return the runtimes that the agent's turns are recorded with."""
    connection = await asyncpg.connect(urls.admin)
    try:
        rows = await connection.fetch("SELECT runtime FROM cognitive.turn WHERE agent_id = $1", agent)
    finally:
        await connection.close()
    return {row["runtime"] for row in rows}


# --- model requests ---


@pytest.mark.parametrize("placement", PLACEMENTS)
async def test_memory_is_once_in_every_call_and_never_in_the_history(harness, layers, agent, placement):
    needs(harness, *({"system", "journaled"} & {placement}))
    layer = layers[placement]
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    session = harness.session(layer, agent, "s")
    run = await session.run(ASK, [Call("lookup", {"q": "x"}), Say("It does.")])
    assert run.error is None
    assert run.response == "It does."
    assert len(run.requests) == 2
    for request in run.requests:
        assert request.text.count(KEY) == 1
        assert "base" in request.system
        user_texts = [text for role, text in request.messages if role == "user"]
        assert (KEY in request.system) == (placement == "system")
        after_message = [
            text for text in user_texts if KEY in text and (text.startswith(ASK) or "beside" in harness.can)
        ]
        assert bool(after_message) == (placement != "system")
    assert "tool-says-x" in run.requests[1].text
    assert ASK in run.history or "history" not in harness.can
    assert KEY not in run.history
    assert OPENING not in run.history


async def test_block_of_a_turn_is_absent_from_the_next_turn(harness, layer, agent, key):
    needs(harness, "history")
    session = harness.session(layer, agent, "s")
    await session.run(ASK, [Say("It does.")])
    run = await session.run("Thanks!", [Say("You are welcome.")])
    assert ASK in run.requests[0].text
    assert OPENING not in run.requests[0].text
    assert "It does." in run.requests[0].text


async def test_journaled_prompt_starts_with_the_previous_prompt(harness, layers, agent):
    needs(harness, "journaled", "history")
    layer = layers["journaled"]
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    session = harness.session(layer, agent, "s")
    first = (await session.run(ASK, [Call("lookup", {"q": "x"}), Say("It does.")])).requests[-1]
    second = await session.run(WORK, [Say("They pass.")])
    assert second.requests[0].system == first.system
    assert second.requests[0].messages[: len(first.messages)] == first.messages
    assert second.requests[0].text.count(KEY) == 1, "a memory in the previous prompt is not repeated"
    assert OPENING not in second.history


async def test_pinned_memories_follow_the_system_prompt(harness, layer, agent):
    needs(harness, "system")
    await layer.remember(agent, [NewMemory(type="procedure", content=PINNED, pinned=True)])
    run = await harness.session(layer, agent, "s", system="You are a pilot.").run(WORK, [Say("They pass.")])
    assert run.requests[0].system.startswith("You are a pilot.")
    assert PINNED in run.requests[0].system
    assert PINNED not in run.history


async def test_unneeded_tools_are_hidden_for_one_turn(harness, layer, agent):
    needs(harness, "hides_tools")
    session = harness.session(layer, agent, "s")
    memory_run = await session.run(ASK, [Say("No.")])
    coding_run = await session.run(WORK, [Call("exec", {"command": "make test"}), Say("They pass.")])
    assert "exec" not in memory_run.requests[0].tools
    assert "lookup" in memory_run.requests[0].tools, "a tool of no category is never hidden"
    assert {"exec", "lookup"} <= set(coding_run.requests[0].tools)
    assert coding_run.called == ["exec"]


async def test_hidden_tool_does_not_run_when_the_model_calls_it(harness, layer, agent):
    needs(harness, "denies_tools")
    session = harness.session(layer, agent, "s")
    memory_run = await session.run(ASK, [Call("exec", {"command": "make test"}), Say("No.")])
    coding_run = await session.run(WORK, [Call("exec", {"command": "make test"}), Say("They pass.")])
    assert (memory_run.error, memory_run.response, memory_run.called) == (None, "No.", [])
    assert "ran make test" not in memory_run.requests[1].text
    assert (coding_run.response, coding_run.called) == ("They pass.", ["exec"])


async def test_large_tool_catalog_is_shortened_for_a_small_model(harness, layer, agent):
    needs(harness, "hides_tools", "compacts")
    tools = {f"tool_{n}": f"Reads gauge {n}. " + f"It is the gauge of pump {n}, by the quay. " * 20 for n in range(20)}
    session = harness.session(layer, agent, "s", tools=tools, model="narrow")
    run = await session.run(ASK, [Call("tool_3", {"q": "x"}), Say("No.")])
    descriptions = {name: text for name, text in run.requests[0].tools.items() if name in tools}
    assert descriptions
    assert sum(map(len, descriptions.values())) < 4_000
    assert all(len(text) < len(tools[name]) for name, text in descriptions.items())
    if "tool_3" in descriptions:
        assert run.called == ["tool_3"]


async def test_plan_sets_thinking_model_and_hint_of_the_call(harness, layer, agent):
    session = harness.session(layer, agent, "s", models=("big",))
    memory_call = (await session.run(ASK, [Say("No.")])).requests[0]
    coding_call = (await session.run(WORK, [Say("They pass.")])).requests[0]
    if "hides_tools" in harness.can:
        assert "[Context: memory task" in memory_call.text
        assert "[Context: coding task" not in coding_call.text, "the plan keeps all tools"
    if "thinking" in harness.can:
        assert "low" in str(memory_call.thinking).lower()
        assert "high" in str(coding_call.thinking).lower()
    if "routes_models" in harness.can:
        assert (memory_call.model, coding_call.model) == ("main", "big")


async def test_window_bounds_the_call_and_keeps_the_whole_history(harness, layer, agent):
    needs(harness, "window", "history")
    history = [(f"Question {n}? " + "Why is that? " * 60, f"Answer {n}. " + "Because. " * 90) for n in range(200)]
    session = harness.session(layer, agent, "s", history=history)
    run = await session.run(WORK, [Call("lookup", {"q": "x"}), Say("They pass.")])
    policy = Policy()
    for request in run.requests:
        assert len(request.messages) <= policy.window.max_messages + 4  # messages of this turn
        assert sum(len(text) for _, text in request.messages) <= policy.window.max_chars
        assert "Answer 199." in request.text
        assert WORK in request.text
    assert all(f"Question {n}? " in run.history for n in (0, 100, 199))


# --- recorded outcomes ---


@pytest.mark.parametrize("stream", [False, True])
async def test_several_model_calls_are_one_turn_that_records_use(harness, layer, urls, agent, key, stream):
    needs(harness, *(("streams",) if stream else ()))
    session = harness.session(layer, agent, "s")
    run = await session.run(ASK, [Call("lookup", {"q": "a"}), Call("lookup", {"q": "b"}), Say(KEY)], stream=stream)
    assert (run.error, run.response, run.called) == (None, KEY, ["lookup", "lookup"])
    assert len(run.requests) == 3
    [turn] = await recorded(layer, agent)
    assert (turn.status, turn.session_id, turn.message) == ("completed", "s", ASK)
    assert await runtimes(urls, agent) == {harness.name}
    assert (await layer.why(agent, turn.turn_id, key, user_id=harness.user)).used is True
    assert [plan.tools for plan in await layer.explain.past_plans(agent, user_id=harness.user)] == [(("lookup", 1),)]
    await session.run(ASK, [Say("As I said.")])
    again = (await recorded(layer, agent))[-1]
    assert (await layer.why(agent, again.turn_id, key, user_id=harness.user)).boost["shown"] > 0.9


async def test_quoting_a_tool_result_does_not_count_as_memory_use(harness, layer, agent, key):
    run = await harness.session(layer, agent, "s").run(ASK, [Call("lookup", {"q": KEY}), Say(KEY)])
    assert (run.error, run.response, run.called) == (None, KEY, ["lookup"])
    [turn] = await recorded(layer, agent)
    assert (await layer.why(agent, turn.turn_id, key, user_id=harness.user)).used is False, (
        "the outcome contains the tool's result"
    )


@pytest.mark.parametrize("script", [[Fail()], [Call("lookup", {"q": "x"}), Fail()]], ids=["first call", "second call"])
@pytest.mark.parametrize("stream", [False, True])
async def test_model_error_fails_the_turn_and_records_no_use(harness, layer, agent, key, script, stream):
    needs(harness, "errors", *(("streams",) if stream else ()))
    session = harness.session(layer, agent, "s")
    run = await session.run(ASK, script, stream=stream)
    assert run.error is not None, "the caller gets the error"
    [turn] = await recorded(layer, agent)
    assert turn.status == "failed"
    await assert_no_use_recorded(harness, layer, agent, key)


async def test_abandoned_stream_ends_the_turn_and_records_no_use(harness, layer, agent, key):
    needs(harness, "streams", "abandons")
    await harness.session(layer, agent, "s").run(ASK, [Say(KEY)], stream=True, abandon=True)
    [turn] = await recorded(layer, agent)
    assert turn.status in ("abandoned", "failed")
    await assert_no_use_recorded(harness, layer, agent, key)


async def assert_no_use_recorded(harness: Harness, layer: CognitiveLayer, agent: str, key: UUID) -> None:
    """Assert that the last turn's memory was not judged, and that the next turn counts no showing of it."""
    last = (await recorded(layer, agent))[-1]
    assert (await layer.why(agent, last.turn_id, key, user_id=harness.user)).used is None
    run = await harness.session(layer, agent, "other").run(ASK, [Say(KEY)])
    assert run.response == KEY
    turn = (await recorded(layer, agent))[-1]
    assert turn.status == "completed"
    assert (await layer.why(agent, turn.turn_id, key, user_id=harness.user)).boost["shown"] == 0


class Watched:
    """A session that keeps the result of its latest run."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.result = RunResult()

    async def run(self, text: str, script: Sequence[Step], **options: bool) -> RunResult:
        self.result = await self.session.run(text, script, **options)
        return self.result


async def test_agent_run_inside_a_tool_with_the_same_id_has_no_turn(harness, layer, agent, key):
    needs(harness, "subagents")
    nested = Watched(harness.session(layer, agent, "inner"))
    run = await harness.session(layer, agent, "s", nested=nested).run(ASK, [Call("delegate", {"q": ASK}), Say(KEY)])
    assert run.response == KEY
    assert not any(KEY in request.text for request in nested.result.requests)
    assert [turn.session_id for turn in await recorded(layer, agent)] == ["s"]


async def test_agent_run_inside_a_tool_with_its_own_id_has_memory(harness, layer, agent):
    needs(harness, "subagents", "nested_runs")
    inner = f"{agent}-inner"
    await layer.remember(inner, [NewMemory(type="fact", content=KEY)])
    nested = Watched(harness.session(layer, inner, "inner"))
    run = await harness.session(layer, agent, "s", nested=nested).run(ASK, [Call("delegate", {"q": ASK}), Say("Done.")])
    assert run.response == "Done."
    assert KEY in nested.result.requests[0].text
    assert KEY not in run.requests[0].text
    assert (await statuses(layer, agent), await statuses(layer, inner)) == (["completed"], ["completed"])


# --- isolation and failures ---


async def test_concurrent_conversations_do_not_mix(harness, layer, agent):
    agents = {f"{agent}-{n}": f"The spare key of the boat house hangs on hook {n * 1111}." for n in range(1, 9)}
    for each, canary in agents.items():
        await layer.remember(each, [NewMemory(type="fact", content=canary)])
    sessions = {each: harness.session(layer, each, "s") for each in agents}
    scripts = {each: [Call("lookup", {"q": each}), Say(f"Noted by {each}.")] for each in agents}
    runs = dict(zip(agents, await asyncio.gather(*(s.run(ASK, scripts[a]) for a, s in sessions.items())), strict=True))
    for each, own in agents.items():
        assert runs[each].response == f"Noted by {each}."
        assert [canary for canary in agents.values() if canary in runs[each].requests[1].text] == [own]
        assert await statuses(layer, each) == ["completed"]


async def test_run_succeeds_without_a_database(harness, embedder, agent, tmp_path, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))  # its journal keeps the outcomes
    policy = Policy(deadline_ms=300, deadlines={"fit_ms": 300, "post_turn_ms": 300, "recall_ms": 300})
    unreachable = "postgresql://nobody@127.0.0.1:1/cognitive"
    recall = [Call(RECALL_NAME, {"query": ASK})] if "recall" in harness.can else []
    async with asyncio.timeout(60), CognitiveLayer.open(unreachable, policy=policy, embedder=embedder) as layer:
        session = harness.session(layer, agent, "s")
        run = await session.run(ASK, [Call("lookup", {"q": "x"}), *recall, Say("No idea.")])
        second = await session.run(WORK, [Say("They pass.")])
    assert (run.error, run.response, run.called) == (None, "No idea.", ["lookup"])
    assert (second.error, second.response) == (None, "They pass.")
    assert RECALL_UNAVAILABLE in run.requests[-1].text or not recall


async def test_run_in_another_event_loop_has_memory(harness, layer, agent, key, caplog):
    """Run the session in a thread by `asyncio.run`, as synchronous methods of a framework do."""
    await layer.remember(agent, [NewMemory(type="fact", content=PARROT)])
    session = harness.session(layer, agent, "s")
    search = Call(RECALL_NAME, {"query": PARROT}) if "recall" in harness.can else Call("lookup", {"q": PARROT})
    run = await asyncio.to_thread(asyncio.run, session.run(ASK, [search, Say(KEY)]))
    assert (run.error, run.response) == (None, KEY)
    assert all(KEY in request.text for request in run.requests)
    assert PARROT in run.requests[1].text
    [turn] = await recorded(layer, agent)
    assert (turn.status, (await layer.why(agent, turn.turn_id, key, user_id=harness.user)).used) == ("completed", True)
    assert not [record for record in caplog.records if record.name.startswith("cognitive")]


async def test_synchronous_run_has_memory(harness, layer, agent, key, caplog):
    needs(harness, "synchronous")
    session = harness.session(layer, agent, "s")
    run = await in_thread(lambda: session.run_sync(ASK, [Call("lookup", {"q": "x"}), Say(KEY)]))
    assert (run.error, run.response, run.called) == (None, KEY, ["lookup"])
    assert all(request.text.count(KEY) == 1 for request in run.requests)
    assert "exec" not in run.requests[0].tools
    other = harness.session(layer, agent, "f")
    failed = await in_thread(lambda: other.run_sync(ASK, [Fail()]))
    assert failed.error is not None
    assert sorted(await statuses(layer, agent)) == ["completed", "failed"]
    assert not [record for record in caplog.records if record.name.startswith("cognitive")]


async def test_program_without_an_event_loop_has_memory(harness, urls, embedder, layer, agent, key):
    needs(harness, "synchronous")

    def program():
        with Blocking.open(urls.app, policy=layer.policies.base(agent), embedder=embedder) as blocking:
            return harness.session(blocking, agent, "s").run_sync(ASK, [Say(KEY)])

    run = await in_thread(program)
    assert (run.error, run.response) == (None, KEY)
    assert KEY in run.requests[0].text
    assert await statuses(layer, agent) == ["completed"]


async def test_synchronous_run_that_blocks_the_layer_warns_and_succeeds(harness, layer, agent, key, caplog):
    """Run in the thread of the layer's event loop, which the run blocks: nothing can reach the layer."""
    needs(harness, "synchronous")
    session = harness.session(layer, agent, "s")
    if harness.name in ("openai-agents", "pydantic-ai"):
        with pytest.raises(RuntimeError, match="already running"):
            session.run_sync(ASK, [])
        return
    run = session.run_sync(ASK, [Call("lookup", {"q": "x"}), Say("No.")])
    assert (run.error, run.response, run.called) == (None, "No.", ["lookup"])
    warnings = [each.getMessage() for each in caplog.records if each.name.startswith("cognitive.runtimes")]
    assert warnings
    assert all("Blocking.open()" in each for each in warnings)


async def test_run_succeeds_with_text_that_postgres_cannot_store(harness, layer, agent, key):
    run = await harness.session(layer, agent, "s").run("\0" + ASK + " \ud83d", [Call("lookup", {"q": "\0"}), Say(KEY)])
    assert (run.error, run.response) == (None, KEY)
    assert KEY in run.requests[0].text
    assert await statuses(layer, agent) == ["completed"]


async def test_recall_tool_returns_only_memories_outside_the_prompt(harness, layer, agent, key):
    needs(harness, "recall")
    await layer.remember(agent, [NewMemory(type="fact", content=PARROT)])
    query = {"query": "the spare key, and what the parrot of the harbour master is called"}
    run = await harness.session(layer, agent, "s").run(ASK, [Call(RECALL_NAME, query), Say("Biscuit.")])
    assert RECALL_NAME in run.requests[0].tools
    assert PARROT not in run.requests[0].text
    assert run.requests[1].text.count(PARROT) == 1
    assert run.requests[1].text.count(KEY) == 1, "it is in the turn's block, but not in the tool's result"
    [turn] = await recorded(layer, agent)
    assert turn.status == "completed"
