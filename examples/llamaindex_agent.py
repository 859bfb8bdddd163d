"""A LlamaIndex agent with memory.

python examples/llamaindex_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.llamaindex import CognitiveWorkflowAgent

AGENT = "example-llamaindex"
TIDES = ToolCallBlock(tool_call_id="call-1", tool_name="tides", tool_kwargs={"harbour": "Sandvig"})
ANSWERS = [
    ChatMessage(role="assistant", blocks=[TIDES]),
    ChatMessage(role="assistant", content="High water is at 16:40."),
    ChatMessage(role="assistant", content="It hangs behind the brass barometer."),
    ChatMessage(role="assistant", content="I do not know."),
]
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


def model(messages: Sequence[ChatMessage], tools: Sequence[Any] = (), **settings: Any) -> ChatMessage:
    """Stands where your model is called: LlamaIndex' own mock of it asks here, and the prompt is printed."""
    print("\nThe model has the tools", [tool.metadata.name for tool in tools], "and sees:")
    print("\n".join(f"{message.role.value}: {message.content}" for message in messages if message.content))
    return ANSWERS.pop(0)


def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        llm = MockFunctionCallingLLM(response_generator=model, is_chat_model=True)
        agent = CognitiveWorkflowAgent(
            FunctionAgent(llm=llm, tools=[tides], system_prompt="You keep a harbour."), layer, AGENT
        )
        days = ("monday", "tuesday", "wednesday")
        monday, tuesday, wednesday = (ChatMemoryBuffer.from_defaults(chat_store_key=day) for day in days)
        await agent.run(TOLD, memory=monday, user_id="ada")
        await layer.flush()  # only here, so that the example's second turn comes after the first was counted
        result = await agent.run(ASKED, memory=tuesday, user_id="ada")
        print("\nAnswer:", result.response.content)
        print("The memory holds the bare words:", tuesday.get_all()[0].content == ASKED)
        result = await agent.run(ASKED, memory=wednesday, user_id="bob")  # what Ada told stays hers
        print("\nAnswer:", result.response.content)

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
