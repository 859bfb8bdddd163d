"""The commands that run a server until it is stopped: `cognitive serve`, `dashboard` and `mcp`."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import sys
import threading
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run_work
from cognitive.cli.options import AGENT, TOKENS, USER
from cognitive.errors import InvalidInput
from cognitive.extras import extra

_TIMEOUT = 2.0  # seconds for a running server to answer
_MIN_TOKEN_LENGTH = 16  # characters; a shorter token could be guessed
_PORT = click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65_535), help="Port; 0 chooses a free one."
)
_ALLOW_REMEMBER = click.option("--allow-remember", is_flag=True, help="Offer MCP's tools that store memories.")
_ALLOW_CHANGE = click.option("--allow-change", is_flag=True, help="Offer MCP's tools that correct and hide memories.")


# --- HTTP ---


@click.command(cls=JsonCommand, shape="{url, dashboard, api, docs}, once the server listens")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; beyond loopback with tokens."
)
@_PORT
@click.option("--socket", type=click.Path(path_type=Path), help="Unix socket to listen on instead.")
@TOKENS
@click.option("--allow-host", "allowed_hosts", multiple=True, help="Further Host header to accept; * accepts any.")
@click.option("--allow-origin", "allowed_origins", multiple=True, help="Origin of a web page that may call.")
@click.option("--requests-per-minute", type=click.IntRange(1), help="Rate limit of one token.")
@_ALLOW_REMEMBER
@_ALLOW_CHANGE
@click.option(
    "--log", "form", type=click.Choice(["console", "json"]), default="console", show_default=True, help="Log format."
)
@click.option("--verbose", is_flag=True, help="Log requests too.")
def serve(
    form: Literal["console", "json"], verbose: bool, allow_remember: bool, allow_change: bool, **options: Any
) -> None:
    """Serve the memory layer over HTTP: /api/v1, /mcp, /ui, /healthz, /readyz, /metrics.

    If no access tokens exist, only programs on this machine have access.
    """
    run_server(form, verbose, _announce, options, may_remember=allow_remember, may_change=allow_change)


def _announce(url: str, _needs_token: bool) -> None:
    if printing.as_json():
        links = {"dashboard": f"{url}/ui/", "api": f"{url}/api/v1", "docs": f"{url}/docs"}
        click.echo(json.dumps({"url": url, **links}))
        return
    click.echo(f"Listening on {url}")
    click.echo("It has the dashboard at /ui/ and the API at /api/v1, which /docs describes.")


def run_server(
    form: Literal["console", "json"],
    verbose: bool,
    started: Callable[[str, bool], None],
    options: Mapping[str, Any],
    *,
    may_remember: bool = False,
    may_change: bool = False,
) -> None:
    """Run the HTTP server until the process is stopped.

    `started` is called once the server listens, with its URL and True if it requires an access token. `options` are
    fields of `ServerConfig`; an option that is None gets the field's default. `may_remember`
    and `may_change` are those of `cognitive.server.assembly.mounts`.
    """
    try:
        with extra("server"):
            import fastapi  # noqa: F401
        from cognitive.server.assembly import mounts
        from cognitive.server.config import ServerConfig
        from cognitive.server.run import serve
        from cognitive.telemetry.logs import configure
        from cognitive.telemetry.prometheus import PrometheusMetrics
    except ModuleNotFoundError as error:
        raise click.ClickException(str(error)) from error

    configure(form, logging.INFO if verbose else logging.WARNING)
    fields, metrics = {name: value for name, value in options.items() if value is not None}, PrometheusMetrics()

    async def run() -> None:
        config = ServerConfig(**fields, metrics=metrics.exposition)
        needs_token = config.known_tokens() is not None
        await serve(
            config,
            mounts=partial(mounts, may_remember=may_remember, may_change=may_change),
            metrics=metrics,
            started=lambda url: started(url, needs_token),
        )

    run_work(run())


# --- the dashboard ---


@click.command(cls=JsonCommand, shape="{dashboard, running, needs_token}, once the server listens")
@click.option("--agent", envvar="COGNITIVE_AGENT", help="Agent id to begin with; default: COGNITIVE_AGENT, or all.")
@_PORT
@TOKENS
@click.option("--no-open", "quiet", is_flag=True, help="Do not open a browser.")
def dashboard(agent: str | None, port: int, tokens: Path | None, quiet: bool) -> None:
    """Open the dashboard in the browser, and serve it until Ctrl-C.

    If `cognitive serve` already runs at this port, open its dashboard instead.
    """

    def open_page(url: str, needs_token: bool) -> None:
        page = address(url, agent)
        if printing.as_json():
            click.echo(json.dumps({"dashboard": page, "running": False, "needs_token": needs_token}))
        else:
            click.echo(f"The dashboard: {page}")
        if needs_token and not printing.as_json():
            click.echo(
                "The dashboard requires a token: `cognitive token create --agent NAME`, or `--admin` for all agents."
            )
        if not quiet:
            threading.Thread(target=_open, args=(page,), daemon=True).start()

    running = f"http://127.0.0.1:{port}"
    if port and is_serving(running):
        page = address(running, agent)
        if printing.as_json():
            click.echo(json.dumps({"dashboard": page, "running": True, "needs_token": None}))
        else:
            click.echo(f"A server already runs at {running}.\nThe dashboard: {page}")
        if not quiet:
            _open(page)
        return
    click.echo("Starting the dashboard …", err=True)
    run_server("console", False, open_page, {"port": port, "tokens": tokens})


def address(url: str, agent: str | None) -> str:
    """Return the URL of an agent's overview page in the dashboard, or of the list of all agents if `agent` is None."""
    return f"{url}/ui/overview?{urlencode({'agent': agent})}" if agent is not None else f"{url}/ui/"


