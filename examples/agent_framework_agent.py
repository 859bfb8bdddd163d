"""A Microsoft Agent Framework agent with memory: what a user told it, it knows in every conversation with this user.

python examples/agent_framework_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.agent_framework import CognitiveContextProvider

AGENT = "example-agent-framework"
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


class Client(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Stands where your model is called: it looks at the tides, and knows of the key what memory says."""

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
            known = "barometer" in prompt.partition("<memory-records>")[2]
            content = Content.from_text("It hangs behind the brass barometer." if known else "I do not know.")
        return ChatResponse(messages=[Message("assistant", [content])])


@tool
def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        agent = Agent(
            Client(), "You keep a harbour.", tools=[tides], context_providers=[CognitiveContextProvider(layer, AGENT)]
        )

        def session(user: str, day: str) -> AgentSession:
            session = agent.create_session(session_id=day)
            session.state["user_id"] = user
            return session

        print("answer:", (await agent.run(TOLD, session=session("ada", "monday"))).text)
        await layer.flush()  # only here, so that the second turn comes after the first was counted
        print("answer:", (await agent.run(ASKED, session=session("ada", "tuesday"))).text)
        print("answer:", (await agent.run(ASKED, session=session("bob", "wednesday"))).text)  # it stays Ada's

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
