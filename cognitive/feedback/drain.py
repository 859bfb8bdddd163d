"""Move the entries of the journal (a local file) to Postgres in the background, until the journal is empty.

The journal holds outcomes that arrived while Postgres was unavailable. Of all processes that have the layer open, only
one drains the journal at a time. If that process ends or is killed, another takes over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

from brain.deadline import Deadline
from brain.errors import (
    CognitiveError,
    EmbeddedServerError,
    EmbeddingError,
    JournalError,
    SchemaError,
    StoreError,
    StoreUnavailable,
)
from brain.journal import Journal
from cognitive.feedback.outcomes import OutcomeRecorder

RoundResult = Literal["nothing", "something", "to another"]  # entries that a round leaves: none, some, or all

log = logging.getLogger(__name__)

_FAILS_ALL = (StoreUnavailable, EmbeddedServerError, SchemaError)  # errors with which the next entry would fail too
_MIN_BACKOFF = 0.25  # seconds until the next attempt while Postgres is unavailable; doubled after each failure
_MAX_BACKOFF = 30.0  # seconds
_ELSEWHERE = 1.0  # seconds until the next attempt while another process drains the journal
_IDLE = 60.0  # seconds until the next look at an empty journal, where a killed process may have left entries
_BETWEEN = 0.005  # seconds between two entries, so that after an outage current turns come first
_AT_CLOSE_MS = 1_000.0  # time limit of the last round when the layer closes; the rest stays safely in the journal


@asynccontextmanager
async def draining(recorder: OutcomeRecorder, journal: Journal) -> AsyncIterator[None]:
    """Drain the journal in the background while the `async with` block runs, and once more when the block ends."""
    task = asyncio.create_task(_drain(recorder, journal))
    task.add_done_callback(_log_failure)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
        await recorder.flush()
        if recorder.has_pending:
            with suppress(TimeoutError):
                await Deadline(_AT_CLOSE_MS).within(_drain_once(recorder, journal))


async def _drain(recorder: OutcomeRecorder, journal: Journal) -> None:
    """Drain the journal in a loop until cancelled: whenever it gets an entry, and otherwise after a delay."""
    await _unpark(journal)
    backoff = _MIN_BACKOFF
    while True:
        recorder.wake_up.clear()
        recorder.has_pending = False  # an entry that is added during the round sets it again
        left: RoundResult = "something"
        try:
            left = await _drain_once(recorder, journal)
        finally:  # also if the layer closes during the round, so that it has a last round
            recorder.has_pending = recorder.has_pending or left != "nothing"
        wait = {"nothing": _IDLE, "something": backoff, "to another": _ELSEWHERE}[left]
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await recorder.wake_up.wait()
        backoff = min(2 * backoff, _MAX_BACKOFF) if left == "something" else _MIN_BACKOFF


def _log_failure(task: asyncio.Task[None]) -> None:
    """Log the background task's error as soon as the task ends; the layer awaits the task only when it closes."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the journal is not drained until the next start", exc_info=error)


async def _unpark(journal: Journal) -> None:
    """Make parked journal entries pending again, because this version may be able to store them.

    An entry was parked if an earlier version could not store it.
    """
    try:
        await asyncio.to_thread(journal.unpark)
    except JournalError as error:
        log.warning("%s; outcomes are lost while Postgres is unavailable", error)


async def _drain_once(recorder: OutcomeRecorder, journal: Journal) -> RoundResult:
    """Record the pending journal entries in Postgres, unless another process is doing so.

    Return "nothing" if no entries are left, "something" if some are left, and "to another" if another process drains
    the journal.
    """
    if not journal.exists:
        return "nothing"
    with journal.draining() as alone:
        return await _drain_entries(recorder, journal) if alone else "to another"


async def _drain_entries(recorder: OutcomeRecorder, journal: Journal) -> RoundResult:
    """Record the pending journal entries in Postgres, oldest first.

    Return "nothing" if no entries are left, and "something" if some are left.
    """
    last = 0
    left: RoundResult = "nothing"
    try:
        while (entry := await asyncio.to_thread(journal.after, last)) is not None:
            last = entry.id
            try:
                await recorder.drain(entry)
            except _FAILS_ALL as error:
                log.debug("draining the journal is paused: %s", error)
                return "something"
            except (StoreError, EmbeddingError) as error:  # perhaps of this entry alone; continue with the others
                log.warning("turn %s stays in the journal until the next attempt: %s", entry.turn_id, error)
                left = "something"
            except CognitiveError:
                raise
            except Exception:  # a defect that one entry meets must not keep the others out of Postgres
                log.exception("turn %s stays in the journal until the next attempt", entry.turn_id)
                left = "something"
            await asyncio.sleep(_BETWEEN)
    except CognitiveError as error:
        log.warning("draining the journal is paused: %s", error)
        return "something"
    return left
