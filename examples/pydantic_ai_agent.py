"""A Pydantic AI agent with memory: what a user tells it in one conversation, it knows in the next.

python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.pydantic_ai import CognitiveCapability

AGENT = "example-pydantic-ai"
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


@dataclass(frozen=True)
class User:
    """The dependencies of a run, which name its user."""

    user_id: str


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stands where your model is called: it prints what it sees, and answers from that alone."""
    asked, last = str(messages[0].parts[0].content), messages[-1].parts[0]
    print(f"\nThe model has the tools {[tool.name for tool in info.function_tools]} and sees:\n{last.content}")
    if asked.startswith(TOLD) and last.part_kind == "user-prompt":
        return ModelResponse([ToolCallPart("tides", {"harbour": "Sandvig"})])
    knows = "behind the brass barometer" in asked
    return ModelResponse([TextPart("It hangs behind the brass barometer." if knows else "I do not know.")])


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        memory = CognitiveCapability(layer, AGENT)
        agent = Agent(FunctionModel(model), deps_type=User, instructions="You keep a harbour.", capabilities=[memory])

        @agent.tool_plain
        def tides(harbour: str) -> str:
            """High and low water of the day."""
            return f"{harbour}: high water 16:40, low water 22:55"

        await agent.run(TOLD, deps=User("ada"), conversation_id="monday")
        await layer.flush()  # only here, so that the example's second turn comes after the first was counted
        result = await agent.run(ASKED, deps=User("ada"), conversation_id="tuesday")
        print("\nAnswer:", result.output)
        print("The history holds the bare words:", result.all_messages()[0].parts[0].content == ASKED)
        result = await agent.run(ASKED, deps=User("bob"), conversation_id="wednesday")  # what Ada told stays hers
        print("\nAnswer:", result.output)

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
