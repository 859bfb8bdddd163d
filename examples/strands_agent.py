"""A Strands agent with memory: what a user told it, it knows in every conversation with this user.

python examples/strands_agent.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.models.model import Model

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.strands import CognitiveStrandsPlugin

AGENT = "example-strands"
TOLD = "When is the tide high at Sandvig? By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


class Scripted(Model):
    """Stands where your model is called: it looks at the tides, and knows of the key what memory says."""

    def get_config(self) -> Any:
        return {"model_id": "own"}

    def update_config(self, **config: Any) -> None: ...

    async def structured_output(self, *given: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, tool_specs: Any = None, *given: Any, **options: Any) -> AsyncIterator[Any]:
        spoken = [message["content"] for message in messages if "text" in message["content"][0]]
        prompt = "\n".join(block["text"] for block in spoken[-1])
        print(f"--- the model sees, with the tools {[spec['name'] for spec in tool_specs]}:\n{prompt}")
        asks = prompt.startswith("When is the tide") and len(messages) == 1
        known = "barometer" in prompt.partition("<memory-records>")[2]
        unknown = "I do not know." if prompt.startswith("Do you") else "High water is at 16:40."
        said = "It hangs behind the brass barometer." if known else unknown
        start = {"toolUse": {"name": "tides", "toolUseId": "call_1"}} if asks else {}
        delta = {"toolUse": {"input": json.dumps({"harbour": "Sandvig"})}} if asks else {"text": said}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if asks else "end_turn"}}


@tool
def tides(harbour: str) -> str:
    """High and low water of the day."""
    return f"{harbour}: high water 16:40, low water 22:55"


def agent(layer: CognitiveLayer, session: str) -> Agent:
    return Agent(
        model=Scripted(),
        system_prompt="You keep a harbour.",
        tools=[tides],
        plugins=[CognitiveStrandsPlugin(layer, AGENT, session_id=session)],
        callback_handler=None,
    )


async def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    async with CognitiveLayer.open(policy=policy) as layer:
        monday, tuesday, wednesday = (agent(layer, day) for day in ("monday", "tuesday", "wednesday"))
        ada, bob = {"user_id": "ada"}, {"user_id": "bob"}
        print("answer:", str(await monday.invoke_async(TOLD, invocation_state=ada)).strip())
        await layer.flush()  # only here, so that the second turn comes after the first was counted
        print("answer:", str(await tuesday.invoke_async(ASKED, invocation_state=ada)).strip())
        print("the agent's messages hold:", tuesday.messages[0]["content"])
        print("answer:", str(await wednesday.invoke_async(ASKED, invocation_state=bob)).strip())  # it stays Ada's

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
