"""`cognitive agent`: what an agent's turns taught, what it did in them, and the end of it all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.memory import RECEIPT, show_receipt
from cognitive.cli.options import AGENT, YES, confirm, limit

if TYPE_CHECKING:
    from brain.types import Receipt
    from cognitive.catalog.plans import PastPlan
    from cognitive.preflight.category_learning import Habit

_USER = click.option("--user", "user_id", help="Of this user alone.")


@click.group()
def command() -> None:
    """What an agent's turns taught, its past plans, and erasing all of it."""


@command.command(cls=Answering, shape="{plans: [{key, message, turns, last_at, tools: [[name, turns]]}]}")
@click.argument("message", required=False)
@AGENT
@limit(25, 500)
def plans(message: str | None, agent: str, limit: int) -> None:
    """Show which tools the latest turns called, by what they were asked; with MESSAGE, of turns that asked the like."""
    run(_plans(agent, message, limit), _show_plans, under="plans", otherwise="No turn of the like called a tool.")


async def _plans(agent: str, message: str | None, limit: int) -> Sequence[PastPlan]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.explain.my_plans(agent, message, limit=limit)


def _show_plans(found: Sequence[PastPlan]) -> None:
    rows = [
        (plan.turns, printing.day(plan.last_at), ", ".join(f"{name} {n}" for name, n in plan.tools),
         printing.shortened(plan.message))
        for plan in found
    ]  # fmt: skip
    printing.table(("turns", "last", "tools", "message"), rows)


@command.command(cls=Answering, shape="{habits: [{category, tool, called, turns}]}")
@AGENT
def habits(agent: str) -> None:
    """Show how often each tool was called in the completed turns of each category."""
    run(_habits(agent), _show_habits, under="habits", otherwise="No completed turn taught anything of tools yet.")


async def _habits(agent: str) -> Sequence[Habit]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.admin.tool_usage(agent)


def _show_habits(found: Sequence[Habit]) -> None:
    rows = [(habit.category, habit.tool, f"{habit.called} of {habit.turns} turns") for habit in found]
    printing.table(("category", "tool", "called"), rows)


@command.command(cls=Answering, shape="{categories: {…}}")
@click.option("--user", "user_id", required=True, help="The user.")
@AGENT
def profile(user_id: str, agent: str) -> None:
    """Show how many of a user's completed turns were of each category."""
    run(_profile(agent, user_id), _show_profile, under="categories", otherwise="Nothing is known of this user.")


async def _profile(agent: str, user_id: str) -> Mapping[str, int]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.admin.user_profile(agent, user_id)


def _show_profile(categories: Mapping[str, int]) -> None:
    printing.table(("category", "turns"), sorted(categories.items(), key=lambda each: (-each[1], each[0])))


@command.command("forget-habits", cls=Answering, shape="{turns}")
@_USER
@AGENT
@YES
def forget_habits(user_id: str | None, agent: str, yes: bool) -> None:
    """Forget what an agent's turns, or one user's, were taken for: habits and profiles begin anew, turns stay."""
    confirm(yes, f"Forget the habits of agent {agent!r}{f', user {user_id!r}' if user_id else ''} for good?")
    run(_forget_habits(agent, user_id), lambda told: printing.line(f"forgotten of {told['turns']} turns"))


async def _forget_habits(agent: str, user_id: str | None) -> Mapping[str, int]:
    async with cognitive.CognitiveLayer.open() as layer:
        return {"turns": await layer.admin.reset_learning(agent, user_id)}


@command.command(cls=Answering, shape=RECEIPT)
@click.argument("agent")
@YES
def erase(agent: str, yes: bool) -> None:
    """Erase everything of AGENT, in the database and in the journal of this machine, for good."""
    confirm(yes, f"Erase all memories, turns and sessions of agent {agent!r} for good?")
    run(_erase(agent), show_receipt)


async def _erase(agent: str) -> Receipt:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.erase_agent(agent)
