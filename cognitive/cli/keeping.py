"""`cognitive db export`, `import`, `retain` and `scrub`: memories out and in, and what must not stay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

import cognitive
from cognitive.api import jsonl
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, FILE, YES, confirm


@click.command("export", cls=Answering, shape="{agent, memories, file}")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@AGENT
def export(file: Path, agent: str) -> None:
    """Write every memory of an agent to FILE, a line of JSON each, with its use and what it said before."""
    run(_export(agent, file), lambda told: printing.line(f"{told['memories']} memories are in {told['file']}."))


async def _export(agent: str, file: Path) -> Mapping[str, object]:
    written = 0
    async with cognitive.CognitiveLayer.open() as layer:
        with file.open("w", encoding="utf-8") as out:
            async for line in layer.admin.export(agent):
                out.write(f"{line}\n")
                written += jsonl.of_memory(line)
    return {"agent": agent, "memories": written, "file": str(file)}


@click.command("import", cls=Answering, shape="{agent, memories}")
@click.argument("file", type=FILE)
@AGENT
def import_(file: Path, agent: str) -> None:
    """Remember the memories of FILE: an export of ours, of mem0 (`get_all`) or of a LangGraph store (`Item.dict`).

    What is there already is not stored again, so that an import that was interrupted is run again. A line that cannot
    be read is named by its number, and nothing of its file is stored.
    """
    run(_import(agent, file), lambda told: printing.line(f"{told['memories']} memories are there."))


async def _import(agent: str, file: Path) -> Mapping[str, object]:
    async with cognitive.CognitiveLayer.open() as layer:
        with file.open(encoding="utf-8") as lines:
            ids = await layer.admin.import_lines(agent, lines)
    return {"agent": agent, "memories": len(ids)}


@click.command(cls=Answering, shape="{agent, dry_run, rows: {…}}")
@AGENT
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
def retain(agent: str, dry_run: bool) -> None:
    """Remove what the policy's retention_days keep no longer. Agents that have turns need no command for that."""
    run(_retain(agent, dry_run), _retained)


async def _retain(agent: str, dry_run: bool) -> Mapping[str, object]:
    async with cognitive.CognitiveLayer.open() as layer:
        rows = await layer.admin.retain(agent, dry_run=dry_run)
    return {"agent": agent, "dry_run": dry_run, "rows": dict(rows)}


def _retained(told: Mapping[str, object]) -> None:
    rows = told["rows"]
    counted = ", ".join(f"{number} {kind}" for kind, number in rows.items()) if isinstance(rows, dict) else ""
    printing.line(f"{'would go' if told['dry_run'] else 'gone'}: {counted or 'nothing'}")


@click.command(cls=Answering, shape="{tables, log}")
@click.option("--url", help="The owner of the schema, or a superuser; default: COGNITIVE_DATABASE_URL.")
@YES
def scrub(url: str | None, yes: bool) -> None:
    """Write all tables anew, so that nothing of what was erased is left between their rows. Locks each meanwhile."""
    confirm(yes, "Write every table of the schema anew? Turns go without memory meanwhile.")
    run(_scrub(url), _scrubbed)


async def _scrub(url: str | None) -> Mapping[str, object]:
    from cognitive import admin

    tables, log = await admin.scrub_database(url)
    return {"tables": tables, "log": log}


def _scrubbed(told: Mapping[str, object]) -> None:
    log = "and the log let go of" if told["log"] else "; the log is a superuser's to let go of"
    printing.line(f"{told['tables']} tables written anew {log}. Backups, archives and replicas keep what they have.")
