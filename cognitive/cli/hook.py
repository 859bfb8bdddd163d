"""`cognitive hook`: install and remove the hooks of Claude Code and Codex.

The hook events that these programs send are not handled here: `cognitive.cli.entry` passes them to
`cognitive.hook.client`.
"""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from cognitive.cli import hook_status, printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup
from cognitive.cli.hook_status import settings_file, text_of
from cognitive.cli.options import confirm
from cognitive.errors import CognitiveError
from cognitive.hook import learning, settings
from cognitive.hook.learning import Choice
from cognitive.hook.paths import daemon_paths, with_private_folders
from cognitive.hook.project import find_project

STORED: dict[learning.Captured, str] = {
    "exchange": "your prompts and the agent's answers",
    "user": "your prompts",
    "off": "nothing; you store memories yourself",
}
_READERS: dict[learning.CaptureScope, str] = {
    "user": "Only you are shown it.",
    "agent": "Everyone who works on the repository with this database is shown it; --private changes that.",
}
_CAPTURES = [str(name) for name in STORED]


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Give coding agents a memory: install the hooks and show their status.

    Claude Code and Codex call `cognitive hook EVENT` themselves.
    """


for _command in (hook_status.status, hook_status.server):
    command.add_command(_command)


@dataclass(frozen=True, slots=True)
class _Change:
    """The old and the new text of a settings file."""

    file: Path
    old: str
    new: str


def _options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose the settings file of a coding agent, and that preview or confirm its change."""
    for option in (
        click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
        click.option("--dry-run", is_flag=True, help="Show the change and write nothing."),
        click.option("--codex", is_flag=True, help="Codex instead of Claude Code."),
        click.option("--user/--project", default=True, help="For all your projects (default) or this folder."),
    ):
        function = option(function)
    return function


_SETTINGS = "file, changed, written, diff, backup?"


@command.command(cls=JsonCommand, shape=f"{{{_SETTINGS}, learns?: {{agent?, capture?, capture_scope}}}}")
@_options
@click.option("--agent", help="Agent id; default: COGNITIVE_AGENT, else one per project.")
@click.option(
    "--capture",
    type=click.Choice(_CAPTURES),
    help="What is stored of conversations; default: ask.",
)
@click.option("--private/--shared", default=None, help="For you or everyone in the repository (default).")
def install(
    user: bool,
    codex: bool,
    dry_run: bool,
    yes: bool,
    agent: str | None,
    capture: learning.Captured | None,
    private: bool | None,
) -> None:
    """Add the hooks to the coding agent's settings file, after showing the change.

    With --project or --agent, this is for that agent.
    """
    if private and find_project(os.getcwd()).user is None:
        raise click.UsageError("--private: Git does not know you; run `git config --global user.email ADDRESS`")
    tail = ["--agent", agent] if agent else []
    program = _program() if user else ["cognitive"]  # a project's settings are shared with other machines
    events = settings.CODEX_EVENTS if codex else settings.CLAUDE_EVENTS
    file = settings_file(user=user, codex=codex)
    text = text_of(file)
    new = _transform(
        file, lambda: settings.with_hooks(text, lambda e: shlex.join([*program, "hook", e, *tail]), events)
    )
    change = _Change(file, text, new)
    answer = _show(change) | {"learns": None}
    if dry_run:
        _print_json(answer)
        return
    one = agent or (None if user else os.environ.get("COGNITIVE_AGENT") or find_project(os.getcwd()).agent)
    choice = _choice(one, capture, private, ask=not (yes or printing.as_json()))
    answer |= _write(change, yes=yes)
    if answer["written"] and codex and not printing.as_json():
        click.echo("Codex asks you to trust the new hooks at its next start: confirm, or use /hooks.")
    _print_json(answer | {"learns": _choose(choice, one)})


@command.command(cls=JsonCommand, shape=f"{{{_SETTINGS}}}")
@_options
def uninstall(user: bool, codex: bool, dry_run: bool, yes: bool) -> None:
    """Remove the hooks from the coding agent's settings file, after showing the change. Stored memories stay."""
    file = settings_file(user=user, codex=codex)
    text = text_of(file)
    change = _Change(file, text, _transform(file, lambda: settings.without_hooks(text)))
    answer = _show(change)
    _print_json(answer if dry_run else answer | _write(change, yes=yes))


# --- what is learnt ---


