"""Conversion of errors to problem+json responses without secrets of the server, and their description in OpenAPI."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.errors import CognitiveError, InvalidInput
from cognitive.server import response_examples
from cognitive.wire.problems import MEDIA_TYPE, Problem, UnknownToken, http_problem, to_problem

log = logging.getLogger(__name__)

_MAX_ERRORS = 3  # validation errors reported for a request
_MAX_DETAIL_LENGTH = 2_000  # characters, since an error may quote the request's input

API_DESCRIPTION = """A layer that decides before every turn of an LLM agent what its model should see, and learns after
the turn which memories were worth showing. Authenticate with a bearer token, which is for one agent, for one user of an
agent, or for an admin.
Names in paths are percent-encoded. Requests may be repeated without a second effect: turns are identified by `turn_id`,
outcomes by their turn, memories by their content. Only activations of policies need `after` for that."""

_DESCRIPTIONS = {
    400: "Invalid HTTP request",
    401: "Missing or unknown token",
    403: "The token is for another agent or user, or lacks the right",
    404: "No such memory, turn or artifact",
    409: "The policy of this turn is not known",
    413: "The body is too large",
    421: "The Host header is not a name of this server",
    422: "Invalid input; `detail` names the field",
    429: "Too many requests with this token; see Retry-After",
    503: "Postgres is away, or too many requests are running; see Retry-After",
}
_SCHEMA = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": _SCHEMA} for status, text in _DESCRIPTIONS.items()
}


def error_response(error: CognitiveError) -> Response:
    """Return the HTTP response for an error that the memory layer raised."""
    problem, retry = to_problem(error)
    headers = {"Retry-After": str(retry)} if retry is not None else {}
    if isinstance(error, UnknownToken):
        headers["WWW-Authenticate"] = "Bearer"
    return _response(problem, headers)


def http_error_response(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the HTTP response for an error of HTTP itself, such as an unknown path, with a status and the reason."""
    return _response(http_problem(status, HTTPStatus(status).phrase, detail), dict(headers or {}))


def add_error_handlers(app: FastAPI) -> None:
    """Register handlers that make an app respond to every error with problem+json (RFC 9457)."""
    app.add_exception_handler(CognitiveError, _on_cognitive_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_unexpected_error)


def describe_problems(app: FastAPI) -> None:
    """Describe the body of error responses (problem+json, RFC 9457) in the app's OpenAPI description."""
    default_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            components = default_openapi().setdefault("components", {})
            components.setdefault("schemas", {})["Problem"] = TypeAdapter(Problem).json_schema()
            response_examples.add_to(default_openapi())
        return default_openapi()

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the description


async def _on_cognitive_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, CognitiveError)
    response = error_response(error)
    if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s %s: %s: %s", request.method, _template(request), type(error).__name__, error)
    return response


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return error_response(InvalidInput(_messages(error.errors())))


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return http_error_response(error.status_code, str(error.detail), error.headers)


async def _on_unexpected_error(request: Request, error: Exception) -> Response:
    return error_response(CognitiveError(type(error).__name__))  # Starlette re-raises it, and uvicorn logs it


def _messages(errors: Sequence[Any]) -> str:
    """Return the first validation errors as text, such as "query.limit: Input should be at most 200"."""
    return "; ".join(
        f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}" for error in errors[:_MAX_ERRORS]
    )


def _response(problem: Problem, headers: dict[str, str]) -> Response:
    problem = Problem(problem.type, problem.title, problem.status, problem.detail[:_MAX_DETAIL_LENGTH])
    return Response(to_json(problem), problem.status, headers, media_type=MEDIA_TYPE)


def _template(request: Request) -> str:
    """Return the path template of a request's route for the log, since the path itself names agents and sessions."""
    return getattr(request.scope.get("route"), "path", "")
