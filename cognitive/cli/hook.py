"""`cognitive hook`: install, inspect and remove the hooks of Claude Code and Codex.

The hook events that these programs send are not handled here: `cognitive.cli.entry` passes them to
`cognitive.hook.client`.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand
from cognitive.cli.options import confirm
from cognitive.hook import settings
from cognitive.hook.client import ask
from cognitive.hook.paths import DaemonPaths, daemon_paths, with_private_folders
from cognitive.hook.project import agent_of
from cognitive.hook.protocol import ANSWER, STATUS, STOP, VERSION, Call
from cognitive.hook.start import locked, start

_START_TIMEOUT = 60.0  # seconds: the first start prepares a model and a database
_STOP_TIMEOUT = 30.0  # seconds: pending outcomes are recorded first
_LOG_LINES = 5


@click.group()
def command() -> None:
    """Give coding agents a memory: install the hooks and show their status.

    Claude Code and Codex call `cognitive hook EVENT` themselves.
    """


# --- settings ---


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


_SETTINGS = "{file, changed, written, diff, backup?}"


@command.command(cls=JsonCommand, shape=_SETTINGS)
@_options
@click.option("--agent", help="Agent id; default: COGNITIVE_AGENT, else one per project.")
def install(user: bool, codex: bool, dry_run: bool, yes: bool, agent: str | None) -> None:
    """Add the hooks to the coding agent's settings file, after showing the change."""
    tail = ["--agent", agent] if agent else []
    program = _program() if user else ["cognitive"]  # a project's settings are shared with other machines
    events = settings.CODEX_EVENTS if codex else settings.CLAUDE_EVENTS
    file = _settings_file(user=user, codex=codex)
    text = _text(file)
    new = _transform(
        file, lambda: settings.with_hooks(text, lambda e: shlex.join([*program, "hook", e, *tail]), events)
    )
    if _apply(file, text, new, dry_run=dry_run, yes=yes) and codex and not printing.as_json():
        click.echo("Codex asks you to trust the new hooks at its next start: confirm, or use /hooks.")


@command.command(cls=JsonCommand, shape=_SETTINGS)
@_options
def uninstall(user: bool, codex: bool, dry_run: bool, yes: bool) -> None:
    """Remove the hooks from the coding agent's settings file, after showing the change. Stored memories stay."""
    file = _settings_file(user=user, codex=codex)
    text = _text(file)
    _apply(file, text, _transform(file, lambda: settings.without_hooks(text)), dry_run=dry_run, yes=yes)


def _apply(file: Path, old: str, new: str, *, dry_run: bool, yes: bool) -> bool:
    """Show the change of a settings file, ask for confirmation and write the file. Return True if it was written."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"{file} (now)", f"{file} (new)", lineterm="")
    diff, backup = "\n".join(lines), None
    if not printing.as_json():
        click.echo(diff if diff else f"{file}: nothing to change.")
    write = bool(diff) and not dry_run
    if write:
        confirm(yes, "Write this?")
        backup = _write(file, old, new)
    if printing.as_json():
        written = {"file": str(file), "changed": bool(diff), "written": write, "diff": diff}
        printing.document({**written, "backup": str(backup) if backup else None})
    elif write:
        click.echo(f"Written: {file}." + (f" The old file is {backup}." if backup else ""))
    return write


def _write(file: Path, old: str, new: str) -> Path | None:
    """Replace the text of a settings file atomically, also behind a symbolic link.

    Returns the path of the backup of the old file, or None if there was no old file.
    """
    target = Path(os.path.realpath(file))
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    if target.exists():
        if _text(target) != old:
            raise click.ClickException(f"{file} was changed meanwhile; nothing is written, run the command again")
        backup = target.with_name(f"{target.name}.{datetime.now():%Y%m%d-%H%M%S}.bak")  # noqa: DTZ005 - local time
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


def _settings_file(*, user: bool, codex: bool) -> Path:
    variable, folder, name = (
        ("CODEX_HOME", ".codex", "hooks.json") if codex else ("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
    )
    if not user:
        return Path.cwd() / folder / name
    own = os.environ.get(variable)
    return (Path(own).expanduser() if own else Path.home() / folder) / name


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read {file}: {error}") from error


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


# --- the server ---


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(as_json: bool) -> None:
    """Show the hooks' server, the settings files with hooks, and their problems. Exits with 1 if there are problems."""
    paths = with_private_folders(daemon_paths())
    server, installations = _server(paths), list(_installations())
    problems = [*(problem for each in installations for problem in each["problems"]), *_start_errors(server)]
    if not any(each["events"] for each in installations):
        problems.append("no hooks are installed; run `cognitive hook install`")
    agent = os.environ.get("COGNITIVE_AGENT") or agent_of(os.getcwd())
    answer = {"agent": agent, "server": server, "installations": installations, "problems": problems}
    click.echo(json.dumps(answer, indent=2) if as_json else _as_text(answer))
    sys.exit(1 if problems else 0)