def is_serving(url: str) -> bool:
    """Return True if a server of `cognitive` answers at the URL."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=_TIMEOUT) as response:
            health = json.loads(response.read(1_000))
    except (OSError, ValueError, urllib.error.URLError):
        return False
    return isinstance(health, dict) and set(health) == {"status", "parts"}


def _open(page: str) -> None:
    with suppress(webbrowser.Error):  # without a browser, the printed address remains
        webbrowser.open(page)


# --- MCP ---


@click.command(cls=JsonCommand, shape="{url, token?} on stderr, with --http")
@AGENT
@USER
@click.option("--session", help="Count recalled memories in turns of this session only.")
@_ALLOW_REMEMBER
@_ALLOW_CHANGE
@click.option(
    "--max-lag",
    "max_lag_seconds",
    type=float,
    metavar="SECONDS",
    help="Outside turns, read a standby that lags no more.",
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: address to listen on.")
@click.option(
    "--port",
    default=8766,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="With --http: port; 0 chooses a free one.",
)
@click.option("--allow-host", "names", multiple=True, help="With --http: further Host header to accept.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --http: file with the bearer token; without it, a token is created and shown.",
)
def mcp(
    agent: str,
    user_id: str | None,
    session: str | None,
    allow_remember: bool,
    allow_change: bool,
    max_lag_seconds: float | None,
    http: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
    token_file: Path | None,
) -> None:
    """Serve an agent's memory to MCP clients over standard input and output, or over HTTP with an access token.

    The command ends when standard input ends. Logs go to standard error.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        from cognitive.runtimes.mcp import McpScope, standalone
        from cognitive.server.config import ServerConfig
        from cognitive.server.connections import limited_protocol
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    try:
        scope = McpScope(agent, session, allow_remember, allow_change, user_id, max_lag_seconds)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error
    if not http:
        run_work(standalone.serve_stdio(scope))
        return
    token, listening = _token(token_file), _listen(host, port)
    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{listening.getsockname()[1]}/mcp"
    if printing.as_json():
        click.echo(json.dumps({"url": url, "token": token if token_file is None else None}), err=True)
    else:
        created = f"Authorization: Bearer {token}\n" if token_file is None else ""
        click.echo(f"{created}{url}", err=True)
    connections = ServerConfig()
    protocol = limited_protocol(connections.max_connections, connections.header_seconds)
    run_work(standalone.serve_http(scope, token, listening, names, http=protocol))


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that already listens, so that a client may connect as soon as its address is printed."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise click.ClickException(f"cannot listen at {host} port {port}: {error.strerror}") from error


def _token(file: Path | None) -> str:
    if file is None:
        return secrets.token_urlsafe(32)
    token = file.read_text(encoding="utf-8").strip()
    if len(token) < _MIN_TOKEN_LENGTH:
        raise click.ClickException(f"{str(file)!r} holds no token of at least {_MIN_TOKEN_LENGTH} characters")
    return token
