"""A layer for code that cannot wait: notebooks, scripts, and frameworks that block.

with Blocking.open() as layer:
    context = layer.pre_turn(Turn(agent_id="me", session_id="s1", text="..."))
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
from cognitive.runtimes.turn_session import AgentBinding
from cognitive.turn import Message, Outcome, RecallHit, Report, Turn, TurnContext, TurnRef
from cognitive.window.fit import FittedWindow

T = TypeVar("T")


class Blocking:
    """A layer whose event loop runs in another thread: its own after `open`, or that on which an async host opened it.

    Any thread may call it but the loop's own, which would wait for itself.
    """

    def __init__(self, layer: CognitiveLayer) -> None:
        self.layer = layer
        self._loop = layer.loop

    @classmethod
    @contextmanager
    def open(cls, database_url: str | None = None, **plugins: Any) -> Iterator[Blocking]:
        """A layer on an event loop of its own, as `CognitiveLayer.open` opens it, and with its errors."""
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
        """What becomes of any coroutine of the layer's: `blocking.wait(blocking.layer.why(...))`.

        Raises:
            RuntimeError: called where the layer's own event loop runs, or after it closed.
        """
        if event_loop.running() is self._loop or self._loop.is_closed():
            work.close()
            raise RuntimeError("a blocking layer is called from another thread than its event loop's, until it closes")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # of somebody who no longer waits

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """As `CognitiveLayer.settle`: it returns at once."""
        self._loop.call_soon_threadsafe(self.layer.settle, context, outcome)

    def remember(self, agent_id: str, memories: Sequence[NewMemory]) -> Sequence[UUID]:
        """As `CognitiveLayer.remember`."""
        return self.wait(self.layer.remember(agent_id, memories))

    def pre_turn(self, turn: Turn) -> TurnContext:
        """As `CognitiveLayer.pre_turn`."""
        return self.wait(self.layer.pre_turn(turn))

    def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> FittedWindow:
        """As `CognitiveLayer.fit`."""
        return self.wait(self.layer.fit(context, conversation, iteration=iteration))

    def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """As `CognitiveLayer.post_turn`."""
        return self.wait(self.layer.post_turn(context, outcome))

    def recall(
        self,
        agent_id: str,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
    ) -> tuple[RecallHit, ...]:
        """As `CognitiveLayer.recall`."""
        return self.wait(self.layer.recall(agent_id, query, memory_type, limit, turn_id))


class BlockingBinding(AgentBinding):
    """A binding for a framework that blocks: `TurnSession` in any thread, its coroutines by `wait`."""

    def __init__(self, layer: Blocking, agent_id: str, **named: Any) -> None:
        super().__init__(layer.layer, agent_id, **named)
        self.wait = layer.wait
        self._settle = layer.settle

    def settle(self, context: TurnContext, outcome: Outcome) -> None:
        """From any thread."""
        self._settle(context, outcome)


async def _serve_layer(ready: Future[Any], database_url: str | None, plugins: Any) -> None:
    """Keeps a layer open until it is told to close."""
    closing = asyncio.Event()
    async with CognitiveLayer.open(database_url, **plugins) as layer:
        ready.set_result((layer, closing))
        await closing.wait()
