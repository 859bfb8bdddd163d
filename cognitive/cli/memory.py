"""`cognitive remember` and `memory`: store, read, share, change and erase memories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

import click

import cognitive
from brain.errors import InvalidInput
from brain.memory_types import MEMORY_TYPES
from brain.users import UserId
from cognitive.cli import formation, printing, upkeep
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.opening import call_layer, note_users, opened, watch_layer
from cognitive.cli.options import (
    AGENT,
    FILE,
    IDS,
    MOMENT,
    USER,
    WHERE,
    YES,
    at,
    aware,
    confirm,
    json_object,
    limit,
    read_text,
    view,
)
from cognitive.cli.shapes import MEMORY, RECEIPT

if TYPE_CHECKING:
    from brain.receipts import Receipt
    from brain.types import Memory, Revision


class _ShownMemories(TypedDict):
    memories: list[Memory]
    missing: list[UUID]


@click.command(cls=JsonCommand, shape="{ids: [id]}")
@click.argument("content", required=False)
@AGENT
@USER
@click.option("--type", type=click.Choice(MEMORY_TYPES), default="fact", show_default=True, help="Memory type.")
@click.option("--speaker", help="Speaker.")
@click.option("--session", "session_id", help="Session id.")
@at("Time of the statement: a day (UTC) or a time with offset; default: now.")
@click.option("--source", help="Your id; memories with the same one are stored once.")
@click.option("--tag", "tags", multiple=True, help="Tag; may be repeated.")
@click.option("--expires", "expires_at", type=MOMENT, metavar="WHEN", callback=aware, help="Hide it from this time on.")
@click.option("--metadata", callback=json_object, help="Free JSON to filter by, an object.")
@click.option("--pinned", is_flag=True, help="Keep the memory in the prompt's stable prefix.")
@click.option("--supersedes", help="Id of the memory that this one replaces.")
@click.option("--file", type=FILE, help="File of JSON lines.")
def remember(
    content: str | None,
    agent: str,
    at: datetime | None,
    metadata: dict[str, Any] | None,
    file: Path | None,
    **fields: Any,
) -> None:
    """Store CONTENT as a memory, or each line of --file, a JSON object with the fields of NewMemory.

    With --user, it is the user's memory, as is a line that names no user; a line of another user is refused. Prints the
    ids of the memories in order. A memory that exists already is not stored again; its id is printed.
    """
    if (content is None) == (file is None):
        raise click.UsageError("give either CONTENT or --file")
    fields |= {"content": content, "occurred_at": at, "metadata": metadata or {}}
    run(_remember(agent, file, fields), _show_ids, key="ids", empty_message="The file holds no memory.")


def _read(file: Path, user_id: str | None) -> Iterator[cognitive.NewMemory]:
    for n, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError:
            fields = None
        try:
            if not isinstance(fields, dict):
                raise InvalidInput("expected one JSON object per line")
            memory = cognitive.NewMemory(**{"user_id": user_id, **fields})
            if user_id is not None and memory.user_id != user_id:
                raise InvalidInput(f"user_id: {memory.user_id!r} is not the user of --user")
        except InvalidInput as error:
            other = "; `cognitive db import` reads files of other systems" if "unknown field" in str(error) else ""
            raise InvalidInput(f"{str(file)!r}, line {n}: {error}{other}") from error
        yield memory


async def _remember(agent: str, file: Path | None, one: dict[str, Any]) -> Sequence[UUID]:
    memories = list(_read(file, one["user_id"])) if file is not None else [cognitive.NewMemory(**one)]
    return await watch_layer("remembering", lambda layer, advance: layer.remember(agent, memories, progress=advance))


def _show_ids(ids: Sequence[UUID]) -> None:
    for id in ids:
        click.echo(id)


# --- single memories ---


@click.group(cls=SuggestingGroup)
def command() -> None:
    """List, read, change or erase memories, or store a conversation."""


@command.command("list", cls=JsonCommand, shape=f"{{memories: [{MEMORY}]}}")
@AGENT
@view
@click.option("--tag", "tags", multiple=True, help="Only memories with one of these tags.")
@WHERE
@limit(20, 1000)
@click.option("--offset", default=0, show_default=True, type=click.IntRange(0), help="Number of rows to skip.")
def list_(
    agent: str, user_id: UserId, tags: Sequence[str], where: dict[str, Any] | None, limit: int, offset: int
) -> None:
    """List an agent's memories, oldest first, hidden ones too. Exits with 3 if there are none."""
    if tags and where is not None and "tags" in where:
        raise click.UsageError("give the tags with --tag or in --where, not in both")
    wanted = {**(where or {}), **({"tags": {"in": list(tags)}} if tags else {})}
    run(
        _list(agent, user_id, wanted, limit, offset),
        _show_memories,
        key="memories",
        empty_message=f"Agent {agent!r} has no such {'shared memory' if user_id is None else 'memory'}.",
    )


