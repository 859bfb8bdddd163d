"""The route of a page, and the checked request that a page's handler receives."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from brain.analytics.turns import TurnAnalytics
from cognitive.dashboard.access import Visitor
from cognitive.dashboard.charts import Chart, svg_file
from cognitive.dashboard.formats import moment
from cognitive.dashboard.params import PageQuery
from cognitive.layer import CognitiveLayer


@dataclass(frozen=True, slots=True)
class Visit:
    """A request that passed the access checks, as a page's handler receives it.

    It has the visitor, the parameters (`query`), and the objects from which a page reads its data. `form` is the posted
    form, already checked against cross-site requests; it is empty for a GET request.
    """

    request: Request
    visitor: Visitor
    query: PageQuery
    layer: CognitiveLayer
    analytics: TurnAnalytics
    render: Callable[..., Response]
    form: FormData = field(default_factory=FormData)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Render a template as a whole page, with `query` and the given values."""
        return self.render(template, self.query, status=status, **values)

    def part(self, part: str, title: str, data: Any, *, error: str = "", **more: Any) -> Response:
        """Render a part of a page: alone for htmx, or inside a whole page for a browser without scripts."""
        template = f"_{part}.html" if self.request.headers.get("hx-request") else "part.html"
        return self.page(template, part=f"_{part}.html", title=title, data=data, error=error, **more)

    def chart(self, charts: Iterable[Chart], param: str = "id") -> Response:
        """Return the chart that the URL names as a download: SVG if the URL says `as=svg`, else its numbers as CSV."""
        chart = next((each for each in charts if each.id == self.query.params.get(param)), None)
        if chart is None:
            raise HTTPException(404, "There is no such chart.")
        if self.query.params.get("as") == "svg":
            period = self.query.period()
            since, until = (moment(at, self.query.zone) for at in (period.since, period.until))
            about = f"{self.query.agent or 'all agents'} · {since} to {until} {self.query.zone.key}"
            return attachment(svg_file(chart, about), f"{chart.id}.svg", "image/svg+xml")
        return attachment(chart.csv(), f"{chart.id}.csv", "text/csv")

    def redirect(self, page: str, **params: Any) -> Response:
        """Redirect the browser to a page of the agent, after a form was processed."""
        return RedirectResponse(self.query.link(page, **params), 303)


Handler = Callable[[Visit], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """Defines a page: its path, handler, and entry in the navigation.

    With `all_agents`, the page is only for visitors who may see all agents. A page with a `label` is in the navigation;
    its `icon` is an SVG path in a 16 by 16 grid. `static_files` are names of further files in static/ that the page
    loads. `parent` is the path of another page: the navigation highlights the parent, and the page also loads its
    static files.
    """

    path: str
    handle: Handler
    methods: tuple[str, ...] = ("GET",)
    label: str = ""
    icon: str = ""
    parent: str = ""
    all_agents: bool = False
    static_files: tuple[str, ...] = ()

    @property
    def nav_path(self) -> str:
        """The path of the page that the navigation highlights: the parent's, or this page's own if it has no parent."""
        return self.parent or self.path


def attachment(content: str | bytes, name: str, media_type: str) -> Response:
    """Return a response that the browser saves as a file with this name."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
