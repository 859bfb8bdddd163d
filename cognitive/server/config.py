"""What a server is told: where it listens, who may come in, how much it takes. Each default with its reason."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from brain.types import InputModel, Label
from cognitive.errors import PolicyError
from cognitive.server.tokens import Tokens, default_path

API = "/api/"
PROBES = frozenset({"/healthz", "/readyz"})  # asked by address, and when all places are taken
PUBLIC = PROBES | {"/api/v1/openapi.json"}  # asked without a token
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
ErrorPage = Callable[[Scope, int, str], Response]  # a status and its detail, as a page of a mounted app


@dataclass(frozen=True, slots=True)
class MetricsPage:
    """Numbers for a scraper, and their media type."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class MountedApp:
    """An ASGI app under a path of the server: it is called for callers who were let in, see `auth.caller_of`.

    `lifespan` is entered for as long as the server runs. With a login of its own (`own_login`) it has all paths beneath
    its own, and asks its visitors itself who they are: see `auth.visitor_of`. `error_page` is how its visitors are
    told, on a page, what the server refused before they came to it; without one they are told as programs are.
    """

    path: str
    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[object]] | None = None
    own_login: bool = False
    error_page: ErrorPage | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The app, of whatever kind: a function by itself would be taken for one that answers requests."""
        await self.app(scope, receive, send)


class ServerConfig(InputModel):
    """Keyword-only; unknown names are errors.

    Raises:
        InvalidInput: a value that makes no sense; the message names it.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    host: Label = "127.0.0.1"
    """Address to listen on. Set it where other machines call the server; tokens are needed then."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    """Port to listen on, from 0 to 65,535; 0 takes any that is free."""

    socket: Path | None = None
    """Unix socket to listen on in place of host and port; only its owner can connect."""

    tokens: Path | None = None
    """File of tokens. Without one it is COGNITIVE_TOKEN_FILE, or else tokens.toml in the data directory."""

    allowed_hosts: tuple[Label, ...] = ()
    """Host names by which the server may be called, beside those of loopback and `host`; "*" allows any."""

    allowed_origins: tuple[Label, ...] = ()
    """Origins of web pages that may call, beside the server's own."""

    max_body_bytes: Count = 8_000_000
    """Bytes of one request's body, from 1. The default is twice the longest message in English; what is larger is a
    file, not a message."""

    max_buffered_bytes: Count = 256_000_000
    """Bytes of all bodies on their way, for pages and for the API each, from 1. The default holds 32 of the largest."""

    max_concurrent_requests: Count = 128
    """Requests that run at a time, from 1. A pool of 8 connections serves 128 within about a second."""

    max_streams: Count = 256
    """Requests at a time to mounted apps, from 1; these may stay open."""

    max_pages: Count = 32
    """Pages of the dashboard at a time, from 1; each makes a dozen reads over four connections."""

    max_connections: Count = 512
    """Open connections, from 1. The default is half of the files that a process may have open by default."""

    header_seconds: Seconds = 10.0
    """Seconds for a request's line and headers, above 0, from when it begins."""

    body_seconds: Seconds = 30.0
    """Seconds for a request's body, above 0. The default takes the largest in two megabits a second."""

    auth_failures_per_minute: Count = 60
    """Unknown tokens from one address per minute, from 1. A program that is set up wrongly tries once a second."""

    requests_per_minute: Count = 6_000
    """Requests of a token per minute, from 1; not counted where no token is needed. The default serves a hundred busy
    conversations."""

    request_seconds: Seconds = 60.0
    """Seconds for a request, above 0. A recall may take 15 s, embedding a thousand memories half a minute."""

    grace_seconds: Seconds = 30.0
    """Seconds for requests that run when the server stops, above 0. `post_turn` takes 5 s at most."""

    max_cached_contexts: Count = 1_024
    """Prepared turns that are kept until their outcome comes, from 1, some 60 KB each."""

    metrics: Callable[[str], MetricsPage] | None = None
    """Function that returns the metrics for the header `Accept`; without one there are none."""

    @property
    def local(self) -> bool:
        """Whether only this machine can connect."""
        if self.socket is not None or self.host in LOOPBACK:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which the server may be called, in lower case, without port."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(name.lower() for name in (*LOOPBACK, own, *self.allowed_hosts))

    def known_tokens(self) -> Tokens | None:
        """The tokens that this server knows; None where it is open, since only this machine can connect to it.

        Raises:
            PolicyError: others could connect, or make a page do it, and there are no tokens; or the file of tokens
                cannot be used.
        """
        path = self.tokens or default_path()
        if path.exists():
            return Tokens(path)
        anywhere = "*" in self.allowed_hosts  # any page could have its name rebound to this machine
        if self.local and self.tokens is None and not anywhere:
            return None
        why = "" if self.local else f", and {self.host} can be reached from elsewhere"
        why += ", and the server goes by any name" if anywhere else ""
        raise PolicyError(
            f"there are no tokens in {str(path)!r}{why}. Run `cognitive token create --agent NAME`, or let only this"
            " machine connect: listen on 127.0.0.1 or on a --socket, and name no file of tokens"
        )
