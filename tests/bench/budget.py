"""What tight budgets show of the evidence: the same candidates, fitted into ever smaller totals.

    PYTHONPATH=<where common.py of the evaluation lies> python tests/bench/budget.py <data set> --questions 60

Every question is planned and retrieved once under the default policy; then its stages are run again with the totals of
all frames at so many tokens. Prints per total: evidence shown, tokens, memories, and evidence per 1,000 tokens.
"""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace

from common import arguments, conversations, moment, remember

from brain.deadline import Deadline
from cognitive import CognitiveLayer, Policy, Turn
from cognitive.lab.replay import again
from cognitive.policy.tables import FRAMES
from cognitive.trace import compared
from tests.internals import internals

TOTALS = (150, 300, 450, 600, 1200)
PATIENT = Policy(deadline_ms=5_000.0)


def tight(total: int) -> Policy:
    """The default policy with the totals and sections of all frames at no more than this."""
    frames = {
        frame: {name: min(tokens, total) for name, tokens in row.model_dump().items() if name != "window"}
        for frame, row in FRAMES.items()
    }
    return Policy(budgets={"frames": {frame: {**row, "total": total} for frame, row in frames.items()}})


async def asked(options: Namespace) -> list[tuple]:
    """What the stages of each question are given, their likenesses, and the question's evidence."""
    cases = []
    async with CognitiveLayer.open(policy=PATIENT) as layer:
        for conversation in conversations(options):
            agent = await remember(layer, conversation)
            last = max((moment(item["at"]) for item in conversation["items"] if item["at"]), default=None)
            for n, question in enumerate(conversation["questions"]):
                turn = Turn(agent_id=agent, session_id=f"ask-{n}", text=question["text"], now=last, turn_id=f"{n}")
                plan = layer._plan(turn, last)
                built = await internals(layer).engine.build(plan, turn, last, Deadline(PATIENT.deadline_ms), PATIENT)
                if built.given is not None:
                    cases.append((built.given, compared(built.trace.fates), set(question["evidence"])))
    return cases


def main(options: Namespace) -> None:
    cases = asyncio.run(asked(options))
    for total in TOTALS:
        shown = [(again(given, likeness, tight(total)).shown, evidence) for given, likeness, evidence in cases]
        found = sum(len({each.hit.source for each in own} & evidence) / len(evidence) for own, evidence in shown)
        tokens = sum(each.tokens for own, _ in shown for each in own)
        memories = sum(len(own) for own, _ in shown)
        sys.stdout.write(
            f"{total:5d}  evidence {found / len(cases):.3f}  tokens {tokens / len(cases):.0f}"
            f"  memories {memories / len(cases):.2f}  per 1,000 tokens {1000 * found / max(1, tokens):.2f}\n"
        )


if __name__ == "__main__":
    main(arguments(__doc__ or "").parse_args())
