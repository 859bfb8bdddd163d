"""Errors as they cross HTTP: a row each, read by the server to answer and by the client to raise the same error."""

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
    """No token, an unknown one, or one of another agent."""


class UnknownToken(NotAllowed):
    """A request without a token, or with one that this server does not have."""


class Busy(StoreUnavailable):
    """More requests than the server takes, or one that took too long. The same call may go through later."""


class TooMany(Busy):
    """More requests in a short time than this token may make."""


class TooLarge(InvalidInput):
    """A request larger than the server reads."""


@dataclass(frozen=True, slots=True)
class ProblemType:
    """How an error is reported: `retry_after` are the seconds after which to try again, None where that makes no sense.

    `detail` stands in place of the error's own words where these name hosts, files or statements of the server's side.
    """

    status: int
    title: str
    retry_after: int | None = None
    detail: str | None = None


_RETRY_LATER = "The same call may go through later."

# the most special class of an error that has a row here says how it is told
PROBLEM_TYPES: Mapping[type[CognitiveError], ProblemType] = MappingProxyType(
    {
        UnknownMemory: ProblemType(404, "No such memory"),
        UnknownTurn: ProblemType(404, "No such turn"),
        UnknownArtifact: ProblemType(404, "No such artifact"),
        TooLarge: ProblemType(413, "Too large"),
        InvalidInput: ProblemType(422, "Invalid input"),
        PolicyError: ProblemType(409, "The policy of this turn is not known"),
        UnknownToken: ProblemType(401, "A token is needed"),
        NotAllowed: ProblemType(403, "Not allowed"),
        TooMany: ProblemType(429, "Too many requests", 1),
        Busy: ProblemType(503, "Busy", 1),
        StoreUnavailable: ProblemType(503, "Postgres is away", 1, f"Postgres does not answer. {_RETRY_LATER}"),
        SchemaError: ProblemType(503, "The database is not ready", 30, "The database lacks what this version needs."),
        EmbeddedServerError: ProblemType(503, "Postgres is away", 30, "The bundled Postgres does not answer."),
        JournalError: ProblemType(
            503, "Not safe", 5, "Postgres is away and the journal cannot be written: nothing was kept."
        ),
        EmbeddingError: ProblemType(
            503, "No embedding", 5, f"The text could not be turned into a vector. {_RETRY_LATER}"
        ),
        StoreError: ProblemType(
            500, "Postgres refused", None, "Postgres refused what was asked; the server's log says why."
        ),
        CognitiveError: ProblemType(500, "Failed", None, "The server's log says why."),
    }
)
# what stands before a server, and knows nothing of it, says
_BY_STATUS: Mapping[int, type[CognitiveError]] = {401: UnknownToken, 403: NotAllowed, 413: TooLarge, 429: TooMany}
_BY_NAME: Mapping[str, type[CognitiveError]] = {error.__name__: error for error in PROBLEM_TYPES}


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong (RFC 9457). `type` ends in the name of the error's class; `detail` names the culprit."""

    type: Annotated[str, Field(examples=[f"{_PREFIX}InvalidInput"])]
    title: Annotated[str, Field(examples=["Invalid input"])]
    status: Annotated[int, Field(examples=[422])]
    detail: Annotated[str, Field(examples=["TurnBody: text: Field required"])]


def problem_type_of(error: type[CognitiveError]) -> tuple[type[CognitiveError], ProblemType]:
    """The row of an error, and the class that it is of."""
    return next((own, PROBLEM_TYPES[own]) for own in error.__mro__ if own in PROBLEM_TYPES)


def to_problem(error: CognitiveError) -> tuple[Problem, int | None]:
    """An error as it crosses, and after how many seconds it makes sense to try again."""
    own, row = problem_type_of(type(error))
    return Problem(f"{_PREFIX}{own.__name__}", row.title, row.status, row.detail or str(error)), row.retry_after


def http_problem(status: int, title: str, detail: str) -> Problem:
    """A problem that is not one of the layer's: what HTTP itself knows, such as a path that there is not."""
    return Problem("about:blank", title, status, detail)


def to_error(problem: Problem) -> CognitiveError:
    """The error that a problem tells of; where it names none that is known, the one of its status."""
    name = problem.type.removeprefix(_PREFIX)
    return _BY_NAME.get(name, _by_status(problem.status))(problem.detail)


def _by_status(status: int) -> type[CognitiveError]:
    return _BY_STATUS.get(status, StoreUnavailable if status >= 500 else InvalidInput)
