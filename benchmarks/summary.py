"""Count how many planted facts a summary still contains: `python -m benchmarks.summary`.

Twelve invented work sessions are summarized, each in steps of ten messages, as in a long conversation. A fact counts if
the summary contains it literally.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cognitive.turn import Message
from cognitive.window.summary import extract

SESSIONS = Path(__file__).parents[1] / "tests" / "data" / "work_sessions.json"
ROLL = 10  # messages


def rolled(messages: Sequence[Message], limit: int) -> str:
    """Summarize messages in steps of ten, each step extending the summary so far, and return the last summary.

    `limit` is its maximum length.
    """
    summary = ""
    for start in range(0, len(messages), ROLL):
        summary = extract(summary, messages[start : start + ROLL], limit)
    return summary


def transcript(messages: Sequence[Message]) -> str:
    """Return the messages as one text: the reference that contains all facts."""
    return "\n".join(
        f"{each.role}: {each.content}" + "".join(f" {call.name} {dict(call.arguments)}" for call in each.tool_calls)
        for each in messages
    )


WAYS: dict[str, Callable[[Sequence[Message], int], str]] = {
    "extract, rolled": rolled,
    "extract, at once": lambda messages, limit: extract("", messages, limit),
    "first characters (the seed's)": lambda messages, limit: transcript(messages)[:limit],
    "last characters": lambda messages, limit: transcript(messages)[-limit:],
}


def stable(talk: Sequence[Message], limit: int) -> tuple[int, int]:
    """Summarize a conversation in steps of two messages.

    Returns the number of steps after which all earlier lines of the summary were unchanged, and the number of all
    steps.
    """
    summary, kept, rolls = "", 0, 0
    for start in range(0, len(talk), 2):
        following = extract(summary, talk[start : start + 2], limit)
        kept, rolls = kept + following.startswith(summary), rolls + 1
        summary = following
    return kept, rolls


def main() -> None:
    """Print how many of the facts each method of summarizing keeps."""
    sessions = json.loads(SESSIONS.read_text(encoding="utf-8"))
    talks = [[Message(**each) for each in session["messages"]] for session in sessions]
    facts = sum(len(session["facts"]) for session in sessions)
    size = sum(len(transcript(talk)) for talk in talks) // len(talks)
    lines = [f"{len(talks)} sessions of {size:,} characters on average, {facts} facts"]
    for limit in (4_000, 1_500):
        for name, way in WAYS.items():
            texts = [way(talk, limit) for talk in talks]
            kept = [[fact in text for fact in session["facts"]] for session, text in zip(sessions, texts, strict=True)]
            worst = min(sum(each) / len(each) for each in kept)
            lines.append(f"{limit:>6} {name:<30} {sum(map(sum, kept)) / facts:6.1%}  worst session {worst:4.0%}")
        kept_rolls, rolls = map(sum, zip(*(stable(talk, limit) for talk in talks), strict=True))
        lines.append(f"{limit:>6} rolls that change no earlier line: {kept_rolls} of {rolls}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
