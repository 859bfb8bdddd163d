"""Conversations of 240 exchanges of ordinary talk, in each of which twenty statements are made once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from brain.text import normalise
from cognitive.prompt import unquote

EXCHANGES = 240
_DATA = json.loads((Path(__file__).parent / "data" / "planted.json").read_text(encoding="utf-8"))
CONVERSATIONS = _DATA["conversations"]


def exchanges(conversation: dict[str, Any]) -> list[dict[str, str]]:
    """Return the exchanges of a conversation; those without a statement repeat a common pool."""
    pool, first = _DATA["ordinary"], 13 * CONVERSATIONS.index(conversation)
    said = {each["at"]: each for each in conversation["planted"]}
    return [said.get(n) or pool[(first + 7 * n) % len(pool)] for n in range(EXCHANGES)]


def quoted(summary: str) -> str:
    """Return the texts that the lines of a summary quote, as one normalised text."""
    lines = [line.partition(': "') for line in summary.split("\n")]
    return " ".join(normalise(unquote(f'"{text}') or line) for line, _, text in lines)


def kept(conversation: dict[str, Any], summary: str) -> list[str]:
    """Return the statements of a conversation that a summary has word for word."""
    text = quoted(summary)
    return [each["text"] for each in conversation["planted"] if normalise(each["text"]).rstrip(".!") in text]
