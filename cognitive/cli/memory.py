"""`cognitive memory`: single memories, by their ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

import click

import cognitive
from brain.errors import InvalidInput
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, YES, confirm

if TYPE_CHECKING:
    from brain.types import Memory, Receipt, Revision

SHAPE = (
    "{id, type, content, speaker?, context, occurred_at, session_id?, source?, tags: [tag], entities: [entity], "
    "confidence, pinned, supersedes?, superseded_by?, attributes: {…}, trust}"
)
RECEIPT = (
    "{agent_id, memories, passages, embeddings, postings, exposures, usage, revisions, turns, sessions, artifacts, "
    "subtasks, policies, journaled, responses, turns_cut, sessions_cut, subtasks_cut, notes_cut, memories_cut, "
    "restated}"
)
_IDS = click.argument("ids", metavar="ID...", nargs=-1, required=True, type=click.UUID)


class _Found(TypedDict):
    memories: list[Memory]
    missing: list[UUID]


@click.group()
def command() -> None:
    """Read, change or forget single memories."""


@command.command(cls=Answering, shape=f"{{memories: [{SHAPE}], missing: [id]}}")
@_IDS
@AGENT
def get(ids: Sequence[UUID], agent: str) -> None:
    """Show the memories of these IDs, whole, in the order asked. Exits with 3 if one is missing."""
    run(_get(agent, ids), _show, well=lambda found: not found["missing"])


async def _get(agent: str, ids: Sequence[UUID]) -> _Found:
    async with cognitive.CognitiveLayer.open() as layer:
        memories = await layer.get(agent, ids)
    found = {memory.id for memory in memories}
    return {"memories": memories, "missing": [id for id in ids if id not in found]}


@command.command("list", cls=Answering, shape=f"{{memories: [{SHAPE}]}}")
@click.option("--tag", "tags", multiple=True, help="Only memories that have all of these tags.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@click.option("--offset", default=0, show_default=True, type=click.IntRange(0), help="So many are passed over.")
@AGENT
def list_(tags: Sequence[str], limit: int, offset: int, agent: str) -> None:
    """List memories, oldest first, a page at a time."""
    run(_list(agent, tags, limit, offset), _shown, under="memories", otherwise=f"{agent} has no such memory.")


async def _list(agent: str, tags: Sequence[str], limit: int, offset: int) -> list[Memory]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.admin.tagged(agent, tags, limit, offset)


def _shown(memories: Sequence[Memory]) -> None:
    for memory in memories:
        printing.fields_of(memory)
        printing.line("")


def _show(found: _Found) -> None:
    _shown(found["memories"])
    for id in found["missing"]:
        printing.line(f"{id}: this agent has no such memory")


@command.command(cls=Answering, shape=f"{{memory: {SHAPE}}}")
@click.argument("id", type=click.UUID)
@click.argument("changes", nargs=-1, required=True, metavar="FIELD=VALUE...")
@AGENT
def update(id: UUID, changes: Sequence[str], agent: str) -> None:
    """Change fields of the memory ID: content, speaker, context, occurred_at, tags, entities, confidence, pinned,
    attributes.

    A VALUE is JSON where it can be read as that, and text otherwise: pinned=true, tags='["billing"]', content=Noon.
    """
    run(_update(agent, id, changes), printing.fields_of, under="memory")


async def _update(agent: str, id: UUID, changes: Sequence[str]) -> Memory:
    fields = dict(map(_change, changes))
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.update(agent, id, **fields)


def _change(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{given!r}: expected FIELD=VALUE")
    if name == "content":  # what looks like JSON in a memory is its words
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@command.command(cls=Answering, shape="{revisions: [{memory_id, number, was: {…}, at}]}")
@click.argument("id", type=click.UUID)
@AGENT
def history(id: UUID, agent: str) -> None:
    """Show how the memory ID was changed, the latest change first: what each change replaced."""
    run(_history(agent, id), _changes, under="revisions", otherwise=f"{id} was never changed.")


async def _history(agent: str, id: UUID) -> list[Revision]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.admin.revisions(agent, id)


def _changes(revisions: Sequence[Revision]) -> None:
    for each in revisions:
        printing.line(f"change {each.number}, {each.at:%Y-%m-%d %H:%M}; before it:", style="dim")
        for name, value in each.was.items():
            printing.line(f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")


@command.command(cls=Answering, shape=RECEIPT)
@_IDS
@AGENT
@YES
def forget(ids: Sequence[UUID], agent: str, yes: bool) -> None:
    """Erase the memories of these IDs with all that was derived from them, in one transaction, for good."""
    confirm(yes, f"Erase {len(ids)} {'memory' if len(ids) == 1 else 'memories'} of agent {agent!r} for good?")
    run(_forget(agent, ids), show_receipt)


async def _forget(agent: str, ids: Sequence[UUID]) -> Receipt:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.forget(agent, ids)


def show_receipt(receipt: Receipt) -> None:
    """What an erasure removed, but for what there was none of."""
    told = printing.jsonable(receipt)
    removed = [f"{count} {name}" for name, count in told.items() if name != "agent_id" and count]
    printing.line(f"erased of agent {receipt.agent_id!r}: {', '.join(removed) or 'nothing, there was nothing'}")
