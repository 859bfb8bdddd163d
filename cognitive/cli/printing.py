"""What reaches the terminal: JSON for programs, words and tables for people, progress only where somebody watches.

What a memory says is not ours: it is printed as text, without its markup and without what would steer a terminal. Rich
is imported when something is drawn, since most of a command's start-up would be spent on it.
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

if TYPE_CHECKING:
    from rich.console import Console

ProgressCallback = Callable[..., None]  # (done, total), and the label if it changed

_JSON = "cognitive.json"
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all control characters but tab and newline
_PIPED = 160  # columns, where no terminal says how many there are: an id beside what it stands for
_SOURCES = ("cognitive", "brain")  # of log records


def choose_json(context: click.Context, wanted: bool) -> None:
    """Notes in the context, which subcommands share, whether JSON was asked for."""
    context.meta[_JSON] = wanted or context.meta.get(_JSON, False)


def as_json() -> bool:
    """Whether the command at hand was asked for JSON."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_JSON, False))


def jsonable(value: Any) -> Any:
    """A value as JSON can carry it: the fields of dataclasses, ids and times as text, sets in order, no NaN."""
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
    if hasattr(value, "tolist"):  # of numpy
        return jsonable(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def document(value: Any) -> None:
    """A value as JSON, on stdout."""
    click.echo(json.dumps(jsonable(value), ensure_ascii=False, indent=2))


def error(kind: str, message: str, following: str | None = None) -> None:
    """What went wrong and what to do next, on stderr: a line of JSON where that was asked for."""
    if as_json():
        told = {"type": kind, "message": message, "next": following}
        click.echo(json.dumps({"error": told}, ensure_ascii=False), err=True)
        return
    click.echo(safe(f"{kind}: {message}"), err=True)
    if following:
        click.echo(f"Next: {following}", err=True)


def note(text: str) -> None:
    """A remark beside the answer, on stderr, for people only."""
    if not as_json():
        click.secho(safe(text), err=True, dim=True)


def safe(text: str) -> str:
    """Text without what would steer a terminal: each such character as its escape."""
    return _STEERING.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def line(text: str, style: str = "") -> None:
    """A line on stdout, as text."""
    from rich.text import Text

    console().print(Text(safe(text), style=style))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, whole: Sequence[str] = ("id", "turn")) -> None:
    """A table on stdout, its cells as text, None empty; columns that are `whole` are never wrapped: they are copied."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None)
    for name in columns:
        drawn.add_column(name, no_wrap=name in whole)
    for row in rows:
        cells = (each if isinstance(each, Text) else Text(safe("" if each is None else str(each))) for each in row)
        drawn.add_row(*cells)
    console().print(drawn)


def fields_of(value: Any, *, but: Sequence[str] = ()) -> None:
    """The fields of a dataclass or mapping that say something, one to a line."""
    told = jsonable(value)
    shown = [(name, each) for name, each in told.items() if name not in but and each not in (None, "", [], {})]
    width = max((len(name) for name, _ in shown), default=0)
    for name, each in shown:
        line(f"{name:<{width}}  {each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)}")


def console() -> Console:
    """Where a command draws on stdout; it draws nothing where JSON was asked for."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(quiet=as_json(), width=_PIPED if piped else None)


@contextmanager
def progress(label: str) -> Iterator[ProgressCallback]:
    """A bar on stderr while something long runs, if that is a terminal; yields what moves it."""
    if as_json() or not sys.stderr.isatty():
        yield lambda done, total, label=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def moved(done: int, total: int, now: str | None = None) -> None:
            bar.update(task, completed=done, total=total, description=now or label)

        yield moved


class _LogHandler(logging.Handler):
    """Log records as remarks beside the answer; as lines of JSON where that was asked for."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if as_json():
            click.echo(json.dumps({record.levelname.lower(): message}, ensure_ascii=False), err=True)
        else:
            note(f"{record.levelname.lower()}: {message}")


@contextmanager
def show_logs() -> Iterator[None]:
    """Shows warnings and errors of the library for as long as this is entered."""
    handler = _LogHandler(logging.WARNING)
    for name in _SOURCES:
        logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        for name in _SOURCES:
            logging.getLogger(name).removeHandler(handler)


def shortened(text: str, width: int = 100) -> str:
    """The beginning of a text on one line: enough to know it by."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"


def day(at: datetime | None) -> str:
    """A day, or nothing."""
    return f"{at:%Y-%m-%d}" if at is not None else ""


def minute(at: datetime | None) -> str:
    """A day and a minute, or nothing."""
    return f"{at:%Y-%m-%d %H:%M}" if at is not None else ""


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table; a bar in a cell does not end the cell."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
