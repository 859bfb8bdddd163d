"""Errors as problem+json, which names the culprit and no secret of the server; and their description in OpenAPI."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.errors import CognitiveError, InvalidInput
from cognitive.wire.problems import MEDIA_TYPE, Problem, UnknownToken, plain, told

log = logging.getLogger(__name__)

_MAX_TOLD = 3  # complaints of one request
_MAX_TOLD_LENGTH = 2_000  # characters: what is wrong may quote what was sent

ABOUT = """Decides before every turn of an LLM agent what its model should see, and learns after it what was worth
showing. A bearer token is for one agent or for an admin; names in paths are percent-encoded. Requests are safe to
repeat: a turn by its `turn_id`, an outcome by its turn, memories by what they say."""

_SAID = {
    400: "Not HTTP that can be read",
    401: "No token, or an unknown one",
    403: "A token of another agent",
    404: "No such memory, turn or artifact",
    409: "The policy of this turn is not known",
    413: "A body that is too large",
    421: "A name that this server does not go by",
    422: "Invalid input; `detail` names the field",
    429: "Too many requests with this token; see Retry-After",
    503: "Postgres is away, or too many requests are running; see Retry-After",
}
_SCHEMA = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": said, "content": _SCHEMA} for status, said in _SAID.items()
}


def answer(error: CognitiveError) -> Response:
    """The answer to a request that failed with an error of the layer's."""
    problem, retry = told(error)
    headers = {"Retry-After": str(retry)} if retry is not None else {}
    if isinstance(error, UnknownToken):
        headers["WWW-Authenticate"] = "Bearer"
    return _response(problem, headers)


def refused(status: int, because: str) -> Response:
    """The answer to a request that HTTP itself has a word for."""
    return _response(plain(status, HTTPStatus(status).phrase, because), {})


def handle(app: FastAPI) -> None:
    """Has an app answer every error with a problem."""
    app.add_exception_handler(CognitiveError, _ours)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _defect)


def describe(app: FastAPI) -> None:
    """Has an app describe the problems that its routes name, and how a caller says who it is."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            components = made().setdefault("components", {})
            components.setdefault("schemas", {})["Problem"] = TypeAdapter(Problem).json_schema()
        return made()

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, CognitiveError)
    answered = answer(error)
    if answered.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s %s: %s: %s", request.method, _template(request), type(error).__name__, error)
    return answered


async def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return answer(InvalidInput(_complaints(error.errors())))


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    return _response(plain(error.status_code, title, str(error.detail)), dict(error.headers or {}))


async def _defect(request: Request, error: Exception) -> Response:
    return answer(CognitiveError(type(error).__name__))  # the server's own log has the trace


def _complaints(errors: Sequence[Any]) -> str:
    """The first few, each with where it is: "query.limit: Input should be less than or equal to 200"."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in errors[:_MAX_TOLD]
    )


def _response(problem: Problem, headers: dict[str, str]) -> Response:
    problem = Problem(problem.type, problem.title, problem.status, problem.detail[:_MAX_TOLD_LENGTH])
    return Response(to_json(problem), problem.status, headers, media_type=MEDIA_TYPE)


def _template(request: Request) -> str:
    """The path of a route and not of a request: names of agents and sessions are not the log's business."""
    return getattr(request.scope.get("route"), "path", "")
