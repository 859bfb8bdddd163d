"""`cognitive agent`: show which tools an agent's past turns called, form memories, or erase all data of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cognitive.cli import formation, printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.memory import show_receipt
from cognitive.cli.opening import call_layer, opened
from cognitive.cli.options import AGENT, YES, confirm, limit
from cognitive.cli.shapes import RECEIPT

if TYPE_CHECKING:
    from cognitive.catalog.plans import PastPlan
    from cognitive.preflight.category_learning import ToolUsage


@dataclass(frozen=True, slots=True)
class _LearningAnswer:
    tool_usage: Sequence[ToolUsage]
    plans: Sequence[PastPlan]
    categories: Mapping[str, int] | None


@click.group(cls=SuggestingGroup)
def command() -> None:
    """List agents, show what their turns taught, form memories with a model, or erase all data of one."""


@command.command("list", cls=JsonCommand, shape="{agents: [name]}")
@click.argument("words", required=False)
@click.option("--limit", type=click.IntRange(1), help="Maximum number of agents; default: all.")
@click.option("--offset", default=0, type=click.IntRange(0), help="Number of agents to skip.")
@click.option("--url", help="URL of a login that sees all agents; default: COGNITIVE_DATABASE_URL.")
def list_(words: str | None, limit: int | None, offset: int, url: str | None) -> None:
    """List the agents by name, or those whose names contain all WORDS.

    The login must bypass row level security, as a superuser does; the embedded server needs no URL.
    """
    run(_agents(url, words, limit, offset), _show_agents, key="agents", empty_message="There are no such agents.")


def _show_agents(agents: Sequence[str]) -> None:
    for each in agents:
        printing.line(each)


async def _agents(url: str | None, words: str | None, limit: int | None, offset: int) -> Sequence[str]:
    from cognitive import admin

    wanted = (words or "").casefold().split()
    found = [each for each in await admin.agents(url) if all(word in each.casefold() for word in wanted)]
    return found[offset:][:limit]


@command.command(
    cls=JsonCommand,
    shape="{tool_usage: [{category, tool, called, turns}], "
    "plans: [{key, message, turns, last_at, tools: [[name, turns]]}]"
    ", categories?: {…}} | {turns}",
)
@click.argument("message", required=False)
@AGENT
@click.option("--user", "user_id", help="User id: show or reset only this user's.")
@limit(25, 500)
@click.option("--reset", is_flag=True, help="Forget the categories of past turns; the turns stay.")
@YES
def learned(message: str | None, user_id: str | None, agent: str, limit: int, reset: bool, yes: bool) -> None:
    """Show which tools the agent's completed turns called, by category of the message and by similar messages.

    With MESSAGE, list only past turns whose message is similar.
    """
    if reset:
        of_user = f" from user {user_id!r}" if user_id else ""
        confirm(yes, f"Permanently forget the categories that agent {agent!r} learned{of_user}?")
        run(
            _reset(agent, user_id),
            lambda answer: printing.line(f"forgotten: the categories of {answer['turns']} turns"),
        )
    else:
        run(_learning(agent, user_id, message, limit), _show, succeeded=_any)


async def _learning(agent: str, user_id: str | None, message: str | None, limit: int) -> _LearningAnswer:
    async with opened() as layer:
        return _LearningAnswer(
            await layer.admin.tool_usage(agent, user_id=user_id),
            await layer.explain.past_plans(agent, message, limit=limit, user_id=user_id),
            await layer.admin.user_profile(agent, user_id) if user_id is not None else None,
        )


async def _reset(agent: str, user_id: str | None) -> Mapping[str, int]:
    async with opened() as layer:
        return {"turns": await layer.admin.reset_learning(agent, user_id)}


def _any(answer: _LearningAnswer) -> bool:
    return bool(answer.tool_usage or answer.plans or answer.categories)


def _show(answer: _LearningAnswer) -> None:
    if not _any(answer):
        printing.note("Nothing was learned from completed turns yet.")
    if answer.tool_usage:
        rows = [(usage.category, usage.tool, f"{usage.called} of {usage.turns} turns") for usage in answer.tool_usage]
        printing.table(("category", "tool", "called"), rows)
    if answer.plans:
        plans = [
            (
                plan.turns,
                printing.day(plan.last_at),
                ", ".join(f"{name} {n}" for name, n in plan.tools),
                printing.shortened(plan.message),
            )
            for plan in answer.plans
        ]
        printing.table(("turns", "last", "tools", "message"), plans)
    if answer.categories:
        ordered = sorted(answer.categories.items(), key=lambda each: (-each[1], each[0]))
        printing.table(("category", "turns of this user"), ordered)


command.add_command(formation.form)


@command.command(cls=JsonCommand, shape=RECEIPT)
@click.argument("agent")
@YES
def erase(agent: str, yes: bool) -> None:
    """Erase all data of AGENT in the database and in this machine's journal, permanently."""
    confirm(yes, f"Permanently erase all memories, turns and sessions of agent {agent!r}?")
    run(call_layer(lambda layer: layer.erase_agent(agent)), show_receipt)
