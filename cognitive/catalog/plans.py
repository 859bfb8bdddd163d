"""What tools earlier turns called, by what they were asked: the data behind the resource `my-plans`. Read-only."""

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

_ALIKE = 0.75  # cosine from which two messages ask the same: above what differs by one name, below a paraphrase
_MAX_TOOLS = 5  # of a group (upstream's)
_MAX_SHOWN = 200  # characters of a message


@dataclass(frozen=True, slots=True)
class PastPlan:
    """Turns that asked alike: the latest of their messages, how many they were, when the last was, what they called.

    `key` names the group as long as its latest message stands; `tools` are (name, turns that called it), the most
    frequent first.
    """

    key: str
    message: str
    turns: int
    last_at: datetime
    tools: tuple[tuple[str, int], ...]


def group(turns: Sequence[CalledTurn], limit: int, *, like: Vector | None = None) -> tuple[PastPlan, ...]:
    """Turns, newest first, by likeness to the newest of their group; the largest groups first, then the latest.

    Those that say the same are alike, and those whose vectors are near. `like` keeps only turns near that vector.
    """
    groups = list[list[CalledTurn]]()
    by_words = dict[str, int]()
    leaders = list[Vector]()  # of the groups whose newest turn has a vector
    led = list[int]()
    for turn in turns:
        if like is not None and (turn.query is None or float(turn.query @ like) < _ALIKE):
            continue
        home = by_words.setdefault(_plainly(turn), _nearest(leaders, led, turn.query, len(groups)))
        if home < len(groups):
            groups[home].append(turn)
            continue
        groups.append([turn])
        if turn.query is not None:
            leaders.append(turn.query)
            led.append(home)
    plans = sorted(map(_plan, groups), key=lambda plan: (-plan.turns, -plan.last_at.timestamp(), plan.key))
    return tuple(plans[:limit])


def _nearest(leaders: Sequence[Vector], led: Sequence[int], query: Vector | None, otherwise: int) -> int:
    """The group whose leader is nearest, if it is alike."""
    if query is None or not leaders:
        return otherwise
    cosines = np.stack(leaders) @ query
    best = int(cosines.argmax())
    return led[best] if cosines[best] >= _ALIKE else otherwise


def _plan(turns: Sequence[CalledTurn]) -> PastPlan:
    newest = turns[0]
    calls = Counter(name for turn in turns for name in dict.fromkeys(turn.tools_called))
    tools = sorted(calls.items(), key=lambda each: (-each[1], each[0]))[:_MAX_TOOLS]
    key = hashlib.sha256(_plainly(newest).encode()).hexdigest()[:16]
    return PastPlan(key, newest.message[:_MAX_SHOWN], len(turns), newest.at, tuple(tools))


def _plainly(turn: CalledTurn) -> str:
    return " ".join(normalise(turn.message).split())
