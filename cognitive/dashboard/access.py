"""Who may look: a token in a cookie that no script can read, and forms that only our own pages can send."""

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
FORM_COOKIE = "cognitive_form"  # the cookie that a form must repeat
_DAYS = 30 * 86_400  # seconds a browser keeps the token; one that is revoked is refused before
_NAME = 32  # bytes
_MAX_WRITTEN = 4 * MAX_CONTENT_LENGTH  # bytes of one field: a memory may be as long in any language
_ENCODING = "application/x-www-form-urlencoded"


class Visitor(Protocol):
    """Who looks; `agent` None may look at all."""

    @property
    def id(self) -> str:
        """How what they do is signed; nothing secret."""

    @property
    def agent(self) -> str | None:
        """The one agent that is theirs."""

    @property
    def trust(self) -> Trust:
        """The most that what they write is trusted."""

    @property
    def erase(self) -> bool:
        """Whether they may erase what is kept."""

    def may(self, agent_id: str) -> bool:
        """Whether this agent is theirs to look at."""


@dataclass(frozen=True, slots=True)
class AccessControl:
    """How the server that mounts the pages knows its visitors.

    `authenticate` returns the visitor of a token, or of a request that needs none; `is_open` says that none is needed;
    `within_rate_limit` counts a visitor's request, and says whether it is within what its token may ask.
    """

    authenticate: Callable[[Scope, str | None], Visitor | None]
    is_open: Callable[[Scope], bool]
    within_rate_limit: Callable[[Scope, Visitor], Awaitable[bool]]


def find_visitor(request: Request, access: AccessControl) -> Visitor | None:
    """Who looks, None if they have to say so first."""
    return access.authenticate(request.scope, request.cookies.get(TOKEN_COOKIE))


def form_key(request: Request) -> str:
    """What forms of this browser repeat; made when it has none."""
    return request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(_NAME)


async def read_form(request: Request) -> FormData:
    """A form that one of our own pages sent.

    Raises:
        HTTPException: 403, it is from elsewhere; 415, it is written as none of ours is.
    """
    # In parts it would name its own character set, and there are some that take minutes to read a long word.
    if request.headers.get("content-type", _ENCODING).partition(";")[0].strip().lower() != _ENCODING:
        raise HTTPException(415, f"A form is read as {_ENCODING}, and as nothing else.")
    form = await request.form(max_fields=300, max_part_size=_MAX_WRITTEN)
    given, kept = str(form.get("form_key", "")), request.cookies.get(FORM_COOKIE, "")
    if not kept or not hmac.compare_digest(given.encode(), kept.encode()) or not _from_here(request):
        raise HTTPException(
            403, "This form was not sent by a page of this dashboard. Go back, reload it and try again."
        )
    return form


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """Sets a cookie that only this server is told, and no script."""
    response.set_cookie(
        name,
        value,
        max_age=_DAYS,
        path=request.scope.get("root_path") or "/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def delete_cookie(request: Request, response: Response, name: str) -> None:
    """Has the browser forget a cookie."""
    response.delete_cookie(name, path=request.scope.get("root_path") or "/", httponly=True, samesite="strict")


def _from_here(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