@command.command(
    cls=JsonCommand,
    shape=f"{{memories: [{MEMORY}], missing: [id]}} | "
    "{revisions: [{memory_id, number, previous: {…}, changed_at}]}",
)
@IDS
@AGENT
@view
@click.option("--history", is_flag=True, help="Show the previous values of each change instead.")
def show(ids: Sequence[UUID], agent: str, user_id: UserId, history: bool) -> None:
    """Show the memories with these IDs, in the given order. Exits with 3 if one does not exist.

    With --history, show the changes of each memory, latest first, and exit with 3 if there are none.
    """
    if history:
        run(
            _history(agent, user_id, ids),
            _show_changes,
            key="revisions",
            empty_message="These memories were never changed.",
        )
    else:
        run(_get(agent, user_id, ids), _show, succeeded=lambda answer: not answer["missing"])


async def _get(agent: str, user_id: UserId, ids: Sequence[UUID]) -> _ShownMemories:
    async with opened() as layer:
        memories = await layer.get(agent, ids, user_id=user_id)
    stored = {memory.id for memory in memories}
    return {"memories": memories, "missing": [id for id in ids if id not in stored]}


async def _history(agent: str, user_id: UserId, ids: Sequence[UUID]) -> list[Revision]:
    async with opened() as layer:
        return [revision for id in ids for revision in await layer.admin.revisions(agent, id, user_id=user_id)]


def _show_changes(revisions: Sequence[Revision]) -> None:
    for each in revisions:
        printing.line(f"{each.memory_id}, change {each.number}, {each.changed_at:%Y-%m-%d %H:%M}; before:", style="dim")
        for name, value in each.previous.items():
            printing.line(f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")


async def _list(agent: str, user_id: UserId, where: dict[str, Any], limit: int, offset: int) -> list[Memory]:
    async with opened() as layer:
        memories = await layer.admin.find(agent, where, limit, offset, user_id=user_id)
        if not memories:
            await note_users(layer, agent, user_id, "memories")
    return memories


def _show_memories(memories: Sequence[Memory]) -> None:
    for memory in memories:
        printing.fields_of(memory)
        printing.line("")


def _show(answer: _ShownMemories) -> None:
    _show_memories(answer["memories"])
    for id in answer["missing"]:
        printing.line(f"{id}: there is no such memory in this view; a user's memory needs --user")


@command.command(cls=JsonCommand, shape=f"{{memory: {MEMORY}}}", context_settings={"ignore_unknown_options": True})
@click.argument("id", type=click.UUID)
@click.argument("changes", nargs=-1, required=True, metavar="FIELD=VALUE...")
@AGENT
@view
def update(id: UUID, changes: Sequence[str], agent: str, user_id: UserId) -> None:
    """Change fields of the memory ID.

    The fields are content, speaker, context, occurred_at, expires_at, tags, entities, confidence, pinned, attributes
    and metadata. A VALUE is JSON if it parses as JSON, else text: pinned=true, tags='["billing"]', content=Noon.
    """
    run(_update(agent, user_id, id, changes), printing.fields_of, key="memory")


async def _update(agent: str, user_id: UserId, id: UUID, changes: Sequence[str]) -> Memory:
    fields = dict(map(_change, changes))
    async with opened() as layer:
        return await layer.update(agent, id, user_id=user_id, **fields)


def _change(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{argument!r}: expected FIELD=VALUE, such as content='It opens at nine.'")
    if name == "content":  # always text, even if it parses as JSON
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@command.command(cls=JsonCommand, shape=RECEIPT)
@IDS
@AGENT
@view
@YES
def forget(ids: Sequence[UUID], agent: str, user_id: UserId, yes: bool) -> None:
    """Erase the memories with these IDs and everything derived from them, in one transaction, permanently."""
    run(_forget(agent, user_id, ids, yes), show_receipt)


async def _forget(agent: str, user_id: UserId, ids: Sequence[UUID], yes: bool) -> Receipt:
    async with opened() as layer:
        if len(await layer.get(agent, ids, user_id=user_id)) == len(set(ids)):  # otherwise `forget` raises an error
            confirm(yes, f"Erase {len(ids)} {'memory' if len(ids) == 1 else 'memories'} of agent {agent!r} for good?")
        return await layer.forget(agent, ids, user_id=user_id)


@command.command(cls=JsonCommand, shape="{ids: [id]}")
@IDS
@AGENT
@view
def share(ids: Sequence[UUID], agent: str, user_id: UserId) -> None:
    """Store a shared copy of each of a user's memories with these IDs, and print the ids of the copies."""
    run(call_layer(lambda layer: layer.share(agent, ids, user_id=user_id)), _show_ids, key="ids")


def show_receipt(receipt: Receipt) -> None:
    """Print an erasure's receipt: how many rows of each kind it removed, leaving out zeros."""
    counts = printing.jsonable(receipt)
    removed = [f"{count} {name}" for name, count in counts.items() if name not in ("agent_id", "user_id") and count]
    user = f", user {receipt.user_id!r}" if receipt.user_id is not None else ""
    printing.line(f"erased of agent {receipt.agent_id!r}{user}: {', '.join(removed) or 'nothing, it had no data'}")


for _command in (
    formation.conversation,
    upkeep.retire,
    upkeep.restore,
    upkeep.merge,
    upkeep.duplicates,
    upkeep.contradictions,
    upkeep.stale,
):
    command.add_command(_command)
