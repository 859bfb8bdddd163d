"""How a command answers: what its work returns is shown in words or as JSON, and the exit code says how it went."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import click

from brain.errors import CognitiveError
from cognitive.cli import printing
from cognitive.cli.advice import advice

T = TypeVar("T")

FAILED = 1  # an error that we raise on purpose: stderr says what it is and what to run next
MISUSED = 2  # the command line makes no sense; click's own code
NO = 3  # it ran, and the answer is no: nothing found, nothing proven, something unhealthy
TERMINATED = 128 + signal.SIGTERM  # as a shell tells it of who was ended by that
CODES = {
    0: "done",
    FAILED: "an error: stderr says which, and what to run next",
    MISUSED: "a command line that makes no sense",
    NO: "it ran, and the answer is no: nothing found, nothing proven, a difference, something unhealthy",
}


def _wanted(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    printing.choose_json(context, wanted)


class Answering(click.Command):
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
    under: str | None = None,
    otherwise: str = "Nothing found.",
    well: Callable[[T], bool] = bool,
) -> None:
    """Runs a command's work and answers with what it returns; see `answer`. An error of ours is a message, not a trace.

    Whatever the library warns of meanwhile is told on stderr.
    """
    with printing.telling_logs():
        try:
            value = done(_terminable(work))
        except asyncio.CancelledError:
            sys.exit(TERMINATED)
    answer(value, show, under=under, otherwise=otherwise, well=well)


def done(work: Coroutine[Any, Any, T]) -> T:
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


def answer(
    value: T,
    show: Callable[[T], None],
    *,
    under: str | None = None,
    otherwise: str = "Nothing found.",
    well: Callable[[T], bool] = bool,
) -> None:
    """Answers with a value: as JSON, by itself or `under` a name; or shown, and `otherwise` where there is nothing.

    Exits with NO unless it is `well`.
    """
    if printing.as_json():
        printing.document({under: value} if under is not None else value)
    elif value:
        show(value)
    else:
        click.echo(otherwise, err=True)
    if not well(value):
        sys.exit(NO)


class Commands(click.Group):
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
