"""`cognitive hook status` and `cognitive hook server`: show, start and stop the server of the hooks."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand
from cognitive.errors import CognitiveError
from cognitive.hook import learning, settings
from cognitive.hook.client import ask
from cognitive.hook.paths import DaemonPaths, checksum, daemon_paths, with_private_folders
from cognitive.hook.project import find_project
from cognitive.hook.protocol import ANSWER, STATUS, STOP, VERSION, Call
from cognitive.hook.start import locked, start
from cognitive.policy.configured import live_policy

_START_TIMEOUT = 60.0  # seconds: the first start prepares a model and a database
_STOP_TIMEOUT = 30.0  # seconds: pending outcomes are recorded first
_LOG_LINES = 5


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(as_json: bool) -> None:
    """Show what is learnt, servers, settings files with hooks, and problems. Exits with 1 if there are problems."""
    paths = with_private_folders(daemon_paths())
    project = find_project(os.getcwd())
    agent = os.environ.get("COGNITIVE_AGENT") or project.agent
    server, installations = _server(paths, agent), list(_installations())
    problems = [problem for each in installations for problem in each["problems"]]
    problems += [*_start_errors(server), *_database_errors(server)]
    try:
        learns = _learns(paths, agent, server)
    except CognitiveError as error:
        learns = {"capture": None, "capture_scope": None, "origin": None}
        problems.append(str(error))
    if not any(each["events"] for each in installations):
        problems.append("no hooks are installed; run `cognitive hook install`")
    origin = "COGNITIVE_AGENT" if os.environ.get("COGNITIVE_AGENT") else project.origin
    answer = {
        "agent": agent,
        "agent_origin": origin,
        "user": project.user,
        "learns": learns,
        "server": server,
        "other_servers": [{"pid": pid, "lock": lock} for lock, pid in _others(paths)],
        "installations": installations,
        "problems": problems,
    }
    click.echo(json.dumps(answer, indent=2) if as_json else _as_text(answer))
    sys.exit(1 if problems else 0)


@click.command(cls=JsonCommand, shape="{message}")
@click.argument("act", type=click.Choice(["start", "stop"]))
def server(act: str) -> None:
    """Start the hooks' server unless it runs, or stop all after they have recorded pending outcomes."""
    message = _start() if act == "start" else stop()
    if printing.as_json():
        printing.document({"message": message})
    else:
        click.echo(message)


