"""A client process that the test kills.

It runs turns and prints a line for each outcome that the layer acknowledged.
"""

from __future__ import annotations

import asyncio
import logging
import random
import sys
from contextlib import suppress

from benchmarks.chaos.sample_data import ANSWER, ASKED, WordEmbedder
from cognitive import CognitiveLayer, Outcome, Policy, Turn
from cognitive.errors import CognitiveError
from cognitive.turn import TurnContext

_AT_ONCE = 4
_POLICY = Policy(abstention=False, deadline_ms=1_000, deadlines={"post_turn_ms": 1_500})


async def _turns(layer: CognitiveLayer, agent: str, chance: random.Random, pause: float) -> None:
    delivered: list[TurnContext] = []
    while True:
        turn = Turn(agent_id=agent, session_id=f"s{chance.randrange(20)}", text=f"{ASKED} ({chance.random()})")
        context = await layer.pre_turn(turn)
        outcome = Outcome(response=ANSWER)
        if chance.random() < 0.15:  # a host that stops waiting and does not know the result
            early = asyncio.create_task(layer.post_turn(context, outcome))
            await asyncio.wait({early}, timeout=chance.uniform(0.0, 0.05))
            early.cancel()
            with suppress(asyncio.CancelledError, CognitiveError):
                await early
            _say("gone", context)
        times = 2 if chance.random() < 0.1 else 1
        await asyncio.gather(*(layer.post_turn(context, outcome) for _ in range(times)))
        _say("promised", context)
        delivered.append(context)
        if chance.random() < 0.1:
            again = chance.choice(delivered[-200:])
            await layer.post_turn(again, Outcome(response="Something else."))
            _say("sent-again", again)
        await asyncio.sleep(chance.uniform(0.0, 2 * pause))


def _say(what: str, context: TurnContext) -> None:
    sys.stdout.write(f"{what} {context.turn_id} {len(context.shown)}\n")
    sys.stdout.flush()


async def _main(url: str, agent: str, seed: str, pause: float) -> None:
    logging.disable(logging.CRITICAL)
    async with CognitiveLayer.open(url, policy=_POLICY, embedder=WordEmbedder()) as layer:
        await asyncio.gather(*(_turns(layer, agent, random.Random(f"{seed}/{n}"), pause) for n in range(_AT_ONCE)))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])))
