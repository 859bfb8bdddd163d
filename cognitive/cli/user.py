"""`cognitive user`: list the users of an agent, and erase all data of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

import cognitive
from brain.analytics.users import MAX_USERS
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.memory import show_receipt
from cognitive.cli.options import AGENT, YES, confirm, limit
from cognitive.cli.shapes import RECEIPT

if TYPE_CHECKING:
    from brain.analytics.users import UserCounts
    from brain.receipts import Receipt


@click.group()
def command() -> None:
    """List the users of an agent, or erase all data of one."""


@command.command("list", cls=JsonCommand, shape="{users: [{user_id, memories, sessions, turns, last_at?}]}")
@click.argument("words", required=False)
@AGENT
@limit(50, MAX_USERS)
@click.option("--after", help="The last id of the page before.")
def list_(words: str | None, agent: str, limit: int, after: str | None) -> None:
    """List the users of an agent by id, or those whose ids contain all WORDS."""
    run(_list(agent, words, limit, after), _show_list, key="users", empty_message=f"Agent {agent!r} has no such user.")


async def _list(agent: str, words: str | None, limit: int, after: str | None) -> Sequence[UserCounts]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.admin.users(agent, words, limit, after)


def _show_list(users: Sequence[UserCounts]) -> None:
    rows = [
        (each.user_id, each.memories, each.sessions, each.turns, printing.minute(each.last_at) if each.last_at else "")
        for each in users
    ]
    printing.table(("user", "memories", "sessions", "turns", "last turn"), rows)


@command.command(cls=JsonCommand, shape=RECEIPT)
@click.argument("user_id", metavar="USER")
@AGENT
@YES
def erase(user_id: str, agent: str, yes: bool) -> None:
    """Erase all data of USER of an agent, in the database and in this machine's journal, permanently."""
    confirm(yes, f"Permanently erase all memories, turns and sessions of user {user_id!r} of agent {agent!r}?")
    run(_erase(agent, user_id), show_receipt)


async def _erase(agent: str, user_id: str) -> Receipt:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.forget_user(agent, user_id)
