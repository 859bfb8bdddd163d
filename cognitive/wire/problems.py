"""Errors over HTTP: the server sends an error as a problem (RFC 9457), and the client raises the same error again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from cognitive.errors import (
    CognitiveError,
    EmbeddedServerError,
    EmbeddingError,
    InvalidInput,
    JournalError,
    PolicyError,
    SchemaError,
    StoreError,
    StoreUnavailable,
    UnknownArtifact,
    UnknownMemory,
    UnknownTurn,
)

MEDIA_TYPE = "application/problem+json"
_PREFIX = "urn:cognitive:problem:"


class NotAllowed(CognitiveError):
    """The caller has no right to make a request: it has no valid token, or the token of another agent or user."""


class UnknownToken(NotAllowed):
    """A request has no token, or a token that the server does not know."""


class Busy(StoreUnavailable):
    """The server is at a limit, or a request took too long. A later retry may succeed."""


class TooMany(Busy):
    """A token was used for more requests per minute than the server permits. A later retry may succeed."""


class TooLarge(InvalidInput):
    """The body of a request is larger than the server accepts."""


@dataclass(frozen=True, slots=True)
class ProblemType:
    """The form of an error class over HTTP: the status, the title, and when a client should retry.

    `retry_after` is in seconds, or None if a retry makes no sense. `detail` replaces the error's own message if that
    message could reveal the server's hosts, files or SQL statements.
    """

    status: int
    title: str
    retry_after: int | None = None
    detail: str | None = None


_RETRY_LATER = "Retry later."

# An error whose class is missing here gets the problem type of its nearest base class.
PROBLEM_TYPES: Mapping[type[CognitiveError], ProblemType] = MappingProxyType(
    {
        UnknownMemory: ProblemType(404, "No such memory"),
        UnknownTurn: ProblemType(404, "No such turn"),
        UnknownArtifact: ProblemType(404, "No such artifact"),
        TooLarge: ProblemType(413, "Too large"),
        InvalidInput: ProblemType(422, "Invalid input"),
        PolicyError: ProblemType(409, "The policy of this turn is not known"),
        UnknownToken: ProblemType(401, "A valid token is needed"),
        NotAllowed: ProblemType(403, "Not allowed"),
        TooMany: ProblemType(429, "Too many requests", 1),
        Busy: ProblemType(503, "Busy", 1),
        StoreUnavailable: ProblemType(503, "Postgres is away", 1, f"Postgres does not answer. {_RETRY_LATER}"),
        SchemaError: ProblemType(
            503, "The database is not ready", 30, "The database does not have the schema of this version."
        ),
        EmbeddedServerError: ProblemType(503, "Postgres is away", 30, "The bundled Postgres does not answer."),
        JournalError: ProblemType(
            503, "Not stored", 5, "Postgres is away and the journal cannot be written: nothing was stored."
        ),
        EmbeddingError: ProblemType(503, "Embedding failed", 5, f"The text could not be embedded. {_RETRY_LATER}"),
        StoreError: ProblemType(
            500, "Postgres refused", None, "Postgres refused the request. The server's log has the reason."
        ),
        CognitiveError: ProblemType(500, "Internal error", None, "The server's log has the reason."),
    }
)
# For responses of a proxy, whose body is not a problem.
_BY_STATUS: Mapping[int, type[CognitiveError]] = {401: UnknownToken, 403: NotAllowed, 413: TooLarge, 429: TooMany}
_BY_NAME: Mapping[str, type[CognitiveError]] = {error.__name__: error for error in PROBLEM_TYPES}


@dataclass(frozen=True, slots=True)
class Problem:
    """The body of an error response (RFC 9457).

    `type` ends in the name of the error's class, and `detail` names the cause.
    """

    type: Annotated[str, Field(examples=[f"{_PREFIX}InvalidInput"])]
    title: Annotated[str, Field(examples=["Invalid input"])]
    status: Annotated[int, Field(examples=[422])]
    detail: Annotated[str, Field(examples=["TurnBody: text: Field required"])]


def problem_type_of(error: type[CognitiveError]) -> tuple[type[CognitiveError], ProblemType]:
    """Find the problem type of an error class: its own, or that of its nearest base class that has one.

    Return the class that has the problem type, and the problem type.
    """
    return next((own, PROBLEM_TYPES[own]) for own in error.__mro__ if own in PROBLEM_TYPES)


def to_problem(error: CognitiveError) -> tuple[Problem, int | None]:
    """Convert an error to a problem. Return the problem, and the seconds after which to retry or None."""
    own, row = problem_type_of(type(error))
    return Problem(f"{_PREFIX}{own.__name__}", row.title, row.status, row.detail or str(error)), row.retry_after


def http_problem(status: int, title: str, detail: str) -> Problem:
    """Return a problem for an error of HTTP itself, such as an unknown path, which has no error class in the layer."""
    return Problem("about:blank", title, status, detail)


def to_error(problem: Problem) -> CognitiveError:
    """Convert a problem to the error that the server raised.

    If the client does not know the class of the error, the status determines the class.
    """
    name = problem.type.removeprefix(_PREFIX)
    return _BY_NAME.get(name, _by_status(problem.status))(problem.detail)


def _by_status(status: int) -> type[CognitiveError]:
    return _BY_STATUS.get(status, StoreUnavailable if status >= 500 else InvalidInput)
