"""An agent of the Microsoft Agent Framework with memory: what it was told once, it knows in every conversation.

python examples/agent_framework_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.agent_framework import CognitiveProvider

AGENT = "example-agent-framework"


class Client(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Stands where your model is called: it looks at the tides, and then repeats what its prompt says of the key."""

    async def _inner_get_response(
        self, *, messages: Sequence[Message], options: Any, stream: bool = False, **_: Any
    ) -> ChatResponse[Any]:
        prompt = next(message.text for message in reversed(messages) if message.role == "user")
        print(f"--- the model sees, with the tools {[tool.name for tool in options['tools']]}:\n{prompt}")
        if messages[-1].role == "tool":
            content = Content.from_text("High water is at 16:40.")
        elif prompt.startswith("When is the tide"):
            content = Content.from_function_call("call_1", "tides", arguments={"harbour": "Sandvig"})
        else:
            remembered = next(line.split('"')[1] for line in prompt.splitlines() if line.startswith("- "))
            content = Content.from_text(remembered)
        return ChatResponse(messages=[Message("assistant", [content])])


@tool
def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


async def main() -> None:
    policy = Policy(deadline_ms=5_000)  # an example may run on a machine that is busy with something else
    async with CognitiveLayer.open(policy=policy) as layer:
        await layer.remember(
            AGENT, [NewMemory(type="fact", content="The key of the boat house hangs behind the brass barometer.")]
        )
        agent = Agent(
            Client(), "You keep a harbour.", tools=[tides], context_providers=[CognitiveProvider(layer, AGENT)]
        )

        monday, tuesday = agent.create_session(session_id="monday"), agent.create_session(session_id="tuesday")
        print("answer:", (await agent.run("When is the tide high at Sandvig?", session=monday)).text)
        asked = "Do you remember where the key of the boat house hangs?"
        print("answer:", (await agent.run(asked, session=tuesday)).text)

        await layer.settled()
        for turn in reversed(await layer.turns(AGENT)):
            used = [fate.used for fate in await layer.fates(AGENT, turn["turn_id"]) if fate.disposition == "shown"]
            print(f"{turn['session_id']}: {turn['status']}, memories shown: {len(used)}, used: {sum(map(bool, used))}")
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
