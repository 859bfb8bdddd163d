"""A turn as one self-contained HTML file: question, memories shown, answer and candidates, without links or scripts."""

from __future__ import annotations

import re

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.rendering import styles
from cognitive.dashboard.turn_detail import NO_TURN, read, view

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


async def save(visit: Visit) -> Response:
    """Return a turn as an HTML file that a browser saves. The file loads nothing and runs nothing."""
    data = await read(visit.layer, visit.analytics, visit.query)
    if data is None:
        raise HTTPException(404, NO_TURN)
    response = visit.page("turn_file.html", view=view(data, visit.query), styles=styles("app.css", "turns.css"))
    name = _UNSAFE.sub("-", data.numbers.turn_id)[:80].strip("-") or "turn"
    response.headers["Content-Disposition"] = f'attachment; filename="turn-{name}.html"'
    return response


PAGES = (PageRoute("/turn/file", save, parent="/turns"),)
