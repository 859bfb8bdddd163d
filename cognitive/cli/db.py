"""`cognitive db`: migrate the schema, grant roles, export and import memories, apply retention."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from brain.users import ALL_USERS
from cognitive.api import jsonl
from cognitive.cli import indexes, printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.opening import opened
from cognitive.cli.options import AGENT, FILE, OPTIONAL_AGENT, WHERE, YES, confirm, new_file
from cognitive.formats.records import TextFile


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Migrate the database, export and import memories, or rebuild an agent's indexes."""


for _command in (indexes.reembed, indexes.language, indexes.index):
    command.add_command(_command)


@command.command(cls=JsonCommand, shape="{revision, granted: [login], next?} | {rebuilt: [index]}")
@click.option("--url", help="URL of the schema's owner; default: COGNITIVE_DATABASE_URL.")
@click.option("--repair", is_flag=True, help="Rebuild only the indexes that an interrupted build left invalid.")
@click.option("--grant", "logins", multiple=True, help="Also let this login use the schema, as the application does.")
def upgrade(url: str | None, repair: bool, logins: tuple[str, ...]) -> None:
    """Upgrade the schema of the database at the URL, or of the embedded server."""
    if repair:
        run(_repair(url), _show_rebuilt)
    else:
        run(_upgrade(url, logins), _show_upgraded)
        if not logins and not printing.as_json() and sys.stdin.isatty() and not _is_embedded(url):
            login = click.prompt("Grant it now to the login (empty: to none)", default="", show_default=False)
            if login:
                run(_admit(url, [login]), _show_admitted)


async def _upgrade(url: str | None, logins: Sequence[str]) -> Mapping[str, Any]:
    from cognitive import admin

    revision = await admin.migrate(url)
    if logins:
        await admin.admit(url, logins)
    following = None if logins or admin.is_embedded(url) else _ADMIT
    return {"revision": revision, "granted": list(logins), "next": following}


def _is_embedded(url: str | None) -> bool:
    from cognitive import admin

    return admin.is_embedded(url)


async def _admit(url: str | None, logins: Sequence[str]) -> Sequence[str]:
    from cognitive import admin

    await admin.admit(url, logins)
    return logins


def _show_admitted(logins: Sequence[str]) -> None:
    for login in logins:
        printing.line(f"Granted cognitive_app to {login}: COGNITIVE_DATABASE_URL may name this login.")


_ADMIT = 'let the login of the application use the schema: GRANT cognitive_app TO "LOGIN", or add --grant LOGIN'


def _show_upgraded(answer: Mapping[str, Any]) -> None:
    printing.line(f"The schema is at revision {answer['revision']}.")
    _show_admitted(answer["granted"])
    if answer["next"] is not None:
        printing.line(f"Next: {answer['next']}.")


async def _repair(url: str | None) -> Mapping[str, Sequence[str]]:
    from cognitive import admin

    return {"rebuilt": await admin.repair(url)}


def _show_rebuilt(answer: Mapping[str, Sequence[str]]) -> None:
    printing.line(f"Rebuilt: {', '.join(answer['rebuilt'])}." if answer["rebuilt"] else "All indexes are valid.")


@command.command(cls=JsonCommand, shape="{statements: [sql], run}")
@click.option("--run", "really", is_flag=True, help="Run the statements.")
@click.option("--url", help="URL of the schema's owner on the coordinator; default: COGNITIVE_DATABASE_URL.")
def distribute(really: bool, url: str | None) -> None:
    """Show the statements that distribute the tables over the machines of a Citus cluster, one agent on one machine.

    Run it again after an upgrade; what is distributed already stays. Turns on a cluster need the setting
    COGNITIVE_CLUSTER=citus; see docs/operations.md.
    """
    run(_distribute(really, url), lambda answer: click.echo(";\n".join((*answer["statements"], "")).rstrip("\n")))


async def _distribute(really: bool, url: str | None) -> Mapping[str, Any]:
    from cognitive import admin

    statements = await admin.run_distribution(url) if really else admin.distribution()
    return {"statements": statements, "run": really}


@command.command(cls=JsonCommand, shape="{logins: [name], granted: [role]}")
@click.argument("logins", nargs=-1)
@click.option("--overview", is_flag=True, help="Also grant the counts of all agents.")
@click.option("--url", help="URL of the schema's owner, who may create roles; default: COGNITIVE_DATABASE_URL.")
def roles(logins: tuple[str, ...], overview: bool, url: str | None) -> None:
    """Create the read-only database roles, and grant them to the database logins LOGINS.

    cognitive_reader reads one agent's rows at a time; cognitive_overview reads the counts of all agents only.
    """
    run(_roles(logins, overview, url), _granted)


async def _roles(logins: tuple[str, ...], overview: bool, url: str | None) -> Mapping[str, Sequence[str]]:
    from cognitive import admin

    return {"logins": logins, "granted": await admin.create_roles(url, logins, overview=overview)}


def _granted(answer: Mapping[str, Sequence[str]]) -> None:
    printing.line("The roles exist: cognitive_reader, cognitive_overview.")
    for login in answer["logins"]:
        printing.line(f"Granted to {login}: {' and '.join(answer['granted'])}.")


# --- export, import and retention ---


@command.command("export", cls=JsonCommand, shape="{agent, memories, file}")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=new_file)
@AGENT
@click.option("--user", "user_id", help="User id; default: all users.")
@WHERE
@click.option("--markdown", is_flag=True, help="Write Markdown for people, which cannot be imported.")
def export(file: Path, agent: str, user_id: str | None, where: dict[str, Any] | None, markdown: bool) -> None:
    """Write the memories of an agent to a new FILE as JSON lines, with their past use, revisions and user."""
    run(
        _export(agent, user_id, file, where, markdown),
        lambda answer: printing.line(f"{answer['memories']} memories written to {answer['file']}."),
    )


