"""`cognitive remember`: one memory from the command line, or a file of them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from brain.types import MEMORY_TYPES
from cognitive import CognitiveLayer, NewMemory
from cognitive.cli.main import run
from cognitive.errors import InvalidInput


@click.command()
@click.argument("content", required=False)
@click.option("--agent", default="demo", show_default=True, help="Whose memory.")
@click.option("--type", "type_", type=click.Choice(MEMORY_TYPES), default="fact", show_default=True)
@click.option("--speaker", help="Who said it.")
@click.option("--session", help="The session it belongs to.")
@click.option("--at", type=click.DateTime(["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z"]), help="When, with offset.")
@click.option("--source", help="Your own id for it; the same id is stored once.")
@click.option("--tag", "tags", multiple=True)
@click.option("--pinned", is_flag=True, help="Always in the prompt's stable prefix.")
@click.option("--supersedes", help="The id of the memory that this one replaces.")
@click.option("--file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="JSON lines of memories.")
def command(
    content: str | None,
    agent: str,
    type_: str,
    speaker: str | None,
    session: str | None,
    at: datetime | None,
    source: str | None,
    tags: tuple[str, ...],
    pinned: bool,
    supersedes: str | None,
    file: Path | None,
) -> None:
    """Store CONTENT, or each line of --file as a JSON object with the fields of NewMemory."""
    if (content is None) == (file is None):
        raise click.UsageError("give either CONTENT or --file")
    given = {
        "type": type_, "content": content, "speaker": speaker, "session_id": session, "occurred_at": at,
        "source": source, "tags": tags, "pinned": pinned, "supersedes": supersedes,
    }  # fmt: skip
    run(_remember(agent, file, given))


def _read(file: Path) -> list[dict[str, Any]]:
    given = []
    for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            given += [dict(json.loads(line))] if line.strip() else []
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"{str(file)!r}, line {n}: not a JSON object: {error}") from error
    return given


async def _remember(agent: str, file: Path | None, one: dict[str, Any]) -> None:
    memories = []
    for n, fields in enumerate(_read(file) if file is not None else [one], 1):
        try:
            memories.append(NewMemory(**fields))
        except (InvalidInput, TypeError) as error:
            raise InvalidInput(f"memory {n}: {error}") from error
    console = Console(stderr=True)
    async with CognitiveLayer.open() as layer:
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("remembering", total=len(memories))
            ids = await layer.remember(
                agent, memories, progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
    for id in ids:
        click.echo(id)
