"""LiteLLM with a scripted provider."""

from __future__ import annotations

import asyncio

import litellm
import pytest
from litellm import CustomLLM, ModelResponse

from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.litellm import CognitiveLogger

KEY = "The spare key of the boat house hangs behind the brass barometer of the old captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
CALL = {"id": "call-1", "type": "function", "function": {"name": "lookup", "arguments": '{"q": "x"}'}}


def _tool(name):
    return {"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}}


class _Provider(CustomLLM):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.script = []

    async def acompletion(self, model, messages, *rest, **named):
        return self.completion(model, messages, *rest, **named)

    def completion(self, model, messages, *rest, **named):
        self.seen.append((messages, named["optional_params"]))
        reply = self.script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        message = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
        return ModelResponse(choices=[{"index": 0, "finish_reason": "stop", "message": message}], model=model)


@pytest.fixture
async def layer(urls, embedder):
    policy = Policy(abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def key(layer, agent):
    return (await layer.remember(agent, [NewMemory(type="fact", content=KEY)]))[0]


@pytest.fixture
def provider(layer, agent):
    provider = _Provider()
    litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": provider}]
    provider.logger = CognitiveLogger(layer, agent)
    litellm.callbacks = [provider.logger]
    yield provider
    litellm.logging_callback_manager._reset_all_callbacks()  # LiteLLM keeps them by class


async def _completed(messages, session, **named):
    return await litellm.acompletion(model="scripted/m", messages=messages, metadata={"session_id": session}, **named)


async def _statuses(layer, agent, expected):
    """Wait until LiteLLM's queue has reported the expected statuses of all turns."""
    async with asyncio.timeout(30):
        while True:
            await layer.flush()
            statuses = [turn.status for turn in await layer.explain.turns(agent)]
            if statuses == expected:
                return
            await asyncio.sleep(0.05)


async def test_two_calls_are_recorded_as_one_turn(layer, agent, key, provider):
    provider.script = [{"role": "assistant", "content": None, "tool_calls": [CALL]}, KEY]
    tools = {"tools": [_tool("lookup"), _tool("exec")], "allowed_openai_params": ["tools"]}
    conversation = [{"role": "system", "content": "base"}, {"role": "user", "content": ASK}]
    first = await _completed(conversation, "s", **tools)
    conversation += [
        first.choices[0].message.model_dump(),
        {"role": "tool", "tool_call_id": "call-1", "content": "says-x"},
    ]
    await _completed(conversation, "s", **tools)
    for messages, parameters in provider.seen:
        assert messages[1]["content"].startswith(ASK)
        assert str(messages).count(KEY) == 1
        assert [tool["function"]["name"] for tool in parameters["tools"]] == ["lookup"]
    assert conversation[1]["content"] == ASK
    await _statuses(layer, agent, ["completed"])
    [turn] = await layer.explain.turns(agent)
    assert (await layer.why(agent, turn.turn_id, key)).used is True
    assert [[name for name, _ in plan.tools] for plan in await layer.explain.past_plans(agent)] == [["lookup"]]


async def test_failing_call_records_a_failed_turn(layer, agent, key, provider):
    provider.script = [RuntimeError("down")]
    with pytest.raises(litellm.exceptions.APIConnectionError):
        await _completed([{"role": "user", "content": ASK}], "s", num_retries=0)
    await _statuses(layer, agent, ["failed"])


async def test_concurrent_sessions_are_separate_turns(layer, agent, key, provider):
    provider.script = ["Noted."] * 4
    messages = [{"role": "user", "content": ASK}]
    await asyncio.gather(*(_completed(messages, f"s{n}") for n in range(4)))
    await _statuses(layer, agent, ["completed"] * 4)
    assert {turn.session_id for turn in await layer.explain.turns(agent)} == {"s0", "s1", "s2", "s3"}


async def test_synchronous_call_of_the_logger_has_memory(layer, agent, key, provider):
    provider.script = [KEY]
    conversation = [{"role": "user", "content": ASK}]
    call = {"model": "scripted/m", "messages": conversation, "metadata": {"session_id": "s"}}
    answer = await asyncio.to_thread(lambda: provider.logger.completion(**call))
    assert answer.choices[0].message.content == KEY
    assert KEY in str(provider.seen[0][0])
    assert conversation == [{"role": "user", "content": ASK}]
    await _statuses(layer, agent, ["completed"])
    [turn] = await layer.explain.turns(agent)
    assert (await layer.why(agent, turn.turn_id, key)).used is True


async def test_failing_synchronous_call_records_a_failed_turn(layer, agent, key, provider):
    provider.script = [RuntimeError("down")]
    call = {"model": "scripted/m", "messages": [{"role": "user", "content": ASK}], "metadata": {"session_id": "s"}}
    with pytest.raises(litellm.exceptions.APIConnectionError):
        await asyncio.to_thread(lambda: provider.logger.completion(**call, num_retries=0))
    await _statuses(layer, agent, ["failed"])


async def test_call_that_goes_without_memory_is_logged(layer, agent, key, provider, caplog):
    provider.script = ["It does.", "It does."]
    messages = [{"role": "user", "content": ASK}]
    await asyncio.to_thread(lambda: litellm.completion(model="scripted/m", messages=messages))
    await litellm.acompletion(model="scripted/m", messages=messages)
    await _statuses(layer, agent, ["completed"])
    warnings = [each.getMessage() for each in caplog.records if each.name.startswith("cognitive")]
    assert ["without memory" in each for each in warnings] == [True]


async def test_users_at_once_in_one_session_get_their_own_memories(layer, agent, provider):
    places = {"ada": "barometer", "bob": "accordion"}
    own = [NewMemory(type="fact", content=KEY.replace("barometer", at), user_id=user) for user, at in places.items()]
    await layer.remember(agent, own)
    provider.script = ["Noted."] * 4
    named = [{"metadata": {"session_id": "s", "user_id": "ada"}}, {"metadata": {"session_id": "s"}, "user": "bob"}]
    for _ in range(2):
        calls = [(f"I am {user}. {ASK}", each) for user, each in zip(places, named, strict=True)]
        await asyncio.gather(
            *(
                litellm.acompletion(model="scripted/m", messages=[{"role": "user", "content": text}], **each)
                for text, each in calls
            )
        )
    for messages, _ in provider.seen:
        [user] = [each for each in places if f"I am {each}." in str(messages)]
        assert [each for each, at in places.items() if at in str(messages)] == [user]
    answer = await provider.logger.recall("s", "spare key of the boat house", user="bob")
    assert "barometer" not in answer
