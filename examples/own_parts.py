"""Parts of your own in place of what is bundled, and a policy that differs for one agent.

python examples/own_parts.py
"""

from __future__ import annotations

import asyncio

from brain.types import Vector
from cognitive import CognitiveLayer, Message, NewMemory, Policy, Tool, Turn
from cognitive.window.llm_summarizer import ModelSummarizer


class Bytes:
    """Stands where an exact tokeniser counts; turns are recorded and replayed under its name."""

    name = "bytes"

    def __call__(self, text: str) -> int:
        return len(text.encode())


async def small_model(prompt: str) -> str:
    """Stands where a small model is called, after the turn: what it says takes the place of the extracted summary."""
    return "The user counts from 0; the assistant repeats."


class Deployments:
    """A classifier: asked only about messages that no rule knows, within the turn's deadline."""

    async def classify(self, text: str, vector: Vector | None) -> tuple[str, ...]:
        return ("coding",) if "canary" in text else ()


POLICY = Policy(
    window={"max_messages": 12},
    deadline_ms=2_000,  # the first turns of a process plan their statements, here beside whatever else runs
    agents={
        "example-quiet": {"evidence": {"threshold": 0.95}, "budgets": {"frames": {"question": {"total": 500}}}},
        "example-open": {"abstention": False, "placement": "journaled"},
    },
)


async def main() -> None:
    async with CognitiveLayer.open(
        policy=POLICY, token_counter=Bytes(), summarizer=ModelSummarizer(small_model), classifier=Deployments()
    ) as layer:
        for agent in ("example-quiet", "example-open"):
            await layer.remember(agent, [NewMemory(type="fact", content="The harbour office closes at five.")])
            talk = [Message(role=role, content=f"{role} says {n}") for n in range(20) for role in ("user", "assistant")]
            turn = Turn(
                agent_id=agent,
                session_id="s1",
                text="Promote the canary.",
                conversation=talk,
                tools=[Tool(name="exec"), Tool(name="web_search")],
            )
            context = await layer.pre_turn(turn)
            print(
                f"{agent}: {len(context.shown)} memories, placement {context.placement}, policy {context.plan.policy}"
            )
            print(f"  window of {len(context.messages)}, {context.plan.categories}, {[t.name for t in context.tools]}")
    async with CognitiveLayer.open(policy=POLICY) as layer:  # what was on its way is written when a layer closes
        print((await layer.resume("example-open", "s1")).summary)
        for agent in POLICY.agents:
            await layer.erase_agent(agent)


if __name__ == "__main__":
    asyncio.run(main())
