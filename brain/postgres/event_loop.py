"""Check in which event loop code runs, and run coroutines in the event loop of another thread."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from concurrent import futures
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from brain.errors import WrongEventLoop

T = TypeVar("T")

MAX_START_SECONDS = 2.0  # a loop that is blocked for longer probably waits for its caller

_processes: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()  # process ids


def own() -> asyncio.AbstractEventLoop:
    """Return the running event loop, and note its process, so that calls from a forked process can be refused."""
    loop = asyncio.get_running_loop()
    _processes[loop] = os.getpid()
    return loop


def running() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread, or None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def require(loop: asyncio.AbstractEventLoop) -> None:
    """Raise WrongEventLoop unless `loop` is the running event loop."""
    if running() is not loop:
        raise WrongEventLoop(
            "the layer was opened in another event loop; call it there, or from other threads through `Blocking(layer)`"
        )


async def run_in(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the event loop `loop`, which may run in another thread, and return its result.

    Raises:
        WrongEventLoop: the loop is closed, or does not answer within two seconds, because a synchronous call blocks
            it. That call may wait for this very result.
    """
    if running() is loop:
        return await work
    try:
        answer = _ask(loop)
        await asyncio.wait([asyncio.wrap_future(answer)], timeout=MAX_START_SECONDS)
        _require_answer(answer)
    except BaseException:
        work.close()
        raise
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


def wait_in(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], *, start_seconds: float | None = None) -> T:
    """Run a coroutine in the event loop of another thread, and block this thread until it has a result.

    Raises:
        WrongEventLoop: called in the thread of the event loop itself, or the loop is closed, or does not answer within
            `start_seconds`.
    """
    try:
        if running() is loop:
            raise WrongEventLoop(
                "a synchronous call in the thread of the layer's event loop would wait forever: open the layer with "
                "`Blocking.open()`, or make the call from another thread"
            )
        answer = _ask(loop)
        futures.wait([answer], start_seconds)
        _require_answer(answer)
        future = asyncio.run_coroutine_threadsafe(work, loop)
    except BaseException:
        work.close()
        raise
    try:
        return future.result()
    finally:
        future.cancel()  # if the wait was interrupted; no effect on a finished future


def _ask(loop: asyncio.AbstractEventLoop) -> futures.Future[None]:
    """Return a future that is done as soon as the event loop of another thread runs a callback."""
    answer: futures.Future[None] = futures.Future()
    if not loop.is_running():
        raise WrongEventLoop("the layer is closed, or the event loop that opened it no longer runs")
    if _processes.get(loop, os.getpid()) != os.getpid():  # the loop's thread isn't in the child, so it never answers
        raise WrongEventLoop("the layer was opened before this process was forked; open a layer in each process")
    loop.call_soon_threadsafe(lambda: answer.set_result(None))
    return answer


def _require_answer(answer: futures.Future[None]) -> None:
    if not answer.done():
        raise WrongEventLoop(
            "a synchronous call blocks the event loop that opened the layer: call the agent asynchronously there, or "
            "open the layer with `Blocking.open()`"
        )
