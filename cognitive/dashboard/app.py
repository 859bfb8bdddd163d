"""The dashboard as an ASGI app: access control, routes of all pages, sign-in and error pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Scope

from brain.analytics.turns import TurnAnalytics
from brain.postgres.reading import current_lag, measured_lag
from cognitive.dashboard import (
    agent_list,
    all_agents,
    catalog,
    conversation,
    health,
    list_files,
    memories,
    memory,
    memory_forms,
    overview,
    policies,
    policy_forms,
    policy_version,
    replay_view,
    state,
    turn_detail,
    turns,
    users,
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
from cognitive.dashboard.slow_pages import SlowPages, without_key
from cognitive.errors import CognitiveError, InvalidInput, SchemaError, StoreUnavailable
from cognitive.layer import CognitiveLayer
from cognitive.validation import require_label

log = logging.getLogger(__name__)

PAGES: tuple[PageRoute, ...] = (  # in the order of the navigation
    *all_agents.PAGES,
    *agent_list.PAGES,
    *overview.PAGES,
    *state.PAGES,
    *turns.PAGES,
    *turn_detail.PAGES,
    *conversation.PAGES,
    *list_files.PAGES,
    *replay_view.PAGES,
    *why_not.PAGES,
    *memories.PAGES,
    *memory.PAGES,
    *memory_forms.PAGES,
    *users.PAGES,
    *policies.PAGES,
    *policy_version.PAGES,
    *policy_forms.PAGES,
    *what_if.PAGES,
    *catalog.PAGES,
    *health.PAGES,
)


def create(layer: CognitiveLayer, analytics: TurnAnalytics, access: AccessControl) -> Starlette:
    """Create the dashboard of a layer as an ASGI app, which can be mounted under any path.

    `analytics` reads the data of the pages, and `access` checks visitors.
    """
    handlers = PageHandlers(layer, analytics, access, TemplateRenderer(PAGES), SlowPages())
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
    """Return a function that renders an error (scope, status, text) as a page for URLs outside of the dashboard.

    The pages contain no data of any agent.
    """
    renderer = TemplateRenderer(PAGES)

    def error_page(scope: Scope, status: int, detail: str) -> Response:
        request = Request(scope)
        return renderer.page(
            _problem_template(request),
            request,
            status,
            query=None,
            nav_path="",
            back=_posting_page(request),
            form_key="",
            may_choose=False,
            may_sign_out=False,
            code=status,
            detail=detail,
        )

    return error_page


@dataclass(frozen=True, slots=True)
class PageHandlers:
    """Handles the dashboard's requests: checks access to a page, signs visitors in and out, and renders errors."""

    layer: CognitiveLayer
    analytics: TurnAnalytics
    access: AccessControl
    renderer: TemplateRenderer
    slow_pages: SlowPages

    def handler_of(self, page: PageRoute) -> Callable[[Request], Awaitable[Response]]:
        """Return the request handler for a page's route, which checks access before it calls the page.

        A visitor without a token is redirected to the sign-in page. A visitor who may see only one agent is redirected
        from a page of all agents to the agent's overview, and gets a 403 for another agent's page. Too many requests
        get a 429. Forms are checked here, before the page's own code, so that no page can forget it.

        If a page of the navigation takes longer than a second, a browser gets its frame, which requests the page.
        """

        async def handle(request: Request) -> Response:
            visitor = find_visitor(request, self.access)
            if visitor is None:
                return self._redirect_to_login(request)
            if not await self.access.within_rate_limit(request.scope, visitor):
                raise HTTPException(
                    429, "This token has made too many requests in one minute. Wait a minute and reload."
                )
            agent = request.query_params.get("agent") or visitor.agent
            if page.all_agents:
                if visitor.agent is not None:
                    return _redirect_to_own_agent(request, visitor.agent)
                return await self._answer(page, request, visitor, "")
            if agent is None:
                return RedirectResponse(_home(request), 303)
            if not visitor.may(require_label("agent", agent)):
                raise HTTPException(403, "Your token gives no access to this agent.")
            return await self._answer(page, request, visitor, agent)

        return handle

    async def _answer(self, page: PageRoute, request: Request, visitor: Visitor, agent: str) -> Response:
        """Call a page for a visitor who may see it."""

        def render(template: str, query: PageQuery, **values: Any) -> Response:
            return self._page(request, template, query, nav_path=page.nav_path, **values)

        def frame(address: str) -> Response:
            return render("slow.html", _page_query(request, agent), address=address)

        with measured_lag():
            form = await read_form(request) if request.method == "POST" else FormData()
            query = _page_query(request, agent, operator=visitor.operator)
            visit = Visit(request, visitor, query, self.layer, self.analytics, render, form)
            if not page.label:
                return await page.handle(visit)
            return await self.slow_pages.answer(request, visitor, lambda: page.handle(visit), frame)

    async def login(self, request: Request) -> Response:
        """Show the sign-in form; after a valid token is posted, store it in a cookie and go to the requested page."""
        if self.access.is_open(request.scope) or (request.method == "GET" and find_visitor(request, self.access)):
            return RedirectResponse(_home(request), 303)
        wrong, page = False, request.query_params.get("page", "")
        if request.method == "POST":
            form = await read_form(request)
            token, page = str(form.get("token", "")).strip(), str(form.get("page", ""))
            if self.access.authenticate(request.scope, token) is not None:
                answer: Response = RedirectResponse(_page_of_dashboard(request, page), 303)
                set_cookie(request, answer, TOKEN_COOKIE, token)
                return answer
            wrong = True
        return self._page(request, "login.html", None, status=401 if wrong else 200, wrong=wrong, page=page)

    async def logout(self, request: Request) -> Response:
        """Delete the cookie that holds the token, and redirect to the sign-in page."""
        await read_form(request)
        answer = RedirectResponse(f"{_base(request)}/login", 303)
        delete_cookie(request, answer, TOKEN_COOKIE)
        return answer

    async def http_error(self, request: Request, error: Exception) -> Response:
        """Render an HTTPException as an error page with its status."""
        assert isinstance(error, HTTPException)
        return self._problem(request, error.status_code, error.detail)

    async def layer_error(self, request: Request, error: Exception) -> Response:
        """Render an error of the layer as a page: 422 for invalid input, 503 without Postgres or a role, else 500."""
        if isinstance(error, InvalidInput):
            return self._problem(request, 422, str(error))
        log.warning("%s: %s: %s", request.url.path, type(error).__name__, error)
        if isinstance(error, SchemaError):  # says what to run, for example to grant the role for all users
            return self._problem(request, 503, str(error))
        if isinstance(error, StoreUnavailable):
            return self._problem(
                request, 503, "Postgres does not answer. Agents continue without memory. Reload in a minute."
            )
        return self._problem(request, 500, f"{type(error).__name__}. See the server's log for details.")

    def _problem(self, request: Request, status: int, detail: str) -> Response:
        query = _page_query(request, request.query_params.get("agent", ""))
        back = _posting_page(request)
        return self._page(
            request, _problem_template(request), query, status=status, detail=detail, code=status, back=back
        )

    def _redirect_to_login(self, request: Request) -> Response:
        """Redirect to the sign-in page. For a request by htmx, a header makes the browser redirect the whole page."""
        to = f"{_base(request)}/login"
        if request.headers.get("hx-request"):
            return Response(headers={"HX-Redirect": to})
        path = request.url.path.removeprefix(_base(request))
        wanted = f"{path}?{request.url.query}" if request.url.query else path
        asked = request.method == "GET" and wanted != "/"
        return RedirectResponse(f"{to}?{urlencode({'page': wanted})}" if asked else to, 303)

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
        visitor, key = find_visitor(request, self.access), form_key(request)
        response = self.renderer.page(
            template,
            request,
            status,
            query=query,
            nav_path=nav_path,
            form_key=key,
            may_choose=visitor is not None and visitor.agent is None,
            may_sign_out=visitor is not None and not self.access.is_open(request.scope),
            lag_seconds=current_lag(),
            **values,
        )
        if request.cookies.get(FORM_COOKIE) != key:
            set_cookie(request, response, FORM_COOKIE, key)
        return response


