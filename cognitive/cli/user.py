"""`cognitive user`: list the users of an agent, assign what was said before it had users, and erase all data of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from brain.analytics.users import MAX_USERS
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.memory import show_receipt
from cognitive.cli.opening import call_layer, watch_layer
from cognitive.cli.options import AGENT, YES, confirm, limit
from cognitive.cli.shapes import RECEIPT

if TYPE_CHECKING:
    from brain.analytics.users import UserCounts
    from brain.assignment import UserAssignment

_WHY_SHARED = {
    "no_user": "no user is recorded",
    "kept": "kept by --user",
    "linked": "they replaced, or were merged with, a memory that goes to no one or to another user",
    "stored": "the user has equal ones",
    "several": "several users spoke in them, or none in some turns",
    "open": "a turn of them is open",
}


@click.group(cls=SuggestingGroup)
def command() -> None:
    """List the users of an agent, assign what was said before it had users, or erase all data of one."""


@command.command("list", cls=JsonCommand, shape="{users: [{user_id, memories, sessions, turns, last_at?}]}")
@click.argument("words", required=False)
@AGENT
@limit(50, MAX_USERS)
@click.option("--after", help="The last id of the page before.")
def list_(words: str | None, agent: str, limit: int, after: str | None) -> None:
    """List the users of an agent by id, or those whose ids contain all WORDS."""
    run(
        call_layer(lambda layer: layer.admin.users(agent, words, limit, after)),
        _show_list,
        key="users",
        empty_message=f"Agent {agent!r} has no such user.",
    )


def _show_list(users: Sequence[UserCounts]) -> None:
    rows = [(each.user_id, each.memories, each.sessions, each.turns, printing.minute(each.last_at)) for each in users]
    printing.table(("user", "memories", "sessions", "turns", "last turn"), rows)


def _names(_context: click.Context, _option: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str | None]:
    """Return the user id of each recorded name, None for a name without one."""
    names: dict[str, str | None] = {}
    for pair in pairs:
        name, equals, user_id = pair.rpartition("=")
        if not equals or not name:
            raise click.BadParameter(f"expected NAME=ID, got {pair!r}")
        names[name] = user_id or None
    return names


@command.command(
    cls=JsonCommand,
    shape="{agent_id, dry_run, users: {…}, shared_memories: {…}, shared_sessions: {…}}",
)
@click.argument("agent", envvar="COGNITIVE_AGENT")
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="NAME=ID",
    callback=_names,
    help="User id of a recorded name; NAME= keeps it shared.",
)
@click.option("--dry-run", is_flag=True, help="Only count the rows.")
@YES
def assign(agent: str, users: Mapping[str, str | None], dry_run: bool, yes: bool) -> None:
    """Give the users of AGENT what turns captured of them before it had users.

    This cannot be undone.
    """
    if not dry_run:
        confirm(yes, f"Assign what turns of agent {agent!r} captured to the users who spoke?")
    run(
        watch_layer(
            "assigning",
            lambda layer, advance: layer.admin.assign_users(agent, users, dry_run=dry_run, progress=advance),
        ),
        _show_assignment,
    )


def _show_assignment(answer: UserAssignment) -> None:
    would = "would get" if answer.dry_run else "got"
    for user, rows in answer.users.items():
        printing.line(f"User {user} {would} {rows.memories} memories, {rows.sessions} sessions, {rows.turns} turns.")
    if not answer.users:
        printing.line("Nothing to assign.")
    for what, reasons in (("memories", answer.shared_memories), ("sessions", answer.shared_sessions)):
        for reason, number in reasons.items():
            printing.line(f"{number} {what} stay shared: {_WHY_SHARED[reason]}.")


@command.command(cls=JsonCommand, shape=RECEIPT)
@click.argument("user_id", metavar="USER")
@AGENT
@YES
def erase(user_id: str, agent: str, yes: bool) -> None:
    """Erase all data of USER of an agent, in the database and in this machine's journal, permanently."""
    confirm(yes, f"Permanently erase all memories, turns and sessions of user {user_id!r} of agent {agent!r}?")
    run(call_layer(lambda layer: layer.forget_user(agent, user_id)), show_receipt)
