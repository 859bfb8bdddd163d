"""`cognitive artifact`: whole tool outputs, out of the prompt and read again by their pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, limit
from cognitive.cli.session import ARTIFACT

if TYPE_CHECKING:
    from brain.artifacts import Line

_ID = click.argument("id", type=click.UUID)


@click.group()
def command() -> None:
    """Read or search a whole tool output that the prompt only points to."""


@command.command(cls=Answering, shape=f"{{artifact: {ARTIFACT}, start, text, next?}}")
@_ID
@click.option("--start", default=0, show_default=True, type=click.IntRange(min=0), help="From this character on.")
@click.option("--length", default=8_000, show_default=True, type=click.IntRange(1, 1_000_000), help="At most so many.")
@AGENT
def read(id: UUID, start: int, length: int, agent: str) -> None:
    """Print a page of the artifact ID; where the next one begins is told on stderr."""
    run(_read(agent, id, start, length), _show_page)


async def _read(agent: str, id: UUID, start: int, length: int) -> Mapping[str, Any]:
    async with cognitive.CognitiveLayer.open() as layer:
        page = await layer.artifact(agent, id, start=start, length=length)
    return {"artifact": page.artifact, "start": page.start, "text": page.text, "next": page.next}


def _show_page(page: Mapping[str, Any]) -> None:
    click.echo(printing.safe(page["text"]))
    if page["next"] is not None:
        printing.note(
            f"{page['next']} of {page['artifact'].characters} characters; the next page: --start {page['next']}"
        )


@command.command(cls=Answering, shape="{lines: [{number, start, text}]}")
@_ID
@click.argument("literal")
@limit(20, 200)
@AGENT
def search(id: UUID, literal: str, limit: int, agent: str) -> None:
    """Show the first lines of the artifact ID that hold LITERAL, each with where `artifact read --start` goes on."""
    run(_search(agent, id, literal, limit), _show_lines, under="lines", otherwise="No line holds that.")


async def _search(agent: str, id: UUID, literal: str, limit: int) -> Sequence[Line]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.sessions.search_artifact(agent, id, literal, limit)


def _show_lines(lines: Sequence[Line]) -> None:
    printing.table(("line", "start", "text"), [(line.number, line.start, line.text) for line in lines])
