"""Read what a turn needs in one transaction: the session's state, the pinned memories, and the search's candidates."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from brain import filter_sql, memory_rows, statements
from brain.deadline import Deadline
from brain.filters import MemoryFilter
from brain.postgres.database import Connection, Database
from brain.postgres.shared_transaction import SharedTransaction
from brain.postgres.wire_types import as_value
from brain.search import MemorySearch, Query, QueryVector, SearchResult
from brain.sessions import CarriedState
from brain.store import MAX_WISHES_READ
from brain.types import Memory
from brain.users import Scope

SQL = statements.load("turn_reads")
_WAITING = 0.7  # share of its remaining time that a turn waits for others; if it began later, it would hardly finish
_START = SQL.turn_start.fill(pinned=memory_rows.SQL.pinned_memories)


@dataclass(frozen=True, slots=True)
class TurnStart:
    """The state of a session and the memories of the system message, which a turn reads before the search."""

    carried: CarriedState
    pinned: tuple[Memory, ...]


class TurnReads:
    """The reads of one turn, in one transaction that ends with `close`.

    Attributes:
        wanted: the conditions that the turn's memories must meet.
        late: the reason why nothing is read for the turn, or None.
    """

    def __init__(
        self,
        database: Database,
        search: MemorySearch,
        scope: Scope,
        session_id: str,
        now: datetime,
        wanted: MemoryFilter,
        deadline: Deadline,
        places: asyncio.Semaphore,
    ) -> None:
        self.wanted = wanted
        self.late: str | None = None
        self._shared = SharedTransaction(database, scope, deadline, places)
        self._deadline = deadline
        self._search = search
        self._scope = scope
        self._session_id = session_id
        self._now = now
        self._start: asyncio.Task[TurnStart] | None = None

    async def wait_for_place(self) -> None:
        """Wait until the turn may read, since only some turns read at once. If the transaction fails, stop waiting.

        If other turns still read after 70 % of the remaining time, set `late`.
        """
        try:
            async with self._deadline.limit(_WAITING):
                await self._shared.admitted()
        except TimeoutError:
            self.late = f"late: other turns took the first {self._deadline.milliseconds * _WAITING:.0f} ms"

    async def start(self) -> TurnStart:
        """Return the state of the session and the memories that the system message may show; they are read once.

        Raises:
            StoreError: as `Database.run`.
        """
        if self._start is None:
            self._start = asyncio.create_task(self._shared.run(self._read_start))
            self._start.add_done_callback(_retrieve)
        return await asyncio.shield(self._start)

    async def find(self, query: Query, vector: QueryVector) -> SearchResult:
        """Return the candidates of the query, as `MemorySearch.find` does.

        Raises:
            StoreError: as `Database.run`.
        """
        return await self._search.find(self._scope, query, vector, shared=self._shared)

    def close(self, *, late: bool = False) -> None:
        """End the transaction without waiting for it. `late` says that the deadline has passed."""
        self._shared.close(late=late)

    async def _read_start(self, connection: Connection) -> TurnStart:
        admitted = filter_sql.condition(self.wanted)
        bound = filter_sql.filled(_START, admitted.sql)(
            agent_id=self._scope.agent_id,
            session_id=self._session_id,
            now=self._now,
            wishes=MAX_WISHES_READ,
            **admitted.values,
        )
        rows = await connection.fetch(*bound)
        carried = as_value(CarriedState, rows[0]) if rows[0]["step"] is not None else CarriedState()
        return TurnStart(carried, tuple(as_value(Memory, row) for row in rows if row["id"] is not None))


def _retrieve(task: asyncio.Task[TurnStart]) -> None:
    """Retrieve the error of a task, so that asyncio does not log one that no part of the turn waited for."""
    if not task.cancelled():
        task.exception()


class TurnReader:
    """Begins the reads of turns, which use at most three quarters of the pool at once.

    The other connections record turns and outcomes. If many turns read at the same time, they slow each other down
    until all are late. With a limit, most have their memories in time.
    """

    def __init__(self, database: Database, search: MemorySearch) -> None:
        self._database = database
        self._search = search
        self._places = asyncio.Semaphore(max(1, database.pool_size * 3 // 4))

    def begin(
        self, scope: Scope, session_id: str, now: datetime, wanted: MemoryFilter, deadline: Deadline
    ) -> TurnReads:
        """Return the reads of a turn, which end with the deadline; nothing is read yet."""
        return TurnReads(self._database, self._search, scope, session_id, now, wanted, deadline, self._places)
