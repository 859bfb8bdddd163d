"""The server's own refusals as a page, where a browser asked for one; programs get them as before."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cognitive.wire.problems import MEDIA_TYPE

Told = Callable[[Scope, int, str], Response]  # a status and what is to be said of it, as a page of a mounted app's


class Readable:
    """Has a problem beneath one of `doors`, by their paths, written as that door writes it; status and waiting time
    stay.
    """

    def __init__(self, app: ASGIApp, doors: Mapping[str, Told]) -> None:
        self._app = app
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        path = self._door(scope)
        if path is None:
            return await self._app(scope, receive, send)
        refusal, body = Headers(), bytearray()

        async def sending(message: Message) -> None:
            nonlocal refusal
            if message["type"] == "http.response.start" and _is_problem(message):
                refusal = Headers(raw=message["headers"])
            elif refusal:
                body.extend(message.get("body", b""))
            else:
                await send(message)

        await self._app(scope, receive, sending)
        if refusal:
            page = self._page(path, scope, from_json(bytes(body)), refusal.get("retry-after"))
            await page(scope, receive, send)
        return None

    def _door(self, scope: Scope) -> str | None:
        """The door that the request is beneath, if it is a browser's that wants to read."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            return None
        return next((path for path in self._doors if scope["path"].startswith(f"{path}/")), None)

    def _page(self, path: str, scope: Scope, problem: Mapping[str, str | int], retry: str | None) -> Response:
        wait = f" Try again in {retry} seconds." if retry is not None else ""
        detail = f"{str(problem['detail']).rstrip('.')}.{wait}"
        page = self._doors[path]({**scope, "root_path": path}, int(problem["status"]), detail)
        if retry is not None:
            page.headers["Retry-After"] = retry
        return page


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type") == MEDIA_TYPE
