"""The overview of an agent, its parts that are asked for again while somebody looks, and its files."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import charts, overview
from cognitive.dashboard.asked import RANGES
from cognitive.dashboard.page import Page, Visit, attachment
from cognitive.dashboard.writing import STYLE


async def show(visit: Visit) -> Response:
    """Numbers, charts, tables."""
    return visit.page("overview.html", view=overview.view(await _read(visit), visit.asked), ranges=RANGES)


async def live(visit: Visit) -> Response:
    """The numbers, which are asked for again while somebody looks."""
    return visit.page("_live.html", view=overview.view(await _course(visit), visit.asked))


async def latest(visit: Visit) -> Response:
    """The latest turns, likewise."""
    rows = (await visit.figures.turns(visit.asked.agent, limit=overview.LATEST)).rows
    return visit.page("_latest.html", latest=rows)


async def chart(visit: Visit) -> Response:
    """A chart's numbers as CSV, or the chart as SVG."""
    shown, params = overview.charts(await _course(visit), visit.asked), visit.asked.params
    chart = next((chart for chart in shown if chart.id == params.get("id")), None)
    if chart is None:
        raise HTTPException(404, "There is no such chart.")
    if params.get("as") == "svg":
        return attachment(charts.saved(charts.line(chart), STYLE), f"{chart.id}.svg", "image/svg+xml")
    return attachment(chart.csv(), f"{chart.id}.csv", "text/csv")


async def kinds(visit: Visit) -> Response:
    """All values of a kind with their counts, as CSV."""
    by = next((by for by in (*overview.KINDS, "stage") if by == visit.asked.params.get("by")), None)
    if by is None:
        raise HTTPException(404, "There is no such table.")
    totals = await visit.figures.totals(visit.asked.agent, visit.asked.period(), by)
    return attachment(overview.kinds_csv(by, totals), f"{by}.csv", "text/csv")


async def _read(visit: Visit) -> overview.Read:
    return await overview.read(visit.figures, visit.asked.agent, visit.asked.period())


async def _course(visit: Visit) -> overview.Read:
    return await overview.read_course(visit.figures, visit.asked.agent, visit.asked.period())


PAGES = (
    Page("/overview", show, label="Overview", icon="M2.5 9.5h3v4h-3zM6.5 5.5h3v8h-3zM10.5 2.5h3v11h-3z"),
    Page("/live", live, under="/overview"),
    Page("/latest", latest, under="/overview"),
    Page("/chart", chart, under="/overview"),
    Page("/kinds.csv", kinds, under="/overview"),
)
