"""One turn from end to end on the embedded server: remember, show, answer, learn.

python examples/one_turn.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Turn

SYSTEM = "You are the assistant of a small ticket shop."


def model(prompt: Sequence[Message]) -> str:
    """Stands where your model is called with the prompt."""
    known = "Stripe" in prompt[-1].content
    return "Payments stay with Stripe; the offer from Adyen would have saved too little." if known else "?"


async def main() -> None:
    async with CognitiveLayer.open() as layer:
        await layer.remember(
            "example",
            [
                NewMemory(type="decision", content="We stay with Stripe: the offer from Adyen would save too little."),
                NewMemory(type="fact", content="Invoices are sent on the first working day of the month."),
            ],
        )
        turn = Turn(agent_id="example", session_id="s1", text="Which payment provider did we decide on?")
        context = await layer.pre_turn(turn)
        prompt = context.prompt(SYSTEM)  # the system message, the conversation, the user's message with the memories
        response = model(prompt)
        report = await layer.post_turn(context, Outcome(response=response))
        for message in prompt:
            print(f"--- {message.role}\n{message.content}")
        print(f"--- the model\n{response}")
        for attribution in report.attributions:
            print(attribution)
        await layer.erase_agent("example")


if __name__ == "__main__":
    asyncio.run(main())
