"""One turn from end to end on the embedded server: remember, show, answer, learn.

python examples/one_turn.py
"""

from __future__ import annotations

import asyncio

from cognitive import CognitiveLayer, NewMemory, Outcome, Turn


def model(prompt: str, message: str) -> str:
    """Stands where your model is called with the prompt."""
    return "Payments stay with Stripe; the offer from Adyen would have saved too little." if "Stripe" in prompt else "?"


async def main() -> None:
    async with CognitiveLayer.open() as layer:
        await layer.remember(
            "example",
            [
                NewMemory(type="decision", content="We stay with Stripe: the offer from Adyen would save too little."),
                NewMemory(type="fact", content="Invoices are sent on the first working day of the month."),
            ],
        )
        message = "Which payment provider did we decide on?"
        context = await layer.pre_turn(Turn(agent_id="example", session_id="s1", text=message))
        response = model(f"{context.prefix}\n{message}\n{context.text}", message)
        report = await layer.post_turn(context, Outcome(response=response))
        print(context.text)
        print(response)
        for attribution in report.attributions:
            print(attribution)
        await layer.erase_agent("example")


if __name__ == "__main__":
    asyncio.run(main())
