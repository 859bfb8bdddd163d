"""`cognitive db`: the schema, and the way to it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import click

import cognitive
from brain.ivf_index import Group
from cognitive.cli import keeping, printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.language import language
from cognitive.cli.options import AGENT
from cognitive.cli.reembed import reembed


@click.group()
def command() -> None:
    """Migrate or repair the database, show how to reach it, let others look, or change an agent's model or language."""


command.add_command(language)
command.add_command(reembed)


@command.command(cls=Answering, shape="{revision}")
@click.option("--url", help="A role that owns the schema or may create it; default: COGNITIVE_DATABASE_URL.")
def upgrade(url: str | None) -> None:
    """Bring the schema up to date: of the database at the URL, or of the embedded server."""
    run(_upgrade(url), lambda told: printing.line(f"The schema is at revision {told['revision']}."))


async def _upgrade(url: str | None) -> Mapping[str, str]:
    from cognitive import admin

    return {"revision": await admin.migrate(url)}


@command.command(cls=Answering, shape="{mended: [index]}")
@click.option("--url", help="The role that owns the schema; default: COGNITIVE_DATABASE_URL.")
def repair(url: str | None) -> None:
    """Mend the indexes that an interrupted build left behind, beside reads and writes."""
    run(_repair(url), _mended)


async def _repair(url: str | None) -> Mapping[str, Sequence[str]]:
    from cognitive import admin

    return {"mended": await admin.repair(url)}


def _mended(told: Mapping[str, Sequence[str]]) -> None:
    printing.line(f"Mended: {', '.join(told['mended'])}." if told["mended"] else "All indexes are valid.")


@command.command(cls=Answering, shape="{statements: [sql], run}")
@click.option("--run", "really", is_flag=True, help="Run them; without it they are only shown.")
@click.option("--url", help="The role that owns the schema, on the coordinator; default: COGNITIVE_DATABASE_URL.")
def distribute(really: bool, url: str | None) -> None:
    """Show the statements by which Citus spreads the tables over several machines, an agent's rows on one.

    Turns there need COGNITIVE_CLUSTER=citus. None of it was tried on a cluster: docs/operations.md says what to expect.
    """
    run(_distribute(really, url), lambda told: click.echo(";\n".join((*told["statements"], "")).rstrip("\n")))


async def _distribute(really: bool, url: str | None) -> Mapping[str, Any]:
    from cognitive import admin

    told = await admin.run_distribution(url) if really else admin.distribution()
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
    from cognitive import admin

    return {"logins": logins, "granted": await admin.create_roles(url, logins, overview=overview)}


def _granted(told: Mapping[str, Sequence[str]]) -> None:
    printing.line("The roles are there: cognitive_reader, cognitive_overview.")
    for login in told["logins"]:
        printing.line(f"{login} may become {' and '.join(told['granted'])}.")


@command.command(cls=Answering, shape="{groups: [{model, field, type, vectors, cells, moved}]}")
@AGENT
def index(agent: str) -> None:
    """Sort a large agent's vectors into cells, so that its turns read a few of them and not all.

    For agents with tens of thousands of memories, while they work; again when they have grown to several times that.
    What was interrupted goes on where it stopped.
    """
    run(_index(agent), _indexed, under="groups", otherwise="No type of this agent has enough memories to sort.")


async def _index(agent: str) -> Sequence[Group]:
    async with cognitive.CognitiveLayer.open() as layer:
        with printing.progress("sorting") as moved:
            return await layer.admin.build_vector_index(agent, progress=moved)


def _indexed(groups: Sequence[Group]) -> None:
    for each in groups:
        told = f"{each.vectors:,} vectors in {each.cells:,} cells, {each.moved:,} of them moved"
        printing.line(f"{each.type}, {each.field}: {told}.")


@command.command(cls=Answering, shape="{url}")
@click.option("--hold", is_flag=True, help="Keep the server running until Ctrl-C, to use the URL from elsewhere.")
def url(hold: bool) -> None:
    """Show the embedded server's URL for the application's role, which row level security binds."""
    run(_url(hold), lambda told: click.echo(told["url"]) if not hold else None)


async def _url(hold: bool) -> Mapping[str, str]:
    from cognitive import admin

    async with admin.embedded() as urls:
        if hold:
            if printing.as_json():
                printing.document({"url": urls.app})
            else:
                click.echo(urls.app)
            await asyncio.Event().wait()
        return {"url": urls.app}


for _command in (keeping.export, keeping.import_, keeping.retain, keeping.scrub):
    command.add_command(_command)
