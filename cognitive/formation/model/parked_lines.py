"""Mark lines of conversations without turns that the model failed to read, and have it read them again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from brain.filters import MemoryFilter
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from brain.users import SHARED, Scope
from cognitive.formation.lines import answer_source
from cognitive.formation.memories import is_personal
from cognitive.formation.model.reader import CapturedLines, ModelReader, NotRead

_KEY, _PARKED = "model_state", "parked"  # `brain.agents.parked_turns` counts lines with this metadata
_FILTER = MemoryFilter.parse({"type": {"eq": "episode"}, f"metadata.{_KEY}": {"eq": _PARKED}})
_MAX_LINES = 1_000  # of one call; the next call has the others


def marked(line: NewMemory) -> NewMemory:
    """Return a user's line with the mark that the model failed to read its exchange."""
    return line.model_copy(update={"metadata": {**line.metadata, _KEY: _PARKED}})


class ParkedLines:
    """Finds the marked lines of an agent, and has the model read them."""

    def __init__(self, store: MemoryStore, reader: ModelReader | None) -> None:
        self._store = store
        self._reader = reader

    async def waiting(self, agent_id: str) -> list[Memory]:
        """Return at most 1,000 marked lines of all users that nothing hides."""
        found = await self._store.find(Scope.all_users(agent_id), _FILTER, _MAX_LINES)
        return [line for line in found if line.hidden_at is None]

    async def read(self, agent_id: str, lines: Sequence[Memory]) -> int:
        """Have the model read lines, once each, and return how many it read. It stops when its budget is spent."""
        done = 0
        for line in lines if self._reader is not None else ():
            scope = Scope(agent_id, line.user_id or SHARED)
            formed = await self._formed(scope, line)
            if isinstance(formed, NotRead):
                if formed.reason == "budget":
                    break
                continue
            await self._store.remember(agent_id, formed, now=datetime.now(UTC))
            await self._store.update(scope, line.id, _unmarked)
            done += 1
        return done

    async def _formed(self, scope: Scope, line: Memory) -> list[NewMemory] | NotRead:
        """Return what the model forms of a line and its answer, for the line's user.

        Of a line that a team's agent shares, wishes are left out, because the line doesn't name its user.
        """
        assert self._reader is not None
        source = answer_source(line)
        answers = await self._store.find_by_source(scope, "episode", [source] if source is not None else [])
        read = await self._reader.read(scope, [CapturedLines(line, answers[0] if answers else None)])
        if isinstance(read, NotRead):
            return read
        own = [each.model_copy(update={"user_id": scope.user}) for each in read[0]]
        return own if scope.user is not None else [each for each in own if not is_personal(each)]


def _unmarked(line: Memory) -> NewMemory:
    fields = {name: getattr(line, name) for name in NewMemory.model_fields}
    return NewMemory(**{**fields, "metadata": {key: value for key, value in line.metadata.items() if key != _KEY}})
