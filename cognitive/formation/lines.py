"""Find the captured lines of a turn or of formed memories, and the memories that were formed from earlier lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from datetime import datetime
from typing import TypeAlias, TypeVar
from uuid import UUID

from brain.filters import MemoryFilter
from brain.store import MemoryStore
from brain.text import stem_counts
from brain.types import Memory, NewMemory
from brain.users import Scope
from cognitive.formation.memories import CORRECTION, TAG, line_source

_FORMED = MemoryFilter.parse({"tags": {"eq": TAG}})
_PAGE = 1_000  # memories of a statement
_MAX_PAGES = 20
_USER, _ASSISTANT = "/user", "/assistant"  # the ends of the sources of captured lines

_Origin: TypeAlias = tuple[str, str]  # the owner of formed memories, and the source of the line that they state
Line = TypeVar("Line", NewMemory, Memory)


def user_line(lines: Sequence[Line]) -> Line | None:
    """Return the user's line among the captured lines of a turn, or None."""
    return _ending(lines, _USER)


def assistant_line(lines: Sequence[Line]) -> Line | None:
    """Return the assistant's line among the captured lines of a turn, or None."""
    return _ending(lines, _ASSISTANT)


def answer_source(line: Memory) -> str | None:
    """Return the source of the assistant's line in the exchange of a user's line, or None if it has no source."""
    return _answer_to(line.source) if line.source is not None else None


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
    if (at := said.occurred_at) is None:
        return []
    visible = [memory for memory in await _formed(store, scope) if memory.hidden_at is None]
    return [memory for memory in visible if memory.speaker == said.speaker and memory.occurred_at <= at]


async def superseded_by(store: MemoryStore, scope: Scope, ids: Collection[UUID]) -> list[Memory]:
    """Return for each of these memories the newest formed memory that it superseded, if there is one."""
    newest: dict[UUID | None, Memory] = {}
    for memory in sorted(await _formed(store, scope), key=lambda each: each.occurred_at):
        if memory.replaced_by in ids and memory.hidden_reason == "superseded":
            newest[memory.replaced_by] = memory
    return list(newest.values())


async def _formed(store: MemoryStore, scope: Scope) -> list[Memory]:
    """Return the formed memories of a view, oldest first, with those that are hidden."""
    found: list[Memory] = []
    for page in range(_MAX_PAGES):
        found += await store.find(scope, _FORMED, _PAGE, page * _PAGE)
        if len(found) < (page + 1) * _PAGE:
            break
    return found


async def lines_to_hide(store: MemoryStore, scope: Scope, retired: Sequence[Memory]) -> list[Memory]:
    """Return the visible captured lines of the view that state nothing but what is retired.

    A user's line is returned if all memories formed from it are hidden or in `retired`, and the answer to it if it also
    has all words of one of these memories.
    """
    gone = {memory.id for memory in retired}
    stated = dict[_Origin, list[Set[str]]]()  # the stems of what was formed from each line
    for memory in retired:
        if (origin := _origin(memory)) is not None:
            stated.setdefault(origin, []).append(stem_counts(memory.content).keys())
    if not stated:
        return []
    kept = await store.visible_sources(scope, list(stated), TAG, list(gone))
    lines: list[Memory] = []
    for origin, line in await _exchanges(store, scope, [each for each in stated if each not in kept]):
        words = stem_counts(line.content).keys()
        states_it = line.source == origin[1] or any(each <= words for each in stated[origin])
        if states_it and line.hidden_at is None and line.id not in gone:
            lines.append(line)
    return lines


async def lines_hidden_with(store: MemoryStore, scope: Scope, restored: Sequence[Memory]) -> list[Memory]:
    """Return the captured lines of the view that were hidden together with memories formed from them."""
    hidden = dict[_Origin, set[tuple[str | None, datetime | None]]]()
    for memory in restored:
        if (origin := _origin(memory)) is not None:
            hidden.setdefault(origin, set()).add((memory.hidden_reason, memory.hidden_at))
    known = {memory.id for memory in restored}
    return [
        line
        for origin, line in await _exchanges(store, scope, list(hidden))
        if (line.hidden_reason, line.hidden_at) in hidden[origin] and line.id not in known
    ]


async def corrected_from(store: MemoryStore, scope: Scope, superseded: Sequence[Memory]) -> list[Memory]:
    """Return the visible memories in which the user's words corrected superseded ones, also in several steps."""
    visible, steps = list[Memory](), superseded
    while ids := [each.replaced_by for each in steps if each.replaced_by is not None]:
        steps = [each for each in await store.get(scope, ids) if each.attributes.get("formed_by") == CORRECTION]
        visible += [each for each in steps if each.hidden_reason in (None, "expired")]
    return visible


def _origin(memory: Memory) -> _Origin | None:
    """Return the owner and the source of the line that a memory was formed from, or None if it was not formed."""
    return (memory.owner, memory.source) if "formed_by" in memory.attributes and memory.source is not None else None


async def _exchanges(store: MemoryStore, scope: Scope, origins: Sequence[_Origin]) -> list[tuple[_Origin, Memory]]:
    """Return the user's lines of these origins and the answers to them, each with its origin."""
    of = {(owner, _answer_to(source)): (owner, source) for owner, source in origins} | {each: each for each in origins}
    lines = await store.find_by_owner_and_source(scope, "episode", list(of)) if of else []
    return [(of[line.owner, line.source], line) for line in lines if line.source is not None]


def _answer_to(source: str) -> str:
    return source.removesuffix(_USER) + _ASSISTANT


def _ending(lines: Sequence[Line], end: str) -> Line | None:
    return next((line for line in lines if line.source is not None and line.source.endswith(end)), None)
