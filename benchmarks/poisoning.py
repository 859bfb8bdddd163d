"""Measure published attacks on an agent's memory, with each defence: `python -m benchmarks.poisoning`.

The store has thirteen honest memories, and those that the attacker adds. The table has the attacker's share of the
memories shown, how often a memory of the attacker comes first, and how often at least one is shown. The defences are
settings of the policy. The row "handed over" is an attacker who can store memories in a trusted way; no defence helps
against that.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from uuid import uuid4

from cognitive import CognitiveLayer, Policy
from tests.simulation.attacks import attacks, under

PATIENT: dict[str, Any] = {"deadline_ms": 10_000, "capture": "off"}
DEFENCES = {
    "none": Policy(trust={"max_per_source": 0}, **PATIENT),
    "cap 2": Policy(trust={"max_per_source": 2}, **PATIENT),
    "default": Policy(**PATIENT),
    "least trust": Policy(trust={"min_level": {"decision": "agent", "fact": "agent", "procedure": "agent"}}, **PATIENT),
}


def say(line: str) -> None:
    """Print a line at once, without buffering."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main() -> None:
    """Run all attacks under each defence and print the table."""
    say(f"{'attack':30} {'way in':8} {'defence':12} {'share':>6} {'first':>6} {'any':>6}")
    for defence, policy in DEFENCES.items():
        async with CognitiveLayer.open(policy=policy) as layer:
            for trust in ("talk", "host"):
                for attack in attacks(trust):
                    for rounds, echo, again in ((1, False, ""), (5, True, ", echoed 5 rounds")):
                        if echo and attack.name != "centroid":
                            continue
                        agent = f"poison-{uuid4().hex[:8]}"
                        figures, _ = await under(layer, agent, attack, rounds=rounds, echo=echo)
                        await layer.erase_agent(agent)
                        row = f"{figures.share:6.0%} {figures.first:6.0%} {figures.reached:6.0%}"
                        say(f"{attack.name + again:30} {trust:8} {defence:12} {row}")


if __name__ == "__main__":
    asyncio.run(main())
