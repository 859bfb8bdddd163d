"""Render templates with autoescaping and a strict Content-Security-Policy, and serve the static files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from brain.memory_types import TYPE_ROWS
from cognitive.dashboard import charts, formats
from cognitive.dashboard.page import PageRoute

_HERE = Path(__file__).parent
_STATIC = _HERE / "static"
_THEMES = ("light", "dark")
_YEAR = 31_536_000  # seconds; files can be cached this long because their URLs contain a hash of their content
_TYPES_CSS = "".join(f".type.{row.name}::before {{ background: {row.colour}; }}\n" for row in TYPE_ROWS)
_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
# With "no-referrer" browsers would send the dashboard's own forms with the origin "null", and they would be refused.
HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
}


class TemplateRenderer:
    """Renders the dashboard's templates as HTML: escapes all values, and adds the navigation between pages."""

    def __init__(self, pages: Sequence[PageRoute]) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            charts=charts,
            number=formats.number,
            counted=formats.counted,
            code=formats.code,
            compact=formats.compact,
            percent=formats.percent,
            milliseconds=formats.milliseconds,
            moment=formats.moment,
            ago=formats.ago,
            bytes=formats.bytes_,
            version=_version(),
            navigation=[page for page in pages if page.label],
            static_files={page.path: page.static_files for page in pages},
        )

    def page(self, template: str, request: Request, status: int, **values: Any) -> HTMLResponse:
        """Render a template as an HTML response with the status code `status`.

        A cookie of the browser selects the theme, light or dark.
        """
        theme = request.cookies.get("theme", "")
        values |= {"base": request.scope.get("root_path", ""), "theme": theme if theme in _THEMES else ""}
        return HTMLResponse(self._templates.get_template(template).render(values), status, HEADERS)


class _CachedStaticFiles(StaticFiles):
    """Static files with headers that let browsers cache them for a year."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a static file, or the generated memory-types.css; 404 for an unknown path."""
        if path == "memory-types.css":
            answer = Response(_TYPES_CSS, media_type="text/css")
        else:
            answer = await super().get_response(path, scope)
        answer.headers.setdefault("Cache-Control", f"public, max-age={_YEAR}, immutable")
        return answer


def static_files() -> StaticFiles:
    """Return the app that serves style sheets, scripts and images. They contain no data and need no token."""
    return _CachedStaticFiles(directory=_STATIC)


def styles(*names: str) -> Markup:
    """Return the content of style sheets in static/, and the colours of memory types, for a file that loads nothing."""
    return Markup("".join((_STATIC / name).read_text(encoding="utf-8") for name in names) + _TYPES_CSS)


def _version() -> str:
    """Return a hash of all static files. Their URLs contain it, so that browsers load a changed file."""
    content = b"".join(path.read_bytes() for path in sorted(_STATIC.iterdir()))
    return hashlib.sha256(content + _TYPES_CSS.encode()).hexdigest()[:12]
