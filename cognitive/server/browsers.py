"""What stands between the server and web browsers: security headers, checks of Host and Origin, errors as HTML.

A page whose own name was rebound to this machine sends its own name as Host; a page that posts across sites says so in
Origin. Programs send no Origin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from pydantic_core import from_json
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cognitive.server.config import PROBES, ErrorPage
from cognitive.server.problems import http_error_response
from cognitive.wire.problems import MEDIA_TYPE

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Origin:
    """Serves requests by one of the server's names, and by pages of its own or allowed ones.

    Starlette's TrustedHostMiddleware checks the host alone and answers in plain text; its CORSMiddleware refuses
    nothing but preflights.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        if scope["type"] == "http" and scope["path"] not in PROBES:
            headers = Headers(scope=scope)
            host, origin = headers.get("host", "").lower(), headers.get("origin")
            if "*" not in self._hosts and _without_port(host) not in self._hosts:
                because = "host: this server does not go by this name; `cognitive serve --allow-host` adds one"
                return await http_error_response(421, because)(scope, receive, send)
            if origin is not None and not self._may_call(origin.lower(), host):
                because = "origin: this page may not call; `cognitive serve --allow-origin` adds one"
                return await http_error_response(403, because)(scope, receive, send)
        await self._app(scope, receive, send)
        return None

    def _may_call(self, origin: str, host: str) -> bool:
        return origin in self._origins or (bool(host) and _authority(origin) == host)


class SecurityHeaders:
    """Says to browsers what they may do with an answer: nothing. What an answer says of itself stands."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class HtmlErrors:
    """Has a problem beneath one of `error_pages`, by their paths, written as that door writes it; status and waiting
    time stay.
    """

    def __init__(self, app: ASGIApp, error_pages: Mapping[str, ErrorPage]) -> None:
        self._app = app
        self._error_pages = error_pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        path = self._path(scope)
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

    def _path(self, scope: Scope) -> str | None:
        """The door that the request is beneath, if it is a browser's that wants to read."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            return None
        return next((path for path in self._error_pages if scope["path"].startswith(f"{path}/")), None)

    def _page(self, path: str, scope: Scope, problem: Mapping[str, str | int], retry: str | None) -> Response:
        wait = f" Try again in {retry} seconds." if retry is not None else ""
        detail = f"{str(problem['detail']).rstrip('.')}.{wait}"
        page = self._error_pages[path]({**scope, "root_path": path}, int(problem["status"]), detail)
        if retry is not None:
            page.headers["Retry-After"] = retry
        return page


def _authority(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # a bracket that is not closed
        return None


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type") == MEDIA_TYPE
