"""Connections, before there is a request: so many at a time, and none that says nothing."""

from __future__ import annotations

import asyncio
import logging

from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)


def limited(most: int, seconds: float) -> type[H11Protocol]:
    """The protocol of a server with at most so many connections, each with so many seconds for a request's headers."""
    return type("Limited", (_Limited,), {"most": most, "seconds": seconds})


class _Limited(H11Protocol):
    """uvicorn's own protocol knows no such limits: whoever opens enough connections and says nothing would leave no
    file to Postgres and the journal.
    """

    most: int
    seconds: float
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > self.most:
            log.debug("more than %d connections", self.most)
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._answering():
            self._stop_waiting()
        elif self._late is None:
            self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._late is None and not self._answering() and self.conn.trailing_data[0]:
            self._wait()  # a part of the next request came with this one

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self._answering():
            self.transport.close()