def _learns(paths: DaemonPaths, agent: str, server: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of an agent's conversations, for whom, and where this was chosen.

    Raises:
        PolicyError: a file with settings cannot be read, or has an invalid value.
    """
    file = learning.learning_file(paths.folder)
    chosen = learning.read(file)
    effective = learning.with_learning(live_policy(), chosen).for_agent(agent)
    policy = server.get("policy") if server["state"] == "running" else os.environ.get("COGNITIVE_POLICY")
    return {
        "capture": server.get("capture") or effective.capture,
        "capture_scope": server.get("capture_scope") or effective.capture_scope,
        "origin": file if chosen.of(agent).capture else policy or "default",
    }


def _start() -> str:
    paths = with_private_folders(daemon_paths())
    until, started = time.monotonic() + _START_TIMEOUT, False
    while (server := _server(paths))["state"] != "running":
        started = started or start(paths)  # only once, even if the server fails to start
        if _start_errors(server) or time.monotonic() > until:
            raise click.ClickException(f"the server does not start; see {paths.log}")
        time.sleep(0.05)
    return f"The server runs: process {server['pid']}, version {server['version']}."


def stop() -> str:
    """Stop all servers of the data directory, and return a message."""
    paths = with_private_folders(daemon_paths())
    for lock, pid in _others(paths):
        os.kill(pid, signal.SIGTERM)
        _wait_for_release(lock, paths)
    if _ask(paths, STOP) is None and (holder := _holder(paths.lock)):
        os.kill(holder, signal.SIGTERM)  # the process does not listen yet, or no longer
    _wait_for_release(paths.lock, paths)
    return "The server is stopped."


def _wait_for_release(lock: str, paths: DaemonPaths) -> None:
    until = time.monotonic() + _STOP_TIMEOUT
    while _holder(lock) is not None:
        if time.monotonic() > until:
            raise click.ClickException(f"the server does not stop; see {paths.log}")
        time.sleep(0.05)


def _server(paths: DaemonPaths, agent: str = "") -> dict[str, Any]:
    files = {"socket": paths.socket, "log": paths.log, "last_lines": _last_problems(paths)}
    about = _ask(paths, STATUS, agent)
    if about is not None:
        return {"state": "running", **about, **files}
    return {"state": "starting" if _holder(paths.lock) is not None else "stopped", **files}


def _others(paths: DaemonPaths) -> Iterator[tuple[str, int]]:
    """Yield the lock and the process id of each other server of the data directory, from an earlier version."""
    for lock in sorted(Path(paths.folder).glob("*.lock")):
        if str(lock) != paths.lock and (pid := _holder(str(lock))):
            yield str(lock), pid


def _ask(paths: DaemonPaths, question: str, agent: str = "") -> dict[str, Any] | None:
    """Send a question to the hooks' server and return its answer.

    Returns None if no server listens, or if the server has another version.
    """
    try:
        answer = ask(paths, Call(VERSION, question, agent))
    except OSError as error:
        raise click.ClickException(f"the server does not answer ({error}); see {paths.log}") from error
    if answer is None or not answer.startswith(ANSWER):
        return None
    about: dict[str, Any] = json.loads(answer.removeprefix(ANSWER))
    return about


def _holder(lock: str) -> int | None:
    """Return the id of the process that holds a server's lock file.

    Returns 0 if the process has not written its id yet, and None if no process holds the lock.
    """
    descriptor = locked(lock)
    if descriptor is not None:
        os.close(descriptor)
        return None
    pid = Path(lock).read_text().strip()
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


def _database_errors(server: dict[str, Any]) -> list[str]:
    mine = checksum(os.environ.get("COGNITIVE_DATABASE_URL", ""))
    if server["state"] == "running" and mine and mine != server["database"]:
        return ["the server uses another database than COGNITIVE_DATABASE_URL here; hooks started here get no answer"]
    return []


# --- installations ---


def _installations() -> Iterator[dict[str, Any]]:
    """Yield each existing settings file of a coding agent, with the hooks of `cognitive` in it and their problems."""
    for codex, user in ((False, True), (False, False), (True, True), (True, False)):
        file = settings_file(user=user, codex=codex)
        if file.exists():
            events = settings.CODEX_EVENTS if codex else settings.CLAUDE_EVENTS
            yield {"file": str(file), **_inspect(text_of(file), str(file), events)}


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
    lines = [
        f"Agent here: {answer['agent']} (from {answer['agent_origin']})",
        _learns_text(answer["learns"], answer["user"]),
    ]
    lines += [f"Server: {server['state']}{runs}; log {server['log']}"]
    lines += [
        f"Another server: process {each['pid']}; `cognitive hook server stop` stops it"
        for each in answer["other_servers"]
    ]
    lines += [
        f"Installed in {each['file']}: {', '.join(each['events']) or 'nothing'}" for each in answer["installations"]
    ]
    lines += [f"Log: {line}" for line in server["last_lines"]]
    lines += [f"Problem: {problem}" for problem in answer["problems"]] or ["No problems."]
    return "\n".join(map(printing.safe, lines))


def _learns_text(learns: dict[str, Any], user: str | None) -> str:
    if learns["capture"] is None:
        return "Learns: unknown, because the settings cannot be read"
    if learns["capture"] == "off":
        return (
            f"Learns nothing from conversations (capture is off, from {learns['origin']}); "
            "`cognitive hook install --capture exchange` changes it"
        )
    is_private = learns["capture_scope"] == "user" and user is not None
    scope = f", for {user} only" if is_private else ", for everyone who uses this agent"
    return f"Learns from conversations: capture is {learns['capture']} (from {learns['origin']}){scope}"


# --- settings files ---


def settings_file(*, user: bool, codex: bool) -> Path:
    """Return the path of Claude Code's or Codex' settings file, for all projects of the user or for this folder."""
    variable, folder, name = (
        ("CODEX_HOME", ".codex", "hooks.json") if codex else ("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
    )
    if not user:
        return Path.cwd() / folder / name
    own = os.environ.get(variable)
    return (Path(own).expanduser() if own else Path.home() / folder) / name


def text_of(file: Path) -> str:
    """Return the text of a settings file, "" if there is none."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read {file}: {error}") from error
