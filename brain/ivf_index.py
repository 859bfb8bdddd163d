"""Build an IVF index: assign many vectors of an agent to cells, so that a search reads only the nearest cells.

The shared vectors and those of each user have separate cells, if they are many. A search reads all vectors of a
user who has few.

IVF is the inverted file of Jégou, Douze and Schmid, "Product quantization for nearest neighbor search", 2011, here
without compression. The cells of a search are found by equality in an ordinary B-tree index, which works under row
level security, sharding and filters. The index is built while the agent is in use: a search also reads all vectors that
are in no cell yet, so it misses nothing, and an interrupted build continues where it stopped.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from brain import agent_rows, statements
from brain.memory_rows import share_agent, share_users
from brain.ports import Progress
from brain.postgres.database import AllUsersView, Connection, Database
from brain.postgres.wire_types import encode_halfvec
from brain.types import Vectors

SQL = statements.load("ivf_index")
SIZE = 200  # vectors per cell: comparing the query with all centres then costs about as much as reading the cells
MIN_VECTORS = 8  # vectors per centre: the mean of fewer would reveal too much of each of them
_ROUNDS = 8
_MAX_SINGLE_STAGE = 64  # centres found by one k-means; more are found in two stages
_BATCH = 8_192  # vectors compared at a time, to bound memory
LARGE = 20_000  # minimum vectors of a type and field for cells: below that a search would read a third of them anyway
_SAMPLED = 64  # sampled vectors per centre
_MAX_SAMPLED = 250_000  # 384 MB at 384 dimensions
_OVERFULL = 4  # a cell with more than this many times `size` vectors is split
_SECONDS = 600.0  # timeout: a sample of 250,000 vectors from a slow disk

Key = Mapping[str, str]  # agent_id, user_id, model, field, type: parameters of the statements for one group


@dataclass(frozen=True, slots=True)
class VectorGroup:
    """The vectors of one scope with the same model, field and memory type, which a search reads together.

    `vectors` is the number of vectors, `cells` the number of cells, and `moved` the number of vectors that this build
    assigned to a cell. `user_id` is the user whose vectors they are, None for shared ones.
    """

    model: str
    field: str
    type: str
    vectors: int
    cells: int
    moved: int = 0
    user_id: str | None = None


class IvfIndex:
    """Builds the vector index of agents with many memories.

    Only groups of at least `large` vectors get cells, each of about `size` vectors. Each transaction assigns up to
    `page` vectors to their cells.
    """

    def __init__(self, database: Database, *, large: int = LARGE, size: int = SIZE, page: int = 5_000) -> None:
        self._database = AllUsersView(database)
        self._large = large
        self._size = size
        self._page = page

    async def build(self, agent_id: str, *, progress: Progress | None = None) -> list[VectorGroup]:
        """Assign every vector of the agent's large groups to a cell, and return these groups.

        `progress` is called with the number of vectors assigned so far and the number of all vectors to assign. It is
        safe to interrupt the build, to repeat it, and to run two builds in parallel.
        """
        bound = SQL.groups(agent_id=agent_id, min_passages=self._large)
        rows = await self._database.run(agent_id, lambda c: c.fetch(*bound), timeout=_SECONDS)
        large = [row for row in rows if row["vectors"] >= self._large or row["centres"]]
        total, done, groups = sum(row["unsorted"] for row in large), 0, []
        for row in large:
            key = {"agent_id": agent_id, **{name: row[name] for name in ("user_id", "model", "field", "type")}}
            if not row["centres"] and not await self._begin(key, row["vectors"]):
                continue
            moved = 0
            async for count in self._assign(key):
                moved += count
                if progress is not None:
                    progress(min(done + moved, total), total)
            done += row["unsorted"]
            moved += await self._split(key)
            cells = len((await self._centres(key))[0])
            groups.append(
                VectorGroup(
                    row["model"],
                    row["field"],
                    row["type"],
                    vectors=row["vectors"],
                    cells=cells,
                    moved=moved,
                    user_id=row["user_id"] or None,
                )
            )
        return groups

    async def _begin(self, key: Key, vectors: int) -> bool:
        """Compute and store the centres of the cells for a group of vectors that has no centres yet.

        Return False, and store nothing, if the group's vectors were erased meanwhile.
        """
        count = vectors // self._size
        limit = min(_MAX_SAMPLED, count * _SAMPLED)
        rows = await self._database.run(
            key["agent_id"], lambda c: c.fetch(*SQL.sample(**key, limit=limit)), timeout=_SECONDS
        )
        if not rows:
            return False
        new_centres = await asyncio.to_thread(centres, _vectors(rows), count)
        sampled = [row["memory_id"] for row in rows[:_SAMPLED]]

        async def work(c: Connection) -> bool:
            if not await _lock(key, c) or not await c.fetchval(*SQL.has_sampled(**key, memory_ids=sampled)):
                return False
            if not await c.fetch(*SQL.centres(**key)):  # another process may have been first
                first = await _next_number(key, c)
                encoded = [encode_halfvec(each) for each in new_centres]
                await c.execute(*SQL.add_centres(**key, first_number=first, centres=encoded))
            return True

        return await self._database.run(key["agent_id"], work)

    async def _assign(self, key: Key) -> AsyncIterator[int]:
        """Assign each vector that is in no cell to the nearest cell, a page of vectors at a time.

        Yields the number of vectors of each page.
        """
        numbers, cell_centres = await self._centres(key)
        if not len(numbers):  # the group was erased meanwhile
            return
        last: tuple[UUID, int] = (UUID(int=0), -1)
        while rows := await self._database.run(key["agent_id"], partial(_unsorted, key, last, self._page)):
            nearest_centres = await asyncio.to_thread(nearest, _vectors(rows), cell_centres)
            cells = numbers[nearest_centres]
            await self._database.run(key["agent_id"], partial(_put, key, None, rows, cells), timeout=_SECONDS)
            last = (rows[-1]["memory_id"], rows[-1]["ordinal"])
            yield len(rows)

    async def _split(self, key: Key) -> int:
        """Split the cells with too many vectors, each in one transaction; return the number of moved vectors."""
        max_vectors, moved, before = _OVERFULL * self._size, 0, -1
        while moved > before:
            before = moved
            run = partial(self._database.run, key["agent_id"], timeout=_SECONDS)
            for row in await run(lambda c: c.fetch(*SQL.overfull(**key, max_vectors=max_vectors))):
                moved += await run(partial(_split_cell, key, row["cell"], self._size))
        return moved

    async def _centres(self, key: Key) -> tuple[NDArray[np.int64], Vectors]:
        rows = await self._database.run(key["agent_id"], lambda c: c.fetch(*SQL.centres(**key)))
        return np.array([row["number"] for row in rows]), _vectors(rows, "centre")


async def _lock(key: Key, c: Connection) -> bool:
    """Exclude writers of the agent and erasures of the group. Return False if the agent was erased."""
    await share_agent(c, key["agent_id"])
    await share_users(c, key["agent_id"], [key["user_id"]])
    return await agent_rows.locked_if_exists(c, key["agent_id"]) is not None


async def _next_number(key: Key, c: Connection) -> int:
    group = {name: key[name] for name in ("agent_id", "model", "field", "type")}
    return int(await c.fetchval(*SQL.next_number(**group)))


async def _unsorted(key: Key, last: tuple[UUID, int], page: int, c: Connection) -> Sequence[Any]:
    memory_id, ordinal = last
    rows: Sequence[Any] = await c.fetch(
        *SQL.unsorted(**key, after_memory_id=memory_id, after_ordinal=ordinal, limit=page)
    )
    return rows


async def _put(key: Key, current: int | None, rows: Sequence[Any], cells: NDArray[np.int64], c: Connection) -> None:
    ids, ordinals = [row["memory_id"] for row in rows], [row["ordinal"] for row in rows]
    await c.execute(*SQL.put(**key, memory_ids=ids, current_cell=current, ordinals=ordinals, cells=cells.tolist()))


async def _split_cell(key: Key, cell: int, size: int, c: Connection) -> int:
    """Split a cell with too many vectors into smaller cells, and return the number of vectors moved to other cells.

    Writers wait meanwhile, since they must not assign a vector to the cell by its old centre.
    """
    await _lock(key, c)
    rows = await c.fetch(*SQL.held(**key, cell=cell))
    if not rows:
        return 0
    vectors = _vectors(rows)
    parts = centres(vectors, len(rows) // size)
    if len(parts) < 2:
        return 0  # the vectors are near-copies, which centres cannot separate
    following = await _next_number(key, c)
    await c.execute(*SQL.add_centres(**key, first_number=cell, centres=[encode_halfvec(parts[0])]))
    await c.execute(
        *SQL.add_centres(**key, first_number=following, centres=[encode_halfvec(each) for each in parts[1:]])
    )
    part = nearest(vectors, parts)
    moved = np.flatnonzero(part)
    await _put(key, cell, [rows[n] for n in moved], following - 1 + part[moved], c)
    return len(moved)


def _vectors(rows: Sequence[Any], column: str = "embedding") -> Vectors:
    return np.stack([row[column] for row in rows]) if rows else np.zeros((0, 1), dtype=np.float32)


def centres(sample: Vectors, count: int) -> Vectors:
    """Return about `count` cluster centres of the vectors in `sample`, as unit vectors of shape (centres, dimension).

    There are fewer centres if the sample has fewer clusters. The method is spherical k-means (Dhillon and Modha,
    "Concept decompositions for large sparse text data using clustering", 2001), started from vectors spread evenly over
    the sample. For more than 64 centres the sample is first divided into groups, and then each group into clusters.
    """
    if count <= _MAX_SINGLE_STAGE:
        return _means(sample, count)
    groups = _means(sample, math.isqrt(count))
    group = nearest(sample, groups)
    sizes = np.bincount(group, minlength=len(groups))
    shares = np.maximum(1, np.rint(count * sizes / len(sample)).astype(int))
    return np.concatenate([_means(sample[group == n], share) for n, share in enumerate(shares.tolist()) if sizes[n]])


def nearest(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """Return, for each vector, the index of its nearest centre."""
    parts = [np.argmax(vectors[n : n + _BATCH] @ centres.T, axis=1) for n in range(0, len(vectors), _BATCH)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _means(sample: Vectors, count: int) -> Vectors:
    count = max(1, min(count, len(sample) // MIN_VECTORS))
    means = sample[np.arange(count) * (len(sample) // count)]
    for _ in range(_ROUNDS):
        means = _recompute(sample, nearest(sample, means), len(means))
    return means


def _recompute(sample: Vectors, group: NDArray[np.int64], count: int) -> Vectors:
    """Return the unit mean of each group of vectors, without groups of too few vectors.

    If no group is left, return the mean of all vectors.
    """
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[sizes > 0]
    sums = np.add.reduceat(sample[order], starts)
    large = sums[sizes[sizes > 0] >= MIN_VECTORS] if (sizes >= MIN_VECTORS).any() else sample.sum(axis=0)[None, :]
    lengths = np.linalg.norm(large, axis=1, keepdims=True)
    means: Vectors = (large / np.maximum(lengths, 1e-9)).astype(np.float32)
    return means
