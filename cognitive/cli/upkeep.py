"""`cognitive memory retire`, `restore` and `merge` hide memories and show them again; three more commands list them.

`duplicates`, `contradictions` and `stale` list what may need attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

import click

from brain.users import UserId
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import call_layer, opened
from cognitive.cli.options import AGENT, IDS, limit, view
from cognitive.cli.shapes import MEMORY
from cognitive.upkeep.pages import MAX_PAGE, StaleMemory

if TYPE_CHECKING:
    from brain.types import Memory
    from cognitive.upkeep.pages import PairPage, StalePage

PAIRS = f"{{items: [{{older: {MEMORY}, newer: {MEMORY}, score, reason}}], next?, compared}}"
STALE = f"{{items: [{{memory: {MEMORY}, reason}}], next?}}"
STATES = f"{{memories: [{MEMORY}]}}"
_AFTER = click.option("--after", help="The `next` of the page before.")


@click.command(cls=JsonCommand, shape=STATES)
@IDS
@AGENT
@view
def retire(ids: Sequence[UUID], agent: str, user_id: UserId) -> None:
    """Hide the memories with these IDs from turns and searches. Nothing is deleted; `restore` shows them again."""
    run(call_layer(lambda layer: layer.retire(agent, ids, user_id=user_id)), _show_states, key="memories")


@click.command(cls=JsonCommand, shape=STATES)
@IDS
@AGENT
@view
def restore(ids: Sequence[UUID], agent: str, user_id: UserId) -> None:
    """Show hidden memories again, as if nothing had hidden them."""
    run(call_layer(lambda layer: layer.restore(agent, ids, user_id=user_id)), _show_states, key="memories")


@click.command(cls=JsonCommand, shape=STATES)
@IDS
@click.option("--into", required=True, type=click.UUID, help="Id of the memory that says the same and is kept.")
@AGENT
@view
def merge(ids: Sequence[UUID], into: UUID, agent: str, user_id: UserId) -> None:
    """Hide the memories with these IDs, because another memory of their type says the same."""
    run(call_layer(lambda layer: layer.merge(agent, ids, into, user_id=user_id)), _show_states, key="memories")


def _show_states(memories: Sequence[Memory]) -> None:
    now = datetime.now(UTC)
    for memory in memories:
        state = f"hidden: {memory.hidden_reason}" if memory.hidden(now) else "visible"
        printing.line(f"{memory.id}  {state}  {memory.content[:80]}")


def _listing(name: str, shape: str, about: str, items: str) -> click.Command:
    """Return the command that prints a page of the upkeep list of this name; `about` is its help.

    `items` is the word for what it lists.
    """

    @click.command(name, cls=JsonCommand, shape=shape, help=about)
    @AGENT
    @view
    @limit(50, MAX_PAGE)
    @_AFTER
    def command(agent: str, user_id: UserId, limit: int, after: str | None) -> None:
        run(_listed(name, agent, user_id, limit, after), partial(_show_page, items, after))

    return command


duplicates = _listing(
    "duplicates", PAIRS, "List pairs of memories that say the same, the most certain first.", "duplicates"
)
contradictions = _listing(
    "contradictions",
    PAIRS,
    "List pairs of memories that give one attribute of one subject different values, the newest first.",
    "contradictions",
)
stale = _listing("stale", STALE, "List memories that turns showed without use, or no longer use.", "stale memories")


async def _listed(name: str, agent: str, user_id: UserId, limit: int, after: str | None) -> PairPage | StalePage:
    async with opened() as layer:
        page: PairPage | StalePage = await getattr(layer.upkeep, name)(agent, limit, after, user_id=user_id)
        return page


def _show_page(items: str, after: str | None, page: PairPage | StalePage) -> None:
    for item in page.items:
        for memory in (item.memory,) if isinstance(item, StaleMemory) else (item.older, item.newer):
            printing.line(f"{memory.id}  {printing.day(memory.occurred_at)}  {memory.content[:80]}")
        printing.line(f"  {item.reason}", style="dim")
    if not page.items:
        whole = after is None and page.next is None
        printing.line(f"There are no {items}." if whole else f"This page has no {items}.")
    if page.next is not None:
        printing.line(f"More: --after {page.next}")
