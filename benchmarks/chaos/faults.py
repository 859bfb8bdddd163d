"""A proxy in front of Postgres that fails like a network: slow, cut, silent, reset, frozen."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, Self
from urllib.parse import parse_qs, urlsplit

Fault = Literal["frozen", "blackhole", "reset_peer", "refused", "latency", "slicer", "slow_close", "limit_data"]
FAULTS: tuple[Fault, ...] = (
    "frozen",
    "blackhole",
    "reset_peer",
    "refused",
    "latency",
    "slicer",
    "slow_close",
    "limit_data",
)

_LATENCY = 0.3  # seconds, one way: more than a turn has
_SLICE = 0.005  # seconds between two pieces of a byte
_LIMIT = 200  # bytes of an answer that still come through: its middle
_SLOW_CLOSE = 1.0  # seconds that the other side's end takes to arrive
_CHUNK = 65_536
_RESET = struct.pack("ii", 1, 0)  # to linger for no time: closing resets


class FaultyProxy:
    """A proxy between clients and a Postgres on this machine that imitates network failures.

    `fault` names the current failure. It may change at any time, and applies to open connections too. `connections`
    counts all connections so far. The faults are:

    - frozen: nothing is read in either direction.
    - blackhole: data from clients is dropped.
    - reset_peer: connections are reset at the next data.
    - refused: new connections are reset, open connections work.
    - latency, slicer: data from Postgres arrives late, or byte by byte.
    - slow_close: the end of a connection arrives late.
    - limit_data: answers are truncated.
    """

    def __init__(self, upstream: str, login: str) -> None:
        self._upstream = upstream
        self._login = login
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._fault: Fault | None = None
        self.connections = 0

    @classmethod
    @asynccontextmanager
    async def before(cls, url: str) -> AsyncIterator[Self]:
        """Run a proxy in front of the embedded server with this URL, until the block ends.

        The server listens on a unix socket.
        """
        parts = urlsplit(url)
        asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        upstream = f"{asked['host']}/.s.PGSQL.{asked.get('port', '5432')}"
        proxy = cls(upstream, f"{parts.username}@{{address}}{parts.path}?sslmode=disable")
        proxy._server = await asyncio.start_server(proxy._accepted, "127.0.0.1", 0)
        try:
            yield proxy
        finally:
            proxy._server.close()
            for task in proxy._tasks:
                task.cancel()
            await asyncio.gather(*proxy._tasks, return_exceptions=True)
            await asyncio.sleep(0)  # transports close with the next turn of the loop

    @property
    def url(self) -> str:
        """The URL by which clients connect to Postgres through the proxy."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return "postgresql://" + self._login.format(address=f"{host}:{port}")

    @property
    def fault(self) -> Fault | None:
        """The current fault."""
        return self._fault

    @fault.setter
    def fault(self, fault: Fault | None) -> None:
        """Set the failure to imitate, or None; it also applies to open connections."""
        self._fault = fault
        self._changed.set()
        self._changed = asyncio.Event()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            if self._fault != "refused":
                await self._thawed()
                back, forth = await asyncio.open_unix_connection(self._upstream)
                await self._joined(reader, writer, back, forth)
        except OSError:
            pass  # the server is away, which the client is to find out
        finally:
            _reset(writer)

    async def _joined(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        back: asyncio.StreamReader,
        forth: asyncio.StreamWriter,
    ) -> None:
        ways = [
            asyncio.create_task(self._asked(reader, forth)),
            asyncio.create_task(self._answered(back, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if self._fault == "slow_close":
                await asyncio.sleep(_SLOW_CLOSE)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            forth.transport.abort()
            if self._fault != "reset_peer":
                writer.close()

    async def _asked(self, reader: asyncio.StreamReader, forth: asyncio.StreamWriter) -> None:
        while data := await self._read(reader):
            if self._fault == "reset_peer":
                return
            if self._fault != "blackhole":
                forth.write(data)
                await forth.drain()

    async def _answered(self, back: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await self._read(back):
            match self._fault:
                case "reset_peer":
                    return
                case "latency":
                    await asyncio.sleep(_LATENCY)
                case "limit_data":
                    writer.write(data[:_LIMIT])
                    await writer.drain()
                    return
                case "slicer":
                    await self._sliced(data, writer)
                    continue
            writer.write(data)
            await writer.drain()

    async def _sliced(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        for n in range(len(data)):
            if self._fault != "slicer":
                writer.write(data[n:])
                break
            writer.write(data[n : n + 1])
            await asyncio.sleep(_SLICE)
        await writer.drain()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        await self._thawed()
        data = await reader.read(_CHUNK)
        await self._thawed()
        return data

    async def _thawed(self) -> None:
        while self._fault == "frozen":
            await self._changed.wait()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Reset a TCP connection instead of closing it, unless it is already being closed."""
    if not writer.is_closing():
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        writer.transport.abort()
