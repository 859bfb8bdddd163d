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
from cognitive.dashboard.params import Asked
from cognitive.layer import CognitiveLayer


@dataclass(frozen=True, slots=True)
class Visit:
    """A request that was let in: by whom, what it asks for, what its page may use.

    `form` is what it posts, empty where it posts nothing; one that no page of ours sent was refused before.
    """

    request: Request
    who: Visitor
    asked: Asked
    layer: CognitiveLayer
    figures: TurnAnalytics
    written: Callable[..., Response]
    form: FormData = field(default_factory=FormData)

    def page(self, template: str, *, status: int = 200, **told: Any) -> Response:
        """A template's page; what is told it finds by its names, beside `asked`."""
        return self.written(template, self.asked, status=status, **told)

    def part(self, part: str, title: str, told: Any, *, unlike: str = "", **more: Any) -> Response:
        """A part of a page for a script that asked for it; for a browser that runs none, a page of its own."""
        template = f"_{part}.html" if self.request.headers.get("hx-request") else "part.html"
        return self.page(template, part=f"_{part}.html", title=title, told=told, unlike=unlike, **more)

    def chart(self, chart: charts.Chart) -> Response:
        """A chart's numbers as CSV, or the chart as SVG, to keep."""
        if self.asked.params.get("as") == "svg":
            return attachment(charts.saved(charts.line(chart)), f"{chart.id}.svg", "image/svg+xml")
        return attachment(chart.csv(), f"{chart.id}.csv", "text/csv")

    def to(self, page: str, **wanted: Any) -> Response:
        """Sends a browser that posted a form to another page of the agent."""
        return RedirectResponse(self.asked.link(page, **wanted), 303)


Handler = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of one agent, for those who may look at it; with `across`, one of all agents, for those who may see all.

    With a `label` the navigation leads there; the `icon` is a path within 16 by 16. `under` is the path of the page
    whose place in the navigation it shares, "" for its own; with the place it shares the `files`, of those in static/
    what that page has beside what all have.
    """

    path: str
    handle: Handler
    methods: tuple[str, ...] = ("GET",)
    label: str = ""
    icon: str = ""
    under: str = ""
    across: bool = False
    files: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The path that the navigation marks while this page is shown."""
        return self.under or self.path


def attachment(content: str | bytes, name: str, media_type: str) -> Response:
    """A file to keep."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
