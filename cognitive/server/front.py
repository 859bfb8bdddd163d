"""The pages at `/`, which describes the server and leads to the dashboard, and at `/docs`, which lists the API."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from cognitive.server import api_page

router = APIRouter(include_in_schema=False)

API_ROOT, DOCS = "/api/v1", "/docs"
_DASHBOARD = "/ui/"


@router.get("/")
async def front(request: Request) -> Response:
    """Redirect a browser to the dashboard; describe the server to any other client."""
    app: FastAPI = request.app
    paths = {getattr(route, "path", "") for route in app.routes}
    if "text/html" in request.headers.get("accept", "") and "/ui" in paths:
        return RedirectResponse(_DASHBOARD)
    links = {
        "api": API_ROOT,
        "openapi": app.openapi_url,
        "docs": DOCS,
        **({"dashboard": _DASHBOARD} if "/ui" in paths else {}),
        **({"mcp": "/mcp"} if "/mcp" in paths else {}),
        "health": "/healthz",
    }
    return JSONResponse({"name": "cognitive-layer", "version": version("cognitive-layer"), "links": links})


@router.get(API_ROOT)
async def api_root() -> Response:
    """Redirect to the page that lists the API."""
    return RedirectResponse(DOCS)


@router.get(DOCS)
async def docs(request: Request) -> Response:
    """Return a page with every route of the API, examples of bodies, and the fields of every schema."""
    return HTMLResponse(api_page.page(request.app.openapi()))
