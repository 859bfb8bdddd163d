"""What passages say, read again by their names: a turn's record holds no words."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from brain import statements
from brain.postgres.database import Database
from brain.types import MemoryType, Vector

SQL = statements.load("passage_texts")

Key = tuple[UUID, int]  # a memory's id and the ordinal of one of its passages


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as the store has it now; the fields are those of `brain.search.Hit`."""

    seq: int
    type: MemoryType
    content: str
    partial: bool
    speaker: str | None
    occurred_at: datetime
    session_id: str | None
    source: str | None
    confidence: float
    pinned: bool
    length: int
    vector: Vector | None


PASSAGE_FIELDS = tuple(field.name for field in fields(PassageText))
# a vector follows from the rest; a time is written faster as a number
_digested = attrgetter(*(name for name in PASSAGE_FIELDS if name not in ("vector", "occurred_at")))
_digested_of_pinned = attrgetter("content", "speaker", "occurred_at")


class PassageTexts:
    """Reads passages by memory and ordinal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, agent_id: str, keys: Sequence[Key], model: str) -> Mapping[Key, PassageText]:
        """The passages of these names that are still there, with their vectors of this embedding model."""
        ids, ordinals = [id for id, _ in keys], [ordinal for _, ordinal in keys]
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.read(agent_id=agent_id, memory_ids=ids, ordinals=ordinals, model=model))
        )
        return {
            (row["memory_id"], row["ordinal"]): PassageText(**{name: row[name] for name in PASSAGE_FIELDS})
            for row in rows
        }


def digest(passage: Any) -> int:
    """A checksum of 32 bits over a passage, the same for a hit and for what was read again."""
    at = passage.occurred_at.timestamp()
    return zlib.crc32(repr((_digested(passage), at, passage.vector is None)).encode())


def digest_of_pinned(memory: Any) -> int:
    """A checksum of 32 bits over what the prefix shows of a memory."""
    return zlib.crc32(repr(_digested_of_pinned(memory)).encode())
