"""`cognitive user`: erase all data of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import cognitive
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.memory import show_receipt
from cognitive.cli.options import AGENT, YES, confirm
from cognitive.cli.shapes import RECEIPT

if TYPE_CHECKING:
    from brain.receipts import Receipt


@click.group()
def command() -> None:
    """Erase all data of a user of an agent."""


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
