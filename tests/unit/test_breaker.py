"""The circuit breaker: it opens on failures in a row and on nothing else, and is closed by any answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.postgres.breaker import Breaker, may_wait, waits_for_recovery

pytestmark = pytest.mark.promise(number=2)


def failing(breaker: Breaker, times: int, at: float = 0.0) -> float:
    """So many failures, one after the other; the time afterwards."""
    for _ in range(times):
        breaker.failed(at, at + 1, "no answer")
        at += 1
    return at


def test_it_opens_with_the_last_of_so_many_failures_in_a_row_and_says_why():
    breaker = Breaker(failures=3)
    failing(breaker, 2)
    assert breaker.refusal() is None
    assert breaker.failed(2.0, 3.0, "connection refused")
    assert breaker.refusal() == "the circuit breaker is open: Postgres failed 3 times in a row (connection refused)"


def test_what_fails_together_is_one_failure():
    breaker = Breaker(failures=2)
    for _ in range(20):
        breaker.failed(0.0, 1.0, "no answer")
    assert breaker.state == "closed"
    assert breaker.failed(1.0, 2.0, "no answer")


def test_an_answer_in_between_starts_the_count_anew():
    breaker = Breaker(failures=3)
    at = failing(breaker, 2)
    breaker.answered()
    failing(breaker, 2, at)
    assert breaker.state == "closed"


def test_a_probe_that_is_answered_lets_callers_ask_and_their_answer_closes_it():
    breaker = Breaker(failures=1, wait=1.0, longest=8.0)
    at = failing(breaker, 1)
    breaker.probed(answered=False, now=at)
    breaker.probed(answered=True, now=at)
    assert (breaker.state, breaker.refusal()) == ("half-open", None)
    breaker.answered()
    assert (breaker.state, breaker.wait) == ("closed", 1.0)


def test_half_open_a_single_failure_opens_it_for_longer_but_not_one_asked_before():
    breaker = Breaker(failures=5, wait=1.0, longest=8.0)
    at = failing(breaker, 5)
    breaker.probed(answered=True, now=at + 1)
    assert not breaker.failed(at, at + 2, "no answer")
    assert breaker.failed(at + 1, at + 2, "no answer")
    assert breaker.wait == 2.0


def test_the_wait_doubles_up_to_its_bound():
    breaker = Breaker(failures=1, wait=1.0, longest=6.0)
    at, waits = failing(breaker, 1), []
    for _ in range(5):
        waits.append(breaker.wait)
        breaker.probed(answered=False, now=at)
    assert waits == [1.0, 2.0, 4.0, 6.0, 6.0]


def test_with_none_allowed_for_it_never_opens():
    breaker = Breaker(failures=0)
    failing(breaker, 50)
    assert breaker.refusal() is None


EVENTS = st.lists(st.sampled_from(["failed", "answered", "probed", "unanswered probe"]), max_size=60)


@given(EVENTS, st.integers(1, 6))
def test_whatever_happens_it_is_open_only_after_failures_and_waits_within_bounds(events, failures):
    breaker, at = Breaker(failures, 0.5, 4.0), 0.0
    for event in events:
        before, wait = breaker.state, breaker.wait
        match event:
            case "failed":
                opened = breaker.failed(at, at + 1, "no answer")
                assert opened == (before != "open" and breaker.state == "open"), "else a second probe would be sent"
            case "answered":
                breaker.answered()
            case _:
                breaker.probed(answered=event == "probed", now=at)
                assert before == "open" or (breaker.state, breaker.wait) == (before, wait), "it came too late"
        at += 1
        assert 0.5 <= breaker.wait <= 4.0
        assert breaker.state != "open" or before == "open" or event == "failed"
        assert breaker.state == "closed" if event == "answered" else True


# --- calls that wait for recovery: each and all that it calls, and nothing after it ---


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
