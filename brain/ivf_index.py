"""Large agents' vectors, sorted into cells of neighbours, so that a search reads a few cells and not all vectors.

An inverted file (Jégou, Douze and Schmid, "Product quantization for nearest neighbor search", 2011, there with
compressed vectors) in rows of our own: the nearest cells are an equality in a B-tree, which row level security,
sharding and filters leave as it is. Cells are made while the agent works: a search reads the vectors that lie in none
yet as before, so that it misses nothing, and work that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from brain import statements
from brain.memory_rows import SQL as WRITING
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import encode_halfvec
from brain.types import Vectors

SQL = statements.load("ivf_index")
SIZE = 200  # vectors of a cell: as many centres as this cost a turn about as much as the cells that it reads
FEWEST = 8  # vectors that a centre is the mean of at least: fewer would say too much of one of them
_ROUNDS = 8
_AT_ONCE = 64  # centres found in one stage; more are found within groups of vectors, in two
_BATCH = 8_192  # rows compared at a time, to bound the memory
LARGE = 20_000  # vectors of a type and field from which cells pay: a third of fewer would be read anyway
_SAMPLED = 64  # vectors looked at for each centre
_MAX_SAMPLED = 250_000  # 384 MB at 384 dimensions
_OVERFULL = 4  # times the size: then a cell is divided
_SECONDS = 600.0  # a sample of 250,000 vectors from a slow disk

Progress = Callable[[int, int], None]
Key = Mapping[str, str]  # agent_id, model, field, type: parameters of the statements about one group


@dataclass(frozen=True, slots=True)
class VectorGroup:
    """Vectors that one search reads together: how many, in how many cells, and how many were put into one just now."""

    model: str
    field: str
    type: str
    vectors: int
    cells: int
    moved: int = 0


class IvfIndex:
    """Sorts agents' vectors: of groups of `large` into cells of about `size`, `page` vectors in a transaction."""

    def __init__(self, database: Database, *, large: int = LARGE, size: int = SIZE, page: int = 5_000) -> None:
        self._database = database
        self._large = large
        self._size = size
        self._page = page

    async def build(self, agent_id: str, *, progress: Progress | None = None) -> list[VectorGroup]:
        """Has every vector of the agent's large groups lie in a cell, and returns these groups.

        `progress` is called with (done, total) vectors. Safe to run twice, at once, and to interrupt.
        """
        rows = await self._database.run(agent_id, lambda c: c.fetch(*SQL.groups(agent_id=agent_id)))
        large = [row for row in rows if row["vectors"] >= self._large or row["centres"]]
        total, done, groups = sum(row["unsorted"] for row in large), 0, []
        for row in large:
            key = {"agent_id": agent_id, "model": row["model"], "field": row["field"], "type": row["type"]}
            if not row["centres"]:
                await self._begin(key, row["vectors"])
            moved = 0
            async for count in self._placed(key):
                moved += count
                if progress is not None:
                    progress(min(done + moved, total), total)
            done += row["unsorted"]
            moved += await self._split(key)
            cells = len((await self._centres(key))[0])
            groups.append(
                VectorGroup(row["model"], row["field"], row["type"], vectors=row["vectors"], cells=cells, moved=moved)
            )
        return groups

    async def _begin(self, key: Key, vectors: int) -> None:
        """Finds the centres of a group that has none."""
        count = vectors // self._size
        most = min(_MAX_SAMPLED, count * _SAMPLED)
        rows = await self._database.run(
            key["agent_id"], lambda c: c.fetch(*SQL.sample(**key, limit=most)), timeout=_SECONDS
        )
        found = await asyncio.to_thread(centres, _vectors(rows), count)

        async def work(c: Connection) -> None:
            await c.fetchrow(*WRITING.lock_agent_row(agent_id=key["agent_id"]))
            if not await c.fetchval(*SQL.next_no(**key)):  # another process may have been first
                await c.execute(
                    *SQL.add_centres(**key, first_number=0, centres=[encode_halfvec(each) for each in found])
                )

        await self._database.run(key["agent_id"], work)

    async def _placed(self, key: Key) -> AsyncIterator[int]:
        """Puts vectors without a cell into the nearest one, a page at a time; yields how many."""
        numbers, middles = await self._centres(key)
        last: tuple[UUID, int] = (UUID(int=0), -1)
        while rows := await self._database.run(key["agent_id"], partial(_unsorted, key, last, self._page)):
            own = await asyncio.to_thread(nearest, _vectors(rows), middles)
            await self._database.run(key["agent_id"], partial(_put, key, None, rows, numbers[own]), timeout=_SECONDS)
            last = (rows[-1]["memory_id"], rows[-1]["ordinal"])
            yield len(rows)

    async def _split(self, key: Key) -> int:
        """Divides the cells that hold too much, each in one transaction; returns how many vectors moved."""
        most, moved, before = _OVERFULL * self._size, 0, -1
        while moved > before:
            before = moved
            run = partial(self._database.run, key["agent_id"], timeout=_SECONDS)
            for row in await run(lambda c: c.fetch(*SQL.overfull(**key, max_vectors=most))):
                moved += await run(partial(_divided, key, row["cell"], self._size))
        return moved

    async def _centres(self, key: Key) -> tuple[NDArray[np.int64], Vectors]:
        rows = await self._database.run(key["agent_id"], lambda c: c.fetch(*SQL.centres(**key)))
        return np.array([row["number"] for row in rows]), np.stack([row["centre"] for row in rows])


