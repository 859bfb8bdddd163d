"""Find the memories that a filter admits, by one of several methods for each memory type.

The share of the memories that a filter admits is first estimated from a random sample. It decides how many cells a
search reads and how many passages it ranks. The search then looks up memories in the order of rank until enough are
admitted.

If the share is low, memories are looked up by an index of their values (`brain.filter_values`). If it finds few, they
are listed, and a search compares all of them with its query. If it finds more, but not too many, a search leaves out
the others: it reads all vectors of small types, and the nearest cells of large ones. Types with few admitted memories
are listed too, as are those of which a search finds too few.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from brain import filter_sql, filter_values, statements
from brain.caches import cached
from brain.filter_sql import SqlCondition, filled
from brain.filters import MemoryFilter
from brain.postgres.database import Connection
from brain.statements import SqlStatement
from brain.types import MemoryType

SQL = statements.load("search")
PROBES = 48  # cells read per type and field: docs/decisions/0025-large-agents.md has the recall of fewer and more
SAMPLE = 500  # memories; a search among no more of them lists the admitted ones at once
MAX_LISTED = 2_000  # memories; comparing as many with the query takes about 15 ms
_MAX_WHOLE = 20_000  # memories of a type; reading the vectors of as many takes about 10 ms
_MIN_ADMITTED = 0.25  # least admitted share of what an index finds; below it, looking memories up takes longer
_MIN_COMMON = 0.3  # admitted share of each type from which no index is used
_MAX_INDEXED = 20_000  # memories that an index finds; reading as many takes about 5 ms
_MAX_CONDITIONS = 4  # that are looked up; the memories that are found meet the others or are left out later
_WIDENED, _WIDENED_BELOW = 1 / 6, 0.1  # below this share, the cells that are read grow with its inverse to this power
ALL = 2**31 - 1  # cells, passages or memories
_MARGIN = 3  # passages ranked for each that is expected to be looked up until enough are admitted
_Listed = Mapping[MemoryType, Sequence[UUID]]
# The slots of the statement that finds candidates: without and with a filter.
_EVERY_MEMORY = {"listed": "", "listed_words": "", "listed_vectors": "", "admitted": "", "short": "NULL::text[]"}
_FILTERED = {
    "listed": SQL.filtered_listed,
    "listed_words": SQL.filtered_listed_words,
    "listed_vectors": SQL.filtered_listed_vectors,
    "admitted": SQL.filtered_admitted,
    "short": SQL.filtered_short,
}
_NARROWED = {"narrowed": SQL.filtered_narrowed, "indexed": SQL.filtered_indexed}


@dataclass(frozen=True, slots=True)
class Admission:
    """The memories that a search may find, by type.

    `condition` is None if it may find all of them. `indexed` is a query that finds those that may meet it by an index
    (see `brain.filter_values`), None without an index; `narrowed` is True if it does not find too many, so that a
    search can leave out the others. `listed` has the ids of all memories of some types that may meet the condition: a
    search checks those that it finds. `whole` are types of which it reads all vectors of the memories in `indexed`.
    `shares` has the estimated share of the admitted memories of the other types.
    """

    condition: SqlCondition | None = None
    indexed: SqlCondition | None = None
    narrowed: bool = False
    whole: Collection[MemoryType] = ()
    listed: _Listed = field(default_factory=dict)
    shares: Mapping[MemoryType, float] = field(default_factory=dict)

    def statement(self, dimensions: str) -> SqlStatement:
        """Return the statement that finds candidates; `dimensions` is the SQL condition that selects an index."""
        if self.condition is None:
            return _candidates(None, None, dimensions)
        indexed = self._narrowing
        return _candidates(self.condition.sql, indexed.sql if indexed is not None else None, dimensions)

    def values(self, types: Mapping[MemoryType, int]) -> dict[str, Any]:
        """Return the values of the statement's parameters that depend on the types and their limits per channel."""
        values: dict[str, Any] = {"types": list(types), "limits": list(types.values())}
        if self.condition is None:
            return {**values, "examined": values["limits"], "cells": [PROBES] * len(types)}
        listed = [(id, type_) for type_ in types for id in self.listed.get(type_, ())]
        indexed = self._narrowing
        return {
            **values,
            **self.condition.values,
            **(indexed.values if indexed is not None else {}),
            "examined": [self._examined(type_, limit) for type_, limit in types.items()],
            "cells": [self._cells(type_) for type_ in types],
            "listed_ids": [id for id, _ in listed],
            "listed_types": [type_ for _, type_ in listed],
        }

    @property
    def _narrowing(self) -> SqlCondition | None:
        return self.indexed if self.narrowed and (self.whole or self.shares) else None

    def _examined(self, type_: MemoryType, limit: int) -> int:
        """Return the number of passages that a channel ranks, to find `limit` that are admitted."""
        if type_ in self.whole:
            return ALL
        return math.ceil(limit / self.shares[type_] * _MARGIN) if type_ in self.shares else 0

    def _cells(self, type_: MemoryType) -> int:
        if type_ in self.whole:
            return ALL
        if type_ not in self.shares:
            return 0
        return math.ceil(PROBES * math.pow(max(1.0, _WIDENED_BELOW / self.shares[type_]), _WIDENED))

    def short(self, rows: Sequence[Any]) -> set[MemoryType]:
        """Return the types of which the search examined too few passages, given the rows that it found."""
        return self.shares.keys() & set(rows[0]["short"] or ())


