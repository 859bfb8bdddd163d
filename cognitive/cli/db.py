"""`cognitive db`: the schema, and the way to it."""

from __future__ import annotations

import asyncio

import click

from brain.embedded import EmbeddedServer
from brain.settings import Settings
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
    from brain.migrate import upgrade as migrate

    settings = Settings()
    url = url or settings.database_url
    if url is not None:
        click.echo(f"The schema is at revision {await migrate(url)}.")
        return
    server = EmbeddedServer(settings.data_dir)
    try:
        urls = await asyncio.to_thread(server.acquire)
        click.echo(f"The schema of the embedded server is at revision {await migrate(urls.owner)}.")
    finally:
        await asyncio.to_thread(server.release)


@command.command()
@click.option("--hold", is_flag=True, help="Keep the server running until Ctrl-C, to use the URL from elsewhere.")
def url(hold: bool) -> None:
    """Show the embedded server's URL for the application's role, which row level security binds."""
    run(_url(hold))


async def _url(hold: bool) -> None:
    server = EmbeddedServer(Settings().data_dir)
    try:
        click.echo((await asyncio.to_thread(server.acquire)).app)
        if hold:
            await asyncio.Event().wait()
    finally:
        await asyncio.to_thread(server.release)
