"""How requests are read: names in paths may hold any character, and JSON is read strictly and to a bounded depth."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from cognitive.layer import CognitiveLayer
from cognitive.server.config import API
from cognitive.server.context_cache import ContextCache


class _Name(Convertor[str]):
    """A part of a path, as it was before it was percent-encoded: a name with a slash in it is one part."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("name", _Name())


class RawPaths:
    """Has the API routed by the path as it was sent, still encoded: "%2F" within a name is not where a part ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI app."""
        raw = scope.get("raw_path")
        if scope["type"] == "http" and raw and scope["path"].startswith(API):
            scope = {**scope, "path": raw.decode("latin-1")}
        await self._app(scope, receive, send)


class _StrictRequest(Request):
    async def json(self) -> Any:
        """The body; too deep, infinite and half characters are refused here, and not by what would come upon them."""
        if not hasattr(self, "_json"):
            self._json = _read(await self.body())
        return self._json


class StrictRoute(APIRoute):
    """A route that reads JSON strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, given a strict request."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            strict = _StrictRequest(request.scope, request.receive)
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


def _read(body: bytes) -> Any:
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise HTTPException(422, f"body: not JSON that can be read: {error}") from None
