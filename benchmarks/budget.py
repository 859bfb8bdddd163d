"""Measure how much evidence (memories that answer the question) is shown with small token budgets.

    python -m benchmarks.budget DATA.json --questions 60

Every question of the data (in the format of `benchmarks.abstention_curve`) is asked once with the default policy. Then
memories are selected again from the candidates of this turn, with smaller total budgets. Prints for each total budget:
share of evidence shown, tokens, memories, and evidence per 1,000 tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.abstention_curve import given, moment, store_conversation
from cognitive import CognitiveLayer, Policy, Turn
from cognitive.lab.replay import again
from cognitive.policy.constants import CONSTANTS
from cognitive.policy.tables import FRAMES
from cognitive.tokens import count
from cognitive.trace import window_similarities
from cognitive.turn import TurnContext

TOTALS = (150, 300, 450, 600, 1200)
PATIENT = Policy(deadline_ms=5_000.0)


def tight(total: int) -> Policy:
    """Return the default policy with every total and section budget limited to `total` tokens."""
    frames = {
        frame: {name: min(tokens, total) for name, tokens in row.model_dump().items() if name != "window"}
        for frame, row in FRAMES.items()
    }
    return Policy(budgets={"frames": {frame: {**row, "total": total} for frame, row in frames.items()}})


async def asked(conversations: list[dict[str, Any]], most: int | None) -> list[tuple[TurnContext, set[str]]]:
    """Ask the questions that have evidence, and return the turns, each with the sources of the memories that answer.

    Turns in which no stage ran are left out.
    """
    cases = []
    async with CognitiveLayer.open(policy=PATIENT) as layer:
        for conversation in conversations:
            agent = await store_conversation(layer, conversation)
            last = max((at for item in conversation["items"] if (at := moment(item["at"]))), default=None)
            for n, question in enumerate([each for each in conversation["questions"] if each["evidence"]][:most]):
                turn = Turn(agent_id=agent, session_id=f"ask-{n}", text=question["text"], now=last, turn_id=f"{n}")
                context = await layer.pre_turn(turn)
                if context.trace.record is not None:
                    cases.append((context, set(question["evidence"])))
    return cases


def main() -> None:
    """Parse the command line and print a line of results for each total budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="conversations")
    parser.add_argument("--conversations", type=int, help="maximum number of conversations")
    parser.add_argument("--questions", type=int, help="maximum number of questions of a conversation")
    options = parser.parse_args()
    conversations = json.loads(options.data.read_text())["conversations"][: options.conversations]
    cases = asyncio.run(asked(conversations, options.questions))
    for total in TOTALS:
        policy = tight(total)
        shown = [
            (
                again(given(context), window_similarities(context.trace.candidates), policy, count, CONSTANTS).shown,
                evidence,
            )
            for context, evidence in cases
        ]
        found = sum(len({each.hit.source for each in own} & evidence) / len(evidence) for own, evidence in shown)
        tokens = sum(each.tokens for own, _ in shown for each in own)
        memories = sum(len(own) for own, _ in shown)
        sys.stdout.write(
            f"{total:5d}  evidence {found / len(cases):.3f}  tokens {tokens / len(cases):.0f}"
            f"  memories {memories / len(cases):.2f}  per 1,000 tokens {1000 * found / max(1, tokens):.2f}\n"
        )


if __name__ == "__main__":
    main()
