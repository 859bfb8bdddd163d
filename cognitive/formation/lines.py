"""Find the captured lines of a turn, and the memories that were formed from earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from brain.filters import MemoryFilter
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from brain.users import Scope
from cognitive.formation.memories import TAG, line_source

_FORMED = MemoryFilter.parse({"tags": {"eq": TAG}})
_PAGE = 1_000  # memories of a statement
_MAX_PAGES = 20
_USER, _ASSISTANT = "/user", "/assistant"  # the ends of the sources of captured lines

Line = TypeVar("Line", NewMemory, Memory)


def user_line(lines: Sequence[Line]) -> Line | None:
    """Return the user's line among the captured lines of a turn, or None."""
    return _ending(lines, _USER)


def assistant_line(lines: Sequence[Line]) -> Line | None:
    """Return the assistant's line among the captured lines of a turn, or None."""
    return _ending(lines, _ASSISTANT)


def answer_source(line: Memory) -> str | None:
    """Return the source of the assistant's line in the exchange of a user's line, or None if it has no source."""
    return line.source.removesuffix(_USER) + _ASSISTANT if line.source is not None else None


async def lines_of_turn(store: MemoryStore, scope: Scope, turn_id: str) -> list[Memory]:
    """Return the visible captured lines of a turn, its user's own or, if it shares them, the agent's."""
    lines: list[Memory] = []
    for view, user in ((scope, None), (scope.as_user(None), scope.user)):
        sources = [line_source(turn_id, user, "user"), line_source(turn_id, user, "assistant")]
        lines += await store.find_by_source(view, "episode", sources)
    return [line for line in lines if line.hidden_at is None]


async def formed_earlier(store: MemoryStore, scope: Scope, said: NewMemory | Memory) -> list[Memory]:
    """Return the visible memories that were formed from what the speaker of a line said before it or in it.

    They are the user's own, and the shared ones of an agent that shares what it captures.
    """
    found: list[Memory] = []
    for page in range(_MAX_PAGES):
        found += await store.find(scope, _FORMED, _PAGE, page * _PAGE)
        if len(found) < (page + 1) * _PAGE:
            break
    return [
        memory
        for memory in found
        if memory.hidden_at is None
        and memory.speaker == said.speaker
        and said.occurred_at is not None
        and memory.occurred_at <= said.occurred_at
    ]


def _ending(lines: Sequence[Line], end: str) -> Line | None:
    return next((line for line in lines if line.source is not None and line.source.endswith(end)), None)
