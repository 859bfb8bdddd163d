"""Command-line options that several commands share."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from brain.errors import InvalidInput
from brain.memory_types import MEMORY_TYPES
from brain.users import ALL_USERS
from cognitive.cli import printing

F = TypeVar("F", bound=Callable[..., Any] | click.Command)

_MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z"]


def aware(_context: click.Context, _option: click.Parameter, at: datetime | None) -> datetime | None:
    """Return the time given as an option, in UTC if the user gave no time zone. None stays None."""
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


MOMENT = click.DateTime(_MOMENTS)
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_AGENT_HELP = "Agent id; default: COGNITIVE_AGENT."


class _RequiredAgent(click.Option):
    """The required option `--agent`, whose error message names the variable that replaces it."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the option for an error message."""
        return f"{super().get_error_hint(ctx)} (or COGNITIVE_AGENT in the environment)"


AGENT = click.option("--agent", cls=_RequiredAgent, required=True, envvar="COGNITIVE_AGENT", help=_AGENT_HELP)
OPTIONAL_AGENT = click.option("--agent", envvar="COGNITIVE_AGENT", help=_AGENT_HELP)
IDS = click.argument("ids", metavar="ID...", nargs=-1, required=True, type=click.UUID)
TOKENS = click.option("--tokens", type=click.Path(path_type=Path), help="Token file; default: COGNITIVE_TOKEN_FILE.")
USER = click.option("--user", "user_id", help="User id.")
TYPE = click.option("--type", "memory_type", type=click.Choice(MEMORY_TYPES), help="Memory type.")
SINCE = click.option(
    "--since",
    type=MOMENT,
    metavar="WHEN",
    callback=aware,
    help="Start of the time range: a day (UTC) or a time with offset.",
)
UNTIL = click.option("--until", type=MOMENT, metavar="WHEN", callback=aware, help="End of the time range, exclusive.")


def json_object(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, Any] | None:
    """Return the JSON object given in an option. The layer checks its fields."""
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise click.BadParameter(f'expected a JSON object, as in {{"priority": 3}}, got {text[:100]!r}')
    return found


def new_file(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    """Return the path of an output file. Reject an existing file, so that nothing is overwritten."""
    if path.is_file() and path.parent != Path("/dev"):
        raise click.BadParameter(f"{str(path)!r} exists already; name a new file")
    return path


WHERE = click.option(
    "--where",
    metavar="JSON",
    callback=json_object,
    help='Only memories that meet these conditions: {"metadata.priority": {"gte": 3}}.',
)
BATCH = click.option(
    "--batch", default=64, show_default=True, type=click.IntRange(1, 1000), help="Memories per transaction."
)
LOAD = click.option(
    "--load",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0.01, 1),
    help="Share of the time spent working.",
)
YES = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def view(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `--user` and `--all-users` to a command. Its `user_id` is then a user's id, None or ALL_USERS."""

    @click.option("--all-users", is_flag=True, help="All users.")
    @USER
    @functools.wraps(function)
    def command(*args: Any, user_id: str | None, all_users: bool, **options: Any) -> Any:
        if all_users and user_id is not None:
            raise click.UsageError("give at most one of --user and --all-users")
        return function(*args, user_id=ALL_USERS if all_users else user_id, **options)

    return command


def read_text(file: Path) -> str:
    """Return the text of a file that the user named.

    Raises:
        InvalidInput: the file is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(file)!r} is not UTF-8: {error}") from error


def at(help: str) -> Callable[[F], F]:
    """Return a decorator that adds the option `--at`, a point in time, with the given help text."""
    return click.option("--at", type=MOMENT, metavar="WHEN", callback=aware, help=help)


def limit(default: int, maximum: int) -> Callable[[F], F]:
    """Return a decorator that adds the option `--limit`, a number from 1 to `maximum` with this default."""
    return click.option(
        "--limit", default=default, show_default=True, type=click.IntRange(1, maximum), help="Maximum number of rows."
    )


def confirm(yes: bool, question: str) -> None:
    """Ask the user to confirm a permanent change, unless `--yes` is given. With `--json`, `--yes` is required."""
    if yes:
        return
    if printing.as_json():
        raise click.UsageError("this cannot be undone; add --yes to confirm")
    click.confirm(question, abort=True, err=True)
