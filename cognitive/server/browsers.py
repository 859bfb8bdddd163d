"""Protection of the server against web pages, and error pages for browsers.

A malicious page may make its own host name point to this machine (DNS rebinding). The browser then sends this name in
the header Host. A page that posts a form to another site sends its own site in the header Origin. Programs send no
Origin.
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
    """Middleware that refuses requests which a foreign web page makes a browser send.

    It refuses a Host that is not the server's, and an Origin that is neither the server's own nor allowed. Starlette's
    TrustedHostMiddleware checks the Host only and answers in plain text. Its CORSMiddleware refuses only preflight
    requests.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond 421 to an unknown Host and 403 to a foreign Origin. Pass all other requests to the app."""
        if scope["type"] == "http" and scope["path"] not in PROBES:
            headers = Headers(scope=scope)
            host, origin = headers.get("host", "").lower(), headers.get("origin")
            if "*" not in self._hosts and _without_port(host) not in self._hosts:
                detail = "host: not a name of this server; add it with `cognitive serve --allow-host`"
                return await http_error_response(421, detail)(scope, receive, send)
            if origin is not None and not self._may_call(origin.lower(), host):
                detail = "origin: pages of this origin may not call; add it with `cognitive serve --allow-origin`"
                return await http_error_response(403, detail)(scope, receive, send)
        await self._app(scope, receive, send)
        return None

    def _may_call(self, origin: str, host: str) -> bool:
        return origin in self._origins or (bool(host) and _authority(origin) == host)


class SecurityHeaders:
    """Middleware that adds security headers to responses, so that browsers neither run nor embed their content.

    Headers that a response already has are not replaced.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and add the missing headers to its response."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class HtmlErrors:
    """Middleware that replaces JSON error responses to browsers by HTML pages with the same status.

    `error_pages` maps the path of a mounted app to the function that renders error pages for requests below this path.
    """

    def __init__(self, app: ASGIApp, error_pages: Mapping[str, ErrorPage]) -> None:
        self._app = app
        self._error_pages = error_pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app.

        If the request is a browser's and the response is an error in JSON, send an HTML page instead.
        """
        path = self._path(scope)
        if path is None:
            return await self._app(scope, receive, send)
        problem_headers, body = Headers(), bytearray()

        async def sending(message: Message) -> None:
            nonlocal problem_headers
            if message["type"] == "http.response.start" and _is_problem(message):
                problem_headers = Headers(raw=message["headers"])
            elif problem_headers:
                body.extend(message.get("body", b""))
            else:
                await send(message)

        await self._app(scope, receive, sending)
        if problem_headers:
            page = self._page(path, scope, from_json(bytes(body)), problem_headers.get("retry-after"))
            await page(scope, receive, send)
        return None

    def _path(self, scope: Scope) -> str | None:
        """Return the path of the mounted app to which a browser's request belongs, or None for any other request."""
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
    except ValueError:  # for example, an unclosed bracket of an IPv6 address
        return None


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type") == MEDIA_TYPE
