"""Read the memories that may need attention: texts to compare, equal claims, and usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brain import statements
from brain.postgres.database import Database
from brain.postgres.wire_types import as_value
from brain.types import Memory, MemoryType, Vector
from brain.users import Scope

SQL = statements.load("upkeep")

MAX_TEXTS = 200_000  # newest memories that are compared with each other, to bound time and memory
MAX_CLAIMED = 20_000  # memories with equal claims that are read
# A memory is stale if it was shown MIN_SHOWN times and never used, or was used MIN_USED times and has less than
# MAX_LEFT uses left after decay. 0.25 is what is left of one use after two half-lives.
MIN_SHOWN = 5
MIN_USED = 3
MAX_LEFT = 0.25
_MAX_LENGTH = 400  # characters of a memory that are compared


@dataclass(frozen=True, slots=True)
class MemoryTexts:
    """The texts of memories, newest first, with their sequence numbers, types, speakers, stored claims and sources."""

    seqs: Sequence[int]
    types: Sequence[MemoryType]
    contents: Sequence[str]
    speakers: Sequence[str | None]
    claims: Sequence[str | None]
    sources: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class ClaimedMemory:
    """A memory that claims the same attribute of the same subject as another one; `claim` names both.

    In the operator's view, `user_id` is the user of the two memories, '' for shared ones; otherwise it is ''.
    """

    seq: int
    claim: str
    content: str
    speaker: str | None
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class UsedMemory:
    """A memory with how often it was shown and used, and when it was last shown."""

    memory: Memory
    times_shown: int
    times_used: int
    last_at: datetime


class UpkeepReader:
    """Reads the memories of an agent that may need attention. Hidden memories are left out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def texts(self, scope: Scope, now: datetime) -> MemoryTexts:
        """Return the texts of the agent's newest memories, at most `MAX_TEXTS`; long ones are cut."""
        [row] = await self._rows(
            scope, SQL.texts(agent_id=scope.agent_id, now=now, limit=MAX_TEXTS, length=_MAX_LENGTH)
        )
        names = ("seqs", "types", "contents", "speakers", "claims", "sources")
        return MemoryTexts(*(row[name] or [] for name in names))

    async def memories(self, scope: Scope, seqs: Sequence[int]) -> Mapping[int, Memory]:
        """Return memories by their sequence numbers."""
        rows = await self._rows(scope, SQL.by_seq(agent_id=scope.agent_id, seqs=list(seqs)))
        return {row["seq"]: as_value(Memory, row) for row in rows}

    async def vectors(self, scope: Scope, seqs: Sequence[int], model: str) -> Mapping[int, Vector]:
        """Return the vectors of memories by an embedding model, by the memories' sequence numbers."""
        rows = await self._rows(scope, SQL.vectors(agent_id=scope.agent_id, seqs=list(seqs), model=model))
        return {row["seq"]: row["vector"] for row in rows}

    async def claimed(self, scope: Scope, now: datetime) -> list[ClaimedMemory]:
        """Return memories that share a claim with another one, by claim and then by time.

        In the operator's view they share it with one of the same user, and come by user first.
        """
        rows = await self._rows(scope, SQL.claimed(agent_id=scope.agent_id, now=now, limit=MAX_CLAIMED))
        return [as_value(ClaimedMemory, row) for row in rows]

    async def stale(
        self, scope: Scope, half_life_days: float, now: datetime, limit: int, offset: int
    ) -> list[UsedMemory]:
        """Return memories that turns showed without use, or no longer use; those that were shown most come first.

        The count of uses decays with time: a use counts half after `half_life_days`.
        """
        bound = SQL.stale(
            agent_id=scope.agent_id,
            now=now,
            min_shown=MIN_SHOWN,
            min_used=MIN_USED,
            half_life_seconds=half_life_days * 86_400,
            max_left=MAX_LEFT,
            limit=limit,
            offset=offset,
        )
        return [
            UsedMemory(as_value(Memory, row), row["times_shown"], row["times_used"], row["last_at"])
            for row in await self._rows(scope, bound)
        ]

    async def _rows(self, scope: Scope, bound: tuple[Any, ...]) -> Sequence[Any]:
        rows: Sequence[Any] = await self._database.run(scope, lambda c: c.fetch(*bound))
        return rows
