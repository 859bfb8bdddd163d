"""Read the texts of passages by memory id and ordinal, since the record of a turn contains no texts."""

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
from brain.users import Scope

SQL = statements.load("passage_texts")

Key = tuple[UUID, int]  # a memory's id and the ordinal of one of its passages


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as it is stored now, with the fields of `brain.search.Hit`."""

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
    attributes: Mapping[str, Any]
    claim: str | None


PASSAGE_FIELDS = tuple(field.name for field in fields(PassageText))
# not digested: vector and claim, which follow from the text; and the time, which is added as a number, which is faster
_digested = attrgetter(*(name for name in PASSAGE_FIELDS if name not in ("vector", "claim", "occurred_at")))
_digested_of_pinned = attrgetter("content", "speaker", "occurred_at", "attributes")


class PassageTexts:
    """Reads the current text of passages by memory id and ordinal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, scope: Scope, keys: Sequence[Key], model: str) -> Mapping[Key, PassageText]:
        """Return the passages that still exist, each with its vector by the embedding model `model`."""
        ids, ordinals = [id for id, _ in keys], [ordinal for _, ordinal in keys]
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.read(agent_id=scope.agent_id, memory_ids=ids, ordinals=ordinals, model=model))
        )
        return {
            (row["memory_id"], row["ordinal"]): PassageText(**{name: row[name] for name in PASSAGE_FIELDS})
            for row in rows
        }


def digest(passage: Any) -> int:
    """Return the CRC-32 of a passage's content and metadata, with which a later change of the passage is detected.

    The result for a `Hit` equals the result for its `PassageText` if nothing changed.
    """
    at = passage.occurred_at.timestamp()
    return zlib.crc32(repr((_digested(passage), at, passage.vector is None)).encode())


def digest_of_pinned(memory: Any) -> int:
    """Return the CRC-32 of those fields of a pinned memory that the prompt's prefix shows."""
    return zlib.crc32(repr(_digested_of_pinned(memory)).encode())
