"""Whoever would rather wait for Postgres says so for a call and all that it calls, and for nothing after it."""

from __future__ import annotations

import pytest

from brain.postgres.breaker import may_wait, waits_for_recovery


@waits_for_recovery
async def asked(error: Exception | None = None) -> bool:
    if error is not None:
        raise error
    return may_wait()


async def test_a_call_is_patient_and_what_follows_it_in_the_same_task_is_not():
    assert await asked()
    assert not may_wait()
    with pytest.raises(ConnectionError):
        await asked(ConnectionError())
    assert not may_wait()


async def test_a_patient_call_within_another_leaves_that_one_patient():
    @waits_for_recovery
    async def outer() -> bool:
        await asked()
        return may_wait()

    assert await outer()
