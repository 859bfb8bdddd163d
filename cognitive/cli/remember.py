"""`cognitive remember`: one memory from the command line, or a file of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import click

import cognitive
from brain.errors import InvalidInput
from brain.memory_types import MEMORY_TYPES
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, FILE, at


@click.command(cls=Answering, shape="{ids: [id]}")
@click.argument("content", required=False)
@AGENT
@click.option("--type", "type_", type=click.Choice(MEMORY_TYPES), default="fact", show_default=True)
@click.option("--speaker", help="Who said it.")
@click.option("--session", help="The session it belongs to.")
@at("When: a day (UTC), or a time with offset; without it, now.")
@click.option("--source", help="Your own id for it; the same id is stored once.")
@click.option("--tag", "tags", multiple=True)
@click.option("--pinned", is_flag=True, help="Always in the prompt's stable prefix.")
@click.option("--supersedes", help="The id of the memory that this one replaces.")
@click.option("--file", type=FILE, help="JSON lines of memories.")
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
    """Store CONTENT, or each line of --file as a JSON object with the fields of NewMemory; prints their ids in order.

    A memory that is there already is not stored again: its id stands in its place.
    """
    if (content is None) == (file is None):
        raise click.UsageError("give either CONTENT or --file")
    given = {
        "type": type_, "content": content, "speaker": speaker, "session_id": session, "occurred_at": at,
        "source": source, "tags": tags, "pinned": pinned, "supersedes": supersedes,
    }  # fmt: skip
    run(_remember(agent, file, given), _show, under="ids", otherwise="The file holds no memory.")


def _read(file: Path) -> list[dict[str, Any]]:
    given = []
    for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            given += [dict(json.loads(line))] if line.strip() else []
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"{str(file)!r}, line {n}: not a JSON object: {error}") from error
    return given


async def _remember(agent: str, file: Path | None, one: dict[str, Any]) -> Sequence[UUID]:
    memories = []
    for n, fields in enumerate(_read(file) if file is not None else [one], 1):
        try:
            memories.append(cognitive.NewMemory(**fields))
        except (InvalidInput, TypeError) as error:
            raise InvalidInput(f"memory {n}: {error}") from error
    async with cognitive.CognitiveLayer.open() as layer:
        with printing.progress("remembering") as moved:
            return await layer.remember(agent, memories, progress=moved)


def _show(ids: Sequence[UUID]) -> None:
    for id in ids:
        click.echo(id)
