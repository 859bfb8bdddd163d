"""Parsing of requests: names in paths may contain any character, and JSON is parsed strictly with a limited depth."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.server.config import API
from cognitive.server.context_cache import ContextCache


class _Name(Convertor[str]):
    """A path parameter that is percent-decoded after routing, so that a name may contain a slash."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("name", _Name())


class RawPaths:
    """Middleware that routes API requests by the encoded path, so that "%2F" within a name does not end a path part."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the path of an API request by its percent-encoded form, and call the app."""
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw and scope["path"].startswith(API):
            scope = {**scope, "path": raw.decode("latin-1")}
        await self._app(scope, receive, send)


class _StrictRequest(Request):
    async def json(self) -> Any:
        """Parse the body as JSON and return the value.

        JSON that is nested too deeply, or that contains infinity or half of a surrogate pair, is refused.
        """
        if not hasattr(self, "_json"):
            self._json = _read(await self.body())
        return self._json


class StrictRoute(APIRoute):
    """A route that refuses request bodies which are not declared as JSON, or are not strictly valid JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's handler, which is called with a `_StrictRequest`."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            strict = _StrictRequest(request.scope, request.receive)
            if self.body_field is not None and _is_undeclared(request):
                raise InvalidInput("body: send JSON with the header Content-Type: application/json")
            return await handler(strict)

        return handle


def _layer(request: Request) -> CognitiveLayer:
    layer: CognitiveLayer = request.app.state.layer
    return layer


def _contexts(request: Request) -> ContextCache:
    contexts: ContextCache = request.app.state.contexts
    return contexts


Layer = Annotated[CognitiveLayer, Depends(_layer)]
Contexts = Annotated[ContextCache, Depends(_contexts)]


def _is_undeclared(request: Request) -> bool:
    """Return True for a request that has a body and does not declare it as JSON."""
    headers = request.headers
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return has_body and "json" not in headers.get("content-type", "")


def _read(body: bytes) -> Any:
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise HTTPException(422, f"body: is not valid JSON: {error}") from None
