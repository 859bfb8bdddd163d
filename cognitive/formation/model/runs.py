"""Decide when the model reads the turns of a session, and note what became of each: read, tried again later, or parked.

The turns that wait are in the database, so that a later process reads what an earlier one left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from brain import model_readings
from brain.errors import InvalidInput
from brain.model_readings import ModelReadings, WaitingTurn
from brain.store import MemoryStore
from brain.users import Scope
from cognitive.background import Background
from cognitive.formation.lines import assistant_line, lines_of_turn, user_line
from cognitive.formation.model.reader import CapturedLines, ModelReader, NotRead
from cognitive.formation.storing import FormedStore

log = logging.getLogger(__name__)

PAUSES = (60.0, 600.0)  # seconds after the first and second failure; after the third, a turn is parked
_MAX_SESSIONS = 256  # sessions that are read at a time; others wait
_MAX_REQUESTS = 4  # requests to the model at a time
_MAX_TOGETHER = 4  # exchanges of one request; one that failed is read alone
_AT_CLOSE = 10.0  # seconds that reading may still take when the layer closes
_BUSY_SECONDS = 5.0  # until a session that was not started is tried again
_STORING_SECONDS = 60.0  # added to a request's timeout in a reservation, for storing
_MAX_CATCH_UP = 10_000  # sessions

SessionKey = tuple[str, str, str]  # agent, user, session


class ModelRuns:
    """Reads waiting turns with a model: after N turns, when a session is idle or ends, at the start of a process."""

    def __init__(
        self,
        reader: ModelReader,
        readings: ModelReadings,
        store: MemoryStore,
        formed: FormedStore,
        background: Background,
    ) -> None:
        self._reader = reader
        self._model = reader.model
        self._readings = readings
        self._store = store
        self._formed = formed
        self._timers: dict[SessionKey, asyncio.TimerHandle] = {}
        self._closing = False
        self._requests = asyncio.Semaphore(_MAX_REQUESTS)
        background.on_close(self._cancel_timers)
        self._queue = background.queue(_MAX_SESSIONS, at_close=_AT_CLOSE)

    async def on_turn(self, scope: Scope, session_id: str) -> None:
        """Start to read a session if enough turns wait, or note when it is idle; a turn of it was just captured."""
        after = self._model.after
        if after == "idle":
            self._start_later(scope, session_id, self._model.idle_seconds)
        elif isinstance(after, int) and len(await self._readings.waiting(scope, session_id)) >= after:
            self.start(scope, session_id)

    def start(self, scope: Scope, session_id: str) -> None:
        """Start to read the waiting turns of a session. Return at once."""
        if not self._queue.start(self.run(scope, session_id), *scope.key, session_id):
            self._start_later(scope, session_id, _BUSY_SECONDS)

    async def catch_up(self, agent_id: str) -> None:
        """Start to read the sessions that an earlier process left, those that are still in use once they are idle."""
        for scope, session_id, quiet in await self._readings.sessions(agent_id, _MAX_CATCH_UP):
            if (left := self._model.idle_seconds - quiet) > 0 and self._model.after != 1:
                self._start_later(scope, session_id, left)
            else:
                self.start(scope, session_id)

    async def run(self, scope: Scope, session_id: str) -> None:
        """Read the turns of a session that are due, and note when the others are."""
        lease = self._model.timeout + _STORING_SECONDS
        waiting = await self._readings.waiting(scope, session_id)
        while together := _together(waiting):
            self._start_later(scope, session_id, lease)  # in case of an error before the end
            async with self._requests:
                claimed, read_at = await self._readings.claim(scope, together, lease)
                if read_at is not None:
                    try:
                        await self._read(scope, claimed, read_at)
                    except InvalidInput as error:  # asked again at once, the model would answer the same
                        await self._put_off(scope, claimed, NotRead("failed", str(error)))
            tried, waiting = set(together), await self._readings.waiting(scope, session_id)
            if any(each.turn_id in tried and not each.wait for each in waiting):
                break  # nothing changed; the timer tries again
        else:
            self._cancel(scope, session_id)
            if waiting:
                self._start_later(scope, session_id, min(each.wait for each in waiting))

    async def wait_for(self, *name: str) -> None:
        """Wait until the running requests for an agent, or for one user, are done or have failed."""
        await self._queue.wait_for(*name)

    async def stop(self, *name: str) -> None:
        """Cancel the requests for an agent, or for one user, because the rows are about to be erased."""
        for key in [each for each in self._timers if each[: len(name)] == name]:
            self._timers.pop(key).cancel()
        await self._queue.stop(*name)

    async def _read(self, scope: Scope, turn_ids: Sequence[str], read_at: datetime) -> None:
        """Read turns in one request and store what they form."""
        exchanges: dict[str, CapturedLines] = {}
        for turn_id in turn_ids:
            lines = await lines_of_turn(self._store, scope, turn_id)
            if (said := user_line(lines)) is not None:
                exchanges[turn_id] = CapturedLines(said, assistant_line(lines))
            else:
                await self._readings.end(scope, turn_id, read_at)  # the line was forgotten or retired
        if not exchanges:
            return
        found = await self._reader.read(scope, list(exchanges.values()))
        if isinstance(found, NotRead):
            await self._put_off(scope, list(exchanges), found)
            return
        for turn_id, memories in zip(exchanges, found, strict=True):
            condition = partial(model_readings.check, scope, turn_id, read_at)
            await self._formed.write(scope, turn_id, memories, read_at, condition)
            await self._readings.end(scope, turn_id, read_at)

    async def _put_off(self, scope: Scope, turn_ids: Sequence[str], why: NotRead) -> None:
        """Have turns read later: on the next day if the budget is spent, else after a pause, or not at all."""
        if why.reason == "budget":
            await self._readings.postpone(scope, turn_ids, _until_midnight())
            log.info("the model reads turns of agent %s tomorrow: %s", scope.agent_id, why.detail)
            return
        parked = await self._readings.fail(scope, turn_ids, PAUSES)
        level = logging.WARNING if parked else logging.INFO
        log.log(level, "the model read nothing (%s); parked: %s", why.detail, ", ".join(parked) or "none")

    def _start_later(self, scope: Scope, session_id: str, seconds: float) -> None:
        """Start to read a session after a number of seconds, instead of at the time that was set before."""
        if self._closing:
            return
        self._cancel(scope, session_id)
        loop, key = asyncio.get_running_loop(), (*scope.key, session_id)
        self._timers[key] = loop.call_later(seconds, self._start_now, scope, session_id)

    def _start_now(self, scope: Scope, session_id: str) -> None:
        self._timers.pop((*scope.key, session_id), None)
        self.start(scope, session_id)

    def _cancel(self, scope: Scope, session_id: str) -> None:
        if (timer := self._timers.pop((*scope.key, session_id), None)) is not None:
            timer.cancel()

    async def _cancel_timers(self) -> None:
        self._closing = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


def _together(waiting: Sequence[WaitingTurn]) -> list[str]:
    """Return the first turns that are due and may be read in one request; one that failed before is read alone."""
    due = [each for each in waiting if not each.wait]
    fresh = [each.turn_id for each in due if not each.failures]
    return fresh[:_MAX_TOGETHER] or [each.turn_id for each in due[:1]]


def _until_midnight() -> float:
    """Return the seconds until the next day (UTC) begins, and a minute for clocks that differ."""
    now = datetime.now(UTC)
    tomorrow = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1, minutes=1)
    return (tomorrow - now).total_seconds()
