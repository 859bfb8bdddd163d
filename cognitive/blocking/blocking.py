"""`Blocking`, the memory layer for synchronous code."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import wraps
from types import TracebackType
from typing import NoReturn, ParamSpec

from cognitive.blocking.methods import Namespace, runs, waits
from cognitive.blocking.namespaces import (
    BlockingAdmin,
    BlockingExplain,
    BlockingPolicies,
    BlockingSessions,
    BlockingUpkeep,
    BlockingWork,
)
from cognitive.layer import CognitiveLayer

P = ParamSpec("P")

_open_layers: set[Blocking] = set()  # those that `start` opened, to be closed at the end of the program


def _starts(opener: Callable[P, AbstractAsyncContextManager[CognitiveLayer]]) -> Callable[P, Blocking]:
    """Return a function with the parameters of `opener` that opens its layer on an event loop in a new thread."""

    @wraps(opener)
    def start(*args: P.args, **kwargs: P.kwargs) -> Blocking:
        opened: Future[tuple[CognitiveLayer, asyncio.Event]] = Future()
        closed: Future[None] = Future()

        def serve() -> None:
            try:
                asyncio.run(_serve(opened, lambda: opener(*args, **kwargs)))
                closed.set_result(None)
            except BaseException as error:
                (closed if opened.done() else opened).set_exception(error)

        # a daemon, because the interpreter waits for other threads before it closes open layers
        threading.Thread(target=serve, name="cognitive-layer", daemon=True).start()
        layer, closing = opened.result()
        blocking = Blocking(layer)
        blocking._closing, blocking._closed = closing, closed
        _open_layers.add(blocking)
        return blocking

    return start


def _opens(start: Callable[P, Blocking]) -> Callable[P, AbstractContextManager[Blocking]]:
    """Return a function with the parameters of `start` that closes the layer when its block ends."""

    @contextmanager
    def opened(*args: P.args, **kwargs: P.kwargs) -> Iterator[Blocking]:
        layer = start(*args, **kwargs)
        try:
            yield layer
        finally:
            layer.close()

    @wraps(start)
    def opening(*args: P.args, **kwargs: P.kwargs) -> AbstractContextManager[Blocking]:
        return _BeforeBlock(opened(*args, **kwargs))

    return opening


class _BeforeBlock(AbstractContextManager["Blocking"]):
    """A layer before its `with` block: use without one raises an error that says what to write."""

    def __init__(self, manager: AbstractContextManager[Blocking]) -> None:
        self._manager = manager

    def __enter__(self) -> Blocking:
        return self._manager.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._manager.__exit__(kind, error, trace)

    def __aenter__(self) -> NoReturn:
        raise TypeError("write `with Blocking.open() as layer:`, or `async with CognitiveLayer.open() as layer:`")

    def __aexit__(self, *_: object) -> None:
        """Do nothing; Python looks the method up before it calls `__aenter__`."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name!r}: it is not open yet; write `with Blocking.open() as layer:`, or `layer = Blocking.start()`"
        )


class Blocking(Namespace):
    """The memory layer for synchronous code: each method has the parameters, result and errors of `CognitiveLayer`'s.

    `Blocking.open()` opens a layer for a `with` block. `Blocking.start()` returns an open layer, for notebooks and web
    servers; it is closed by `close`, or when the program ends. Both have the parameters of `CognitiveLayer.open`. The
    layer's event loop runs in a thread that they start. `Blocking(layer)` calls a layer that an asynchronous program
    has opened, from its other threads. Several threads may call the methods at the same time. A forked process must
    open its own layer.
    """

    start = staticmethod(_starts(CognitiveLayer.open))
    open = staticmethod(_opens(start))

    pre_turn = waits(CognitiveLayer.pre_turn)
    fit = waits(CognitiveLayer.fit)
    refine_tools = waits(CognitiveLayer.refine_tools)
    post_turn = waits(CognitiveLayer.post_turn)
    settle = runs(CognitiveLayer.settle)
    flush = waits(CognitiveLayer.flush)

    remember = waits(CognitiveLayer.remember)
    remember_conversation = waits(CognitiveLayer.remember_conversation)
    share = waits(CognitiveLayer.share)
    recall = waits(CognitiveLayer.recall)
    get = waits(CognitiveLayer.get)
    update = waits(CognitiveLayer.update)
    rate = waits(CognitiveLayer.rate)
    retire = waits(CognitiveLayer.retire)
    merge = waits(CognitiveLayer.merge)
    restore = waits(CognitiveLayer.restore)
    forget = waits(CognitiveLayer.forget)
    forget_user = waits(CognitiveLayer.forget_user)
    erase_agent = waits(CognitiveLayer.erase_agent)
    why = waits(CognitiveLayer.why)

    resume = waits(CognitiveLayer.resume)
    end_session = waits(CognitiveLayer.end_session)
    artifact = waits(CognitiveLayer.artifact)

    health = waits(CognitiveLayer.health)

    def __init__(self, layer: CognitiveLayer) -> None:
        super().__init__(layer, layer.loop)
        self.layer = layer
        self._closing: asyncio.Event | None = None
        self._closed: Future[None] = Future()
        self.sessions = BlockingSessions(layer.sessions, layer.loop)
        self.policies = BlockingPolicies(layer.policies, layer.loop)
        self.explain = BlockingExplain(layer.explain, layer.loop)
        self.upkeep = BlockingUpkeep(layer.upkeep, layer.loop)
        self.admin = BlockingAdmin(layer.admin, layer.loop)
        self.work = BlockingWork(layer.work, layer.loop)

    def close(self) -> None:
        """Close a layer that `start` opened, and wait until pending outcomes are stored. A second call does nothing.

        This has no effect on the layer of an asynchronous program, or of the process from which this one was forked.
        """
        closing, self._closing = self._closing, None
        if closing is not None:
            _open_layers.discard(self)
            self.layer.loop.call_soon_threadsafe(closing.set)
            self._closed.result()


async def _serve(
    ready: Future[tuple[CognitiveLayer, asyncio.Event]],
    opened: Callable[[], AbstractAsyncContextManager[CognitiveLayer]],
) -> None:
    """Open a memory layer, and keep it open until an event is set.

    Once it is open, the result of `ready` is a pair: the layer, and the event that closes it.
    """
    closing = asyncio.Event()
    async with opened() as layer:
        ready.set_result((layer, closing))
        await closing.wait()


def _close_all() -> None:
    for layer in tuple(_open_layers):
        layer.close()


def _leave_to_parent() -> None:
    """In a forked process, leave the open layers to the parent, in which their threads run."""
    for layer in _open_layers:
        layer._closing = None
    _open_layers.clear()


# A function of `atexit` runs after the thread pools have ended, which closing a layer needs.
getattr(threading, "_register_atexit", atexit.register)(_close_all)
if hasattr(os, "register_at_fork"):  # Windows has none
    os.register_at_fork(after_in_child=_leave_to_parent)
