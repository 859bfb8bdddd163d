"""An agent with four memories of things in an attic, and turns that ask for one of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cognitive import NewMemory, Outcome, Turn

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
WIDE = {"evidence.threshold": 0.1, "evidence.min_item_share": 0.1}  # more memories are shown
PERIOD = (NOW - timedelta(days=1), NOW + timedelta(days=1))


async def stock(layer, agent):
    """Store the memories, and return the agent."""
    things = ("kettle", "violin", "globe", "lamp")
    await layer.remember(agent, [NewMemory(type="fact", content=f"The {what} is in the attic.") for what in things])
    return agent


def make_turn(agent, n=0, text="Where is the kettle?"):
    """Return the turn of a number, which is also its minute."""
    return Turn(agent_id=agent, session_id="s", text=text, turn_id=f"t-{n}", now=NOW + timedelta(minutes=n))


async def play(layer, agent, *numbers):
    """Run the turns of these numbers, by default of 0, 1 and 2. Return the memories that the last one showed."""
    for n in numbers or range(3):
        context = await layer.pre_turn(make_turn(agent, n))
        await layer.post_turn(context, Outcome(response="The kettle is in the attic."))
    return context.shown


async def activate(layer, agent, changes):
    """Save a policy with changes, activate it, and return it."""
    saved = await layer.policies.save(agent, changes, by="ada")
    await layer.policies.activate(agent, saved.version, by="ada")
    return saved
