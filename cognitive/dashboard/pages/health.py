"""What the layer stands on; answers within a bound when Postgres does not."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import charts, health
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit, attachment
from cognitive.dashboard.writing import STYLE


async def show(visit: Visit) -> Response:
    """The page: of the server whole for those who may see all agents, of the agent's part for its own token."""
    told = await health.read(visit.layer, visit.figures, visit.asked, whole=visit.who.agent is None)
    return visit.page("health.html", view=health.view(told, visit.asked), ranges=RANGES)


async def chart(visit: Visit) -> Response:
    """Degradation over time as CSV, or as SVG."""
    told = await visit.figures.lately.degradations(visit.asked.agent, visit.asked.period())
    shown = health.degradation(told, visit.asked)
    if visit.asked.params.get("id") != shown.id:
        raise HTTPException(404, "There is no such chart.")
    if visit.asked.params.get("as") == "svg":
        return attachment(charts.saved(charts.line(shown), STYLE), f"{shown.id}.svg", "image/svg+xml")
    return attachment(shown.csv(), f"{shown.id}.csv", "text/csv")


PAGES = (
    Page("/health", show, label="Health", icon="M1.5 8.5h3l2-5 3 9 2-4h3", files=("operations.css",)),
    Page("/health-chart", chart, under="/health"),
)
