"""From views to HTML: templates that escape everything, headers that let a browser run nothing but our own file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
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
_YEAR = 31_536_000  # seconds: the address of a static file changes with what it says
_TYPES_CSS = "".join(f".type.{row.name}::before {{ background: {row.colour}; }}\n" for row in TYPE_ROWS)
_POLICY = "; ".join(
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
# With "no-referrer" a browser would send our own forms with the origin "null".
HEADERS = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store", "Referrer-Policy": "same-origin"}


class TemplateRenderer:
    """Writes pages from templates; whatever a value holds, it is text there. The navigation leads to those of `pages`
    that have a label.
    """

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
        """A template's page, in the theme that the browser's cookie names."""
        theme = request.cookies.get("theme", "")
        values |= {"base": request.scope.get("root_path", ""), "theme": theme if theme in _THEMES else ""}
        return HTMLResponse(self._templates.get_template(template).render(values), status, HEADERS)


class _CachedStaticFiles(StaticFiles):
    """Files that a browser may keep."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or 404."""
        if path == "memory-types.css":
            answer = Response(_TYPES_CSS, media_type="text/css")
        else:
            answer = await super().get_response(path, scope)
        answer.headers.setdefault("Cache-Control", f"public, max-age={_YEAR}, immutable")
        return answer


def static_files() -> StaticFiles:
    """The files that pages refer to; nothing in them is about anybody."""
    return _CachedStaticFiles(directory=_STATIC)


def _version() -> str:
    """What changes when a static file does."""
    together = b"".join(path.read_bytes() for path in sorted(_STATIC.iterdir()))
    return hashlib.sha256(together + _TYPES_CSS.encode()).hexdigest()[:12]
