"""A Strands agent with memory: what it was told once, it knows in every conversation.

python examples/strands_agent.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.models.model import Model

from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.strands import CognitivePlugin

AGENT = "example-strands"


class Scripted(Model):
    """Stands where your model is called: it looks at the tides, and then repeats what its prompt says of the key."""

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
        remembered = [line.split('"')[1] for line in prompt.splitlines() if line.startswith("- ")]
        said = remembered[0] if "key" in prompt.splitlines()[0] else "High water is at 16:40."
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
        plugins=[CognitivePlugin(layer, AGENT, session_id=session)],
        callback_handler=None,
    )


async def main() -> None:
    policy = Policy(deadline_ms=5_000)  # an example may run on a machine that is busy with something else
    async with CognitiveLayer.open(policy=policy) as layer:
        await layer.remember(
            AGENT, [NewMemory(type="fact", content="The key of the boat house hangs behind the brass barometer.")]
        )
        monday, tuesday = agent(layer, "monday"), agent(layer, "tuesday")
        print("answer:", str(await monday.invoke_async("When is the tide high at Sandvig?")).strip())
        asked = "Do you remember where the key of the boat house hangs?"
        print("answer:", str(await tuesday.invoke_async(asked)).strip())
        print("the agent's messages hold:", tuesday.messages[0]["content"])

        await layer.settled()
        for turn in reversed(await layer.turns(AGENT)):
            used = [fate.used for fate in await layer.fates(AGENT, turn["turn_id"]) if fate.disposition == "shown"]
            print(f"{turn['session_id']}: {turn['status']}, memories shown: {len(used)}, used: {sum(map(bool, used))}")
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