def _choice(agent: str | None, capture: learning.Captured | None, private: bool | None, *, ask: bool) -> Choice:
    """Return what the user chose to store of conversations, and for whom. Ask, if nothing is chosen yet for the agent.

    An earlier choice stays, so that another installation does not share what is private.
    """
    chosen = _read_learning()
    known = chosen.of(agent) if agent else chosen
    if capture is None and known.capture is None and ask:
        for name, stored in STORED.items():
            click.echo(f"  {name}: {stored}")
        answer = click.prompt("What is stored of conversations?", type=click.Choice(_CAPTURES), default="exchange")
        capture = next(name for name in STORED if name == answer)
    scope: learning.CaptureScope = "user" if private else "agent"
    return Choice(capture=capture, capture_scope=scope if private is not None else known.capture_scope or scope)


def _choose(choice: Choice, agent: str | None) -> dict[str, Any]:
    """Keep a choice, for one agent or for all. Print and return what holds now.

    A running server is stopped, so that the next one takes it up.
    """
    paths = with_private_folders(daemon_paths())
    old = _read_learning()
    new = old.with_choice(choice, agent)
    if new != old:
        learning.write(learning.learning_file(paths.folder), new)
        hook_status.stop()
    chosen = new.of(agent) if agent else new
    stored = (
        STORED[chosen.capture] if chosen.capture else "what the policy says, by default nothing; --capture changes it"
    )
    readers = "" if chosen.capture == "off" else f" {_READERS[chosen.capture_scope or 'agent']}"
    if not printing.as_json():
        click.echo(f"Stored of conversations{f' of agent {agent}' if agent else ''}: {stored}.{readers}")
    return {"agent": agent, "capture": chosen.capture, "capture_scope": chosen.capture_scope}


def _read_learning() -> learning.Learning:
    try:
        return learning.read(learning.learning_file(daemon_paths().folder))
    except CognitiveError as error:
        raise click.ClickException(str(error)) from error


# --- the settings file ---


def _show(change: _Change) -> dict[str, Any]:
    """Print the change of a settings file, and return it for the JSON answer."""
    names = f"{change.file} (now)", f"{change.file} (new)"
    lines = difflib.unified_diff(change.old.splitlines(), change.new.splitlines(), *names, lineterm="")
    changed, diff = change.new != change.old, "\n".join(lines)
    if not printing.as_json():
        click.echo(diff if changed else f"{change.file}: nothing to change.")
    return {"file": str(change.file), "changed": changed, "written": False, "diff": diff, "backup": None}


def _print_json(answer: dict[str, Any]) -> None:
    if printing.as_json():
        printing.document(answer)


def _write(change: _Change, *, yes: bool) -> dict[str, Any]:
    """Ask for confirmation and write a settings file, if it changes. Return what was done for the JSON answer."""
    if change.new == change.old:
        return {"written": False}
    confirm(yes, "Write this?")
    backup = _replace(change.file, change.old, change.new)
    if not printing.as_json():
        click.echo(f"Written: {change.file}." + (f" The old file is {backup}." if backup else ""))
    return {"written": True, "backup": str(backup) if backup else None}


def _replace(file: Path, old: str, new: str) -> Path | None:
    """Replace the text of a settings file atomically, also behind a symbolic link.

    Returns the path of the backup of the old file, or None if there was no old file. There is one backup at a time.
    """
    target = Path(os.path.realpath(file))
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if target.exists():
        if text_of(target) != old:
            raise click.ClickException(f"{file} was changed meanwhile; nothing is written, run the command again")
        backup = target.with_name(f"{target.name}.cognitive.bak")
        shutil.copy2(target, backup)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as handle:
            handle.write(new)
            handle.flush()
            os.fsync(handle.fileno())
        if backup is not None:
            shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
    return backup


def _transform(file: Path, make: Callable[[], str]) -> str:
    try:
        return make()
    except ValueError as error:
        raise click.ClickException(
            f"{file} {error}; nothing is written. Correct the file, or add the hooks by hand"
        ) from None


def _program() -> list[str]:
    """Return the command line that runs this installation of `cognitive` from any directory."""
    script = Path(sys.executable).with_name("cognitive")
    if script.exists():
        return [str(script)]
    on_path = shutil.which("cognitive")
    return [on_path] if on_path else [sys.executable, "-P", "-m", "cognitive.cli.entry"]