EVERY_MEMORY = Admission()


async def admission(
    c: Connection, agent_id: str, types: Collection[MemoryType], wanted: MemoryFilter, at: datetime | None
) -> Admission:
    """Return the memories of these types that a filter admits: listed by id, or by their estimated share.

    They are the memories that can be found at the time `at` (default: now).
    """
    condition = filter_sql.findable(wanted, at)
    if condition is None:
        return EVERY_MEMORY
    estimate = await _estimated(c, agent_id, types, condition)
    if min(estimate.shares.values(), default=0.0) >= _MIN_COMMON and len(estimate.shares) == len(types):
        return Admission(condition, shares=estimate.shares)
    parts, smallest = await _rare(c, agent_id, filter_values.candidates(wanted)[:_MAX_CONDITIONS], types)
    found = Admission(condition, _intersection(parts), narrowed=smallest <= _MAX_INDEXED)
    if smallest <= MAX_LISTED or len(parts) > 1:
        listed = await _by_index(c, agent_id, found, types, MAX_LISTED)
        if listed is not None:
            return replace(found, listed=listed)
    whole = (
        estimate.small if found.narrowed and estimate.admitted > smallest * _MIN_ADMITTED else frozenset[MemoryType]()
    )
    shares = {type_: share for type_, share in estimate.shares.items() if type_ not in whole}
    found = replace(found, whole=whole, shares=shares)
    return await with_listed(c, agent_id, found, set(types) - shares.keys() - whole)


async def with_listed(c: Connection, agent_id: str, found: Admission, types: Collection[MemoryType]) -> Admission:
    """Return the same memories, of which those of `types` are listed by id."""
    if not types or found.condition is None:
        return found
    # by the sample, these types have few; the index may also find some that the condition excludes
    listed = await _by_index(c, agent_id, found, types, 2 * MAX_LISTED)
    if listed is None:
        statement = filled(SQL.matching_ids, found.condition.sql)
        rows = await c.fetch(*statement(agent_id=agent_id, types=list(types), **found.condition.values))
        listed = _by_type(types, rows)
    shares = {type_: share for type_, share in found.shares.items() if type_ not in listed}
    return replace(found, listed={**found.listed, **listed}, shares=shares)


async def _by_index(
    c: Connection, agent_id: str, found: Admission, types: Collection[MemoryType], limit: int
) -> _Listed | None:
    """Return the ids of all memories that may be admitted, by type; None without an index, or above the limit."""
    if found.indexed is None:
        return None
    statement, values = _indexed_ids(found.indexed.sql), found.indexed.values
    rows = await c.fetch(*statement(agent_id=agent_id, types=list(types), limit=limit, **values))
    return None if rows and rows[0]["id"] is None else _by_type(types, rows)


