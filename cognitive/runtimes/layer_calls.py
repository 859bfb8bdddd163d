"""Calls of a memory layer from a framework's code, which may run in another event loop or thread, or synchronously."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

from brain.postgres import event_loop
from cognitive.blocking import Blocking
from cognitive.errors import CognitiveError
from cognitive.layer import CognitiveLayer
from cognitive.turn import Outcome, TurnContext

log = logging.getLogger(__name__)

T = TypeVar("T")

_synchronous: ContextVar[bool] = ContextVar("cognitive_synchronous", default=False)


class LayerCalls:
    """Calls of a layer, or of the layer of a `Blocking`. They run in the layer's own event loop."""

    def __init__(self, layer: CognitiveLayer | Blocking) -> None:
        self.layer = layer.layer if isinstance(layer, Blocking) else layer

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the layer in the layer's event loop, and return its result in this one.

        Raises:
            WrongEventLoop: the layer is closed, or a synchronous call blocks its event loop.
        """
        if _synchronous.get():
            return event_loop.wait_in(self.layer.loop, work, start_seconds=event_loop.MAX_START_SECONDS)
        return await event_loop.run_in(self.layer.loop, work)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of a `TurnSession`, and block until it has a result, for frameworks that call synchronously.

        The coroutine runs in this thread, and waits only in `call`. In the thread of the layer's event loop, `call`
        raises an error instead: the turn then goes on without memory, and a warning is logged.
        """
        token = _synchronous.set(True)
        try:
            work.send(None)
        except StopIteration as finished:
            result: T = finished.value
            return result
        finally:
            _synchronous.reset(token)
            work.close()
        raise RuntimeError("a coroutine that waits for something other than the layer cannot run synchronously")

    def settle(self, context: TurnContext, outcome: Outcome) -> None:
        """Pass a turn's outcome to the layer, which records it in the background. Errors are logged.

        Any thread may call this.
        """
        if event_loop.running() is self.layer.loop:
            self._settle(context, outcome)
        else:
            self.layer.loop.call_soon_threadsafe(self._settle, context, outcome)

    def _settle(self, context: TurnContext, outcome: Outcome) -> None:
        try:
            self.layer.settle(context, outcome)
        except Exception as error:  # memory must not fail the run
            log_error("the turn's outcome is not recorded", error)


def log_error(event: str, error: Exception) -> None:
    """Log an error of the layer: a warning if the layer defines the error, else an error with its traceback."""
    expected = isinstance(error, CognitiveError)
    log.log(logging.WARNING if expected else logging.ERROR, "%s: %r", event, error, exc_info=not expected)
