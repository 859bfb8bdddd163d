"""Run several reads in one transaction, each as soon as its input is known.

A transaction costs two round trips and a connection, so that the reads of a turn share one. They begin at different
times, so that they cannot be one function for `Database.run`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from brain.deadline import Deadline, cancel_late
from brain.errors import StoreUnavailable
from brain.postgres.database import Connection, Database, T, Work
from brain.users import Scope

_ENDED = "the transaction of this turn has ended"


class SharedTransaction:
    """Runs reads of one scope in one transaction with one snapshot, in the order in which they arrive.

    The transaction begins with the first read, and ends when `close` is called. After a lost connection the unfinished
    reads run again in a new transaction. If the transaction fails for good, all unfinished and later reads fail. The
    semaphore `places` limits how many transactions run at once. The deadline ends the transaction.
    """

    def __init__(self, database: Database, scope: Scope, deadline: Deadline, places: asyncio.Semaphore) -> None:
        self._database = database
        self._scope = scope
        self._deadline = deadline
        self._places = places
        self._reads: deque[tuple[Work[Any], asyncio.Future[Any]]] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        self._admitted = asyncio.Event()
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None

    async def run(self, work: Work[T]) -> T:
        """Run `work` after the reads that arrived before it, and return its result. It may run several times.

        Raises:
            StoreError: as `Database.run`, or with the error of an earlier read, or because the transaction was closed.
        """
        if self._error is not None or self._closed:
            raise self._error or StoreUnavailable(_ENDED)
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._reads.append((work, result))
        self._changed.set()
        self._begin()
        return await result

    async def admitted(self) -> None:
        """Begin the transaction if it has not begun, and return when it has a place, or has failed."""
        if not self._closed:
            self._begin()
            await self._admitted.wait()

    def _begin(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._transact())
            self._task.add_done_callback(self._end)

    def close(self, *, late: bool = False) -> None:
        """Commit, without waiting for it. Cancel an unfinished read, and a transaction that waits for its place.

        `late` says that the deadline has passed.
        """
        self._closed = True
        self._changed.set()
        if self._task is not None and (self._reads or not self._admitted.is_set()):
            cancel_late(self._task) if late else self._task.cancel()

    async def _transact(self) -> None:
        async with self._places:
            self._admitted.set()
            seconds = max(self._deadline.left(), 0.001)
            await self._database.run(self._scope, self._run_reads, timeout=seconds, snapshot=True)

    async def _run_reads(self, connection: Connection) -> None:
        """Run reads as they arrive, until the transaction is closed and none is left."""
        while self._reads or not self._closed:
            if not self._reads:
                self._changed.clear()
                await self._changed.wait()
                continue
            work, result = self._reads[0]
            if not result.done():
                value = await work(connection)
                if not result.done():
                    result.set_result(value)
            self._reads.popleft()

    def _end(self, task: asyncio.Task[None]) -> None:
        self._error = None if task.cancelled() else task.exception()
        for _, result in self._reads:
            if not result.done():
                result.set_exception(self._error or StoreUnavailable(_ENDED))
        self._closed = True
        self._admitted.set()
        self._reads.clear()
