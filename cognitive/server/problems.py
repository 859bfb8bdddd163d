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
from cognitive.wire.problems import MEDIA_TYPE, Problem, UnknownToken, http_problem, to_problem

log = logging.getLogger(__name__)

_MAX_ERRORS = 3  # complaints of one request
_MAX_DETAIL_LENGTH = 2_000  # characters: what is wrong may quote what was sent

API_DESCRIPTION = """Decides before every turn of an LLM agent what its model should see, and learns after it what was
worth showing. A bearer token is for one agent or for an admin; names in paths are percent-encoded. Requests are safe to
repeat: a turn by its `turn_id`, an outcome by its turn, memories by what they say."""

_DESCRIPTIONS = {
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
    status: {"description": said, "content": _SCHEMA} for status, said in _DESCRIPTIONS.items()
}


def error_response(error: CognitiveError) -> Response:
    """The answer to a request that failed with an error of the layer's."""
    problem, retry = to_problem(error)
    headers = {"Retry-After": str(retry)} if retry is not None else {}
    if isinstance(error, UnknownToken):
        headers["WWW-Authenticate"] = "Bearer"
    return _response(problem, headers)


def http_error_response(status: int, because: str) -> Response:
    """The answer to a request that HTTP itself has a word for."""
    return _response(http_problem(status, HTTPStatus(status).phrase, because), {})


def add_error_handlers(app: FastAPI) -> None:
    """Has an app answer every error with a problem."""
    app.add_exception_handler(CognitiveError, _on_cognitive_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_unexpected_error)


def describe_problems(app: FastAPI) -> None:
    """Has an app describe the problems that its routes name, and how a caller says who it is."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            components = made().setdefault("components", {})
            components.setdefault("schemas", {})["Problem"] = TypeAdapter(Problem).json_schema()
        return made()

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents


async def _on_cognitive_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, CognitiveError)
    answered = error_response(error)
    if answered.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s %s: %s: %s", request.method, _template(request), type(error).__name__, error)
    return answered


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return error_response(InvalidInput(_messages(error.errors())))


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    return _response(http_problem(error.status_code, title, str(error.detail)), dict(error.headers or {}))


async def _on_unexpected_error(request: Request, error: Exception) -> Response:
    return error_response(CognitiveError(type(error).__name__))  # the server's own log has the trace


def _messages(errors: Sequence[Any]) -> str:
    """The first few, each with where it is: "query.limit: Input should be less than or equal to 200"."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in errors[:_MAX_ERRORS]
    )


def _response(problem: Problem, headers: dict[str, str]) -> Response:
    problem = Problem(problem.type, problem.title, problem.status, problem.detail[:_MAX_DETAIL_LENGTH])
    return Response(to_json(problem), problem.status, headers, media_type=MEDIA_TYPE)


def _template(request: Request) -> str:
    """The path of a route and not of a request: names of agents and sessions are not the log's business."""
    return getattr(request.scope.get("route"), "path", "")
