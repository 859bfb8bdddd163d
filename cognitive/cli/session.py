"""`cognitive session`: show the stored state of a conversation session, and end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run
from cognitive.cli.opening import call_layer, note_users, opened
from cognitive.cli.options import AGENT, SINCE, UNTIL, USER, YES, confirm, limit, view

if TYPE_CHECKING:
    from brain.sessions import ClearedSession, SessionSummary
    from cognitive.session.recent import ResumedSession

_MESSAGE = "{role, content, at?, kind?, tool_calls: [{…}], tool_call_id?}"
_SESSION = (
    "{session_id, memories, turns, summary, summarized_until?, plan: [step], step, plan_step?, "
    f"preface?: {_MESSAGE}, messages: [{_MESSAGE}], started_at, last_at, ended_at?, recent: [[turn_id, at, status, "
    "message]]}"
)
_SESSION_ID = click.argument("session_id")


@click.group(cls=SuggestingGroup)
def command() -> None:
    """List sessions, show one, or end it."""


@command.command(
    "list",
    cls=JsonCommand,
    shape="{sessions: [{session_id, memories, turns, started_at, last_at, ended_at?, user_id?}]}",
)
@click.argument("words", required=False)
@AGENT
@view
@limit(50, 500)
@click.option("--offset", default=0, type=click.IntRange(0), help="Number of sessions to skip.")
@SINCE
@UNTIL
@click.option("--ended/--open", default=None, help="Only ended or open sessions.")
def list_(agent: str, **filters: Any) -> None:
    """List the sessions of an agent, the last used first, or those whose ids contain all WORDS."""
    run(_list(agent, filters), _show_list, key="sessions", empty_message=f"Agent {agent!r} has no such session.")


async def _list(agent: str, filters: Mapping[str, Any]) -> Sequence[SessionSummary]:
    async with opened() as layer:
        sessions = await layer.sessions.list(agent, **filters)
        if not sessions:
            await note_users(layer, agent, filters["user_id"], "sessions")
    return sessions


def _show_list(sessions: Sequence[SessionSummary]) -> None:
    rows = [
        (each.session_id, each.user_id, printing.minute(each.last_at), each.turns, each.memories, _ended(each))
        for each in sessions
    ]
    printing.table(("session", "user", "last turn", "turns", "memories", "ended"), rows)


def _ended(session: SessionSummary) -> str:
    return printing.minute(session.ended_at)


@command.command(cls=JsonCommand, shape=f"{{session?: {_SESSION}}}")
@_SESSION_ID
@AGENT
@USER
def show(session_id: str, agent: str, user_id: str | None) -> None:
    """Show the stored state of SESSION_ID: summary, plan, last messages, last turns."""
    run(
        call_layer(lambda layer: layer.resume(agent, session_id, user_id=user_id)),
        _show,
        key="session",
        empty_message=_unknown(agent, session_id, user_id),
    )


def _show(session: ResumedSession | None) -> None:
    printing.fields_of(session, but=("messages", "preface", "recent", "summarized_until"))
    if session is None:
        return
    for message in session.messages:
        printing.line(f"--- {message.role}", style="bold")
        printing.line(message.content)
    rows = [(id, printing.minute(at), status, printing.shortened(text, 80)) for id, at, status, text in session.recent]
    if rows:
        printing.table(("turn", "at", "status", "message"), rows)


@command.command(cls=JsonCommand, shape="{ended} | {sessions, artifacts, subtasks}")
@_SESSION_ID
@AGENT
@USER
@click.option("--clear", is_flag=True, help="Remove the session's data permanently; turns and memories stay.")
@YES
def end(session_id: str, agent: str, user_id: str | None, clear: bool, yes: bool) -> None:
    """Mark SESSION_ID as ended, or clear it.

    With --clear, remove its summary, last messages, plan, artifacts and subtasks instead.
    """
    if clear:
        confirm(yes, f"Permanently clear session {session_id!r} of agent {agent!r}?")
        run(
            call_layer(lambda layer: layer.sessions.clear(agent, session_id, user_id=user_id)),
            _show_cleared,
            succeeded=lambda cleared: cleared.sessions > 0,
        )
    else:
        run(
            _end(agent, session_id, user_id),
            partial(_show_ended, _unknown(agent, session_id, user_id)),
            succeeded=lambda answer: answer["ended"],
        )


async def _end(agent: str, session_id: str, user_id: str | None) -> Mapping[str, bool]:
    async with opened() as layer:
        return {"ended": await layer.end_session(agent, session_id, user_id=user_id)}


def _show_ended(unknown: str, answer: Mapping[str, bool]) -> None:
    printing.line("ended" if answer["ended"] else unknown)


def _show_cleared(cleared: ClearedSession) -> None:
    printing.line(f"cleared: {cleared.sessions} session, {cleared.artifacts} artifacts, {cleared.subtasks} subtasks")


def _unknown(agent: str, session_id: str, user_id: str | None) -> str:
    owner = f"of user {user_id!r}" if user_id is not None else "without a user"
    return f"Agent {agent!r} has no session {session_id!r} {owner}; --user names the session's user."
