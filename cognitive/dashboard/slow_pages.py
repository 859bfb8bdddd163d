"""Answer a slow page with its frame first. The frame's second request gets the page, which was read meanwhile."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from cognitive.dashboard.access import Visitor

WAIT = "wait"  # URL parameter of the second request: the key of the page that is being read
_FRAME_SECONDS = 1.0  # a page of the navigation that takes longer is preceded by its frame, so that something answers
_KEPT_SECONDS = 30.0  # a page that its frame does not ask for is given up
_MAX_KEPT = 16  # pages that are read at a time without a request; further pages wait for their data
_COOKIES = ("zone", "theme")  # a page rendered with other values is read again


class SlowPages:
    """The pages that are still being read while browsers show their frames, by key."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Any, asyncio.Task[Response]]] = {}

    async def answer(
        self,
        request: Request,
        visitor: Visitor,
        read: Callable[[], Coroutine[Any, Any, Response]],
        frame: Callable[[str], Response],
    ) -> Response:
        """Return the page, or its frame if the page takes longer than a second and a browser asks for it.

        `read` reads and renders the page; `frame` renders the frame, which requests the URL that it is given.
        """
        if WAIT in request.query_params:
            return await (self._taken(request, visitor) or read())
        if not _asks_for_page(request) or len(self._kept) >= _MAX_KEPT:
            return await read()
        task = asyncio.create_task(read())
        try:
            done, _ = await asyncio.wait({task}, timeout=_FRAME_SECONDS)
        except asyncio.CancelledError:
            task.cancel()
            raise
        return await task if done else frame(self._keep(request, visitor, task))

    def _keep(self, request: Request, visitor: Visitor, task: asyncio.Task[Response]) -> str:
        """Keep a page that is being read, and return the URL that asks for it."""
        key = secrets.token_urlsafe(16)
        self._kept[key] = (_identity(request, visitor), task)
        asyncio.get_running_loop().call_later(_KEPT_SECONDS, self._give_up, key)
        return f"{request.url.path}?{urlencode({**request.query_params, WAIT: key})}"

    def _taken(self, request: Request, visitor: Visitor) -> asyncio.Task[Response] | None:
        """Return the page that a request asks for, or None if it is not kept for this visitor and these cookies."""
        key = request.query_params[WAIT]
        identity, task = self._kept.get(key, (None, None))
        if task is None or identity != _identity(request, visitor):
            return None
        del self._kept[key]
        return task

    def _give_up(self, key: str) -> None:
        _, task = self._kept.pop(key, (None, None))
        if task is not None and not task.cancel() and not task.cancelled():
            task.exception()  # mark the error as seen: it answers no request


def without_key(params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a page's URL without the key of a page that is being read."""
    return {name: value for name, value in params.items() if name != WAIT}


def _asks_for_page(request: Request) -> bool:
    """Return True if a browser asks for a whole page."""
    whole = "text/html" in request.headers.get("accept", "") and not request.headers.get("hx-request")
    return whole and request.method == "GET"


def _identity(request: Request, visitor: Visitor) -> tuple[Any, ...]:
    """Return what two requests must have in common to get the same page."""
    params = sorted(without_key(request.query_params).items())
    who = visitor.id, visitor.agent, visitor.operator
    return who, request.url.path, params, [request.cookies.get(name) for name in _COOKIES]
