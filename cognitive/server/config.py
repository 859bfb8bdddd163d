"""The configuration of a server: its address, tokens and limits. Each default is given with its reason."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import Field
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from brain.input_model import InputModel
from brain.types import Label
from cognitive.errors import PolicyError
from cognitive.server.tokens import Tokens, default_path

API = "/api/"
PROBES = frozenset({"/healthz", "/readyz"})  # called under any Host, and exempt from the limit of concurrent requests
PUBLIC = PROBES | {"/", "/docs", "/api/v1", "/api/v1/openapi.json"}  # need no token
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
ErrorPage = Callable[[Scope, int, str], Response]  # renders a status and its detail as a page of a mounted app


@dataclass(frozen=True, slots=True)
class MountedApp:
    """An ASGI app that a server mounts under a path.

    Requests without a valid token do not reach the app, unless `own_login` is True. Then every request below the app's
    path reaches it, and the app authenticates its visitors itself (see `auth.visitor_of`). An app without `own_login`
    learns the caller from `auth.caller_of`. `lifespan` is a context manager that is entered while the server runs.
    `error_page` renders errors that the server raises before it calls the app. Without it, these errors are
    problem+json.
    """

    path: str
    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[object]] | None = None
    own_login: bool = False
    error_page: ErrorPage | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app. The class needs this method because Starlette would treat a function as a request handler."""
        await self.app(scope, receive, send)


class ServerConfig(InputModel):
    """The configuration of a server. All arguments are keywords, and unknown names are errors.

    Raises:
        InvalidInput: a value is invalid. The message names the setting.
    """

    host: Label = "127.0.0.1"
    """Address to listen on. Any address that other machines can reach requires tokens."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    """Port to listen on, from 0 to 65,535; 0 chooses a free one."""

    socket: Path | None = None
    """Unix socket to listen on instead of host and port; only its owner can connect."""

    tokens: Path | None = None
    """Token file. The default is COGNITIVE_TOKEN_FILE, or tokens.toml in the data directory."""

    allowed_hosts: tuple[Label, ...] = ()
    """Host names under which the server accepts requests, besides those of loopback and `host`; "*" accepts any."""

    allowed_origins: tuple[Label, ...] = ()
    """Origins of web pages that may call the server, besides its own."""

    max_body_bytes: Count = 8_000_000
    """Maximum bytes of a request's body, from 1. The default is twice the size of the longest message in English."""

    max_buffered_bytes: Count = 256_000_000
    """Maximum bytes of all unfinished bodies, separately for pages and for the API, from 1. The default allows 32
    bodies of maximum size."""

    max_concurrent_requests: Count = 128
    """Maximum concurrent requests, from 1. A pool of 8 database connections serves 128 within about a second."""

    max_streams: Count = 256
    """Maximum concurrent requests to mounted apps, from 1; such requests may stay open."""

    max_pages: Count = 32
    """Maximum concurrent pages of the dashboard, from 1; each runs a dozen reads over four connections."""

    max_connections: Count = 512
    """Maximum open connections, from 1. The default is half of the usual limit of open files in a process."""

    header_seconds: Seconds = 10.0
    """Seconds for a request's line and headers from its first byte, above 0."""

    body_seconds: Seconds = 30.0
    """Seconds for a request's body, above 0. The default suffices for a maximum body at two megabits per second."""

    auth_failures_per_minute: Count = 60
    """Unknown tokens from one address per minute, from 1. The default allows a misconfigured program one per second."""

    requests_per_minute: Count = 6_000
    """Requests of a token per minute, from 1; without tokens there is no limit. The default suffices for a hundred busy
    conversations."""

    request_seconds: Seconds = 60.0
    """Seconds for a request, above 0. A recall may take 15 s, and embedding a thousand memories half a minute."""

    grace_seconds: Seconds = 30.0
    """Seconds for running requests to finish when the server stops, above 0. `post_turn` takes at most 5 s."""

    max_cached_contexts: Count = 1_024
    """Prepared turns to cache until their outcome arrives, from 1; about 60 KB each."""

    metrics: Callable[[str], tuple[bytes, str]] | None = None
    """Function that returns the metrics page and its media type for a header `Accept`; None serves no metrics."""

    @property
    def local(self) -> bool:
        """True if only this machine can connect to the server."""
        if self.socket is not None or self.host in LOOPBACK:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str]:
        """The host names under which the server accepts requests, in lower case, without port."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(name.lower() for name in (*LOOPBACK, own, *self.allowed_hosts))

    def known_tokens(self) -> Tokens | None:
        """Return the tokens of the token file, or None if the server needs none since only this machine can connect.

        Raises:
            PolicyError: there are no tokens, although other machines or web pages could call the server, or the token
                file cannot be used.
        """
        path = self.tokens or default_path()
        if path.exists():
            return Tokens(path)
        any_host = "*" in self.allowed_hosts  # a web page could rebind its own name to this machine (DNS rebinding)
        if self.local and self.tokens is None and not any_host:
            return None
        why = "" if self.local else f", and other machines can reach {self.host}"
        why += ", and the server accepts any Host" if any_host else ""
        raise PolicyError(
            f"there are no tokens in {str(path)!r}{why}. Run `cognitive token create --agent NAME`, or let only this"
            " machine connect: listen on 127.0.0.1 or on a --socket, and configure no token file"
        )