def _redirect_to_own_agent(request: Request, agent: str) -> Response:
    return RedirectResponse(_page_query(request, agent).link("overview"), 303)


def _page_query(request: Request, agent: str, *, operator: bool = False) -> PageQuery:
    local, params = zone(request.cookies.get("zone")), without_key(request.query_params)
    return PageQuery(agent, datetime.now(UTC), local, _base(request), params, operator)


def _problem_template(request: Request) -> str:
    """Return the template for an error: a whole page, or a notice if htmx requested only a part of a page."""
    return "_problem.html" if request.headers.get("hx-request") else "problem.html"


def _base(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _page_of_dashboard(request: Request, page: str) -> str:
    """Return the URL of a page to go to after signing in: a path below the dashboard, else the first page."""
    parts = urlsplit(page)
    safe = page.startswith("/") and not page.startswith("//") and not (parts.scheme or parts.netloc)
    return f"{_base(request)}{page}" if safe and "\\" not in page and page.isprintable() else _home(request)


def _posting_page(request: Request) -> str:
    """Return the URL of the page whose form was posted, by the browser's Referer header; "" if it is not known."""
    page = urlsplit(request.headers.get("referer", ""))
    if request.method != "POST" or page.netloc != request.headers.get("host"):
        return ""
    path = page.path.removeprefix(_base(request))
    return _page_of_dashboard(request, f"{path}?{page.query}" if page.query else path)


def _home(request: Request) -> str:
    return f"{_base(request)}/"
