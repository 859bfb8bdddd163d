"""Run a command's work, print its result as text or JSON, and choose the exit code.

After an error, `advice` gives the command to run next.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, TypeVar

import click

from brain.errors import (
    CognitiveError,
    EmbeddedServerError,
    EmbeddingError,
    InvalidInput,
    JournalError,
    PolicyError,
    SchemaError,
    StoreError,
    StoreUnavailable,
    UnknownMemory,
    UnknownTurn,
)
from cognitive.cli import printing

T = TypeVar("T")

FAILED = 1  # a CognitiveError: stderr has the message and the command to run next
MISUSED = 2  # an invalid command line; the code that click uses
NO = 3  # the command ran, and the answer is negative: nothing found, nothing proven, a failed check
TERMINATED = 128 + signal.SIGTERM  # the exit code of shells for a process that the signal ended
CODES = {
    0: "done",
    FAILED: "an error; stderr has the message and the next command",
    MISUSED: "an invalid command line",
    NO: "a negative answer: nothing found or proven, a difference, a failed check",
}


def _choose_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    printing.choose_json(context, value)


class JsonCommand(click.Command):
    """A command of the command line that has the option `--json`.

    Its attribute `shape` documents the printed JSON: the names of its fields, with `?` after a field that may be null.
    """

    def __init__(self, *args: Any, shape: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.shape = shape
        self.epilog = f"JSON: {shape}"
        self.params.append(
            click.Option(
                ["--json"],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_choose_json,
                help="Print JSON only; errors are JSON too, on stderr.",
            )
        )


def run(
    work: Coroutine[Any, Any, T],
    show: Callable[[T], None] = lambda _: None,
    *,
    key: str | None = None,
    empty_message: str = "Nothing found.",
    succeeded: Callable[[T], bool] = bool,
) -> None:
    """Run the coroutine `work` of a command, and print its result as JSON under the name `key`, or as text for people.

    The text is printed by `show`; if the result is empty, `empty_message` is printed instead. The process exits with
    the code NO (3) unless `succeeded` returns True for the result. After a `CognitiveError`, which is printed, it exits
    with an error code. Warnings that the library logs during the work are printed on stderr.
    """
    with printing.show_logs():
        try:
            value = run_work(_terminable(work))
        except asyncio.CancelledError:
            sys.exit(TERMINATED)
    if printing.as_json():
        printing.document({key: value} if key is not None else value)
    elif value:
        show(value)
    else:
        click.echo(empty_message, err=True)
    if not succeeded(value):
        sys.exit(NO)


def run_work(work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine `work` of a command and return its result. After a `CognitiveError`, print it and exit.

    The commands that run a server call this directly, because they print no result and configure their own logs.
    """
    try:
        return asyncio.run(work)
    except CognitiveError as error:
        printing.error(type(error).__name__, str(error), advice(error))
        sys.exit(FAILED)


async def _terminable(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine so that SIGTERM cancels it, as Ctrl-C does, and its open resources are closed."""
    if (itself := asyncio.current_task()) is not None:
        with suppress(NotImplementedError):  # Windows has no SIGTERM
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, itself.cancel)
    return await work


# What newcomers type for a command that has another name, and the possible names.
_OTHER_NAMES: Mapping[str, Sequence[str]] = {
    "list": ("show",),
    "get": ("show",),
    "add": ("remember",),
    "search": ("recall",),
    "delete": ("forget", "erase", "revoke"),
    "remove": ("forget", "erase", "revoke"),
}


class SuggestingGroup(click.Group):
    """A group of commands that answers an unknown command with similar ones, or with all of its commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the command, the command and its arguments.

        Raises:
            click.UsageError: there is no such command.
        """
        name, names = args[0], self.list_commands(ctx)
        if name in names or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        close = [each for each in _OTHER_NAMES.get(name, ()) if each in names] or get_close_matches(name, names)
        hint = f"Did you mean {' or '.join(close)}?" if close else f"The commands are {', '.join(names)}."
        raise click.UsageError(f"No such command {name!r}. {hint}", ctx)


class CommandGroup(SuggestingGroup):
    """The top-level click group of all commands.

    With `--json`, it also prints errors in the command line as JSON.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the command line.

        `--json` is searched among them first, so that an error in an argument before `--json` is printed as JSON too.
        """
        options = args[: args.index("--")] if "--" in args else args
        printing.choose_json(ctx, "--json" in options)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the arguments name.

        Report an invalid command line as text or, with `--json`, as JSON.
        """
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not printing.as_json():
                raise
            next_command = f"{error.ctx.command_path} --help" if error.ctx is not None else None
            printing.error(type(error).__name__, error.format_message(), next_command)
            ctx.exit(error.exit_code)


# --- what to run next ---

# Error, beginning of its message, and advice; empty if the message contains it. The first matching row counts.
# {agent} is the command's agent.
_ROWS: tuple[tuple[type[CognitiveError], str, str], ...] = (
    (StoreUnavailable, "", "`cognitive doctor` checks the connection step by step; then run this again"),
    (SchemaError, "this role lacks a privilege", ""),  # the message names the role that has it
    (SchemaError, "this database has no cognitive schema", "`cognitive db upgrade --url URL-OF-THE-OWNER`"),
    (SchemaError, "", "`cognitive doctor` checks server, extension, roles and schema, and prints remedies"),
    (EmbeddedServerError, "", "`cognitive doctor`, or set COGNITIVE_DATABASE_URL to your own server"),
    (JournalError, "", "make the data directory writable; `cognitive doctor` prints its path"),
    (StoreError, "", "`cognitive doctor`"),
    (EmbeddingError, "", "`cognitive doctor` checks the model"),
    (PolicyError, "agents.", "`python -m cognitive.cli.reference settings` lists every setting with its bounds"),
    (PolicyError, "there are no tokens", ""),  # the message names the command
    (
        PolicyError,
        "",
        "`cognitive doctor` checks the settings, `python -m cognitive.cli.reference settings` lists the allowed values",
    ),
    (InvalidInput, "version", "`cognitive policy show --agent {agent}` lists the candidates"),
    (
        UnknownMemory,
        "",
        "`cognitive recall QUERY --agent {agent}` finds memories with their ids; a user's memory needs --user",
    ),
    (
        UnknownTurn,
        "",
        "`cognitive why --agent {agent} --all-users` lists the turns with their users; give it with --user",
    ),
    (InvalidInput, "memory_id", "`cognitive why TURN_ID --agent {agent}` lists what the turn showed"),
)


def advice(error: CognitiveError) -> str | None:
    """Return the command that the user should run after an error.

    Returns None if the error's message already says what to do.
    """
    context = click.get_current_context(silent=True)
    agent = context.params.get("agent", "AGENT") if context is not None else "AGENT"
    message = str(error)
    for kind, start, text in _ROWS:
        if isinstance(error, kind) and message.startswith(start):
            return text.replace("{agent}", shlex.quote(str(agent))) or None
    return None
