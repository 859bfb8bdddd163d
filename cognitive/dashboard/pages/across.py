"""All agents, for those who may see all: what their turns came to, and where to look first."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.fleet import MOST_AGENTS
from cognitive.dashboard import across, charts
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit, attachment
from cognitive.dashboard.writing import STYLE
from cognitive.errors import InvalidInput, StoreError, StoreUnavailable


async def show(visit: Visit) -> Response:
    """The page; where the role that may count across agents was not granted, it says what grants it."""
    told = await _read(visit)
    if told is None:
        command = (await visit.layer.admin.database_role()).command
        return visit.page("across.html", view=None, command=command, ranges=RANGES)
    return visit.page("across.html", view=across.view(told, visit.asked), ranges=RANGES)


async def chart(visit: Visit) -> Response:
    """One of its charts as CSV, or as SVG."""
    told = await _read(visit)
    shown = (
        next((c for c in across.charts(told, visit.asked) if c.id == visit.asked.params.get("id")), None)
        if told
        else None
    )
    if shown is None:
        raise HTTPException(404, "There is no such chart.")
    if visit.asked.params.get("as") == "svg":
        return attachment(charts.saved(charts.line(shown), STYLE), f"{shown.id}.svg", "image/svg+xml")
    return attachment(shown.csv(), f"{shown.id}.csv", "text/csv")


async def file(visit: Visit) -> Response:
    """The agents of its table, as many as a page may have, as CSV."""
    try:
        agents = await visit.figures.across.agents(visit.asked.period(), limit=MOST_AGENTS)
    except StoreUnavailable:
        raise
    except (StoreError, InvalidInput) as error:
        raise HTTPException(403, "The role that may count across agents was not granted.") from error
    return attachment(across.agents_csv(agents), "agents.csv", "text/csv")


async def _read(visit: Visit) -> across.Read | None:
    try:
        return await across.read(visit.figures, visit.asked.period())
    except StoreUnavailable:
        raise
    except (StoreError, InvalidInput):  # the role that may see them is not there, or was not granted
        return None


PAGES = (
    Page("/", show, across=True, label="All agents",
         icon="M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z", files=("operations.css",)),
    Page("/across-chart", chart, across=True, under="/"),
    Page("/agents.csv", file, across=True, under="/"),
)  # fmt: skip
