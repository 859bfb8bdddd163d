"""Working memory: a plan whose current step stands in the prompt, and a subtask that knows what another one found out.

python examples/plan_and_subtasks.py
"""

from __future__ import annotations

import asyncio

from cognitive import CognitiveLayer, Turn
from cognitive.session.work import Fact

AGENT, SESSION = "example-work", "s1"


async def main() -> None:
    async with CognitiveLayer.open() as layer:
        work = layer.work
        await work.plan(AGENT, SESSION, ["Find the port of the payment service", "Open it in the firewall"])
        found = await work.begin(AGENT, SESSION, "Find the port of the payment service")
        await work.complete(
            AGENT,
            found.id,
            "Read compose.yaml.",
            facts=[Fact(content="The payment service listens on port 8443.", entities=("payment service",))],
        )
        await work.advance(AGENT, SESSION, 0)

        context = await layer.pre_turn(Turn(agent_id=AGENT, session_id=SESSION, text="Go on."))
        print(context.messages[-1].content, "\n")

        title = "Open the port of the payment service"
        print(await work.context_for(AGENT, SESSION, title, depends_on=[found.id]))
        await layer.erase_agent(AGENT)


if __name__ == "__main__":
    asyncio.run(main())
