"""`cognitive memory retire`, `restore` and `merge`: hide memories, and show them again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.options import AGENT
from cognitive.cli.shapes import MEMORY

if TYPE_CHECKING:
    from brain.types import Memory

STATES = f"{{memories: [{MEMORY}]}}"
_IDS = click.argument("ids", metavar="ID...", nargs=-1, required=True, type=click.UUID)


@click.command(cls=JsonCommand, shape=STATES)
@_IDS
@AGENT
def retire(ids: Sequence[UUID], agent: str) -> None:
    """Hide the memories with these IDs from turns and searches. Nothing is deleted; `restore` shows them again."""
    run(_retire(agent, ids), _show_states, key="memories")


async def _retire(agent: str, ids: Sequence[UUID]) -> list[Memory]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.retire(agent, ids)


@click.command(cls=JsonCommand, shape=STATES)
@_IDS
@AGENT
def restore(ids: Sequence[UUID], agent: str) -> None:
    """Show hidden memories again, as if nothing had hidden them."""
    run(_restore(agent, ids), _show_states, key="memories")


async def _restore(agent: str, ids: Sequence[UUID]) -> list[Memory]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.restore(agent, ids)


@click.command(cls=JsonCommand, shape=STATES)
@_IDS
@click.option("--into", required=True, type=click.UUID, help="Id of the memory that says the same and is kept.")
@AGENT
def merge(ids: Sequence[UUID], into: UUID, agent: str) -> None:
    """Hide the memories with these IDs, because another memory of their type says the same."""
    run(_merge(agent, ids, into), _show_states, key="memories")


async def _merge(agent: str, ids: Sequence[UUID], into: UUID) -> list[Memory]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.merge(agent, ids, into)


def _show_states(memories: Sequence[Memory]) -> None:
    now = datetime.now(UTC)
    for memory in memories:
        state = f"hidden: {memory.hidden_reason}" if memory.hidden(now) else "visible"
        printing.line(f"{memory.id}  {state}  {memory.content[:80]}")
