"""Measure how the thresholds of abstention (showing no memory if none fits well) affect results.

    python -m benchmarks.abstention_curve locomo-dev.json unrelated-dev.json --conversations 5

The first file has the conversations: {"conversations": [{"id", "items": [{"id", "speaker", "text", "at", "session"}],
"questions": [{"text", "evidence", "category"}]}]}. The second has messages that are unrelated to every conversation:
{"prompts": [...]}. All questions and prompts are asked once, without abstention. Then memories are selected again under
each threshold, from the candidates of these turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.lab.replay import again
from cognitive.policy.constants import CONSTANTS
from cognitive.recording.record import TurnInputs, decode
from cognitive.tokens import count
from cognitive.trace import window_similarities
from cognitive.turn import TurnContext

FLOORS = (None, 0.6, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9, 0.95, 1.0)  # None: no abstention, no floor per item


@dataclass(frozen=True)
class AskedTurn:
    """A question or prompt that was asked. Its candidates allow selecting again with other thresholds.

    `evidence` contains the sources of the memories that answer the question. It is empty if no memory should be shown.
    """

    context: TurnContext
    evidence: frozenset[str]


def moment(text: str | None) -> datetime | None:
    """Parse a time of the data, which is in UTC, and return it; None if the text is missing."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


async def store_conversation(layer: CognitiveLayer, conversation: dict[str, Any]) -> str:
    """Store every line of a conversation as a memory of type episode of a new agent, and return the agent's id."""
    agent, before = f"curve-{conversation['id']}-{uuid4().hex[:8]}", dict[str, str]()
    memories = []
    for item in conversation["items"]:
        session, context = item["session"], before.get(item["session"], "")
        before[session] = f"{item['speaker']}: {item['text']}"
        memories.append(
            NewMemory(
                type="episode",
                content=item["text"],
                speaker=item["speaker"],
                context=context,
                source=item["id"],
                occurred_at=moment(item["at"]),
                session_id=f"{agent}-{session}",
            )
        )
    await layer.remember(agent, memories)
    return agent


async def ask_all(conversations: Sequence[dict[str, Any]], prompts: Sequence[str]) -> list[AskedTurn]:
    """Ask all prompts and questions, each as the first turn of a new session, and return the turns.

    Adversarial questions are left out.
    """
    found = []
    async with CognitiveLayer.open(policy=Policy(abstention=False, deadline_ms=10_000.0)) as layer:
        for conversation in conversations:
            agent = await store_conversation(layer, conversation)
            now = max(at for item in conversation["items"] if (at := moment(item["at"])) is not None)
            real = [(q["text"], q["evidence"]) for q in conversation["questions"] if q["category"] != "adversarial"]
            for n, (text, evidence) in enumerate([*((prompt, []) for prompt in prompts), *real]):
                turn = Turn(agent_id=agent, session_id=f"asked-{n}", text=text, now=now)
                found.append(AskedTurn(await layer.pre_turn(turn), frozenset(evidence)))
    return found


def given(context: TurnContext) -> TurnInputs:
    """Return the inputs of the turn's selection of memories, so that memories can be selected again.

    They are read from the turn's record. Each candidate has the passage that was compared with the message.
    """
    record = decode(context.trace.record)
    hits = tuple(result.candidate.hit for result in context.trace.candidates)
    recorded = record.inputs
    if recorded is None:
        raise ValueError("no stage ran in this turn")
    return replace(recorded, found=replace(recorded.found, hits=hits))


def shown(turn: AskedTurn, policy: Policy) -> tuple[frozenset[str], int]:
    """Select a turn's memories again under a policy.

    Return the sources of the memories shown, and their total tokens.
    """
    if turn.context.trace.record is None:
        return frozenset(), 0
    made = again(given(turn.context), window_similarities(turn.context.trace.candidates), policy, count, CONSTANTS)
    sources = frozenset(candidate.hit.source or "" for candidate in made.shown)
    return sources, sum(candidate.tokens for candidate in made.shown)


def row(turns: Iterable[AskedTurn], policy: Policy) -> tuple[float, float, float, float]:
    """Compute a row of the table for a policy, from all turns.

    Returns four numbers: the share of unrelated turns that showed a memory, the share of evidence that was shown, and
    the mean tokens shown for an unrelated turn and for a question.
    """
    unrelated: list[tuple[frozenset[str], frozenset[str], int]] = []
    real: list[tuple[frozenset[str], frozenset[str], int]] = []
    for turn in turns:
        (real if turn.evidence else unrelated).append((turn.evidence, *shown(turn, policy)))
    return (
        mean(bool(sources) for _, sources, _ in unrelated),
        mean(len(e & s) / len(e) for e, s, _ in real),
        mean(tokens for *_, tokens in unrelated),
        mean(tokens for *_, tokens in real),
    )


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values, or 0 if there are none."""
    given = list(values)
    return sum(given) / len(given) if given else 0.0


def table(data: Path, unrelated: Path, most: int | None) -> Iterator[str]:
    """Yield the lines of the printed table, with a row per threshold. `most` limits the number of conversations."""
    conversations = json.loads(data.read_text())["conversations"][:most]
    turns = asyncio.run(ask_all(conversations, json.loads(unrelated.read_text())["prompts"]))
    yield "| floor | false injection | evidence shown | tokens, unrelated | tokens, questions |\n|---|---|---|---|---|"
    for floor in FLOORS:
        policy = Policy(abstention=False) if floor is None else Policy(evidence={"threshold": floor})
        injected, evidence, spared, told = row(turns, policy)
        name = "no abstention" if floor is None else f"{floor:.2f}"
        yield f"| {name} | {injected:.1%} | {evidence:.3f} | {spared:.0f} | {told:.0f} |"


def main() -> None:
    """Parse the command line and print the table of thresholds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="conversations")
    parser.add_argument("unrelated", type=Path, help="prompts that no conversation is about")
    parser.add_argument("--conversations", type=int, help="maximum number of conversations")
    given = parser.parse_args()
    for line in table(given.data, given.unrelated, given.conversations):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
