"""`cognitive work`: a session's plan, and the subtasks that an agent works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

import cognitive
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, limit

if TYPE_CHECKING:
    from brain.sessions import Carried
    from brain.subtasks import Subtask

_SUBTASK = (
    "{id, session_id, title, status, depends_on: [id], artifacts: [id], result, facts: [id], created_at, completed_at?}"
)
_PLAN = "{summary, covers?, plan: [step], step}"
_IN = click.argument("session_id")
_ID = click.argument("id", type=click.UUID)
_ON = click.option("--on", "depends_on", type=click.UUID, multiple=True, help="A subtask that it depends on.")


@click.group()
def command() -> None:
    """A session's plan and subtasks."""


# --- the plan ---


@command.command(cls=Answering, shape="{plan: [step]}")
@_IN
@click.argument("steps", nargs=-1, required=True)
@AGENT
def plan(session_id: str, steps: Sequence[str], agent: str) -> None:
    """Give SESSION_ID a plan of STEPS, at its first; the one that it has already stays where it is."""
    run(_plan(agent, session_id, steps), lambda told: printing.line(f"planned in {len(told['plan'])} steps"))


async def _plan(agent: str, session_id: str, steps: Sequence[str]) -> Mapping[str, Any]:
    async with cognitive.CognitiveLayer.open() as layer:
        await layer.work.plan(agent, session_id, steps)
    return {"plan": steps}


@command.command(cls=Answering, shape=_PLAN)
@_IN
@click.argument("step", type=click.IntRange(min=0))
@AGENT
def advance(session_id: str, step: int, agent: str) -> None:
    """Mark STEP, counted from 0, of the plan of SESSION_ID as done."""
    run(_advance(agent, session_id, step), _show_plan)


async def _advance(agent: str, session_id: str, step: int) -> Carried:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.advance(agent, session_id, step)


def _show_plan(carried: Carried) -> None:
    for n, step in enumerate(carried.plan):
        printing.line(f"{'done' if n < carried.step else 'next' if n == carried.step else '    '}  {n}  {step}")


# --- subtasks ---


@command.command(cls=Answering, shape=f"{{subtask: {_SUBTASK}}}")
@_IN
@click.argument("title")
@_ON
@click.option("--id", "own", type=click.UUID, help="An id of your own: with it, it is opened once.")
@AGENT
def begin(session_id: str, title: str, depends_on: tuple[UUID, ...], own: UUID | None, agent: str) -> None:
    """Open a subtask of SESSION_ID."""
    run(_begin(agent, session_id, title, depends_on, own), printing.fields_of, under="subtask")


async def _begin(agent: str, session_id: str, title: str, depends_on: Sequence[UUID], own: UUID | None) -> Subtask:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.begin(agent, session_id, title, depends_on, id=own)


@command.command(cls=Answering, shape=f"{{subtask: {_SUBTASK}}}")
@_ID
@click.argument("on", type=click.UUID, nargs=-1, required=True)
@AGENT
def depend(id: UUID, on: Sequence[UUID], agent: str) -> None:
    """Let the open subtask ID depend on more."""
    run(_depend(agent, id, on), printing.fields_of, under="subtask")


async def _depend(agent: str, id: UUID, on: Sequence[UUID]) -> Subtask:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.depend(agent, id, on)


@command.command(cls=Answering, shape=f"{{subtask: {_SUBTASK}}}")
@_ID
@click.argument("result")
@click.option("--fact", "facts", multiple=True, help="What is worth knowing after it; becomes a memory.")
@click.option("--artifact", "artifacts", type=click.UUID, multiple=True, help="An artifact that it made.")
@AGENT
def complete(id: UUID, result: str, facts: tuple[str, ...], artifacts: tuple[UUID, ...], agent: str) -> None:
    """Complete the subtask ID with RESULT, once; its facts become memories."""
    run(_complete(agent, id, result, facts, artifacts), printing.fields_of, under="subtask")


async def _complete(
    agent: str, id: UUID, result: str, facts: Sequence[str], artifacts: Sequence[UUID]
) -> Subtask:  # fmt: skip
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.complete(agent, id, result, artifacts, facts)


@command.command(cls=Answering, shape=f"{{subtask: {_SUBTASK}}}")
@_ID
@click.argument("reason", default="")
@AGENT
def abandon(id: UUID, reason: str, agent: str) -> None:
    """Give the subtask ID up."""
    run(_abandon(agent, id, reason), printing.fields_of, under="subtask")


async def _abandon(agent: str, id: UUID, reason: str) -> Subtask:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.abandon(agent, id, reason)


@command.command("list", cls=Answering, shape=f"{{subtasks: [{_SUBTASK}]}}")
@_IN
@AGENT
def list_(session_id: str, agent: str) -> None:
    """List the subtasks of SESSION_ID, oldest first."""
    run(_list(agent, session_id), _show_subtasks, under="subtasks", otherwise="The session has no subtasks.")


async def _list(agent: str, session_id: str) -> Sequence[Subtask]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.of_session(agent, session_id)


@command.command(cls=Answering, shape=f"{{subtasks: [{_SUBTASK}]}}")
@click.argument("query")
@click.option("--session", "session_id", help="Only of this session.")
@limit(5, 200)
@AGENT
def search(query: str, session_id: str | None, limit: int, agent: str) -> None:
    """Find completed subtasks that share words with QUERY, the best first."""
    run(_search(agent, session_id, query, limit), _show_subtasks, under="subtasks")


async def _search(agent: str, session_id: str | None, query: str, limit: int) -> Sequence[Subtask]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.search(agent, session_id, query, limit)


def _show_subtasks(found: Sequence[Subtask]) -> None:
    rows = [(each.status, each.title, printing.shortened(each.result, 80), each.id) for each in found]
    printing.table(("status", "title", "result", "id"), rows)


@command.command(cls=Answering, shape="{context}")
@_IN
@click.argument("title")
@_ON
@click.option("--turn", "turn_id", help="Count the facts as shown in this turn.")
@AGENT
def context(session_id: str, title: str, depends_on: tuple[UUID, ...], turn_id: str | None, agent: str) -> None:
    """Print what a new subtask of SESSION_ID should know, as a block for its prompt."""
    run(_context(agent, session_id, title, depends_on, turn_id), lambda text: click.echo(printing.safe(text)),
        under="context", otherwise="There is nothing to know.")  # fmt: skip


async def _context(agent: str, session_id: str, title: str, depends_on: Sequence[UUID], turn_id: str | None) -> str:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.work.context_for(agent, session_id, title, depends_on, turn_id=turn_id)
