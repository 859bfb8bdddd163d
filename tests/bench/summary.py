"""How many planted facts a summary still holds: `python tests/bench/summary.py`; docs/benchmarks.md says what came out.

Twelve made-up work sessions, rolled up ten messages at a time as in a long conversation. A fact counts if it stands in
the summary letter by letter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from cognitive.turn import Message
from cognitive.window.summary import extract

SESSIONS = Path(__file__).parents[1] / "data" / "work_sessions.json"
ROLL = 10  # messages


def rolled(messages: Sequence[Message], limit: int) -> str:
    """As it comes about: a roll at a time."""
    summary = ""
    for start in range(0, len(messages), ROLL):
        summary = extract(summary, messages[start : start + ROLL], limit)
    return summary


def transcript(messages: Sequence[Message]) -> str:
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


def main() -> None:
    sessions = json.loads(SESSIONS.read_text(encoding="utf-8"))
    talks = [[Message(**each) for each in session["messages"]] for session in sessions]
    facts = sum(len(session["facts"]) for session in sessions)
    size = sum(len(transcript(talk)) for talk in talks) // len(talks)
    print(f"{len(talks)} sessions of {size:,} characters on average, {facts} facts")
    for limit in (4_000, 1_500):
        for name, way in WAYS.items():
            kept = [[fact in (text := way(talk, limit)) for fact in session["facts"]]
                    for session, talk in zip(sessions, talks, strict=True)]  # fmt: skip
            longest = max(len(way(talk, limit)) for talk in talks)
            worst = min(sum(each) / len(each) for each in kept)
            print(f"{limit:>6} {name:<32} {sum(map(sum, kept)) / facts:6.1%}  worst session {worst:4.0%}  {longest:,}")


if __name__ == "__main__":
    main()
