"""`cognitive serve`: the layer over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click

from cognitive.cli.answers import done


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; beyond loopback with tokens."
)
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65_535), help="0: any that is free.")
@click.option("--socket", type=click.Path(path_type=Path), help="Listen on a unix socket instead.")
@click.option("--tokens", type=click.Path(path_type=Path), help="The file of tokens; default: COGNITIVE_TOKENS.")
@click.option("--allow-host", "allowed_hosts", multiple=True, help="A further name that the server goes by; * for any.")
@click.option("--allow-origin", "allowed_origins", multiple=True, help="A web page's origin that may call.")
@click.option("--requests-per-minute", type=click.IntRange(1), help="Of one token.")
@click.option("--log", "form", type=click.Choice(["console", "json"]), default="console", show_default=True)
@click.option("--verbose", is_flag=True, help="Log what is done, and not only what goes wrong.")
def command(form: Literal["console", "json"], verbose: bool, **given: Any) -> None:
    """Serve the layer over HTTP: /api/v1, /mcp, /ui, /healthz, /readyz, /metrics.

    Without tokens it is open to programs on this machine and to nobody else.
    """
    serving(form, verbose, lambda url, _: click.echo(f"Listening on {url}"), given)


def serving(
    form: Literal["console", "json"], verbose: bool, started: Callable[[str, bool], None], given: Mapping[str, Any]
) -> None:
    """Serves until it is told to stop; `started` is told the address, and whether a token is needed. What is `given` is
    for `ServerConfig`, None for its default.
    """
    try:
        from cognitive.server.config import ServerConfig
        from cognitive.server.everything import mounts, numbers
        from cognitive.server.run import serve
        from cognitive.telemetry.logs import configure
        from cognitive.telemetry.prometheus import PrometheusMetrics
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}; `pip install 'cognitive-layer[server]'` brings it") from error

    configure(form, logging.INFO if verbose else logging.WARNING)
    chosen, metrics = {name: value for name, value in given.items() if value is not None}, PrometheusMetrics()

    async def served() -> None:
        config = ServerConfig(**chosen, metrics=partial(numbers, metrics))
        needed = config.known_tokens() is not None
        await serve(config, mounts=mounts, metrics=metrics, started=lambda url: started(url, needed))

    done(served())
