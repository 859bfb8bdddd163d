"""Mark lines of conversations without turns that the model failed to read, and have it read them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from brain import model_readings
from brain.errors import InvalidInput
from brain.filters import MemoryFilter
from brain.model_readings import ModelReadings
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

    def __init__(self, store: MemoryStore, readings: ModelReadings, reader: ModelReader | None) -> None:
        self._store = store
        self._readings = readings
        self._reader = reader

    async def waiting(self, agent_id: str) -> list[Memory]:
        """Return the oldest marked lines of all users that are visible now, at most 1,000."""
        visible = replace(_FILTER, as_of=datetime.now(UTC))
        return await self._store.find(Scope.all_users(agent_id), visible, _MAX_LINES)

    async def read(self, agent_id: str, lines: Sequence[Memory]) -> int:
        """Have the model read lines, once each, and return how many it read. It stops when its budget is spent.

        A line that was forgotten, hidden or read meanwhile is left out.
        """
        done = 0
        for line in lines if self._reader is not None else ():
            scope = Scope(agent_id, line.user_id or SHARED)
            read_at = await self._readings.parked_line(scope, line.id)
            current = await self._store.get(scope, [line.id])
            if read_at is None or not current:
                continue
            formed = await self._formed(scope, current[0])
            if isinstance(formed, NotRead):
                if formed.reason == "budget":
                    break
                continue
            done += await self._stored(scope, line.id, formed, read_at)
        return done

    async def _stored(self, scope: Scope, line_id: UUID, formed: Sequence[NewMemory], read_at: datetime) -> bool:
        """Store what a line formed and remove its mark, unless it is gone or memories were erased since `read_at`."""
        condition = model_readings.check_line(scope, line_id, read_at)
        try:
            await self._store.remember_if(scope, formed, now=datetime.now(UTC), condition=condition)
            if await self._readings.parked_line(scope, line_id, read_at) is None:
                return False
            await self._store.update(scope, line_id, _unmarked)
        except InvalidInput:  # the line, or what one of them replaces, is gone, or of another view
            if all(memory.supersedes is None for memory in formed):
                return False
            alone = [memory.model_copy(update={"supersedes": None}) for memory in formed]
            return await self._stored(scope, line_id, alone, read_at)
        return True

    async def _formed(self, scope: Scope, line: Memory) -> list[NewMemory] | NotRead:
        """Return what the model forms of a line and its answer, for the line's user.

        Of a line that a team's agent shares, wishes are left out, because the line doesn't name its user.
        """
        assert self._reader is not None
        source = answer_source(line)
        found = await self._store.find_by_source(scope, "episode", [source] if source is not None else [])
        answers = [each for each in found if not each.hidden(datetime.now(UTC))]
        read = await self._reader.read(scope, [CapturedLines(line, answers[0] if answers else None)])
        if isinstance(read, NotRead):
            return read
        own = [each.model_copy(update={"user_id": scope.user}) for each in read[0]]
        return own if scope.user is not None else [each for each in own if not is_personal(each)]


def _unmarked(line: Memory) -> NewMemory:
    fields = {name: getattr(line, name) for name in NewMemory.model_fields}
    return NewMemory(**{**fields, "metadata": {key: value for key, value in line.metadata.items() if key != _KEY}})
