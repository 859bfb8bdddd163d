"""`cognitive db`: the schema, and the way to it."""

from __future__ import annotations

import asyncio

import click

from cognitive import bootstrap
from cognitive.cli.main import run


@click.group()
def command() -> None:
    """Migrate the database, or show how to reach it."""


@command.command()
@click.option("--url", help="A role that owns the schema or may create it; default: COGNITIVE_DATABASE_URL.")
def upgrade(url: str | None) -> None:
    """Bring the schema up to date: of the database at the URL, or of the embedded server."""
    run(_upgrade(url))


async def _upgrade(url: str | None) -> None:
    click.echo(f"The schema is at revision {await bootstrap.migrate(url)}.")


@command.command()
@click.option("--hold", is_flag=True, help="Keep the server running until Ctrl-C, to use the URL from elsewhere.")
def url(hold: bool) -> None:
    """Show the embedded server's URL for the application's role, which row level security binds."""
    run(_url(hold))


async def _url(hold: bool) -> None:
    async with bootstrap.embedded() as urls:
        click.echo(urls.app)
        if hold:
            await asyncio.Event().wait()
