"""`cognitive db`: the schema, and the way to it."""

from __future__ import annotations

import asyncio

import click

from cognitive import bootstrap
from cognitive.cli.main import run


@click.group()
def command() -> None:
    """Migrate the database, show how to reach it, or let others look."""


@command.command()
@click.option("--url", help="A role that owns the schema or may create it; default: COGNITIVE_DATABASE_URL.")
def upgrade(url: str | None) -> None:
    """Bring the schema up to date: of the database at the URL, or of the embedded server."""
    run(_upgrade(url))


async def _upgrade(url: str | None) -> None:
    click.echo(f"The schema is at revision {await bootstrap.migrate(url)}.")


@command.command()
@click.argument("logins", nargs=-1)
@click.option("--overview", is_flag=True, help="Let them see the counts of all agents as well.")
@click.option("--url", help="A role that owns the schema and may create roles; default: COGNITIVE_DATABASE_URL.")
def roles(logins: tuple[str, ...], overview: bool, url: str | None) -> None:
    """Create the roles of those who only look, and let LOGINS become them.

    cognitive_reader reads an agent's rows, one agent at a time; cognitive_overview reads the counts of all agents and
    nothing else.
    """
    run(_roles(logins, overview, url))


async def _roles(logins: tuple[str, ...], overview: bool, url: str | None) -> None:
    granted = await bootstrap.create_roles(url, logins, overview=overview)
    click.echo("The roles are there: cognitive_reader, cognitive_overview.")
    for login in logins:
        click.echo(f"{login} may become {' and '.join(granted)}.")


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
