"""A LangChain agent with memory, and a LangGraph store over the same memories.

python examples/langchain_agent.py
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.langchain import CognitiveMiddleware
from cognitive.runtimes.langgraph import CognitiveStore

AGENT = "example-langchain"
ANSWERS = [
    AIMessage("", tool_calls=[{"name": "tides", "args": {"harbour": "Sandvig"}, "id": "call-1"}]),
    AIMessage("High water is at 16:40."),
    AIMessage("It hangs behind the brass barometer, and the pier is closed to trucks."),
    AIMessage("I know of no key. The west pier is closed to trucks."),
]
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs, and which pier is closed?"


class Model(FakeMessagesListChatModel):
    """Stands where your model is called: LangChain's own fake, which prints its prompt."""

    def bind_tools(self, tools: Any, **settings: Any) -> Any:
        """Print the tools of the turn, which the agent binds before each model call."""
        print("\nThe model has the tools", [tool.name for tool in tools], "and sees:")
        return self

    def _generate(self, messages: Any, *args: Any, **settings: Any) -> Any:
        print("\n".join(f"{message.type}: {message.text}" for message in messages if message.text))
        return super()._generate(messages, *args, **settings)


def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


def of(user: str, thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "user_id": user}}


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        store = CognitiveStore(layer, AGENT)
        memory = CognitiveMiddleware(layer, AGENT)
        agent = create_agent(
            Model(responses=ANSWERS),
            [tides],
            system_prompt="You keep a harbour.",
            middleware=[memory],
            checkpointer=InMemorySaver(),
            store=store,
        )
        await agent.ainvoke({"messages": [("user", TOLD)]}, of("ada", "monday"))
        await store.aput(("harbour", "rules"), "pier", {"text": "The west pier is closed to trucks."})
        await layer.flush()  # only here, so that the example's second turn comes after the first was counted
        result = await agent.ainvoke({"messages": [("user", ASKED)]}, of("ada", "tuesday"))
        print("\nAnswer:", result["messages"][-1].text)
        print("The thread holds the bare words:", result["messages"][0].text == ASKED)
        result = await agent.ainvoke(
            {"messages": [("user", ASKED)]}, of("bob", "wednesday")
        )  # what Ada told stays hers
        print("\nAnswer:", result["messages"][-1].text)
        [found] = await store.asearch(("harbour",), query="Where may no truck go?", limit=1)
        print("The store finds:", found.key, found.value)

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
