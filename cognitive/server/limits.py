"""How much a server takes: requests of a token, requests at a time, bytes of one, seconds of one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cognitive.server.config import API, PROBES
from cognitive.server.problems import error_response
from cognitive.server.tokens import ANONYMOUS, Caller
from cognitive.wire.problems import Busy, TooLarge, TooMany

log = logging.getLogger(__name__)


class RequestRateLimit:
    """So many requests a minute for each token. A mounted app that signs its visitors in itself asks
    `within_rate_limit` once it knows who they are.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        state = scope.setdefault("state", {}) if scope["type"] == "http" else {}
        state["rate"] = self
        caller = state.get("caller")  # nobody, where none is needed
        if caller is not None and not await self.hit(caller):
            error = TooMany(f"authorization: more than {self._item.amount} requests a minute with this token")
            return await error_response(error)(scope, receive, send)
        await self._app(scope, receive, send)
        return None

    async def hit(self, caller: Caller) -> bool:
        """Counts a request, and tells whether it is one of those that the caller may make this minute."""
        return caller == ANONYMOUS or await self._window.hit(self._item, caller.id)


async def within_rate_limit(scope: Scope, caller: Any) -> bool:
    """Whether one more request of a mounted app's visitor is within its token's minute."""
    rate: RequestRateLimit = scope["state"]["rate"]
    return await rate.hit(caller)


class AuthFailureLimit:
    """So many unknown tokens a minute from each address; what comes beyond is told to wait.

    A caller with a token is let in all the same: behind a proxy, or on a unix socket, everybody has the same address as
    somebody who guesses. Guessing fails at the 256 bits of a token anyhow.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._item = RateLimitItemPerMinute(per_minute)
        self._log_limit = RateLimitItemPerMinute(1)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        too_many = False

        async def sending(message: Message) -> None:
            nonlocal too_many
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.UNAUTHORIZED:
                too_many = not await self._within_limit(scope)
                if too_many:
                    error = TooMany(f"authorization: more than {self._item.amount} unknown tokens a minute from here")
                    await error_response(error)(scope, receive, send)
            if not too_many:
                await send(message)

        await self._app(scope, receive, sending)

    async def _within_limit(self, scope: Scope) -> bool:
        """Whether one more request of this address is heard; refusals are logged once a minute."""
        address = (scope.get("client") or ("",))[0]
        if await self._window.hit(self._item, address):
            return True
        if await self._window.hit(self._log_limit, "told", address):
            log.warning("more than %d unknown tokens a minute from %s", self._item.amount, address or "the socket")
        return False


class ConcurrencyLimit:
    """So many requests at a time: whoever comes when all places are taken is refused at once.

    Mounted apps may keep requests open, and have places of their own; so have the pages behind `own_login_paths`, each
    of which reads much at once. It stands behind `BodyLimit`: a request whose body is still on its way holds no place.
    """

    def __init__(
        self, app: ASGIApp, max_requests: int, max_streams: int, max_pages: int, own_login_paths: Collection[str] = ()
    ) -> None:
        self._app = app
        self._own_login_paths = tuple(f"{door}/" for door in own_login_paths)
        self._free = {"api": max_requests, "page": max_pages, "stream": max_streams}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        place = _pool(scope["path"], self._own_login_paths)
        if not self._free[place]:
            return await error_response(Busy("request: as many as this server takes are running"))(scope, receive, send)
        self._free[place] -= 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._free[place] += 1
        return None


class BodyLimit:
    """Reads the body of a request, so many bytes and seconds of it at most, before anything looks into it.

    Bodies under way may hold so many bytes together, counted apart for the API, for the pages behind `own_login_paths`
    and for the other mounted apps: anybody may begin to sign in, and must not keep an agent waiting.
    """

    def __init__(
        self, app: ASGIApp, max_bytes: int, max_buffered: int, seconds: float, own_login_paths: Collection[str] = ()
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._own_login_paths = tuple(f"{door}/" for door in own_login_paths)
        self._room = {"api": max_buffered, "page": max_buffered, "stream": max_buffered}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            self._announced(Headers(scope=scope).get("content-length", "0"))
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive, _pool(scope["path"], self._own_login_paths))
        except (TooLarge, Busy) as error:
            return await error_response(error)(scope, receive, send)
        except TimeoutError:
            return await error_response(Busy(f"body: not here within {self._seconds:g} s"))(scope, receive, send)
        if body is not None:  # else there is nobody left to answer
            await self._app(scope, _replaying(body, receive), send)
        return None

    def _announced(self, length: str) -> None:
        if length.isascii() and length.isdigit() and int(length[:20]) > self._max_bytes:
            raise self._too_large()

    async def _read(self, receive: Receive, place: str) -> bytes | None:
        body, more = bytearray(), True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                part = message.get("body", b"")
                body += part
                self._room[place] -= len(part)
                more = message.get("more_body", False)
                if len(body) > self._max_bytes:
                    raise self._too_large()
                if self._room[place] < 0:
                    raise Busy("body: as many bytes as this server takes are on their way")
        finally:
            self._room[place] += len(body)
        return bytes(body)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"body: longer than {self._max_bytes} bytes")


class Timeout:
    """Ends a request to the API, or for a page behind `own_login_paths`, that takes too long. An outcome under way is
    then either safe in Postgres or the journal, or was not acknowledged.
    """

    def __init__(self, app: ASGIApp, seconds: float, own_login_paths: Collection[str] = ()) -> None:
        self._app = app
        self._seconds = seconds
        self._paths = (API, *(f"{door}/" for door in own_login_paths))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        if scope["type"] != "http" or not scope["path"].startswith(self._paths):
            return await self._app(scope, receive, send)
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with asyncio.timeout(self._seconds) as timer:
                await self._app(scope, receive, sending)
        except TimeoutError:
            if begun or not timer.expired():
                raise
            await error_response(Busy(f"request: not done within {self._seconds:g} s"))(scope, receive, send)
        return None


def _pool(path: str, own_login_paths: tuple[str, ...]) -> str:
    """Which share of the server a request takes a place of."""
    return "api" if path.startswith(API) else "page" if path.startswith(own_login_paths) else "stream"


def _replaying(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever else comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
