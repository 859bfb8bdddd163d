"""`cognitive dashboard`: the pages in the browser, and the server behind them."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
import webbrowser
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import click

from cognitive.cli.serve import serving

_PATIENCE = 2.0  # seconds for a server that may be there already to say so


@click.command()
@click.option("--agent", help="Begin with this agent, and not with the list of all.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65_535), help="0: any that is free.")
@click.option("--tokens", type=click.Path(path_type=Path), help="The file of tokens; default: COGNITIVE_TOKENS.")
@click.option("--no-open", "quiet", is_flag=True, help="Print the address, and leave the browser alone.")
def command(agent: str | None, port: int, tokens: Path | None, quiet: bool) -> None:
    """Open the dashboard in the browser, and serve it until Ctrl-C.

    It is the page that `cognitive serve` has at /ui, for programs on this machine; where such a server runs at the port
    already, it is that one's that is opened.
    """

    def look(url: str, locked: bool) -> None:
        page = address(url, agent)
        click.echo(f"The dashboard: {page}")
        if locked:
            click.echo(
                "It asks for a token: `cognitive token create --agent NAME` makes one, `--admin` for all agents."
            )
        if not quiet:
            threading.Thread(target=_opened, args=(page,), daemon=True).start()

    running = f"http://127.0.0.1:{port}"
    if port and serves(running):
        click.echo(f"A server already runs at {running}.")
        page = address(running, agent)
        click.echo(f"The dashboard: {page}")
        if not quiet:
            _opened(page)
        return
    serving("console", False, look, {"port": port, "tokens": tokens})


def address(url: str, agent: str | None) -> str:
    """Where the pages of an agent begin, or of None, those of all."""
    return f"{url}/ui/overview?{urlencode({'agent': agent})}" if agent is not None else f"{url}/ui/"


def serves(url: str) -> bool:
    """Whether a server of this product answers there."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=_PATIENCE) as answer:
            told = json.loads(answer.read(1_000))
    except (OSError, ValueError, urllib.error.URLError):
        return False
    return isinstance(told, dict) and set(told) == {"status", "parts"}


def _opened(page: str) -> None:
    with suppress(webbrowser.Error):  # without a browser the address is there to be read
        webbrowser.open(page)
