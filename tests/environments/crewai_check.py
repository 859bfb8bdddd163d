"""CrewAI with a scripted model."""

from __future__ import annotations

import asyncio

import pytest
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from cognitive import Blocking, CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.crewai import CognitiveCrew

KEY = "The spare key of the boat house hangs behind the brass barometer of the old captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
LOOKUP = 'Thought: I look.\nAction: lookup\nAction Input: {"q": "x"}'
EXEC = 'Thought: I run.\nAction: exec\nAction Input: {"command": "x"}'
CALLED = list[str]()


@tool("lookup")
def lookup(q: str) -> str:
    """Look something up."""
    CALLED.append("lookup")
    return f"tool-says-{q}"


@tool("exec")
def exec_(command: str) -> str:
    """Run a shell command."""
    CALLED.append("exec")
    return f"ran {command}"


class _Model(BaseLLM):
    def __init__(self, script):
        super().__init__(model="scripted")
        self._script, self._seen = script, []

    def call(self, messages, *rest, **named):
        self._seen.append([dict(each) for each in messages])
        reply = self._script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def supports_function_calling(self):
        return False


def _crew(script):
    CALLED.clear()
    model = _Model(script)
    agent = Agent(role="keeper", goal="keep", backstory="base", llm=model, tools=[lookup, exec_], max_retry_limit=0)
    task = Task(description=ASK, expected_output="a place", agent=agent)
    return model, Crew(agents=[agent], tasks=[task], memory=False)


@pytest.fixture
async def layer(urls, embedder):
    policy = Policy(abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def key(layer, agent):
    return (await layer.remember(agent, [NewMemory(type="fact", content=KEY)]))[0]


async def _kickoff(layer, agent, script):
    model, crew = _crew(script)
    wrapped = CognitiveCrew(crew, Blocking(layer), agent)
    return model, await asyncio.to_thread(wrapped.kickoff, session_id="s1")


async def test_task_is_recorded_as_one_turn(layer, agent, key):
    model, output = await _kickoff(layer, agent, [LOOKUP, EXEC, f"Thought: I know.\nFinal Answer: {KEY}"])
    assert output.raw == KEY
    assert CALLED == ["lookup"], "the plan of this message leaves out exec"
    assert len(model._seen) == 3
    for messages in model._seen:
        assert str(messages).count(KEY) == 1
        assert any(each["role"] == "user" and ASK in each["content"] and KEY in each["content"] for each in messages)
    await layer.flush()
    [turn] = await layer.explain.turns(agent)
    assert (turn.status, turn.session_id) == ("completed", "s1")
    assert (await layer.why(agent, turn.turn_id, key)).used is True


async def test_failing_model_records_a_failed_turn(layer, agent, key):
    with pytest.raises(RuntimeError, match="down"):
        await _kickoff(layer, agent, [RuntimeError("down")])
    await layer.flush()
    assert {turn.status for turn in await layer.explain.turns(agent)} == {"failed"}


async def test_unwrapped_crew_gets_no_memories(layer, agent, key):
    await _kickoff(layer, agent, ["Final Answer: yes"])
    model, crew = _crew(["Final Answer: no"])
    await asyncio.to_thread(crew.kickoff)
    assert KEY not in str(model._seen)


async def test_users_at_once_through_one_crew_get_their_own_memories(layer, agent):
    places = {"ada": "barometer", "bob": "accordion"}
    own = [NewMemory(type="fact", content=KEY.replace("barometer", at), user_id=user) for user, at in places.items()]
    await layer.remember(agent, own)
    model, crew = _crew(["Final Answer: yes"] * 4)
    crew.tasks[0].description = "I am {user}. " + ASK
    wrapped = CognitiveCrew(crew, layer, lambda inputs: inputs["agent"], user_id=lambda inputs: inputs["user"])
    for _ in range(2):
        await asyncio.gather(
            *(asyncio.to_thread(wrapped.kickoff, {"user": user, "agent": agent}, session_id="s1") for user in places)
        )
    assert len(model._seen) == 4
    for messages in model._seen:
        [user] = [each for each in places if f"I am {each}." in str(messages)]
        assert [each for each, at in places.items() if at in str(messages)] == [user]
    await layer.flush()
    for user in places:
        assert [turn.status for turn in await layer.explain.turns(agent, user_id=user)] == ["completed"] * 2


async def test_second_kickoff_of_a_crew_is_another_users_turn(layer, agent):
    places = {"ada": "barometer", "bob": "accordion"}
    own = [NewMemory(type="fact", content=KEY.replace("barometer", at), user_id=user) for user, at in places.items()]
    await layer.remember(agent, own)
    model, crew = _crew(["Final Answer: yes"] * 2)
    wrapped = CognitiveCrew(crew, layer, agent)
    for user in places:
        await asyncio.to_thread(wrapped.kickoff, session_id="s1", user_id=user)
    assert [[at in str(messages) for at in places.values()] for messages in model._seen] == [
        [True, False],
        [False, True],
    ]
    await layer.flush()
    for user in places:
        assert [turn.status for turn in await layer.explain.turns(agent, user_id=user)] == ["completed"]
