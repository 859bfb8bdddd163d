"""How a command answers: what its work returns is shown in words or as JSON, and the exit code says how it went.

After an error, `advice` says what to run next.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
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

FAILED = 1  # an error that we raise on purpose: stderr says what it is and what to run next
MISUSED = 2  # the command line makes no sense; click's own code
NO = 3  # it ran, and the answer is no: nothing found, nothing proven, something unhealthy
TERMINATED = 128 + signal.SIGTERM  # as a shell tells it of who was ended by that
CODES = {
    0: "done",
    FAILED: "an error; stderr has the message and the next command",
    MISUSED: "an invalid command line",
    NO: "a negative answer: nothing found or proven, a difference, a failed check",
}


def _wanted(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    printing.choose_json(context, wanted)


class JsonCommand(click.Command):
    """A command with `--json`. `shape` says what that prints: names and what they hold, `?` where it may be null."""

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
                callback=_wanted,
                help="Answer in JSON, and in nothing else; errors are JSON too, on stderr.",
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
    """Run a command's work and print what it returns; see `print_answer`. A `CognitiveError` is printed as a message.

    Whatever the library warns of meanwhile is told on stderr.
    """
    with printing.show_logs():
        try:
            value = run_work(_terminable(work))
        except asyncio.CancelledError:
            sys.exit(TERMINATED)
    print_answer(value, show, key=key, empty_message=empty_message, succeeded=succeeded)


def run_work(work: Coroutine[Any, Any, T]) -> T:
    """What a command's work returns. By itself for servers, whose end is no answer and who log as they are told to."""
    try:
        return asyncio.run(work)
    except CognitiveError as error:
        printing.error(type(error).__name__, str(error), advice(error))
        sys.exit(FAILED)


async def _terminable(work: Coroutine[Any, Any, T]) -> T:
    """The work, which SIGTERM ends as Ctrl-C does: what it opened is closed, and no embedded server is left behind."""
    if (itself := asyncio.current_task()) is not None:
        with suppress(NotImplementedError):  # Windows, where programs are not told to end
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, itself.cancel)
    return await work


def print_answer(
    value: T,
    show: Callable[[T], None],
    *,
    key: str | None = None,
    empty_message: str = "Nothing found.",
    succeeded: Callable[[T], bool] = bool,
) -> None:
    """Answers with a value: as JSON, by itself or `key` a name; or shown, and `empty_message` where there is nothing.

    Exits with NO unless it is `succeeded`.
    """
    if printing.as_json():
        printing.document({key: value} if key is not None else value)
    elif value:
        show(value)
    else:
        click.echo(empty_message, err=True)
    if not succeeded(value):
        sys.exit(NO)


class CommandGroup(click.Group):
    """The group of all commands, whose misuse too is told in JSON where that was asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Looks ahead: what comes behind may fail before it is read."""
        options = args[: args.index("--")] if "--" in args else args
        printing.choose_json(ctx, "--json" in options)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that is named."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not printing.as_json():
                raise
            following = f"{error.ctx.command_path} --help" if error.ctx is not None else None
            printing.error(type(error).__name__, error.format_message(), following)
            ctx.exit(error.exit_code)


# --- what to run next ---

# The error, what its message begins with, what to do or nothing where it says that itself; the first row that fits
# counts. {agent} is the command's own.
_ROWS: tuple[tuple[type[CognitiveError], str, str], ...] = (
    (StoreUnavailable, "", "`cognitive doctor` goes the way to the database step by step; then run this again"),
    (SchemaError, "this role lacks a privilege", ""),  # it says who may
    (SchemaError, "this database has no cognitive schema", "`cognitive db upgrade --url URL-OF-THE-OWNER`"),
    (SchemaError, "", "`cognitive doctor` looks at server, extension, roles and schema, and says what mends each"),
    (EmbeddedServerError, "", "`cognitive doctor`, or a server of your own in COGNITIVE_DATABASE_URL"),
    (JournalError, "", "make the data directory writable; `cognitive doctor` says which it is"),
    (StoreError, "", "`cognitive doctor`"),
    (EmbeddingError, "", "`cognitive doctor` loads the model by itself"),
    (PolicyError, "agents.", "`python -m cognitive.cli.reference settings` lists every setting with its bounds"),
    (
        PolicyError,
        "",
        "`cognitive config` says which file each setting comes from,"
        " `python -m cognitive.cli.reference settings` what may stand there",
    ),
    (InvalidInput, "version", "`cognitive policy show --agent {agent}` lists the candidates"),
    (UnknownMemory, "", "`cognitive recall QUERY --agent {agent}` finds memories with their ids"),
    (UnknownTurn, "", "`cognitive why --agent {agent}` lists this agent's turns"),
    (InvalidInput, "memory_id", "`cognitive why TURN_ID --agent {agent}` lists what the turn showed"),
)


def advice(error: CognitiveError) -> str | None:
    """What to run next; None where the message says it all."""
    context = click.get_current_context(silent=True)
    agent = context.params.get("agent", "AGENT") if context is not None else "AGENT"
    message = str(error)
    for kind, start, following in _ROWS:
        if isinstance(error, kind) and message.startswith(start):
            return following.replace("{agent}", str(agent)) or None
    return None
