"""`cognitive why`: list the last turns, and explain which memories a turn showed to the model or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from brain.users import ALL_USERS, AllUsers, UserId
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import call_layer, opened
from cognitive.cli.options import AGENT, limit, view
from cognitive.cli.shapes import MEMORY

if TYPE_CHECKING:
    from rich.text import Text

    from brain.turn_records import TurnSummary
    from brain.types import Memory
    from cognitive.lab.why import Explanation

SHAPE = "{turn_id, session_id, at, status, message, degraded: [reason], user_id?}"
_MAX_CONTENT_CHARS = 100
_SHOWN = "shown"
EXPLANATION = (
    "{turn_id, memory_id, at, disposition?, reason, value?, rank_before?, rank?, relevance?, score?, boost: {…}, "
    "scores: {…}, factors: {…}, tokens?, used?, overlap?, match?, threshold?, summary}"
)


@dataclass(frozen=True, slots=True)
class _CandidateRow:
    candidate: Explanation
    memory: Memory | None


@click.command(
    cls=JsonCommand,
    shape=f"{{candidate: {EXPLANATION}}} | "
    f"{{degraded: [reason], candidates: [{{candidate: {EXPLANATION}, memory?: {MEMORY}}}]}} | {{turns: [{SHAPE}]}}",
)
@click.argument("turn_id", required=False)
@click.argument("memory_id", required=False, type=click.UUID)
@AGENT
@view
@limit(20, 1_000)
@click.option("--session", "session_id", help="Without TURN_ID: only turns of this session.")
@click.option("--verbose", is_flag=True, help="Explain each memory of the turn.")
def command(
    turn_id: str | None,
    memory_id: UUID | None,
    agent: str,
    user_id: UserId,
    limit: int,
    session_id: str | None,
    verbose: bool,
) -> None:
    """Explain why turn TURN_ID showed MEMORY_ID or did not. Without MEMORY_ID, list what it showed and left out.

    Without TURN_ID, list the agent's last turns with their users, newest first.
    """
    if turn_id is None:
        run(
            _list(agent, user_id, limit, session_id),
            _show_turns,
            key="turns",
            empty_message=_no_turns(agent, user_id, session_id),
        )
    elif session_id is not None:
        raise click.UsageError("--session lists the turns of a session; give it without TURN_ID")
    elif isinstance(user_id, AllUsers):
        raise click.UsageError("--all-users lists turns; a turn needs its user, with --user")
    elif memory_id is None:
        show = _show_each if verbose else _show_whole
        run(_whole(agent, user_id, turn_id), show, succeeded=lambda whole: bool(whole["candidates"]))
    else:
        run(call_layer(lambda layer: layer.why(agent, turn_id, memory_id, user_id=user_id)), _show_one, key="candidate")


def _no_turns(agent: str, user_id: UserId, session_id: str | None) -> str:
    owner = " without a user" if user_id is None else ""
    return f"Agent {agent!r} has no turns{owner}" + (f" in session {session_id!r}." if session_id is not None else ".")


async def _list(agent: str, user_id: UserId, limit: int, session_id: str | None) -> Sequence[TurnSummary]:
    async with opened() as layer:
        turns = await layer.explain.turns(agent, limit, session_id=session_id, user_id=user_id)
        if not turns and user_id is None:
            others = await layer.explain.turns(agent, 1, session_id=session_id, user_id=ALL_USERS)
            if others:
                printing.note("users have turns: add --all-users, or --user NAME")
            elif session_id is None:
                printing.note("this agent has no turns of users either; is its name right?")
    return turns


def _show_turns(turns: Sequence[TurnSummary]) -> None:
    rows = [
        (
            turn.turn_id,
            turn.session_id,
            turn.user_id or "",
            printing.minute(turn.at),
            turn.status,
            printing.shortened(turn.message, 80),
            "; ".join(turn.degraded),
        )
        for turn in turns
    ]
    printing.table(("turn", "session", "user", "at", "status", "message", "degraded"), rows)


async def _whole(agent: str, user_id: str | None, turn_id: str) -> Mapping[str, Any]:
    async with opened() as layer:
        turn = await layer.explain.turn(agent, turn_id, user_id=user_id)
        ids = [explanation.memory_id for explanation in turn.candidates]
        memories = {memory.id: memory for memory in await layer.get(agent, ids, user_id=user_id)}
    rows = [_CandidateRow(explanation, memories.get(explanation.memory_id)) for explanation in turn.candidates]
    return {"degraded": turn.degraded, "candidates": rows}


def _show_whole(whole: Mapping[str, Any]) -> None:
    """Print the memories that a turn showed, and of each reason to leave memories out the best one."""
    _show_degraded(whole)
    rows: Sequence[_CandidateRow] = whole["candidates"]
    if not rows:
        printing.line("The turn had no candidate.")
        return
    shown = [row for row in rows if row.candidate.disposition == _SHOWN]
    printing.line(f"{len(shown) or 'None'} of {len(rows)} candidates shown:", style="bold")
    if shown:
        printing.table(("rank", "score", "used", "memory", "id"), map(_shown_cells, shown))
    left_out = [row for row in rows if row.candidate.disposition != _SHOWN]
    counts = Counter(str(row.candidate.disposition) for row in left_out)
    best = {str(row.candidate.disposition): row for row in reversed(left_out)}
    if counts:
        printing.line("Left out, with the best of each kind:", style="bold")
        printing.table(
            ("number", "memory", "reason", "id"),
            [(f"{number} {_named(kind)}", *_left_out_cells(best[kind])) for kind, number in counts.most_common()],
        )
    printing.line("With an id, the command explains one memory; with --verbose, each.", style="dim")


def _shown_cells(row: _CandidateRow) -> tuple[Any, ...]:
    each = row.candidate
    used = "" if each.used is None else "yes" if each.used else "no"
    return each.rank, f"{each.score:.3f}", used, _content(row.memory), each.memory_id


def _left_out_cells(row: _CandidateRow) -> tuple[Any, ...]:
    return _content(row.memory), row.candidate.reason, row.candidate.memory_id


def _show_each(whole: Mapping[str, Any]) -> None:
    _show_degraded(whole)
    counts = Counter(str(each.candidate.disposition) for each in whole["candidates"])
    printing.line(", ".join(f"{n} {_named(name)}" for name, n in counts.items()) or "The turn had no candidate.")
    for each in whole["candidates"]:
        printing.console().print(candidate_line(each.candidate, each.memory))


def _show_degraded(whole: Mapping[str, Any]) -> None:
    for reason in whole["degraded"]:
        printing.line(f"degraded: {reason}")


def _named(disposition: str | None) -> str:
    """Return a disposition in words: the system message has pinned memories and wishes of the user, pinned or not."""
    return "in the system message" if disposition == "pinned" else disposition or "no candidate"


def _content(memory: Memory | None) -> str:
    return shorten(memory.content, _MAX_CONTENT_CHARS, placeholder=" …") if memory is not None else "(erased)"


def candidate_line(explanation: Explanation, memory: Memory | None) -> Text:
    """Return one memory that a turn considered, on one line: rank, disposition, reason, content and id.

    The disposition says if the memory was shown to the model, or why it was left out.
    """
    from rich.text import Text

    return Text.assemble(
        (f"{explanation.rank} {_named(explanation.disposition)} ", "bold"),
        printing.safe(explanation.summary),
        (f" {printing.safe(_content(memory))} ", "italic"),
        (str(explanation.memory_id), "dim"),
    )


def _show_one(explanation: Explanation) -> None:
    printing.line(explanation.summary, style="bold")
    printing.line(f"{_named(explanation.disposition)}: {explanation.reason}")
    if explanation.disposition is None:
        return
    printing.line(f"rank {explanation.rank_before} by relevance, {explanation.rank} by score {explanation.score:.3f}")
    if not explanation.factors:
        printing.line("factors: not recorded, because the candidate ranked too low")
        return
    printing.line(f"boost {explanation.boost['reason']}")
    for name, value in sorted(explanation.factors.items(), key=lambda item: -abs(item[1])):
        printing.line(f"  {value:+.3f} {name}")
    printing.line(f"raw scores: {', '.join(f'{name} {value:.3f}' for name, value in explanation.scores.items())}")
    if explanation.used is not None:
        printing.line(
            f"the response {'used' if explanation.used else 'did not use'} the memory"
            f" (overlap {explanation.overlap:.2f})"
        )
