"""The pages as one ASGI app: a table of routes, each of which reads, makes a view, and has it written."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from brain.figure_rows import Period, Total
from brain.figures import Figures
from cognitive.dashboard import charts, overview, story, turns
from cognitive.dashboard.access import FORM, TOKEN, Door, drop, form_key, keep, submitted, visitor
from cognitive.dashboard.asked import RANGES, Asked, zone
from cognitive.dashboard.writing import STYLE, Writer, statics
from cognitive.errors import CognitiveError, InvalidInput, StoreError, StoreUnavailable
from cognitive.layer import CognitiveLayer
from cognitive.turn import require_label

log = logging.getLogger(__name__)

Page = Callable[[Asked, Request], Awaitable[Response]]


def create(layer: CognitiveLayer, figures: Figures, door: Door) -> Starlette:
    """The pages of a layer, for the visitors that a server lets in. Mounted under any path."""
    pages = Pages(layer, figures, door, Writer())
    of_agent: dict[str, Page] = {
        "/overview": pages.overview, "/live": pages.live, "/latest": pages.latest, "/chart": pages.chart,
        "/kinds.csv": pages.kinds, "/turns": pages.turns, "/turn": pages.turn,
    }  # fmt: skip
    app = Starlette(
        routes=[
            Mount("/static", statics()),
            Route("/", pages.home),
            Route("/login", pages.login, methods=["GET", "POST"]),
            Route("/logout", pages.logout, methods=["POST"]),
            *(Route(path, pages.of_agent(page), name=path[1:]) for path, page in of_agent.items()),
        ],
        exception_handlers={HTTPException: pages.of_http, CognitiveError: pages.went_wrong},
    )
    app.router.redirect_slashes = False
    return app


@dataclass(frozen=True, slots=True)
class Pages:
    """The routes' handlers: thin, what they show is made by the pure functions of the page's own file."""

    layer: CognitiveLayer
    figures: Figures
    door: Door
    writer: Writer

    def of_agent(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A page of one agent, for those who may look at it; others are sent to the door, or told that they may not."""

        async def handle(request: Request) -> Response:
            who = visitor(request, self.door)
            if who is None:
                return self._to_door(request)
            agent = request.query_params.get("agent") or who.agent
            if agent is None:
                return RedirectResponse(_home(request), 303)
            if not who.may(require_label("agent", agent)):
                raise HTTPException(403, "Your token is not for this agent.")
            return await page(_asked(request, agent), request)

        return handle

    async def home(self, request: Request) -> Response:
        """The agents that there are to look at; of one agent's token, its overview."""
        who = visitor(request, self.door)
        if who is None:
            return self._to_door(request)
        if who.agent is not None:
            return RedirectResponse(_asked(request, who.agent).link("overview"), 303)
        asked = _asked(request, "")
        agents, hidden = await self._agents(asked)
        return self._page(request, "agents.html", asked, agents=agents, hidden=hidden)

    async def login(self, request: Request) -> Response:
        """Asks for a token, and keeps the right one in a cookie."""
        if self.door.open(request.scope) or (request.method == "GET" and visitor(request, self.door)):
            return RedirectResponse(_home(request), 303)
        wrong = False
        if request.method == "POST":
            token = str((await submitted(request)).get("token", "")).strip()
            if self.door.known(request.scope, token) is not None:
                answer: Response = RedirectResponse(_home(request), 303)
                keep(request, answer, TOKEN, token)
                return answer
            wrong = True
        return self._page(request, "login.html", None, status=401 if wrong else 200, wrong=wrong)

    async def logout(self, request: Request) -> Response:
        """Has the browser forget the token."""
        await submitted(request)
        answer = RedirectResponse(f"{_base(request)}/login", 303)
        drop(request, answer, TOKEN)
        return answer

    async def overview(self, asked: Asked, request: Request) -> Response:
        """Numbers, charts, tables."""
        shown = overview.view(await overview.read(self.figures, asked.agent, asked.period()), asked)
        return self._page(request, "overview.html", asked, page="overview", view=shown, ranges=RANGES)

    async def live(self, asked: Asked, request: Request) -> Response:
        """The numbers of the overview, which are asked for again while somebody looks."""
        shown = overview.view(await overview.read(self.figures, asked.agent, asked.period()), asked)
        return self._page(request, "_live.html", asked, page="overview", view=shown)

    async def latest(self, asked: Asked, request: Request) -> Response:
        """The latest turns, likewise."""
        rows = (await self.figures.turns(asked.agent, limit=overview.LATEST)).rows
        return self._page(request, "_latest.html", asked, latest=rows)

    async def chart(self, asked: Asked, request: Request) -> Response:
        """A chart's numbers as CSV, or the chart as SVG."""
        shown = overview.charts(await overview.read(self.figures, asked.agent, asked.period()), asked)
        chart = next((chart for chart in shown if chart.id == asked.params.get("id")), None)
        if chart is None:
            raise HTTPException(404, "There is no such chart.")
        if asked.params.get("as") == "svg":
            return _file(charts.saved(charts.line(chart), STYLE), f"{chart.id}.svg", "image/svg+xml")
        return _file(chart.csv(), f"{chart.id}.csv", "text/csv")

    async def kinds(self, asked: Asked, request: Request) -> Response:
        """All values of a kind with their counts, as CSV."""
        by = next((by for by in (*overview.KINDS, "stage") if by == asked.params.get("by")), None)
        if by is None:
            raise HTTPException(404, "There is no such table.")
        totals = await self.figures.totals(asked.agent, asked.period(), by)
        return _file(overview.kinds_csv(by, totals), f"{by}.csv", "text/csv")

    async def turns(self, asked: Asked, request: Request) -> Response:
        """The list of turns."""
        shown = turns.view(*await turns.read(self.figures, asked), asked)
        return self._page(request, "turns.html", asked, page="turns", view=shown)

    async def turn(self, asked: Asked, request: Request) -> Response:
        """One turn."""
        told = await story.read(self.layer, self.figures, asked)
        if told is None:
            raise HTTPException(404, "This agent has no such turn. It was erased, or is another agent's.")
        return self._page(request, "turn.html", asked, page="turns", view=story.view(told, asked))

    async def of_http(self, request: Request, error: Exception) -> Response:
        """What HTTP has a word for."""
        assert isinstance(error, HTTPException)
        return self._problem(request, error.status_code, error.detail)

    async def went_wrong(self, request: Request, error: Exception) -> Response:
        """What the layer refused or could not do."""
        if isinstance(error, InvalidInput):
            return self._problem(request, 422, str(error))
        log.warning("%s: %s: %s", request.url.path, type(error).__name__, error)
        if isinstance(error, StoreUnavailable):
            return self._problem(
                request, 503, "Postgres does not answer. Agents go on without memory; reload in a while."
            )
        return self._problem(request, 500, f"{type(error).__name__}: the server's log says more.")

    async def _agents(self, asked: Asked) -> tuple[list[Total], bool]:
        """The agents, busiest first; and whether the database does not let us know of them."""
        period = Period(asked.now - RANGES["30d"][1], asked.now)
        try:
            return await self.figures.agents(period), False
        except StoreUnavailable:
            raise
        except (StoreError, InvalidInput):  # the role that may see them is not there, or was not granted
            return [], True

    def _problem(self, request: Request, status: int, detail: str) -> Response:
        asked = _asked(request, request.query_params.get("agent", ""))
        return self._page(request, "problem.html", asked, status=status, detail=detail, code=status)

    def _to_door(self, request: Request) -> Response:
        """A part that a page asked for again has the page itself go to the door."""
        to = f"{_base(request)}/login"
        return Response(headers={"HX-Redirect": to}) if request.headers.get("hx-request") else RedirectResponse(to, 303)

    def _page(
        self, request: Request, template: str, asked: Asked | None, *, status: int = 200, **told: Any
    ) -> Response:
        who, key = visitor(request, self.door), form_key(request)
        shown = self.writer.page(
            template, request, status, asked=asked, form_key=key, may_choose=who is not None and who.agent is None,
            may_leave=who is not None and not self.door.open(request.scope), **told,
        )  # fmt: skip
        if request.cookies.get(FORM) != key:
            keep(request, shown, FORM, key)
        return shown


def _asked(request: Request, agent: str) -> Asked:
    return Asked(
        agent, datetime.now(UTC), zone(request.cookies.get("zone")), _base(request), dict(request.query_params)
    )


def _base(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _home(request: Request) -> str:
    return f"{_base(request)}/"


def _file(content: str, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