async def _unsorted(key: Key, last: tuple[UUID, int], page: int, c: Connection) -> Sequence[Any]:
    memory_id, ordinal = last
    found: Sequence[Any] = await c.fetch(
        *SQL.unsorted(**key, after_memory_id=memory_id, after_ordinal=ordinal, limit=page)
    )
    return found


async def _put(key: Key, was: int | None, rows: Sequence[Any], cells: NDArray[np.int64], c: Connection) -> None:
    ids, ordinals = [row["memory_id"] for row in rows], [row["ordinal"] for row in rows]
    await c.execute(*SQL.put(**key, memory_ids=ids, current_cell=was, ordinals=ordinals, cells=cells.tolist()))


async def _divided(key: Key, cell: int, size: int, c: Connection) -> int:
    """Divides a cell. Writers wait for it: a vector must not be put into a cell by a centre that has moved."""
    await c.fetchrow(*WRITING.lock_agent_row(agent_id=key["agent_id"]))
    rows = await c.fetch(*SQL.held(**key, cell=cell))
    vectors = _vectors(rows)
    found = centres(vectors, len(rows) // size)
    if len(found) < 2:
        return 0  # near-copies of one another, which no centre tells apart
    following = await c.fetchval(*SQL.next_no(**key))
    await c.execute(*SQL.add_centres(**key, first_number=cell, centres=[encode_halfvec(found[0])]))
    await c.execute(
        *SQL.add_centres(**key, first_number=following, centres=[encode_halfvec(each) for each in found[1:]])
    )
    own = nearest(vectors, found)
    away = np.flatnonzero(own)
    await _put(key, cell, [rows[n] for n in away], following - 1 + own[away], c)
    return len(away)


def _vectors(rows: Sequence[Any]) -> Vectors:
    return np.stack([row["embedding"] for row in rows]) if rows else np.zeros((0, 1), dtype=np.float32)


def centres(sample: Vectors, count: int) -> Vectors:
    """About so many centres of a sample, of shape (centres, dimension), of unit length; fewer of fewer groups.

    Spherical k-means (Dhillon and Modha, 2001), begun at vectors that are spread evenly over the sample.
    """
    if count <= _AT_ONCE:
        return _means(sample, count)
    groups = _means(sample, math.isqrt(count))
    own = nearest(sample, groups)
    sizes = np.bincount(own, minlength=len(groups))
    shares = np.maximum(1, np.rint(count * sizes / len(sample)).astype(int))
    return np.concatenate([_means(sample[own == n], share) for n, share in enumerate(shares.tolist()) if sizes[n]])


def nearest(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """For each vector the place of its nearest centre."""
    parts = [np.argmax(vectors[n : n + _BATCH] @ centres.T, axis=1) for n in range(0, len(vectors), _BATCH)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _means(sample: Vectors, count: int) -> Vectors:
    count = max(1, min(count, len(sample) // FEWEST))
    found = sample[np.arange(count) * (len(sample) // count)]
    for _ in range(_ROUNDS):
        found = _moved(sample, nearest(sample, found), len(found))
    return found


def _moved(sample: Vectors, own: NDArray[np.int64], count: int) -> Vectors:
    """The means of the groups, of unit length, without groups of too few; of all if every group is."""
    order = np.argsort(own, kind="stable")
    sizes = np.bincount(own, minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[sizes > 0]
    sums = np.add.reduceat(sample[order], starts)
    kept = sums[sizes[sizes > 0] >= FEWEST] if (sizes >= FEWEST).any() else sample.sum(axis=0)[None, :]
    lengths = np.linalg.norm(kept, axis=1, keepdims=True)
    means: Vectors = (kept / np.maximum(lengths, 1e-9)).astype(np.float32)
    return means
