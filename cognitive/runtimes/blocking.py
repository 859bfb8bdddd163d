"""A memory layer for synchronous code: notebooks, scripts, and frameworks without asyncio.

    with Blocking.open() as layer:
        context = layer.pre_turn(Turn(agent_id="me", session_id="s1", text="..."))

Asynchronous code uses `CognitiveLayer` itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import UUID

from brain.postgres import event_loop
from brain.types import MemoryType, NewMemory
from cognitive.layer import CognitiveLayer
from cognitive.recall_hits import RecallHit
from cognitive.runtimes.turn_session import AgentBinding
from cognitive.turn import Message, Outcome, Report, Turn, TurnContext, TurnRef
from cognitive.window.fit import FittedWindow

T = TypeVar("T")


class Blocking:
    """Calls a memory layer synchronously: each method runs a coroutine of `CognitiveLayer` and waits for its result.

    The layer's event loop runs in another thread: either one that `open` starts, or that of the asynchronous program
    that opened the layer. Any other thread may call the methods.
    """

    def __init__(self, layer: CognitiveLayer) -> None:
        self.layer = layer
        self._loop = layer.loop

    @classmethod
    @contextmanager
    def open(cls, database_url: str | None = None, **plugins: Any) -> Iterator[Blocking]:
        """Open a memory layer on an event loop in a new thread, and close it when the block ends.

        The parameters and errors are those of `CognitiveLayer.open`.
        """
        with ThreadPoolExecutor(1, "cognitive-layer") as thread:
            ready: Future[tuple[CognitiveLayer, asyncio.Event]] = Future()
            served = thread.submit(lambda: asyncio.run(_serve_layer(ready, database_url, plugins)))
            either: list[Future[Any]] = [ready, served]
            if ready not in wait(either, return_when=FIRST_COMPLETED).done:
                served.result()
            layer, closing = ready.result()
            try:
                yield cls(layer)
            finally:
                layer.loop.call_soon_threadsafe(closing.set)
                served.result()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the layer, such as `blocking.layer.why(...)`, and return its result.

        Raises:
            RuntimeError: called in the thread of the layer's event loop, or after the layer was closed.
        """
        if event_loop.running() is self._loop or self._loop.is_closed():
            work.close()
            raise RuntimeError("Blocking: call it from a thread other than the event loop's, while the layer is open")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # if the wait was interrupted; no effect on a finished future

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """Call `CognitiveLayer.settle`, which records a turn's outcome in the background. Return at once."""
        self._loop.call_soon_threadsafe(self.layer.settle, context, outcome)

    def remember(self, agent_id: str, memories: Sequence[NewMemory]) -> Sequence[UUID]:
        """Store memories of an agent: call `CognitiveLayer.remember`, wait, and return the memories' ids."""
        return self.wait(self.layer.remember(agent_id, memories))

    def pre_turn(self, turn: Turn) -> TurnContext:
        """Prepare a turn: call `CognitiveLayer.pre_turn`, wait, and return what the model should see."""
        return self.wait(self.layer.pre_turn(turn))

    def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> FittedWindow:
        """Limit a conversation to the model's context: call `CognitiveLayer.fit`, wait, and return its result."""
        return self.wait(self.layer.fit(context, conversation, iteration=iteration))

    def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Record a turn's outcome: call `CognitiveLayer.post_turn`, wait, and return its report."""
        return self.wait(self.layer.post_turn(context, outcome))

    def recall(
        self,
        agent_id: str,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
        *,
        user_id: str | None = None,
    ) -> tuple[RecallHit, ...]:
        """Search an agent's memories: call `CognitiveLayer.recall`, wait, and return the hits, best first."""
        return self.wait(self.layer.recall(agent_id, query, memory_type, limit, turn_id, user_id=user_id))


class BlockingBinding(AgentBinding):
    """The connection of a synchronous framework's agent to a memory layer. See `AgentBinding`.

    `wait` runs a coroutine of a turn from any thread, and returns its result.
    """

    def __init__(self, layer: Blocking, agent_id: str, **named: Any) -> None:
        super().__init__(layer.layer, agent_id, **named)
        self.wait = layer.wait
        self._settle = layer.settle

    def settle(self, context: TurnContext, outcome: Outcome) -> None:
        """Pass a turn's outcome to the memory layer from any thread. The layer records it in the background."""
        self._settle(context, outcome)


async def _serve_layer(ready: Future[Any], database_url: str | None, plugins: Any) -> None:
    """Open a memory layer, and keep it open until an event is set.

    Once it is open, the result of `ready` is a pair: the layer, and the event that closes it.
    """
    closing = asyncio.Event()
    async with CognitiveLayer.open(database_url, **plugins) as layer:
        ready.set_result((layer, closing))
        await closing.wait()
