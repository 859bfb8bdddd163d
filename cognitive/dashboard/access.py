"""Access to the dashboard: the token in an HttpOnly cookie, and protection of forms against cross-site requests."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from brain.types import MAX_CONTENT_LENGTH, Trust

TOKEN_COOKIE = "cognitive_token"
FORM_COOKIE = "cognitive_form"  # a form must contain the value of this cookie
_COOKIE_SECONDS = 30 * 86_400  # a revoked token is refused even if the cookie is younger
_FORM_KEY_BYTES = 32
_MAX_FIELD_BYTES = 4 * MAX_CONTENT_LENGTH  # the longest memory, with four bytes a character
_ENCODING = "application/x-www-form-urlencoded"


class Visitor(Protocol):
    """The person or program that a token identifies, and what it is allowed to do."""

    @property
    def id(self) -> str:
        """The name under which this visitor's actions are recorded. The name is not secret."""

    @property
    def agent(self) -> str | None:
        """The only agent that the visitor may see, or None if the visitor may see all agents."""

    @property
    def operator(self) -> bool:
        """True if the visitor may see the rows of all users of an agent at once."""

    @property
    def trust(self) -> Trust:
        """The trust level given to memories that the visitor writes."""

    @property
    def erase(self) -> bool:
        """True if the visitor may erase memories."""

    def may(self, agent_id: str) -> bool:
        """Return True if the visitor may see the agent."""


@dataclass(frozen=True, slots=True)
class AccessControl:
    """The access checks of the server that mounts the dashboard.

    `authenticate` takes a request and its token, or None without a token. It returns the visitor, or None if access is
    refused. `is_open` returns True for a request that needs no token. `within_rate_limit` counts a request and returns
    False if the visitor's rate limit is exceeded.
    """

    authenticate: Callable[[Scope, str | None], Visitor | None]
    is_open: Callable[[Scope], bool]
    within_rate_limit: Callable[[Scope, Visitor], Awaitable[bool]]


def find_visitor(request: Request, access: AccessControl) -> Visitor | None:
    """Return the visitor who sent a request, or None if the visitor has to sign in first."""
    return access.authenticate(request.scope, request.cookies.get(TOKEN_COOKIE))


def form_key(request: Request) -> str:
    """Return the key that protects this browser's forms: the value of its cookie, or a new key.

    Every form of the dashboard contains the key, so that forms of other sites can be refused.
    """
    return request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(_FORM_KEY_BYTES)


async def read_form(request: Request) -> FormData:
    """Return the fields of a POST request, after checking that a page of this dashboard sent it.

    Raises:
        HTTPException: 403 if another site sent the form; 415 for another media type.
    """
    # A multipart form could name its character set, and some of them take minutes to decode a long word.
    if request.headers.get("content-type", _ENCODING).partition(";")[0].strip().lower() != _ENCODING:
        raise HTTPException(415, f"Forms must be sent as {_ENCODING}.")
    form = await request.form(max_fields=300, max_part_size=_MAX_FIELD_BYTES)
    form_value, cookie_value = str(form.get("form_key", "")), request.cookies.get(FORM_COOKIE, "")
    same_key = bool(cookie_value) and hmac.compare_digest(form_value.encode(), cookie_value.encode())
    if not same_key or not _is_same_origin(request):
        raise HTTPException(
            403, "This form was not sent by a page of this dashboard. Go back, reload the page and try again."
        )
    return form


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Set a cookie that scripts cannot read and that browsers send only to this server."""
    response.set_cookie(
        name,
        value,
        max_age=_COOKIE_SECONDS,
        path=request.scope.get("root_path") or "/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def delete_cookie(request: Request, response: Response, name: str) -> None:
    """Delete a cookie in the browser."""
    response.delete_cookie(name, path=request.scope.get("root_path") or "/", httponly=True, samesite="strict")


def _is_same_origin(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
