"""The limits of a server: requests per minute, concurrent requests, and the bytes and seconds of a request."""

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
    """Middleware that limits the requests per minute of each token.

    For a mounted app with its own login, the caller is unknown here. Such an app calls `within_rate_limit` after it has
    authenticated a visitor.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond 429 if the caller's token has made too many requests in the last minute, else call the app."""
        state = scope.setdefault("state", {}) if scope["type"] == "http" else {}
        state["rate"] = self
        caller = state.get("caller")  # None for a public path, and for an app with its own login
        if caller is not None and not await self.hit(caller):
            error = TooMany(f"authorization: more than {self._item.amount} requests per minute with this token")
            return await error_response(error)(scope, receive, send)
        await self._app(scope, receive, send)
        return None

    async def hit(self, caller: Caller) -> bool:
        """Count a request, and return False if the caller has reached its limit. The anonymous caller has no limit."""
        return caller == ANONYMOUS or await self._window.hit(self._item, caller.id)


async def within_rate_limit(scope: Scope, caller: Any) -> bool:
    """Count a request of a visitor to a mounted app, and return False if the visitor's token has reached its limit."""
    rate: RequestRateLimit = scope["state"]["rate"]
    return await rate.hit(caller)


class AuthFailureLimit:
    """Middleware that limits failed authentications per minute from each address.

    Further failures get 429 instead of 401.

    Callers with a valid token are never refused here, since behind a proxy or on a unix socket all callers share one
    address. A token cannot be guessed anyway: it has 256 random bits.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._item = RateLimitItemPerMinute(per_minute)
        self._log_limit = RateLimitItemPerMinute(1)
        self._window = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and replace its 401 response by 429 if the client's address has reached the limit."""
        too_many = False

        async def sending(message: Message) -> None:
            nonlocal too_many
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.UNAUTHORIZED:
                too_many = not await self._within_limit(scope)
                if too_many:
                    error = TooMany(
                        f"authorization: more than {self._item.amount} unknown tokens per minute from this address"
                    )
                    await error_response(error)(scope, receive, send)
            if not too_many:
                await send(message)

        await self._app(scope, receive, sending)

    async def _within_limit(self, scope: Scope) -> bool:
        """Count a failed authentication, and return False if the client's address has reached the limit.

        Refusals are logged at most once a minute for each address.
        """
        address = (scope.get("client") or ("",))[0]
        if await self._window.hit(self._item, address):
            return True
        if await self._window.hit(self._log_limit, "log", address):
            log.warning("more than %d unknown tokens per minute from %s", self._item.amount, address or "the socket")
        return False


class ConcurrencyLimit:
    """Middleware that limits the number of concurrent requests. Further requests are refused at once.

    The API, the pages below `own_login_paths`, and the other mounted apps have separate limits: mounted apps may keep
    requests open, and each page runs many reads. This middleware comes after `BodyLimit`, so that a slow upload does
    not count as a running request.
    """

    def __init__(
        self, app: ASGIApp, max_requests: int, max_streams: int, max_pages: int, own_login_paths: Collection[str] = ()
    ) -> None:
        self._app = app
        self._own_login_paths = tuple(f"{path}/" for path in own_login_paths)
        self._free = {"api": max_requests, "page": max_pages, "stream": max_streams}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond 503 if too many requests of the same kind (see `_pool`) are running, else call the app."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        pool = _pool(scope["path"], self._own_login_paths)
        if not self._free[pool]:
            error = Busy("request: the server is at its limit of concurrent requests")
            return await error_response(error)(scope, receive, send)
        self._free[pool] -= 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._free[pool] += 1
        return None


class BodyLimit:
    """Middleware that reads a request's body completely before calling the app, within a limit of bytes and seconds.

    The total bytes of all unfinished bodies are limited too, separately for the API, for the pages below
    `own_login_paths`, and for the other mounted apps. Uploads to the login page, which needs no token, therefore cannot
    block the API.
    """

    def __init__(
        self, app: ASGIApp, max_bytes: int, max_buffered: int, seconds: float, own_login_paths: Collection[str] = ()
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._own_login_paths = tuple(f"{path}/" for path in own_login_paths)
        self._room = {"api": max_buffered, "page": max_buffered, "stream": max_buffered}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body and call the app with it. Respond 413 if the body is too large, or 503 if it is too slow."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            self._check_content_length(Headers(scope=scope).get("content-length", "0"))
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive, _pool(scope["path"], self._own_login_paths))
        except (TooLarge, Busy) as error:
            return await error_response(error)(scope, receive, send)
        except TimeoutError:
            return await error_response(Busy(f"body: not received within {self._seconds:g} s"))(scope, receive, send)
        if body is not None:  # else the client has disconnected
            await self._app(scope, _replaying(body, receive), send)
        return None

    def _check_content_length(self, length: str) -> None:
        if length.isascii() and length.isdigit() and int(length[:20]) > self._max_bytes:
            raise self._too_large()

    async def _read(self, receive: Receive, pool: str) -> bytes | None:
        body, more = bytearray(), True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                part = message.get("body", b"")
                body += part
                self._room[pool] -= len(part)
                more = message.get("more_body", False)
                if len(body) > self._max_bytes:
                    raise self._too_large()
                if self._room[pool] < 0:
                    raise Busy("body: the server is at its limit of bytes in unfinished bodies")
        finally:
            self._room[pool] += len(body)
        return bytes(body)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"body: longer than {self._max_bytes} bytes")


class Timeout:
    """Middleware that ends a request to the API, or to a page below `own_login_paths`, after `seconds`.

    No acknowledged outcome of a turn is lost: the server acknowledges it only once Postgres or the journal has stored
    it.
    """

    def __init__(self, app: ASGIApp, seconds: float, own_login_paths: Collection[str] = ()) -> None:
        self._app = app
        self._seconds = seconds
        self._paths = (API, *(f"{path}/" for path in own_login_paths))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and respond 503 if it takes too long."""
        if scope["type"] != "http" or not scope["path"].startswith(self._paths):
            return await self._app(scope, receive, send)
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._seconds) as timer:
                await self._app(scope, receive, sending)
        except TimeoutError:
            if started or not timer.expired():
                raise
            await error_response(Busy(f"request: not finished within {self._seconds:g} s"))(scope, receive, send)
        return None


def _pool(path: str, own_login_paths: tuple[str, ...]) -> str:
    """Return the kind of requests to which a path belongs. Each kind has its own limits.

    It is "api" for the API, "page" for paths below `own_login_paths`, and "stream" for the other mounted apps.
    """
    return "api" if path.startswith(API) else "page" if path.startswith(own_login_paths) else "stream"


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI `receive` function that first returns the body, and then calls the original `receive`."""
    replayed = False

    async def replay() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
