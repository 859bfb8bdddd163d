"""What the journal holds goes to Postgres in the background: one turn after the other, patiently, until it is empty."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

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
from cognitive.settle import Settlement

log = logging.getLogger(__name__)

_AWAY = (StoreUnavailable, EmbeddedServerError, SchemaError)  # the next turn would fare no better
_SOONEST = 0.25  # seconds until the next attempt while Postgres is away; doubled each time
_LATEST = 30.0
_IDLE = 60.0  # seconds until a look at an empty journal: a process that was killed may have left something
_BETWEEN = 0.005  # seconds between two turns: after an outage the living turns come first
_AT_CLOSE_MS = 1_000.0  # for what can still be settled when a layer closes; the rest is safe where it is


@asynccontextmanager
async def draining(settlement: Settlement, journal: Journal) -> AsyncIterator[None]:
    """Drains the journal for as long as this is entered, and once more on the way out."""
    task = asyncio.create_task(_drain(settlement, journal))
    task.add_done_callback(_told)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
        await settlement.kept()
        if settlement.behind:
            with suppress(TimeoutError):
                await Deadline(_AT_CLOSE_MS).within(_round(settlement, journal))


async def _drain(settlement: Settlement, journal: Journal) -> None:
    await _unpark(journal)
    backoff = _SOONEST
    while True:
        settlement.news.clear()
        settlement.behind = False  # so that whatever is put there during the round is news
        empty = False
        try:
            empty = await _round(settlement, journal)
        finally:  # a layer that closes meanwhile has its last round
            settlement.behind = settlement.behind or not empty
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE if empty else backoff):
                await settlement.news.wait()
        backoff = _SOONEST if empty else min(2 * backoff, _LATEST)


def _told(task: asyncio.Task[None]) -> None:
    """Draining ends with its layer; a defect that ends it before is not to go unheard until then."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the journal is not drained until the next start", exc_info=error)


async def _unpark(journal: Journal) -> None:
    try:
        await asyncio.to_thread(journal.unpark)
    except JournalError as error:
        log.warning("%s; an outcome is not safe while Postgres is away", error)


async def _round(settlement: Settlement, journal: Journal) -> bool:
    """Settles what is pending, oldest first. False if something has to wait."""
    last, empty = 0, True
    try:
        while (entry := await asyncio.to_thread(journal.after, last)) is not None:
            last = entry.id
            try:
                await settlement.drain(entry)
            except _AWAY as error:
                log.debug("the journal waits: %s", error)
                return False
            except (StoreError, EmbeddingError) as error:  # of this turn perhaps: the others need not wait for it
                log.warning("turn %s waits in the journal: %s", entry.turn_id, error)
                empty = False
            await asyncio.sleep(_BETWEEN)
    except CognitiveError as error:
        log.warning("the journal waits: %s", error)
        return False
    return empty
