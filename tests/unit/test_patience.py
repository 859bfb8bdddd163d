"""Whoever would rather wait for Postgres says so for a call and all that it calls, and for nothing after it."""

from __future__ import annotations

import pytest

from brain.postgres.patience import is_patient, patient


@patient
async def asked(error: Exception | None = None) -> bool:
    if error is not None:
        raise error
    return is_patient()


async def test_a_call_is_patient_and_what_follows_it_in_the_same_task_is_not():
    assert await asked()
    assert not is_patient()
    with pytest.raises(ConnectionError):
        await asked(ConnectionError())
    assert not is_patient()


async def test_a_patient_call_within_another_leaves_that_one_patient():
    @patient
    async def outer() -> bool:
        await asked()
        return is_patient()

    assert await outer()
