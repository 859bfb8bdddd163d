"""The pages as one ASGI app: a door before a table of pages, and what is said when something goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Scope

from brain.analytics.turns import TurnAnalytics
from cognitive.dashboard import (
    all_agents,
    catalog,
    health,
    memories,
    memory,
    memory_forms,
    overview,
    policies,
    policy_forms,
    replay_view,
    turn_detail,
    turns,
    what_if,
    why_not,
)
from cognitive.dashboard.access import (
    FORM_COOKIE,
    TOKEN_COOKIE,
    AccessControl,
    Visitor,
    delete_cookie,
    find_visitor,
    form_key,
    read_form,
    set_cookie,
)
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery, zone
from cognitive.dashboard.rendering import TemplateRenderer, static_files
from cognitive.errors import CognitiveError, InvalidInput, StoreUnavailable
from cognitive.layer import CognitiveLayer
from cognitive.validation import require_label

log = logging.getLogger(__name__)

PAGES: tuple[PageRoute, ...] = (  # in the order of the navigation; a new page is a module, and its rows here
    *all_agents.PAGES,
    *overview.PAGES,
    *turns.PAGES,
    *turn_detail.PAGES,
    *replay_view.PAGES,
    *why_not.PAGES,
    *memories.PAGES,
    *memory.PAGES,
    *memory_forms.PAGES,
    *policies.PAGES,
    *policy_forms.PAGES,
    *what_if.PAGES,
    *catalog.PAGES,
    *health.PAGES,
)


def create(layer: CognitiveLayer, analytics: TurnAnalytics, access: AccessControl) -> Starlette:
    """The pages of a layer, for the visitors that a server lets in. Mounted under any path."""
    handlers = PageHandlers(layer, analytics, access, TemplateRenderer(PAGES))
    app = Starlette(
        routes=[
            Mount("/static", static_files()),
            Route("/login", handlers.login, methods=["GET", "POST"]),
            Route("/logout", handlers.logout, methods=["POST"]),
            *(
                Route(page.path, handlers.handler_of(page), methods=list(page.methods), name=page.path)
                for page in PAGES
            ),
        ],
        exception_handlers={HTTPException: handlers.http_error, CognitiveError: handlers.layer_error},
    )
    app.router.redirect_slashes = False
    return app


def error_pages() -> Callable[[Scope, int, str], Response]:
    """How visitors are told what the server refused before any page was asked; nothing on it is about anybody."""
    renderer = TemplateRenderer(PAGES)

    def error_page(scope: Scope, status: int, detail: str) -> Response:
        request = Request(scope)
        return renderer.page(
            _problem_template(request),
            request,
            status,
            query=None,
            nav_path="",
            form_key="",
            may_choose=False,
            may_sign_out=False,
            code=status,
            detail=detail,
        )

    return error_page


@dataclass(frozen=True, slots=True)
class PageHandlers:
    """Who may see which page, how one signs in and out, and what is said of errors."""

    layer: CognitiveLayer
    analytics: TurnAnalytics
    access: AccessControl
    renderer: TemplateRenderer

    def handler_of(self, page: PageRoute) -> Callable[[Request], Awaitable[Response]]:
        """A page for those who may look; others are sent to the door, to their own agent, or told that they may not.

        A form is read before its handler is called: none can forget to ask whether a page of ours sent it.
        """

        async def handle(request: Request) -> Response:
            who = find_visitor(request, self.access)
            if who is None:
                return self._redirect_to_login(request)
            if not await self.access.within_rate_limit(request.scope, who):
                raise HTTPException(429, "More requests a minute than this token may make. Wait a moment, and reload.")
            agent = request.query_params.get("agent") or who.agent
            if page.all_agents:
                return (
                    await answer(request, who, "") if who.agent is None else _redirect_to_own_agent(request, who.agent)
                )
            if agent is None:
                return RedirectResponse(_home(request), 303)
            if not who.may(require_label("agent", agent)):
                raise HTTPException(403, "Your token is not for this agent.")
            return await answer(request, who, agent)

        async def answer(request: Request, who: Visitor, agent: str) -> Response:
            form = await read_form(request) if request.method == "POST" else FormData()

            def render(template: str, query: PageQuery, **values: Any) -> Response:
                return self._page(request, template, query, nav_path=page.nav_path, **values)

            return await page.handle(
                Visit(request, who, _page_query(request, agent), self.layer, self.analytics, render, form)
            )

        return handle

    async def login(self, request: Request) -> Response:
        """Asks for a token, and keeps the right one in a cookie."""
        if self.access.is_open(request.scope) or (request.method == "GET" and find_visitor(request, self.access)):
            return RedirectResponse(_home(request), 303)
        wrong = False
        if request.method == "POST":
            token = str((await read_form(request)).get("token", "")).strip()
            if self.access.authenticate(request.scope, token) is not None:
                answer: Response = RedirectResponse(_home(request), 303)
                set_cookie(request, answer, TOKEN_COOKIE, token)
                return answer
            wrong = True
        return self._page(request, "login.html", None, status=401 if wrong else 200, wrong=wrong)

    async def logout(self, request: Request) -> Response:
        """Has the browser forget the token."""
        await read_form(request)
        answer = RedirectResponse(f"{_base(request)}/login", 303)
        delete_cookie(request, answer, TOKEN_COOKIE)
        return answer

    async def http_error(self, request: Request, error: Exception) -> Response:
        """What HTTP has a word for."""
        assert isinstance(error, HTTPException)
        return self._problem(request, error.status_code, error.detail)

    async def layer_error(self, request: Request, error: Exception) -> Response:
        """What the layer refused or could not do."""
        if isinstance(error, InvalidInput):
            return self._problem(request, 422, str(error))
        log.warning("%s: %s: %s", request.url.path, type(error).__name__, error)
        if isinstance(error, StoreUnavailable):
            return self._problem(
                request, 503, "Postgres does not answer. Agents go on without memory; reload in a while."
            )
        return self._problem(request, 500, f"{type(error).__name__}: the server's log says more.")

    def _problem(self, request: Request, status: int, detail: str) -> Response:
        query = _page_query(request, request.query_params.get("agent", ""))
        return self._page(request, _problem_template(request), query, status=status, detail=detail, code=status)

    def _redirect_to_login(self, request: Request) -> Response:
        """A part that a page asked for again has the page itself go to the door."""
        to = f"{_base(request)}/login"
        return Response(headers={"HX-Redirect": to}) if request.headers.get("hx-request") else RedirectResponse(to, 303)

    def _page(
        self,
        request: Request,
        template: str,
        query: PageQuery | None,
        *,
        status: int = 200,
        nav_path: str = "",
        **values: Any,
    ) -> Response:
        who, key = find_visitor(request, self.access), form_key(request)
        shown = self.renderer.page(
            template,
            request,
            status,
            query=query,
            nav_path=nav_path,
            form_key=key,
            may_choose=who is not None and who.agent is None,
            may_sign_out=who is not None and not self.access.is_open(request.scope),
            **values,
        )
        if request.cookies.get(FORM_COOKIE) != key:
            set_cookie(request, shown, FORM_COOKIE, key)
        return shown


def _redirect_to_own_agent(request: Request, agent: str) -> Response:
    return RedirectResponse(_page_query(request, agent).link("overview"), 303)


def _page_query(request: Request, agent: str) -> PageQuery:
    return PageQuery(
        agent, datetime.now(UTC), zone(request.cookies.get("zone")), _base(request), dict(request.query_params)
    )


def _problem_template(request: Request) -> str:
    """A page, or what is put into one that asked for a part of itself."""
    return "_problem.html" if request.headers.get("hx-request") else "problem.html"


def _base(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _home(request: Request) -> str:
    return f"{_base(request)}/"
