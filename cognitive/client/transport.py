"""Send HTTP requests to a memory layer's server. An answer becomes a typed value, and an error an exception."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from brain.types import NewMemory
from brain.users import AllUsers, UserId
from cognitive.errors import CognitiveError, StoreError, StoreUnavailable
from cognitive.wire.models import MAX_MEMORIES
from cognitive.wire.problems import MEDIA_TYPE, Problem, http_problem, to_error

T = TypeVar("T")

_MAX_CHARACTERS = 1_000_000  # of all memories in a request: below the default limit of a server, 8 MB
_FIRST_PAUSE = 0.2  # seconds before the second attempt; multiplied by four for each further one
_MAX_PAUSE = 5.0  # seconds, also if the server's Retry-After is longer


@dataclass(frozen=True, slots=True)
class _FailedRequest:
    """The error of a failed request.

    `retry_after` is the server's Retry-After header in seconds, or None without one.
    """

    error: CognitiveError
    retry_after: float | None = None


class ApiTransport:
    """Sends HTTP requests to one server, and retries them while the server is busy or cannot be reached.

    Retries are safe because all requests are idempotent, except those that activate a policy (see `request_once`).
    """

    def __init__(self, http: httpx.AsyncClient, seconds: float, attempts: int) -> None:
        self._http = http
        self._seconds = seconds
        self._attempts = attempts

    async def request(self, returns: type[T], method: str, *path: str, body: Any = None, query: Any = None) -> T:
        """Send a request, at most `attempts` times, and return the response as a value of the type `returns`.

        `body` becomes JSON; bytes are JSON already.

        Raises:
            CognitiveError: the error that the server reported; StoreUnavailable if the server cannot be reached.
        """
        pause = _FIRST_PAUSE
        for _ in range(self._attempts - 1):
            result = await self._send(returns, method, path, body, query, self._seconds)
            if not isinstance(result, _FailedRequest):
                return result
            if not isinstance(result.error, StoreUnavailable):
                raise result.error
            await asyncio.sleep(min(_MAX_PAUSE, result.retry_after or pause))
            pause *= 4
        return await self.request_once(returns, method, *path, body=body, query=query)

    async def request_once(
        self,
        returns: type[T],
        method: str,
        *path: str,
        body: Any = None,
        query: Any = None,
        seconds: float | None = None,
    ) -> T:
        """Send a request once, without retries, and return the response as a value of the type `returns`.

        `seconds` limits the wait for the response.

        Raises:
            CognitiveError: the error that the server reported; StoreUnavailable if the server cannot be reached.
        """
        result = await self._send(returns, method, path, body, query, seconds or self._seconds)
        if isinstance(result, _FailedRequest):
            raise result.error
        return result

    async def _send(
        self, returns: type[T], method: str, path: tuple[str, ...], body: Any, query: Any, seconds: float
    ) -> T | _FailedRequest:
        url = "/api/v1/" + "/".join(map(_segment, path))
        content = body if body is None or isinstance(body, bytes) else to_json(body)
        headers = {"Content-Type": "application/json"} if content is not None else {}
        try:
            async with asyncio.timeout(seconds):
                answer = await self._http.request(method, url, content=content, headers=headers, params=query)
        except TimeoutError:
            return _FailedRequest(StoreUnavailable(f"the server did not answer within {seconds:g} s"))
        except httpx.TransportError as error:
            reason = f"the server {self._http.base_url} cannot be reached: {error or type(error).__name__}"
            return _FailedRequest(StoreUnavailable(reason))
        return _read(returns, answer) if answer.is_success else _failed_request(answer)


def _segment(part: str) -> str:
    """Return a part of a path percent-encoded. httpx would remove "." and "..", and so name another resource."""
    quoted = quote(part, safe="")
    return quoted.replace(".", "%2E") if quoted in (".", "..") else quoted


def view_query(user_id: UserId) -> dict[str, Any]:
    """Return the query parameters that name the view of a request; none for a call without a user."""
    if user_id is None:
        return {}
    return {"all_users": "true"} if isinstance(user_id, AllUsers) else {"user_id": user_id}


def view_fields(user_id: UserId) -> dict[str, Any]:
    """Return the fields of a body that name the view of a request."""
    return {"all_users": True} if isinstance(user_id, AllUsers) else {"user_id": user_id}


def _read(returns: type[T], answer: httpx.Response) -> T | _FailedRequest:
    of: Any = returns
    try:
        # Python's json instead of pydantic's: outputs of tools may contain half of a surrogate pair
        return _adapter(of).validate_python(answer.json() if answer.content else None)  # type: ignore[no-any-return]
    except ValueError as error:
        return _FailedRequest(StoreError(f"the server's response has another form than this client expects: {error}"))


@lru_cache(maxsize=64)
def _adapter(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def _failed_request(answer: httpx.Response) -> _FailedRequest:
    try:
        body = from_json(answer.content) if answer.headers.get("content-type", "").startswith(MEDIA_TYPE) else None
        problem = _adapter(Problem).validate_python(body)
    except ValueError:  # the response is a proxy's
        problem = http_problem(answer.status_code, answer.reason_phrase, f"HTTP status {answer.status_code}")
    after = answer.headers.get("retry-after", "")
    return _FailedRequest(to_error(problem), float(after) if after.isascii() and after.isdigit() else None)


def portions(memories: Sequence[NewMemory]) -> Iterator[tuple[NewMemory, ...]]:
    """Divide memories into portions that fit into one request each, by number and by total characters."""
    portion, characters = list[NewMemory](), 0
    for memory in memories:
        size = len(memory.content) + len(memory.context)
        if portion and (len(portion) == MAX_MEMORIES or characters + size > _MAX_CHARACTERS):
            yield tuple(portion)
            portion, characters = [], 0
        portion.append(memory)
        characters += size
    if portion:
        yield tuple(portion)
