"""The pages at `/`, which describes the server and leads to the dashboard, and at `/docs`, which lists the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

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
    """Return a page with every route of the API: its parameters, body, response and description."""
    return HTMLResponse(_page(request.app.openapi()))


def _page(description: Mapping[str, Any]) -> str:
    title = f"{description['info']['title']} {description['info']['version']}"
    return "\n".join(
        (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>',
            f"<h1>{escape(title)}</h1><p>{escape(description['info'].get('description', ''))}</p>",
            '<p><a href="/api/v1/openapi.json">The same as OpenAPI (JSON)</a></p>',
            *_routes(description),
            "</html>",
        )
    )


def _routes(description: Mapping[str, Any]) -> Iterator[str]:
    group = ""
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            tag = next(iter(route.get("tags", ())), "server")
            if tag != group:
                group = tag
                yield f"<h2>{escape(tag)}</h2>"
            yield f"<h3><code>{method.upper()} {escape(path)}</code></h3><p>{escape(route.get('description', ''))}</p>"
            yield f"<ul>{''.join(f'<li>{each}</li>' for each in _fields(route))}</ul>"


def _fields(route: Mapping[str, Any]) -> Iterator[str]:
    for each in route.get("parameters", ()):
        need = "required" if each.get("required") else "optional"
        yield f"{escape(each['in'])}: <code>{escape(each['name'])}</code>, {need}"
    for content in route.get("requestBody", {}).get("content", {}).values():
        yield f"body: <code>{escape(_name(content.get('schema', {})))}</code>"
    for status, answer in route.get("responses", {}).items():
        for content in answer.get("content", {}).values():
            if status.startswith("2"):
                yield f"response {status}: <code>{escape(_name(content.get('schema', {})))}</code>"


def _name(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"[{_name(schema.get('items', {}))}]"
    options = [_name(each) for each in schema.get("anyOf", ())]
    return " or ".join(options) if options else str(schema.get("type", "JSON"))
