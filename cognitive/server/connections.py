"""Limits on open connections: their number, and the seconds until the headers of a request have arrived."""

from __future__ import annotations

import asyncio
import logging

from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)


def limited_protocol(max_connections: int, header_seconds: float) -> type[H11Protocol]:
    """Return an HTTP protocol class for uvicorn that limits the open connections and the time to send headers.

    `header_seconds` is the time in which the headers of a request must arrive.
    """
    return type("Limited", (_LimitedProtocol,), {"max_connections": max_connections, "header_seconds": header_seconds})


class _LimitedProtocol(H11Protocol):
    """An HTTP protocol of uvicorn with limits that uvicorn lacks.

    Without them, a client that opens many connections and sends nothing would use up the file descriptors that Postgres
    and the journal need.
    """

    max_connections: int
    header_seconds: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            log.debug("connection refused: more than %d are open", self.max_connections)
            transport.abort()
            return
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering():
            self._stop_timer()
        elif self._timer is None:
            self._start_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._timer is None and not self._is_answering() and self.conn.trailing_data[0]:
            self._start_timer()  # the last packet also contained the beginning of the next request

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.header_seconds, self._close_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_late(self) -> None:
        self._timer = None
        if not self._is_answering():
            self.transport.close()