@contextmanager
def _output(file: Path) -> Iterator[TextIO]:
    """Open a file for writing. A new file is removed if an error ends the block, so that the command can run again."""
    with ExitStack() as failed:
        if not file.exists():
            failed.callback(file.unlink, missing_ok=True)
        with file.open("w", encoding="utf-8") as out:
            yield out
        failed.pop_all()


async def _export(
    agent: str, user_id: str | None, file: Path, where: dict[str, Any] | None, markdown: bool
) -> Mapping[str, object]:
    written = 0
    async with opened() as layer:
        with _output(file) as out:
            export = layer.admin.export_markdown if markdown else layer.admin.export
            async for line in export(agent, where, user_id=ALL_USERS if user_id is None else user_id):
                out.write(f"{line}\n")
                written += line.startswith("- ") if markdown else jsonl.is_memory_line(line)
    return {"agent": agent, "memories": written, "file": str(file)}


@command.command(
    "import",
    cls=JsonCommand,
    shape="{agent, dry_run, memories, new, merged, formats: {…}, users: {…}, dropped: {…}, first_dropped: {…}}",
)
@click.argument("file", type=FILE)
@AGENT
@click.option("--user", "user_id", help="User id of lines without one; other users are refused.")
@click.option("--dry-run", is_flag=True, help="Count what comes, and store nothing.")
def import_(file: Path, agent: str, user_id: str | None, dry_run: bool) -> None:
    """Store the memories that FILE contains, and print how many were new, merged and dropped.

    FILE is JSON of `cognitive db export` or of a system in docs/privacy.md. It is checked
    first; an interrupted import can be repeated.
    """
    run(_import(agent, user_id, file, dry_run), _show_import)


async def _import(agent: str, user_id: str | None, file: Path, dry_run: bool) -> Mapping[str, Any]:
    text, view = TextFile(file), ALL_USERS if user_id is None else user_id
    async with opened() as layer:
        with printing.progress("reading") as advance:
            report = await layer.admin.preview_import(agent, text, progress=advance, user_id=view)
        if not dry_run:
            with printing.progress("importing") as advance:
                await layer.admin.import_lines(agent, text, progress=advance, user_id=view)
    return {"agent": agent, "dry_run": dry_run, **printing.jsonable(report)}


def _show_import(answer: Mapping[str, Any]) -> None:
    done = "would be imported" if answer["dry_run"] else "imported"
    printing.line(f"{answer['memories']} memories: {answer['new']} {done}, {answer['merged']} merged with equal ones.")
    for name, number in answer["formats"].items():
        printing.line(f"  {number} from {name}")
    if answer["users"]:
        users = sorted(answer["users"].items(), key=lambda each: -each[1])
        more = f" and {len(users) - 10} more" if len(users) > 10 else ""
        printing.line(f"Users: {', '.join(f'{name} ({number})' for name, number in users[:10])}{more}.")
    for reason, number in answer["dropped"].items():
        printing.line(f"Left out {number} times, first on line {answer['first_dropped'][reason]}: {reason}.")


@command.command("apply-retention", cls=JsonCommand, shape="{agent, dry_run, rows: {…}} | {tables, log}")
@OPTIONAL_AGENT
@click.option("--dry-run", is_flag=True, help="Count the rows and delete nothing.")
@click.option(
    "--rewrite", is_flag=True, help="Rewrite every table instead, so that no erased bytes remain between rows."
)
@click.option(
    "--url", help="With --rewrite: URL of the schema's owner or a superuser; default: COGNITIVE_DATABASE_URL."
)
@YES
def apply_retention(agent: str | None, dry_run: bool, rewrite: bool, url: str | None, yes: bool) -> None:
    """Delete data that is older than the policy's retention.days. Turns do the same for their agent, in the background.

    With --rewrite, rewrite each table instead, so that no erased bytes remain on disk. A table is locked while it is
    rewritten, and turns have no memory meanwhile.
    """
    if rewrite:
        confirm(yes, "Rewrite every table of the schema? Turns have no memory meanwhile.")
        run(_rewrite(url), _show_rewritten)
    elif agent is None:
        raise click.UsageError("--agent is required, or COGNITIVE_AGENT in the environment")
    else:
        run(_retain(agent, dry_run), _show_retained)


async def _retain(agent: str, dry_run: bool) -> Mapping[str, object]:
    async with opened() as layer:
        rows = await layer.admin.apply_retention(agent, dry_run=dry_run)
    return {"agent": agent, "dry_run": dry_run, "rows": dict(rows)}


def _show_retained(answer: Mapping[str, object]) -> None:
    rows = answer["rows"]
    counts = ", ".join(f"{number} {kind}" for kind, number in rows.items()) if isinstance(rows, dict) else ""
    printing.line(f"{'expired' if answer['dry_run'] else 'removed'}: {counts or 'nothing'}")


async def _rewrite(url: str | None) -> Mapping[str, object]:
    from cognitive import admin

    tables, log = await admin.scrub_database(url)
    return {"tables": tables, "log": log}


def _show_rewritten(answer: Mapping[str, object]) -> None:
    log = "and the old log removed" if answer["log"] else "; only a superuser can remove the old write-ahead log"
    printing.line(f"{answer['tables']} tables rewritten {log}. Backups, archives and replicas are unchanged.")
