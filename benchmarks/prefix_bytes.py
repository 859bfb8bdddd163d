"""Measure how many bytes consecutive prompts share at their beginning, for each placement of memories in the prompt.

    python -m benchmarks.prefix_bytes realtalk.json --turns 80

The shared beginning is what a provider's prompt cache can reuse. A conversation (in the format of the evaluation data)
is replayed. Its last exchanges are the turns of one session with the first speaker as the user; all earlier lines are
stored as memories. The host keeps `TurnContext.user_message` in its conversation, which it never shortens. Store and
embedding model are real. Prints one JSON object per placement, and the mean tokens of a memory's line in the prompt
under three rules for showing its source.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby, pairwise
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import UUID

from brain.types import Memory
from cognitive import CognitiveLayer, Message, NewMemory, Policy, Turn
from cognitive.context import render
from cognitive.tokens import count

PLACEMENTS = ("user_tail", "journaled", "system")
SYSTEM = "You are an assistant who remembers. " * 50
PINNED = ("The user is called by the first name.", "Answer in the language of the question.")


def lines(items: Sequence[dict[str, Any]]) -> list[NewMemory]:
    """Return the lines of a conversation as memories to store."""
    before = ["", *(f"{item['speaker']}: {item['text']}" for item in items)]
    return [
        NewMemory(
            type="episode",
            content=item["text"],
            speaker=item["speaker"],
            source=item["id"],
            context=context,
            session_id=f"session {item['session']}",
            occurred_at=datetime.fromisoformat(item["at"]).replace(tzinfo=UTC),
        )
        for context, item in zip(before, items, strict=False)
    ]


def parted(items: Sequence[dict[str, Any]], turns: int) -> tuple[Sequence[dict[str, Any]], list[tuple[str, str]]]:
    """Split a conversation: return the lines to store, and the last exchanges as pairs of user message and answer."""
    runs = [list(run) for _, run in groupby(items, lambda item: item["speaker"])]
    user = items[0]["speaker"]
    exchanges = [(one, two) for one, two in pairwise(runs) if one[0]["speaker"] == user][-turns:]
    first = items.index(exchanges[0][0][0])
    return items[:first], [(_text(one), _text(two)) for one, two in exchanges]


def _text(run: Sequence[dict[str, Any]]) -> str:
    return " ".join(item["text"] for item in run)


def flat(messages: Sequence[Message]) -> bytes:
    """Return the messages as the bytes that a prompt would contain."""
    return b"".join(f"<{message.role}>{message.content}".encode() for message in messages)


def common(one: bytes, two: bytes) -> int:
    """Return the number of bytes that two prompts share at their beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


async def replay(conversation: dict[str, Any], placement: str, turns: int) -> dict[str, float]:
    """Replay a conversation with memories at one placement in the prompt, and return the measured means."""
    policy = Policy(placement=placement, deadline_ms=60_000)
    earlier, said = parted(conversation["items"], turns)
    prompts, shown, standing = [], 0, 0
    async with CognitiveLayer.open(policy=policy) as layer:
        agent = f"prefix-{conversation['id']}-{placement}-{datetime.now(UTC).timestamp()}"
        await layer.remember(agent, lines(earlier))
        await layer.remember(agent, [NewMemory(type="fact", content=text, pinned=True) for text in PINNED])
        kept: list[Message] = []
        for text, answer in said:
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text, conversation=tuple(kept)))
            prompts.append(flat(context.prompt(SYSTEM)))
            shown += len(context.shown)
            standing += sum(result.disposition == "already_in_prompt" for result in context.trace.candidates)
            kept = [*kept, context.user_message, Message(role="assistant", content=answer)]
        await layer.erase_agent(agent)
    common_bytes = [common(one, two) for one, two in pairwise(prompts)]
    return {
        "turns": len(said),
        "prompt_bytes": round(mean(map(len, prompts))),
        "preserved_of_previous": round(sum(common_bytes) / sum(map(len, prompts[:-1])), 4),
        "least": round(min(same / len(was) for same, was in zip(common_bytes, prompts, strict=False)), 4),
        "new_bytes_per_turn": round(mean(len(now) - same for same, now in zip(common_bytes, prompts[1:], strict=True))),
        "shown_per_turn": round(shown / len(said), 2),
        "standing_per_turn": round(standing / len(said), 2),
    }


def provenance(conversation: dict[str, Any]) -> dict[str, float]:
    """Return the mean tokens of a memory's line in the prompt, under three rules for showing the memory's source.

    The rules are: never, as the layer does it, and always.
    """
    ids = {"none": 0, "rule": Policy().trust.max_source_chars}
    memories = lines(conversation["items"])
    cost = {name: mean(count(line(each, longest)) for each in memories) for name, longest in ids.items()}
    every = mean(count(f' from "{each.source}"') for each in memories)
    return {name: round(value, 2) for name, value in (cost | {"all": cost["none"] + every}).items()}


def line(new: NewMemory, longest: int) -> str:
    """Return the line that a memory would get in the prompt, without storing it first."""
    fields = {name: getattr(new, name) for name in NewMemory.model_fields}
    return render.line(Memory(id=UUID(int=0), replaced_by=None, **fields), Policy(trust={"max_source_chars": longest}))


async def report(conversation: dict[str, Any], turns: int) -> None:
    """Measure one conversation with each placement of memories and print the results."""
    sys.stdout.write(json.dumps({"tokens_per_line": provenance(conversation)}) + "\n")
    for placement in PLACEMENTS:
        sys.stdout.write(json.dumps({"placement": placement} | await replay(conversation, placement, turns)) + "\n")


def main() -> None:
    """Parse the command line and replay the first conversation of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="conversations")
    parser.add_argument("--turns", type=int, default=80)
    given = parser.parse_args()
    asyncio.run(report(json.loads(given.data.read_text(encoding="utf-8"))["conversations"][0], given.turns))


if __name__ == "__main__":
    main()
