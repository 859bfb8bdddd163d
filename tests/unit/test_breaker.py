"""The circuit breaker opens only on consecutive failures and closes on any answer."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.postgres.breaker import NO_ANSWER, Breaker, CircuitBreakers, Probe, may_wait, waits_for_recovery

pytestmark = pytest.mark.promise(number=2)


def failing(breaker: Breaker, times: int, at: float = 0.0) -> float:
    """Record failures one after the other and return the time after the last one."""
    for _ in range(times):
        breaker.failed(at, at + 1, "no answer")
        at += 1
    return at


def test_breaker_opens_after_consecutive_failures_and_gives_the_reason():
    breaker = Breaker(failures=3)
    failing(breaker, 2)
    assert breaker.refusal() is None
    assert breaker.failed(2.0, 3.0, "connection refused")
    assert breaker.refusal() == "the circuit breaker is open: Postgres failed 3 times in a row (connection refused)"


def test_simultaneous_failures_count_as_one():
    breaker = Breaker(failures=2)
    for _ in range(20):
        breaker.failed(0.0, 1.0, "no answer")
    assert breaker.state == "closed"
    assert breaker.failed(1.0, 2.0, "no answer")


def test_answer_resets_the_failure_count():
    breaker = Breaker(failures=3)
    at = failing(breaker, 2)
    breaker.answered()
    failing(breaker, 2, at)
    assert breaker.state == "closed"


def test_answered_probe_half_opens_and_an_answered_call_closes():
    breaker = Breaker(failures=1, wait=1.0, max_wait=8.0)
    at = failing(breaker, 1)
    breaker.probed(answered=False, now=at)
    breaker.probed(answered=True, now=at)
    assert (breaker.state, breaker.refusal()) == ("half-open", None)
    breaker.answered()
    assert (breaker.state, breaker.wait) == ("closed", 1.0)


def test_half_open_breaker_reopens_only_on_a_failure_of_a_new_call():
    breaker = Breaker(failures=5, wait=1.0, max_wait=8.0)
    at = failing(breaker, 5)
    breaker.probed(answered=True, now=at + 1)
    assert not breaker.failed(at, at + 2, "no answer")
    assert breaker.failed(at + 1, at + 2, "no answer")
    assert breaker.wait == 2.0


def test_wait_doubles_up_to_its_bound():
    breaker = Breaker(failures=1, wait=1.0, max_wait=6.0)
    at, waits = failing(breaker, 1), []
    for _ in range(5):
        waits.append(breaker.wait)
        breaker.probed(answered=False, now=at)
    assert waits == [1.0, 2.0, 4.0, 6.0, 6.0]


def test_breaker_with_zero_failures_never_opens():
    breaker = Breaker(failures=0)
    failing(breaker, 50)
    assert breaker.refusal() is None


EVENTS = st.lists(st.sampled_from(["failed", "answered", "probed", "unanswered probe"]), max_size=60)


@given(EVENTS, st.integers(1, 6))
def test_breaker_opens_only_after_failures_and_keeps_wait_bounds(events, failures):
    breaker, at = Breaker(failures, 0.5, 4.0), 0.0
    for event in events:
        before, wait = breaker.state, breaker.wait
        match event:
            case "failed":
                opened = breaker.failed(at, at + 1, "no answer")
                assert opened == (before != "open" and breaker.state == "open"), (
                    "otherwise a second probe would be sent"
                )
            case "answered":
                breaker.answered()
            case _:
                breaker.probed(answered=event == "probed", now=at)
                assert before == "open" or (breaker.state, breaker.wait) == (before, wait), (
                    "a late probe must not change the state"
                )
        at += 1
        assert 0.5 <= breaker.wait <= 4.0
        assert breaker.state != "open" or before == "open" or event == "failed"
        assert breaker.state == "closed" if event == "answered" else True


# --- calls that wait for recovery ---


@waits_for_recovery
async def waiting_call(error: Exception | None = None) -> bool:
    if error is not None:
        raise error
    return may_wait()


async def test_only_the_decorated_call_waits_for_recovery():
    assert await waiting_call()
    assert not may_wait()
    with pytest.raises(ConnectionError):
        await waiting_call(ConnectionError())
    assert not may_wait()


async def test_nested_waiting_call_leaves_the_outer_call_waiting():
    @waits_for_recovery
    async def outer() -> bool:
        await waiting_call()
        return may_wait()

    assert await outer()


class Coordinator:
    """A coordinator of a cluster that names the node of an agent when the test says so, and answers no probe."""

    def __init__(self, failures: int) -> None:
        self.node = asyncio.get_running_loop().create_future()
        self.breakers = CircuitBreakers(Breaker(failures, wait=60), self.answers, self.locate)

    async def answers(self, agent_id: str) -> bool:
        return False

    async def locate(self, agent_id: str) -> str | None:
        return await self.node

    async def fail(self, times: int) -> None:
        for _ in range(times):
            self.breakers.failed("a", monotonic(), NO_ANSWER)
            await asyncio.sleep(0)

    async def located(self, node: str | None) -> None:
        [task] = self.breakers._locating.values()
        self.node.set_result(node)
        await task


async def test_probe_that_runs_is_not_begun_a_second_time():
    breaker, before = Breaker(1, wait=60), asyncio.all_tasks()
    breaker.failed(0.0, 0.0, "gone")

    async def answers() -> bool:
        return False

    probe = Probe(breaker, answers)
    probe.begin()
    probe.begin()
    assert len(asyncio.all_tasks() - before) == 1
    await probe.stop()


@pytest.mark.parametrize(("node", "of_server"), [("worker-1:5432", "closed"), ("", "open")])
async def test_failures_during_the_search_for_a_node_all_count(node, of_server):
    coordinator = Coordinator(failures=3)
    await coordinator.fail(3)
    await coordinator.located(node)
    assert (coordinator.breakers.of("a")[0].state, coordinator.breakers.server.state) == ("open", of_server)
    await coordinator.breakers.stop()


async def test_failure_does_not_count_if_no_connection_was_free_to_find_the_node():
    coordinator = Coordinator(failures=1)
    await coordinator.fail(1)
    await coordinator.located(None)
    assert (coordinator.breakers.of("a")[0].state, coordinator.breakers.server.state) == ("closed", "closed")
    await coordinator.breakers.stop()


async def test_answer_during_the_search_for_a_node_ends_earlier_failures():
    coordinator = Coordinator(failures=1)
    await coordinator.fail(1)
    coordinator.breakers.answered("a")
    await coordinator.located("worker-1:5432")
    assert coordinator.breakers.of("a")[0].state == "closed"
    await coordinator.breakers.stop()
