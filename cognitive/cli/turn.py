"""`cognitive turn`: the two ends of a turn by hand, and the record of turns."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

import cognitive
from brain.errors import InvalidInput
from brain.turn_records import TurnSummary
from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.options import AGENT, FILE, SESSION, SINCE, UNTIL, limit
from cognitive.degradation import codes

if TYPE_CHECKING:
    from cognitive.turn import Report, TurnContext

SHAPE = "{turn_id, session_id, at, status, message}"
_CONTEXT = (
    "{turn_id, session_id, prefix, text, prompt: [{role, content}], shown: [{memory_id, type, content, source?, "
    "score, tokens, propensity, lacked}], tools: [{…}], frame, categories: [name], thinking?, model?, hint?, "
    "degraded: [reason], degraded_codes: [code]}"
)
_STATUSES = ("completed", "failed", "abandoned")


@click.group()
def command() -> None:
    """Prepare and close turns by hand, list and rate them."""


@command.command("list", cls=Answering, shape=f"{{turns: [{SHAPE}]}}")
@AGENT
@limit(20, 1_000)
def list_(agent: str, limit: int) -> None:
    """Show an agent's last turns, newest first."""
    run(listed(agent, limit), show_turns, under="turns", otherwise=f"Agent {agent!r} has no turns.")


async def listed(agent: str, limit: int) -> Sequence[TurnSummary]:
    """The agent's last turns, newest first."""
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.explain.turns(agent, limit)


def show_turns(turns: Sequence[TurnSummary]) -> None:
    """Turns as a table."""
    rows = [
        (turn.turn_id, turn.session_id, printing.minute(turn.at), turn.status,
         printing.shortened(turn.message, 80))
        for turn in turns
    ]  # fmt: skip
    printing.table(("turn", "session", "at", "status", "message"), rows)


@command.command(cls=Answering, shape="{turn_ids: [id]}")
@AGENT
@SINCE
@UNTIL
def ids(agent: str, since: datetime | None, until: datetime | None) -> None:
    """Print the ids of an agent's turns, oldest first: all of them, or those of a time."""
    run(_ids(agent, since, until), lambda found: click.echo("\n".join(found)), under="turn_ids",
        otherwise=f"Agent {agent!r} has no turns then.")  # fmt: skip


async def _ids(agent: str, since: datetime | None, until: datetime | None) -> Sequence[str]:
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.explain.turn_ids(agent, since, until)


@command.command(cls=Answering, shape=_CONTEXT)
@click.argument("message")
@SESSION
@AGENT
@click.option("--user", "user_id", help="Who speaks.")
@click.option("--model", help="The model that will read the prompt.")
@click.option("--system", default="", help="The host's own system message.")
@click.option("--turn", "turn_id", help="A name of your own; the same turn is recorded once.")
@click.option("--file", type=FILE, help="More fields of Turn as a JSON object: conversation, tools, thinking, ...")
def pre(
    message: str,
    session_id: str,
    agent: str,
    user_id: str | None,
    model: str | None,
    system: str,
    turn_id: str | None,
    file: Path | None,
) -> None:
    """Say what the model should see in a turn that begins with MESSAGE; `turn post` closes it."""
    given = {"agent_id": agent, "session_id": session_id, "text": message, "user_id": user_id, "model": model,
             "turn_id": turn_id}  # fmt: skip
    run(_pre(given, system, file), _show_context)


async def _pre(given: dict[str, Any], system: str, file: Path | None) -> Mapping[str, Any]:
    turn = cognitive.Turn(**{**(_object(file) if file is not None else {}), **given})
    async with cognitive.CognitiveLayer.open() as layer:
        return _told(await layer.pre_turn(turn), system)


