"""What the journal holds goes to Postgres in the background: one turn after the other, patiently, until it is empty.

Of all processes that have the layer open one drains at a time; another takes over as soon as it ends or is killed.
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

RoundResult = Literal["nothing", "something", "to another"]  # by a round

log = logging.getLogger(__name__)

_AWAY = (StoreUnavailable, EmbeddedServerError, SchemaError)  # the next turn would fare no better
_SOONEST = 0.25  # seconds until the next attempt while Postgres is away; doubled each time
_LATEST = 30.0
_ELSEWHERE = 1.0  # seconds until a look whether another process drains it still
_IDLE = 60.0  # seconds until a look at an empty journal: a process that was killed may have left something
_BETWEEN = 0.005  # seconds between two turns: after an outage the living turns come first
_AT_CLOSE_MS = 1_000.0  # for what can still be settled when a layer closes; the rest is safe where it is


@asynccontextmanager
async def draining(recorder: OutcomeRecorder, journal: Journal) -> AsyncIterator[None]:
    """Drains the journal for as long as this is entered, and once more on the way out."""
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
                await Deadline(_AT_CLOSE_MS).within(_round(recorder, journal))


async def _drain(recorder: OutcomeRecorder, journal: Journal) -> None:
    await _unpark(journal)
    backoff = _SOONEST
    while True:
        recorder.wake_up.clear()
        recorder.has_pending = False  # so that whatever is put there during the round is news
        left: RoundResult = "something"
        try:
            left = await _round(recorder, journal)
        finally:  # a layer that closes meanwhile has its last round
            recorder.has_pending = recorder.has_pending or left != "nothing"
        wait = {"nothing": _IDLE, "something": backoff, "to another": _ELSEWHERE}[left]
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await recorder.wake_up.wait()
        backoff = min(2 * backoff, _LATEST) if left == "something" else _SOONEST


def _log_failure(task: asyncio.Task[None]) -> None:
    """Draining ends with its layer; a defect that ends it before is not to go unheard until then."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the journal is not drained until the next start", exc_info=error)


async def _unpark(journal: Journal) -> None:
    try:
        await asyncio.to_thread(journal.unpark)
    except JournalError as error:
        log.warning("%s; an outcome is not safe while Postgres is away", error)


async def _round(recorder: OutcomeRecorder, journal: Journal) -> RoundResult:
    """Settles what is pending, unless another process is at it; what that leaves, or what has to wait."""
    if not journal.exists:
        return "nothing"
    with journal.draining() as alone:
        return await _settled(recorder, journal) if alone else "to another"


async def _settled(recorder: OutcomeRecorder, journal: Journal) -> RoundResult:
    """Settles what is pending, oldest first."""
    last = 0
    left: RoundResult = "nothing"
    try:
        while (entry := await asyncio.to_thread(journal.after, last)) is not None:
            last = entry.id
            try:
                await recorder.drain(entry)
            except _AWAY as error:
                log.debug("the journal waits: %s", error)
                return "something"
            except (StoreError, EmbeddingError) as error:  # of this turn perhaps: the others need not wait for it
                log.warning("turn %s waits in the journal: %s", entry.turn_id, error)
                left = "something"
            await asyncio.sleep(_BETWEEN)
    except CognitiveError as error:
        log.warning("the journal waits: %s", error)
        return "something"
    return left
