"""`cognitive mcp`: an agent's memory for MCP clients."""

from __future__ import annotations

import logging
import secrets
import socket
import sys
from pathlib import Path

import click

from cognitive.cli.answers import done
from cognitive.errors import InvalidInput

_LEAST_TOKEN = 16  # characters: what is shorter can be guessed


@click.command()
@click.option("--agent", required=True, help="Whose memory.")
@click.option("--session", help="Count recalled memories in turns of this session only.")
@click.option("--allow-remember", is_flag=True, help="Offer the tool that stores memories.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp, not standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: the address to listen at.")
@click.option("--port", default=8766, show_default=True, type=click.IntRange(0, 65535), help="With --http; 0: any.")
@click.option("--allow-host", "names", multiple=True, help="With --http: a Host header to accept beside loopback's.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --http: holds the bearer token; without one, a token is made and shown.",
)
def command(
    agent: str,
    session: str | None,
    allow_remember: bool,
    http: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
    token_file: Path | None,
) -> None:
    """Serve an agent's memory to MCP clients, over standard input and output, or over HTTP with a token.

    It ends when standard input does. Logs go to standard error.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        from cognitive.runtimes.mcp import Scope, standalone
        from cognitive.server.config import ServerConfig
        from cognitive.server.connections import limited
    except ImportError as error:
        raise click.ClickException(f"{error}. It comes with: pip install 'cognitive-layer[mcp]'") from error
    try:
        scope = Scope(agent, session, may_remember=allow_remember)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error
    if not http:
        done(standalone.serve_stdio(scope))
        return
    token, listening = _token(token_file), _listening(host, port)
    name = f"[{host}]" if ":" in host else host
    click.echo(f"http://{name}:{listening.getsockname()[1]}/mcp", err=True)
    connections = ServerConfig()
    protocol = limited(connections.most_connections, connections.head_seconds)
    done(standalone.serve_http(scope, token, listening, names, http=protocol))


def _listening(host: str, port: int) -> socket.socket:
    """Listens before anything is said of it: whoever reads the address may connect at once."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise click.ClickException(f"cannot listen at {host} port {port}: {error.strerror}") from error


def _token(file: Path | None) -> str:
    if file is None:
        token = secrets.token_urlsafe(32)
        click.echo(f"Authorization: Bearer {token}", err=True)
        return token
    token = file.read_text(encoding="utf-8").strip()
    if len(token) < _LEAST_TOKEN:
        raise click.ClickException(f"{str(file)!r} holds no token of at least {_LEAST_TOKEN} characters")
    return token
