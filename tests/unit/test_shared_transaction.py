"""The transaction that the reads of a turn share."""

from __future__ import annotations

import asyncio

from brain.deadline import Deadline
from brain.postgres.shared_transaction import SharedTransaction
from brain.users import Scope


class Counting:
    """A database that counts the transactions it begins."""

    def __init__(self) -> None:
        self.begun = 0

    async def run(self, scope, work, **options):
        self.begun += 1
        await work(None)


async def test_transaction_that_is_closed_before_it_has_a_place_never_begins():
    database, places = Counting(), asyncio.Semaphore(1)
    shared = SharedTransaction(database, Scope("a"), Deadline(60_000), places)
    async with places:
        waiting = asyncio.create_task(shared.admitted())
        await asyncio.sleep(0)
        shared.close()
    await waiting
    assert (database.begun, places.locked()) == (0, False)
