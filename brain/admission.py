"""Find the memories that a filter admits, by one of two methods for each memory type.

Memories are first looked up by an index of their values (`brain.filter_values`). If it finds too many, or there is
none, the share of admitted memories is estimated from a random sample. Types with few are listed, and a search compares
all of them with its query. If a type has many, a search ranks more passages than it needs. In both cases, it then looks
up the memories one after another until enough are admitted. If a type with many has too few, it is listed too.
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
_MAX_COMBINED = 20_000  # memories that meet a condition and are combined with those of others, which takes about 5 ms
_MAX_CONDITIONS = 4  # that are looked up; the memories that are found meet the others or are left out later
_WIDENED = 1 / 8  # the cells that are read grow with the inverse of the share to this power
_MARGIN = 3  # passages ranked for each that is expected to be looked up until enough are admitted
_Listed = Mapping[MemoryType, Sequence[UUID]]
# The slots of the statement that finds candidates: without and with a filter.
_EVERY_MEMORY = {"listed": "", "admitted": "", "listed_words": "", "listed_vectors": "", "short": "NULL::text[]"}
_FILTERED = {
    "listed": SQL.filtered_listed,
    "listed_words": SQL.filtered_listed_words,
    "listed_vectors": SQL.filtered_listed_vectors,
    "admitted": SQL.filtered_admitted,
    "short": SQL.filtered_short,
}


@dataclass(frozen=True, slots=True)
class Admission:
    """The memories that a search may find, by type.

    `condition` is None if it may find all of them. `candidates` are queries that find those that may meet it, each by
    an index (see `brain.filter_values`). `listed` has the ids of all memories of some types that may meet it: a
    search checks those that it finds. `shares` has the estimated share of the admitted memories of the other types.
    """

    condition: SqlCondition | None = None
    candidates: Sequence[SqlCondition] = ()
    listed: _Listed = field(default_factory=dict)
    shares: Mapping[MemoryType, float] = field(default_factory=dict)

    def statement(self, dimensions: str) -> SqlStatement:
        """Return the statement that finds candidates; `dimensions` is the SQL condition that selects an index."""
        return _candidates(self.condition.sql if self.condition is not None else None, dimensions)

    def values(self, types: Mapping[MemoryType, int]) -> dict[str, Any]:
        """Return the values of the statement's parameters that depend on the types and their limits per channel."""
        values: dict[str, Any] = {"types": list(types), "limits": list(types.values())}
        if self.condition is None:
            return {**values, "examined": values["limits"], "cells": [PROBES] * len(types)}
        listed = [(id, type_) for type_ in types for id in self.listed.get(type_, ())]
        shares = [self.shares.get(type_) for type_ in types]
        return {
            **values,
            **self.condition.values,
            "examined": [_examined(limit, share) for limit, share in zip(types.values(), shares, strict=True)],
            "cells": [_cells(share) for share in shares],
            "listed_ids": [id for id, _ in listed],
            "listed_types": [type_ for _, type_ in listed],
        }

    def short(self, types: Collection[MemoryType], rows: Sequence[Any]) -> set[MemoryType]:
        """Return the types of which the search examined too few passages, given the rows that it found."""
        return set(rows[0]["short"] or ()) if rows else self.shares.keys() & set(types)


EVERY_MEMORY = Admission()


async def admission(
    c: Connection, agent_id: str, types: Collection[MemoryType], wanted: MemoryFilter, at: datetime | None
) -> Admission:
    """Return the memories of these types that a filter admits: listed by id, or by their estimated share.

    They are the memories that can be found at the time `at` (default: now).
    """
    found = Admission(filter_sql.findable(wanted, at), filter_values.candidates(wanted))
    listed = await _by_index(c, agent_id, found, types, MAX_LISTED)
    if listed is not None:
        return replace(found, listed=listed)
    shares = await _shares(c, agent_id, types, found)
    return await with_listed(c, agent_id, replace(found, shares=shares), [each for each in types if each not in shares])


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
    parts = await _rare(c, agent_id, found.candidates[:_MAX_CONDITIONS], types, limit)
    if not parts:
        return None
    values = {name: value for part in parts for name, value in part.values.items()}
    statement = _indexed_ids(" INTERSECT ".join(part.sql for part in parts))
    rows = await c.fetch(*statement(agent_id=agent_id, types=list(types), limit=limit, **values))
    return None if rows and rows[0]["id"] is None else _by_type(types, rows)


async def _rare(
    c: Connection, agent_id: str, parts: Sequence[SqlCondition], types: Collection[MemoryType], limit: int
) -> Sequence[SqlCondition]:
    """Return the first query that finds at most `limit` memories, or else those that can be combined."""
    if len(parts) < 2:
        return parts
    combined = []
    for part in parts:
        statement, most = _counted_ids(part.sql), max(limit, _MAX_COMBINED)
        rows = await c.fetchval(*statement(agent_id=agent_id, types=list(types), limit=most, **part.values))
        if rows <= limit:
            return [part]
        if rows <= most:
            combined.append(part)
    return combined


def _by_type(types: Collection[MemoryType], rows: Sequence[Any]) -> _Listed:
    ids: dict[MemoryType, list[UUID]] = {type_: [] for type_ in types}
    for row in rows:
        ids[row["type"]].append(row["id"])
    return ids


async def _shares(
    c: Connection, agent_id: str, types: Collection[MemoryType], found: Admission
) -> dict[MemoryType, float]:
    """Return the estimated share of admitted memories, for the types that have more than can be listed."""
    if found.condition is None:
        return {}
    statement = filled(SQL.sampled_matching, found.condition.sql)
    rows = await c.fetch(*statement(agent_id=agent_id, types=list(types), size=SAMPLE, **found.condition.values))
    sampled = sum(row["memories"] for row in rows)
    per_sampled = _total(sampled, max((row["last"] for row in rows), default=None)) / max(1, sampled)
    return {
        row["type"]: row["matching"] / row["memories"] for row in rows if row["matching"] * per_sampled > MAX_LISTED
    }


def _total(sampled: int, last: UUID | None) -> float:
    """Return the number of memories that a sample of the first ids is from.

    Ids are hashes. If the k-th id lies after the share u of all possible ids, there are about (k - 1) / u of them (see
    `brain.terms`).
    """
    if last is None or sampled < SAMPLE:
        return sampled
    return (sampled - 1) * 2**128 / (last.int + 1)


def _examined(limit: int, share: float | None) -> int:
    return 0 if share is None else math.ceil(limit / share * _MARGIN)


def _cells(share: float | None) -> int:
    return 0 if share is None else math.ceil(PROBES * share**-_WIDENED)


@cached(64)
def _indexed_ids(candidates: str) -> SqlStatement:
    return SQL.indexed_ids.fill(candidates=candidates)


@cached(64)
def _counted_ids(candidates: str) -> SqlStatement:
    return SQL.counted_ids.fill(candidates=candidates)


@cached(64)
def _candidates(condition: str | None, dimensions: str) -> SqlStatement:
    filled = SQL.candidates.fill(**(_EVERY_MEMORY if condition is None else _FILTERED), dimensions=dimensions)
    return filled.fill(condition=condition or "TRUE")
