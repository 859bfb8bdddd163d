"""The deadline ends a wait for endless work in time, and passes on the result or the error of the work."""

from __future__ import annotations

import asyncio
import contextlib
import gc

import pytest

from brain.deadline import Deadline

pytestmark = pytest.mark.promise(number=2)


class Work:
    """Endless work that records whether it was cancelled; stubborn work ignores the cancellation."""

    def __init__(self, *, stubborn: bool = False) -> None:
        self.stubborn = stubborn
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.release = asyncio.Event()

    async def run(self) -> str:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            if not self.stubborn:
                raise
            await self.release.wait()  # like a driver that keeps waiting for a frozen server
        return "too late"


async def answer(value):
    return value


async def fail(error):
    raise error


@pytest.mark.parametrize("milliseconds", [-1_000, 0, 1, 20])
async def test_endless_work_is_cancelled_at_the_deadline(milliseconds):
    work = Work()
    with pytest.raises(TimeoutError):
        await Deadline(milliseconds).within(work.run())
    if work.started.is_set():
        await work.cancelled.wait()


async def test_work_that_ignores_cancellation_is_not_awaited():
    work = Work(stubborn=True)
    with pytest.raises(TimeoutError):
        await Deadline(20).within(work.run())
    await work.cancelled.wait()  # the work still runs, but `within` has returned
    work.release.set()


async def test_result_in_time_is_returned():
    assert await Deadline(60_000).within(answer("here")) == "here"
    assert await Deadline(60_000).within(answer(None)) is None


@pytest.mark.parametrize("error", [ValueError("own"), TimeoutError("of the work itself"), KeyError("k")])
async def test_error_of_the_work_is_raised_unchanged(error):
    with pytest.raises(type(error)) as caught:
        await Deadline(60_000).within(fail(error))
    assert caught.value is error


async def test_work_can_be_limited_to_a_share_of_the_time():
    work = Work()
    with pytest.raises(TimeoutError):
        await Deadline(3_600_000).within(work.run(), share=0.0)
    deadline = Deadline(3_600_000)
    with pytest.raises(TimeoutError):
        await deadline.within(Work().run(), share=1e-6)
    assert deadline.left() > 3_000


@pytest.mark.parametrize("stubborn", [False, True])
async def test_cancelling_the_caller_cancels_the_work(stubborn):
    work = Work(stubborn=stubborn)
    caller = asyncio.ensure_future(Deadline(3_600_000).within(work.run()))
    await work.started.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await work.cancelled.wait()
    work.release.set()


async def test_error_after_the_deadline_is_not_reported():
    """asyncio reports unretrieved errors to the handler of the loop, which would fill the logs."""
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    ended = asyncio.Event()

    async def fails_when_cancelled():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.set()
            raise ValueError("too late") from None

    try:
        with pytest.raises(TimeoutError):
            await Deadline(20).within(fails_when_cancelled())
        await ended.wait()
        for _ in range(3):
            await asyncio.sleep(0)
        gc.collect()
        assert reported == []
    finally:
        asyncio.get_running_loop().set_exception_handler(None)


def test_time_left_is_never_negative():
    assert Deadline(-5_000).left() == 0.0
    assert 0 < Deadline(60_000).left() <= 60


async def test_passed_deadline_never_waits():
    with contextlib.suppress(TimeoutError):  # work that ends at once may still return its result
        assert await Deadline(-1).within(answer("here")) == "here"


async def test_leaving_returns_an_earlier_deadline():
    deadline = Deadline(60_000)
    earlier = deadline.leaving(20)
    assert 0 < earlier.left() <= 40 < deadline.left()
    assert deadline.leaving(61).left() == 0.0
