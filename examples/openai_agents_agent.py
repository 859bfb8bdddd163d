"""An agent of the OpenAI Agents SDK with memory: what a user told it, it knows in every conversation with this user.

python examples/openai_agents_agent.py
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from agents import Agent, RunConfig, SQLiteSession, function_tool
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.openai_agents import CognitiveRunner

AGENT = "example-openai-agents"
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


@dataclass(frozen=True)
class User:
    """The context of a run, which names its user."""

    user_id: str


def model(call: ModelCall) -> list[Any]:
    """Stands where your model is called: it looks at the tides, and knows of the key what memory says."""
    prompt = next(item["content"] for item in reversed(call.input) if item.get("role") == "user")
    print(f"--- the model sees, with the tools {[tool.name for tool in call.tools]}:\n{prompt}")
    if call.input[-1].get("type") == "function_call_output":
        return [assistant_message("High water is at 16:40.")]
    if prompt.startswith("When is the tide"):
        return [function_call("tides", {"harbour": "Sandvig"}, call_id="call_1")]
    known = "barometer" in prompt.partition("<memory-records>")[2]
    return [assistant_message("It hangs behind the brass barometer." if known else "I do not know.")]


@function_tool
def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        runner = CognitiveRunner(layer, AGENT)
        scripted = ScriptedModel([ModelStep.respond(model)] * 4)
        agent = Agent(
            name="harbour", instructions="You keep a harbour.", model=scripted, tools=[tides, runner.recall_tool]
        )
        quiet = RunConfig(tracing_disabled=True)

        monday, tuesday = SQLiteSession("monday"), SQLiteSession("tuesday")
        result = await runner.run(agent, TOLD, context=User("ada"), session=monday, run_config=quiet)
        print("answer:", result.final_output)
        await layer.flush()  # only here, so that the second turn comes after the first was counted
        result = await runner.run(agent, ASKED, context=User("ada"), session=tuesday, run_config=quiet)
        print("answer:", result.final_output)
        print("the session holds:", [item["content"] for item in await tuesday.get_items()][:1])
        wednesday = SQLiteSession("wednesday")
        result = await runner.run(agent, ASKED, context=User("bob"), session=wednesday, run_config=quiet)
        print("answer:", result.final_output)  # what Ada told stays hers

        await layer.flush()
        for user in ("ada", "bob"):
            for turn in reversed(await layer.explain.turns(AGENT, user_id=user)):
                candidates = await layer.explain.candidates(AGENT, turn.turn_id, user_id=user)
                shown = [candidate for candidate in candidates if candidate.disposition == "shown"]
                used = sum(bool(candidate.used) for candidate in shown)
                print(f"{user} on {turn.session_id}: {turn.status}, {len(shown)} shown, {used} used")
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