@command.command(cls=JsonCommand, shape="{message}")
@click.argument("act", type=click.Choice(["start", "stop"]))
def server(act: str) -> None:
    """Start the hooks' server unless it runs, or stop it after it has recorded pending outcomes.

    The hooks themselves start the server when they need it.
    """
    message = _start() if act == "start" else _stop()
    if printing.as_json():
        printing.document({"message": message})
    else:
        click.echo(message)


def _start() -> str:
    paths = with_private_folders(daemon_paths())
    until, started = time.monotonic() + _START_TIMEOUT, False
    while (server := _server(paths))["state"] != "running":
        started = started or start(paths)  # only once, even if the server fails to start
        if _start_errors(server) or time.monotonic() > until:
            raise click.ClickException(f"the server does not start; see {paths.log}")
        time.sleep(0.05)
    return f"The server runs: process {server['pid']}, version {server['version']}."


def _stop() -> str:
    paths = with_private_folders(daemon_paths())
    if _ask(paths, STOP) is None and (pid := _holder(paths)):
        os.kill(pid, signal.SIGTERM)  # the process does not listen yet, or no longer
    until = time.monotonic() + _STOP_TIMEOUT
    while (lock := locked(paths)) is None:
        if time.monotonic() > until:
            raise click.ClickException(f"the server does not stop; see {paths.log}")
        time.sleep(0.05)
    os.close(lock)
    return "The server is stopped."


def _server(paths: DaemonPaths) -> dict[str, Any]:
    files = {"socket": paths.socket, "log": paths.log, "last_lines": _last_problems(paths)}
    about = _ask(paths, STATUS)
    if about is not None:
        return {"state": "running", **about, **files}
    return {"state": "starting" if _holder(paths) is not None else "stopped", **files}


def _ask(paths: DaemonPaths, question: str) -> dict[str, Any] | None:
    """Send a question to the hooks' server and return its answer.

    Returns None if no server listens, or if the server has another version.
    """
    try:
        answer = ask(paths, Call(VERSION, question))
    except OSError as error:
        raise click.ClickException(f"the server does not answer ({error}); see {paths.log}") from error
    if answer is None or not answer.startswith(ANSWER):
        return None
    about: dict[str, Any] = json.loads(answer.removeprefix(ANSWER))
    return about


def _holder(paths: DaemonPaths) -> int | None:
    """Return the id of the process that holds the lock of the hooks' server.

    Returns 0 if the process has not written its id yet, and None if no process holds the lock.
    """
    lock = locked(paths)
    if lock is not None:
        os.close(lock)
        return None
    pid = Path(paths.lock).read_text().strip()
    return int(pid) if pid.isdigit() else 0


def _last_problems(paths: DaemonPaths) -> list[str]:
    """Return the last warnings and errors in the log of the hooks' server."""
    try:
        lines = Path(paths.log).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if " WARNING " in line or " ERROR " in line][-_LOG_LINES:]


def _start_errors(server: dict[str, Any]) -> list[str]:
    last = server["last_lines"][-1:]
    if server["state"] == "starting" and last and "the server cannot start" in last[0]:
        return [last[0]]
    return []


# --- installations ---


def _installations() -> Iterator[dict[str, Any]]:
    """Yield each existing settings file of a coding agent, with the hooks of `cognitive` in it and their problems."""
    for codex, user in ((False, True), (False, False), (True, True), (True, False)):
        file = _settings_file(user=user, codex=codex)
        if file.exists():
            events = settings.CODEX_EVENTS if codex else settings.CLAUDE_EVENTS
            yield {"file": str(file), **_inspect(_text(file), str(file), events)}


def _inspect(text: str, file: str, events: tuple[str, ...]) -> dict[str, Any]:
    try:
        ours = settings.hook_commands(text)
    except ValueError as error:
        return {"events": [], "problems": [f"{file} {error}"]}
    problems = [f"{file}: no hook for {event}" for event in events if ours and event not in ours]
    programs = {shlex.split(command_)[0] for command_ in ours.values()}
    problems += [
        f"{file}: {name} is not an executable program" for name in sorted(programs) if shutil.which(name) is None
    ]
    return {"events": list(ours), "problems": problems}


def _as_text(answer: dict[str, Any]) -> str:
    server = answer["server"]
    runs = f", process {server['pid']}, {server['sessions']} sessions" if server["state"] == "running" else ""
    lines = [f"Agent here: {answer['agent']}", f"Server: {server['state']}{runs}; log {server['log']}"]
    lines += [
        f"Installed in {each['file']}: {', '.join(each['events']) or 'nothing'}" for each in answer["installations"]
    ]
    lines += [f"Log: {line}" for line in server["last_lines"]]
    lines += [f"Problem: {problem}" for problem in answer["problems"]] or ["No problems."]
    return "\n".join(map(printing.safe, lines))
