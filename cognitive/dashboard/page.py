"""What a page is: a row that says where it is, what answers it, and what leads to it; and what its handler is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from brain.analytics.turns import TurnAnalytics
from cognitive.dashboard import charts
from cognitive.dashboard.access import Visitor
from cognitive.dashboard.params import PageQuery
from cognitive.layer import CognitiveLayer


@dataclass(frozen=True, slots=True)
class Visit:
    """A request that was let in: by whom, what it asks for, what its page may use.

    `form` is what it posts, empty where it posts nothing; one that no page of ours sent was refused before.
    """

    request: Request
    visitor: Visitor
    query: PageQuery
    layer: CognitiveLayer
    analytics: TurnAnalytics
    render: Callable[..., Response]
    form: FormData = field(default_factory=FormData)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A template's page; what is told it finds by its names, beside `query`."""
        return self.render(template, self.query, status=status, **values)

    def part(self, part: str, title: str, data: Any, *, error: str = "", **more: Any) -> Response:
        """A part of a page for a script that asked for it; for a browser that runs none, a page of its own."""
        template = f"_{part}.html" if self.request.headers.get("hx-request") else "part.html"
        return self.page(template, part=f"_{part}.html", title=title, data=data, error=error, **more)

    def chart(self, chart: charts.Chart) -> Response:
        """A chart's numbers as CSV, or the chart as SVG, to keep."""
        if self.query.params.get("as") == "svg":
            return attachment(charts.svg_file(charts.line_chart(chart)), f"{chart.id}.svg", "image/svg+xml")
        return attachment(chart.csv(), f"{chart.id}.csv", "text/csv")

    def redirect(self, page: str, **wanted: Any) -> Response:
        """Sends a browser that posted a form to another page of the agent."""
        return RedirectResponse(self.query.link(page, **wanted), 303)


Handler = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page of one agent; with `all_agents`, a page of all agents, for visitors who may see all of them.

    With a `label` the navigation leads there; the `icon` is a path within 16 by 16. `parent` is the path of the page
    whose place in the navigation it shares, "" for its own; with the place it shares the `static_files`: the names of
    further files in static/ that the page loads.
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
        """The path that the navigation marks while this page is shown."""
        return self.parent or self.path


def attachment(content: str | bytes, name: str, media_type: str) -> Response:
    """A file to keep."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
