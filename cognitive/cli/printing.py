"""Output on the terminal: JSON for programs, text and tables for people, progress only on an interactive terminal.

Stored text is printed without markup and control characters, so that it cannot steer the terminal. Rich is imported
only when a command prints with it, because importing it takes most of a command's start-up time.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from cognitive.telemetry.logs import DIRECTIONS, escape

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

ProgressCallback = Callable[..., None]  # (done, total), and the label if it changed

_JSON = "cognitive.json"
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{DIRECTIONS}]")  # not tab and newline
_PIPED_WIDTH = 160  # columns without a terminal: room for an id beside a text
_WIDE = 120  # columns from which on an id is printed beside a text; below, the text would get less than 40
_LOGGERS = ("cognitive", "brain")


def choose_json(context: click.Context, value: bool) -> None:
    """Record in the click context whether `--json` is given; subcommands read it from there."""
    context.meta[_JSON] = value or context.meta.get(_JSON, False)


def as_json() -> bool:
    """Return True if the running command should print JSON, because `--json` is given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_JSON, False))


def jsonable(value: Any) -> Any:
    """Return a value as JSON-compatible data.

    Dataclasses become objects, ids and times text, sets sorted lists, and NaN and infinity None.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): jsonable(each) for name, each in value.items()}
    if hasattr(value, "model_dump"):
        return jsonable(value.model_dump())
    if isinstance(value, AbstractSet):
        return sorted(map(jsonable, value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [jsonable(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "tolist"):  # a numpy value
        return jsonable(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def document(value: Any) -> None:
    """Print a value as JSON on stdout."""
    click.echo(_as_json(jsonable(value), indent=2))


def error(kind: str, message: str, next_command: str | None = None) -> None:
    """Print an error, and the command that the user should run next, on stderr, as text or as a line of JSON."""
    if as_json():
        details = {"type": kind, "message": message, "next": next_command}
        click.echo(_as_json({"error": details}), err=True)
        return
    click.echo(safe(f"{kind}: {message}"), err=True)
    if next_command:
        click.echo(f"Next: {next_command}", err=True)


def _as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON in which the control characters that JSON allows in strings are escaped too."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def note(text: str) -> None:
    """Print a remark for people on stderr. Print nothing with `--json`."""
    if not as_json():
        click.secho(safe(text), err=True, dim=True)


def safe(text: str) -> str:
    """Return a text with control characters escaped, except tab and newline, so that it cannot steer the terminal."""
    return _CONTROL.sub(escape, text)


def line(text: str, style: str = "") -> None:
    """Print a line of text on stdout in a style of Rich."""
    from rich.text import Text

    console().print(Text(safe(text), style=style))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table on stdout.

    A cell that is None is printed empty. The columns "id" and "turn" never wrap, so that ids can be copied. On a narrow
    terminal, an id in the last column is printed below the memory.
    """
    from rich.table import Table

    output, grid = console(), Table(box=None)
    below = output.width < _WIDE and "memory" in columns and columns[-1] == "id"
    for name in columns[:-1] if below else columns:
        grid.add_column(name, no_wrap=name in ("id", "turn"))
    for row in rows:
        cells = [_cell(each) for each in row]
        if below:
            cells[columns.index("memory")].append("\n").append(cells.pop().plain, style="dim")
        grid.add_row(*cells)
    output.print(grid)


def _cell(value: Any) -> Text:
    from rich.text import Text

    return value if isinstance(value, Text) else Text(safe("" if value is None else str(value)))


def fields_of(value: Any, *, but: Sequence[str] = ()) -> None:
    """Print the fields of a dataclass or mapping, one per line, without empty fields and those named in `but`."""
    data = jsonable(value)
    shown = [(name, each) for name, each in data.items() if name not in but and each not in (None, "", [], {})]
    width = max((len(name) for name, _ in shown), default=0)
    for name, each in shown:
        line(f"{name:<{width}}  {each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)}")


def console() -> Console:
    """Return the Rich console that prints on stdout; with `--json` it prints nothing."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(quiet=as_json(), width=_PIPED_WIDTH if piped else None)


@contextmanager
def progress(label: str) -> Iterator[ProgressCallback]:
    """Show a progress bar on stderr, if stderr is a terminal. Yield the function that advances the bar."""
    if as_json() or not sys.stderr.isatty():
        yield lambda done, total, label=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def advance(done: int, total: int, new_label: str | None = None) -> None:
            bar.update(task, completed=done, total=total or None, description=new_label or label)

        yield advance


class _LogHandler(logging.Handler):
    """A handler that prints log records on stderr, as remarks or as lines of JSON."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if as_json():
            click.echo(_as_json({record.levelname.lower(): message}), err=True)
        else:
            note(f"{record.levelname.lower()}: {message}")


@contextmanager
def show_logs() -> Iterator[None]:
    """Print on stderr the warnings and errors that the library logs while the block runs."""
    handler = _LogHandler(logging.WARNING)
    for name in _LOGGERS:
        logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(handler)


def shortened(text: str, width: int = 100) -> str:
    """Return the beginning of a text on one line, at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"


def day(at: datetime | None) -> str:
    """Return the date of a time as text, or an empty string for None."""
    return f"{at:%Y-%m-%d}" if at is not None else ""


def minute(at: datetime | None) -> str:
    """Return the date and time of day, to the minute, as text, or an empty string for None."""
    return f"{at:%Y-%m-%d %H:%M}" if at is not None else ""


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table of the rows; vertical bars in cells are escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
