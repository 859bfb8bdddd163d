"""Group past turns by similar messages, with the tools that they called, for the MCP resource `my-plans`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from brain.text import normalise
from brain.turn_records import CalledTurn
from brain.types import Vector

# Cosine at or above which two messages ask the same. Messages that differ in one name are below it, paraphrases above.
_MIN_COSINE = 0.75
_MAX_TOOLS = 5  # tools per group
_MAX_MESSAGE_CHARS = 200


@dataclass(frozen=True, slots=True)
class PastPlan:
    """A group of past turns with similar messages, and the tools that they called.

    `key` identifies the group until a newer message joins it. `message` is the latest message, `turns` the number of
    turns, `last_at` the time of the latest turn. `tools` has pairs (name, number of turns that called the tool), the
    most frequent first.
    """

    key: str
    message: str
    turns: int
    last_at: datetime
    tools: tuple[tuple[str, int], ...]


def group(turns: Sequence[CalledTurn], limit: int, *, like: Vector | None = None) -> tuple[PastPlan, ...]:
    """Group past turns by similar messages.

    Return at most `limit` groups, the largest first; of equal size, the latest.

    A turn joins a group if its message has the same words as one of the group's messages, or if its vector is near that
    of the group's newest turn. `turns` are ordered newest first. With `like`, only turns near that vector are used.
    """
    groups = list[list[CalledTurn]]()
    by_words = dict[str, int]()
    leaders = list[Vector]()  # vectors of the groups' newest turns, where they have one
    led = list[int]()  # indexes of these groups
    for turn in turns:
        if like is not None and (turn.query is None or float(turn.query @ like) < _MIN_COSINE):
            continue
        index = by_words.setdefault(_normalised(turn), _nearest(leaders, led, turn.query, len(groups)))
        if index < len(groups):
            groups[index].append(turn)
            continue
        groups.append([turn])
        if turn.query is not None:
            leaders.append(turn.query)
            led.append(index)
    plans = sorted(map(_plan, groups), key=lambda plan: (-plan.turns, -plan.last_at.timestamp(), plan.key))
    return tuple(plans[:limit])


def _nearest(leaders: Sequence[Vector], led: Sequence[int], query: Vector | None, otherwise: int) -> int:
    """Return the index of the group whose newest message is nearest to a query.

    Return `otherwise` if none is similar enough. `leaders[i]` is the vector of the newest message of the group with the
    index `led[i]`.
    """
    if query is None or not leaders:
        return otherwise
    cosines = np.stack(leaders) @ query
    best = int(cosines.argmax())
    return led[best] if cosines[best] >= _MIN_COSINE else otherwise


def _plan(turns: Sequence[CalledTurn]) -> PastPlan:
    newest = turns[0]
    calls = Counter(name for turn in turns for name in dict.fromkeys(turn.tools_called))
    tools = sorted(calls.items(), key=lambda each: (-each[1], each[0]))[:_MAX_TOOLS]
    key = hashlib.sha256(_normalised(newest).encode()).hexdigest()[:16]
    return PastPlan(key, newest.message[:_MAX_MESSAGE_CHARS], len(turns), newest.at, tuple(tools))


def _normalised(turn: CalledTurn) -> str:
    return " ".join(normalise(turn.message).split())
