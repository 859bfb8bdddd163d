"""`cognitive agent form` and `memory conversation`: form memories with a model, and store whole conversations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import cognitive
from brain.errors import InvalidInput, PolicyError
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import watch_layer
from cognitive.cli.options import AGENT, FILE, USER, at, read_text

if TYPE_CHECKING:
    from datetime import datetime

    from cognitive.feedback.conversations import RememberedConversation
    from cognitive.formation.model.batch import ModelBatchReport


_MODEL = click.option(
    "--model",
    metavar="MODULE:NAME",
    help="Your ModelExtractor, or an async function from a prompt to a model's text.",
)


def load_model(name: str) -> cognitive.ModelExtractor:
    """Return the model that `module:name` names: a ModelExtractor, or an async function from a prompt to text.

    Raises:
        PolicyError: there is no such object.
    """
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise PolicyError(f"--model: cannot load {name!r}: {error}") from error
    return found if isinstance(found, cognitive.ModelExtractor) else cognitive.ModelExtractor(found)


@click.command(cls=JsonCommand, shape="{read, waiting, parked}")
@AGENT
@_MODEL
@click.option("--parked", is_flag=True, help="Also read the turns that the model failed on three times.")
@click.option("--dry-run", is_flag=True, help="Only count the turns that would be read.")
def form(agent: str, model: str | None, parked: bool, dry_run: bool) -> None:
    """Form memories with a model from the agent's completed turns that it did not read yet.

    It can be broken off and run again: each turn is read once. Turns on which the model failed are tried again later,
    after three failures only with --parked.
    """
    if model is None and not dry_run:
        raise click.UsageError("give the --model, or --dry-run")
    run(_form(agent, model, parked, dry_run), lambda report: _show_report(report, dry_run=dry_run))


async def _form(agent: str, model: str | None, parked: bool, dry_run: bool) -> ModelBatchReport:
    return await watch_layer(
        "reading",
        lambda layer, advance: layer.admin.form_by_model(agent, parked=parked, dry_run=dry_run, progress=advance),
        extractor=load_model(model) if model is not None else None,
    )


def _show_report(report: ModelBatchReport, *, dry_run: bool) -> None:
    printing.line(f"{'turns to read' if dry_run else 'turns read'}: {report.read}")
    for count, text in (
        (report.waiting, "to be tried again later"),
        (report.parked, "parked; read them with --parked"),
    ):
        if count:
            printing.line(f"turns {text}: {count}")


@click.command(
    cls=JsonCommand, shape="{lines: [id], formed: [id], known, unread, corrections: [{memory_id, reason, replaced_by}]}"
)
@click.argument("file", type=FILE)
@AGENT
@USER
@click.option("--session", "session_id", default="imported", show_default=True, help="Session id.")
@at("End of the conversation: a day (UTC) or a time with offset; default: now.")
@_MODEL
def conversation(file: Path, agent: str, at: datetime | None, model: str | None, **place: str | None) -> None:
    """Store the conversation in FILE and what is formed from it, by rules and by the --model.

    FILE is a JSON list of messages, or has one message a line: objects with `role`, `content` and perhaps the time
    `at`. It can be broken off and run again: what is stored already is left unchanged.
    """
    run(_remember(file, agent, model, {**place, "now": at}), _show_stored)


def _messages(file: Path) -> list[Any]:
    text = read_text(file)
    try:
        is_list = text.lstrip().startswith("[")
        rows = json.loads(text) if is_list else [json.loads(row) for row in text.split("\n") if row.strip()]
    except ValueError as error:
        raise InvalidInput(f"{str(file)!r}: not JSON: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidInput(f"{str(file)!r}: expected a list of messages with role and content")
    return rows


async def _remember(file: Path, agent: str, model: str | None, about: Mapping[str, Any]) -> RememberedConversation:
    messages = _messages(file)
    return await watch_layer(
        "remembering",
        lambda layer, advance: layer.remember_conversation(agent, messages, **about, progress=advance),
        extractor=load_model(model) if model is not None else None,
    )


def _show_stored(stored: RememberedConversation) -> None:
    printing.line(f"stored: {len(stored.lines)} lines, {len(stored.formed)} memories formed from them")
    for count, text in (
        (stored.known, "known already"),
        (stored.unread, "not read by the model; try again with `cognitive agent form --parked`"),
    ):
        if count:
            printing.line(f"exchanges {text}: {count}")
    if stored.corrections:
        printing.line(f"memories taken back or corrected by what was said: {len(stored.corrections)}")