async def _rare(
    c: Connection, agent_id: str, parts: Sequence[SqlCondition], types: Collection[MemoryType]
) -> tuple[Sequence[SqlCondition], int]:
    """Return the first query that finds at most MAX_LISTED memories, else all of at most _MAX_INDEXED, else the first.

    Also return the smallest number of memories found, at most `_MAX_INDEXED` + 1.
    """
    combined, smallest = list[SqlCondition](), _MAX_INDEXED + 1
    for part in parts:
        statement = _counted_ids(part.sql)
        count = await c.fetchval(*statement(agent_id=agent_id, types=list(types), limit=_MAX_INDEXED, **part.values))
        if count <= MAX_LISTED:
            return [part], count
        if count <= _MAX_INDEXED:
            combined, smallest = [*combined, part], min(smallest, count)
    return combined or parts[:1], smallest


def _intersection(parts: Sequence[SqlCondition]) -> SqlCondition | None:
    if not parts:
        return None
    values = {name: value for part in parts for name, value in part.values.items()}
    return SqlCondition(" INTERSECT ".join(part.sql for part in parts), values)


def _by_type(types: Collection[MemoryType], rows: Sequence[Any]) -> _Listed:
    ids: dict[MemoryType, list[UUID]] = {type_: [] for type_ in types}
    for row in rows:
        ids[row["type"]].append(row["id"])
    return ids


@dataclass(frozen=True, slots=True)
class _EstimatedShares:
    """Estimates of how many memories a condition admits, from a random sample of an agent's memories.

    `shares` has the share of the admitted memories, for the types with too many to list. `small` are the types of which
    all vectors can be read. `admitted` is the number of admitted memories of all types.
    """

    shares: Mapping[MemoryType, float]
    small: frozenset[MemoryType]
    admitted: float


async def _estimated(
    c: Connection, agent_id: str, types: Collection[MemoryType], condition: SqlCondition
) -> _EstimatedShares:
    """Return estimates of how many of the agent's memories of these types a condition admits."""
    statement = filled(SQL.sampled_matching, condition.sql)
    rows = await c.fetch(*statement(agent_id=agent_id, types=list(types), size=SAMPLE, **condition.values))
    sampled = sum(row["memories"] for row in rows)
    per_sampled = _total(sampled, max((row["last"] for row in rows), default=None)) / max(1, sampled)
    large = {row["type"] for row in rows if row["memories"] * per_sampled > _MAX_WHOLE}
    many = [row for row in rows if row["matching"] * per_sampled > MAX_LISTED]
    return _EstimatedShares(
        {row["type"]: row["matching"] / row["memories"] for row in many},
        frozenset(types) - large,
        sum(row["matching"] for row in rows) * per_sampled,
    )


def _total(sampled: int, last: UUID | None) -> float:
    """Return the number of memories that a sample of the first ids is from.

    Ids are hashes. If the k-th id lies after the share u of all possible ids, there are about (k - 1) / u of them (see
    `brain.terms`).
    """
    if last is None or sampled < SAMPLE:
        return sampled
    return (sampled - 1) * 2**128 / (last.int + 1)


@cached(64)
def _indexed_ids(candidates: str) -> SqlStatement:
    return SQL.indexed_ids.fill(candidates=candidates)


@cached(64)
def _counted_ids(candidates: str) -> SqlStatement:
    return SQL.counted_ids.fill(candidates=candidates)


@cached(64)
def _candidates(condition: str | None, indexed: str | None, dimensions: str) -> SqlStatement:
    filled = SQL.candidates.fill(**(_EVERY_MEMORY if condition is None else _FILTERED), dimensions=dimensions)
    filled = filled.fill(**({"narrowed": "", "indexed": ""} if indexed is None else _NARROWED)).fill(
        found=indexed or "", most=_MAX_INDEXED
    )
    return filled.fill(condition=condition or "TRUE")
