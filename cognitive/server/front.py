"""The pages at `/`, which describes the server and leads to the dashboard, and at `/docs`, which lists the API.

The latter is made from the OpenAPI description. It needs no script and no style.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

Schema = Mapping[str, Any]

API_ROOT, DOCS = "/api/v1", "/docs"
_DASHBOARD = "/ui/"
_CODE = re.compile(r"`([^`]+)`")
_TITLES = ("field", "type", "", "meaning")

router = APIRouter(include_in_schema=False)


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
    return HTMLResponse(page(request.app.openapi()))


def page(description: Mapping[str, Any]) -> str:
    """Return the page of an OpenAPI description: its routes by group, with examples, and the fields of its schemas."""
    title = escape(f"{description['info']['title']} {description['info']['version']}")
    schemas = description.get("components", {}).get("schemas", {})
    return "\n".join(
        (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>',
            _text(description["info"].get("description", "")),
            '<p><a href="/api/v1/openapi.json">The same as OpenAPI (JSON)</a>, <a href="#schemas">schemas</a></p>',
            *_routes(description["paths"], schemas),
            '<h2 id="schemas">Schemas</h2>',
            *(_schema(name, schema) for name, schema in sorted(schemas.items())),
            "</html>",
        )
    )


def _routes(paths: Mapping[str, Any], schemas: Mapping[str, Schema]) -> Iterator[str]:
    group = ""
    for path, methods in paths.items():
        for method, route in methods.items():
            tag = next(iter(route.get("tags", ())), "server")
            if tag != group:
                group = tag
                yield f"<h2>{escape(tag)}</h2>"
            yield f"<h3><code>{method.upper()} {escape(path)}</code></h3>{_text(route.get('description', ''))}"
            yield f"<ul>{''.join(f'<li>{each}</li>' for each in _contents(route))}</ul>"
            yield from _examples(route, schemas)


def _contents(route: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parameters, the body and the response of a route."""
    for each in route.get("parameters", ()):
        need = "required" if each.get("required") else "optional"
        meaning = _inline(each.get("description", ""))
        yield f"{escape(each['in'])}: <code>{escape(each['name'])}</code>, {need}. {meaning}"
    for content in route.get("requestBody", {}).get("content", {}).values():
        yield f"body: {_type(content.get('schema', {}))}"
    for status, answer in route.get("responses", {}).items():
        for content in answer.get("content", {}).values():
            if status.startswith("2"):
                yield f"response {status}: {_type(content.get('schema', {}))}"


def _examples(route: Mapping[str, Any], schemas: Mapping[str, Schema]) -> Iterator[str]:
    """Yield an example of the route's body and one of its response, as far as the description has them."""
    for content in route.get("requestBody", {}).get("content", {}).values():
        schema = content.get("schema", {})
        for example in schemas.get(_referenced(schema), schema).get("examples", ())[:1]:
            yield f"<p>Example of a body:</p><pre>{_json(example)}</pre>"
    for answer in route.get("responses", {}).values():
        for content in answer.get("content", {}).values():
            if "example" in content:
                body = _json(content["example"])
                yield f"<details><summary>Example of a response</summary><pre>{body}</pre></details>"


def _json(value: Any) -> str:
    return escape(json.dumps(value, indent=2, ensure_ascii=False))


def _schema(name: str, schema: Schema) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code><td>{_type(value)}<td>{_need(field in required, value)}"
        f"<td>{_inline(value.get('description', ''))}"
        for field, value in schema.get("properties", {}).items()
    )
    head = "".join(f"<th>{each}" for each in _TITLES)
    fields = f"<table><tr>{head}{rows}</table>" if rows else f"<p>{_type(schema)}</p>"
    return f'<h3 id="{escape(name)}">{escape(name)}</h3>{_text(schema.get("description", ""))}{fields}'


def _need(required: bool, schema: Schema) -> str:
    if required:
        return "required"
    return f"default {escape(json.dumps(schema['default'], ensure_ascii=False))}" if "default" in schema else "optional"


def _type(schema: Schema) -> str:
    """Return the type of a value as HTML, with a link to each schema that it names."""
    if name := _referenced(schema):
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_type(each) for each in options)
    if "enum" in schema or "const" in schema:
        return " or ".join(escape(json.dumps(each)) for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}]"
    return escape(str(schema.get("format") or schema.get("type", "JSON")))


def _referenced(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _text(text: str) -> str:
    """Return a text as HTML, by paragraphs. One with indented lines, such as a list of attributes, keeps its lines."""
    paragraphs = [each for each in text.split("\n\n") if each.strip()]
    return "".join(f"<pre>{_inline(each)}</pre>" if "\n " in each else f"<p>{_inline(each)}</p>" for each in paragraphs)


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))