def _object(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(f"{str(file)!r}: not a JSON object: {error}") from error


def _told(context: TurnContext, system: str) -> Mapping[str, Any]:
    plan = context.plan
    return {
        "turn_id": context.turn_id, "session_id": context.session_id, "prefix": context.prefix, "text": context.text,
        "prompt": [{"role": each.role, "content": each.content} for each in context.prompt(system)],
        "shown": context.shown, "tools": context.tools, "frame": plan.frame, "categories": plan.categories,
        "thinking": context.thinking, "model": plan.model, "hint": plan.hint, "degraded": context.degraded,
        "degraded_codes": codes(context.degraded),
    }  # fmt: skip


def _show_context(told: Mapping[str, Any]) -> None:
    for message in told["prompt"]:
        printing.line(f"--- {message['role']}", style="bold")
        printing.line(message["content"])
    printing.line(f"--- turn {told['turn_id']}: {len(told['shown'])} memories shown, frame {told['frame']}", "bold")
    for reason in told["degraded"]:
        printing.line(f"degraded: {reason}", "yellow")


@command.command(
    cls=Answering, shape="{turn_id, attributions: [{memory_id, overlap, referenced, type?}], recorded, duplicate}"
)
@click.argument("turn_id")
@click.option("--response", help="What the model answered; without it, what stands on stdin.")
@click.option("--status", type=click.Choice(_STATUSES), default="completed", show_default=True)
@click.option("--cite", "citations", type=click.UUID, multiple=True, help="A memory that the response cites.")
@click.option("--file", type=FILE, help="More fields of Outcome as a JSON object: tool_calls, ratings.")
@AGENT
def post(
    turn_id: str, response: str | None, status: str, citations: tuple[UUID, ...], file: Path | None, agent: str
) -> None:
    """Close TURN_ID with its outcome: what was shown and used is learnt, once, whatever is run again."""
    response = sys.stdin.read() if response is None else response
    given = {"response": response, "status": status, "citations": citations}
    run(_post(agent, turn_id, given, file), _show_report)


async def _post(agent: str, turn_id: str, given: dict[str, Any], file: Path | None) -> Report:
    outcome = {**(_object(file) if file is not None else {}), **given}
    async with cognitive.CognitiveLayer.open() as layer:
        return await layer.post_turn(cognitive.TurnRef(agent, turn_id), cognitive.Outcome(**outcome))


def _show_report(report: Report) -> None:
    known = "was known already" if report.duplicate else "is recorded"
    printing.line(f"turn {report.turn_id} {known if report.recorded else 'waits in the journal for Postgres'}")
    rows = [
        ("used" if each.referenced else "not used", f"{each.overlap:.2f}", each.memory_id)
        for each in report.attributions
    ]
    if rows:
        printing.table(("verdict", "overlap", "id"), rows)


@command.command(cls=Answering, shape="{turn_id, memory_id, useful}")
@click.argument("turn_id")
@click.argument("memory_id", type=click.UUID)
@click.option("--useful/--useless", default=None, required=True, help="The verdict.")
@AGENT
def rate(turn_id: str, memory_id: UUID, useful: bool, agent: str) -> None:
    """Say whether MEMORY_ID, which TURN_ID showed, was of use; it outweighs what was measured."""
    run(_rate(agent, turn_id, memory_id, useful), lambda _: printing.line("rated"))


async def _rate(agent: str, turn_id: str, memory_id: UUID, useful: bool) -> Mapping[str, Any]:
    async with cognitive.CognitiveLayer.open() as layer:
        await layer.rate(agent, turn_id, memory_id, useful=useful)
    return {"turn_id": turn_id, "memory_id": memory_id, "useful": useful}


@command.command(cls=Answering, shape="{abandoned}")
@AGENT
def reap(agent: str) -> None:
    """Give up the turns that have been open for longer than the policy allows."""
    run(_reap(agent), lambda told: printing.line(f"{told['abandoned']} turns given up"))


async def _reap(agent: str) -> Mapping[str, int]:
    async with cognitive.CognitiveLayer.open() as layer:
        return {"abandoned": await layer.admin.expire_turns(agent)}
