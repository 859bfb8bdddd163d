"""`cognitive db`: the schema, and the way to it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import Answering, run


@click.group()
def command() -> None:
    """Migrate or repair the database, show how to reach it, or let others look."""


@command.command(cls=Answering, shape="{revision}")
@click.option("--url", help="A role that owns the schema or may create it; default: COGNITIVE_DATABASE_URL.")
def upgrade(url: str | None) -> None:
    """Bring the schema up to date: of the database at the URL, or of the embedded server."""
    run(_upgrade(url), lambda told: printing.line(f"The schema is at revision {told['revision']}."))


async def _upgrade(url: str | None) -> Mapping[str, str]:
    from cognitive import bootstrap

    return {"revision": await bootstrap.migrate(url)}


@command.command(cls=Answering, shape="{mended: [index]}")
@click.option("--url", help="The role that owns the schema; default: COGNITIVE_DATABASE_URL.")
def repair(url: str | None) -> None:
    """Mend the indexes that an interrupted build left behind, beside reads and writes."""
    run(_repair(url), _mended)


async def _repair(url: str | None) -> Mapping[str, Sequence[str]]:
    from cognitive import bootstrap

    return {"mended": await bootstrap.repair(url)}


def _mended(told: Mapping[str, Sequence[str]]) -> None:
    printing.line(f"Mended: {', '.join(told['mended'])}." if told["mended"] else "All indexes are valid.")


@command.command(cls=Answering, shape="{statements: [sql], run}")
@click.option("--run", "really", is_flag=True, help="Run them; without it they are only shown.")
@click.option("--url", help="The role that owns the schema, on the coordinator; default: COGNITIVE_DATABASE_URL.")
def distribute(really: bool, url: str | None) -> None:
    """Show the statements by which Citus spreads the tables over several machines, an agent's rows on one.

    The layer itself does not work on them yet: docs/operations.md says what is missing.
    """
    run(_distribute(really, url), lambda told: click.echo(";\n".join((*told["statements"], "")).rstrip("\n")))


async def _distribute(really: bool, url: str | None) -> Mapping[str, Any]:
    from cognitive import bootstrap

    told = await bootstrap.run_distribution(url) if really else bootstrap.distribution()
    return {"statements": told, "run": really}


@command.command(cls=Answering, shape="{logins: [name], granted: [role]}")
@click.argument("logins", nargs=-1)
@click.option("--overview", is_flag=True, help="Let them see the counts of all agents as well.")
@click.option("--url", help="A role that owns the schema and may create roles; default: COGNITIVE_DATABASE_URL.")
def roles(logins: tuple[str, ...], overview: bool, url: str | None) -> None:
    """Create the roles of those who only look, and let LOGINS become them.

    cognitive_reader reads an agent's rows, one agent at a time; cognitive_overview reads the counts of all agents and
    nothing else.
    """
    run(_roles(logins, overview, url), _granted)


async def _roles(logins: tuple[str, ...], overview: bool, url: str | None) -> Mapping[str, Sequence[str]]:
    from cognitive import bootstrap

    return {"logins": logins, "granted": await bootstrap.create_roles(url, logins, overview=overview)}


def _granted(told: Mapping[str, Sequence[str]]) -> None:
    printing.line("The roles are there: cognitive_reader, cognitive_overview.")
    for login in told["logins"]:
        printing.line(f"{login} may become {' and '.join(told['granted'])}.")


@command.command(cls=Answering, shape="{url}")
@click.option("--hold", is_flag=True, help="Keep the server running until Ctrl-C, to use the URL from elsewhere.")
def url(hold: bool) -> None:
    """Show the embedded server's URL for the application's role, which row level security binds."""
    run(_url(hold), lambda told: click.echo(told["url"]) if not hold else None)


async def _url(hold: bool) -> Mapping[str, str]:
    from cognitive import bootstrap

    async with bootstrap.embedded() as urls:
        if hold:
            if printing.as_json():
                printing.document({"url": urls.app})
            else:
                click.echo(urls.app)
            await asyncio.Event().wait()
        return {"url": urls.app}
