"""The command `cognitive hook EVENT`: it sends a coding agent's event to the daemon and prints the daemon's answer.

A failure never stops the agent's session: the command then prints `{}`, exits with code 0 and adds a line to the log.
If no daemon is running, the command starts one. Until the daemon is ready, the agent works without memory; the ends of
turns are kept for it.
"""

from __future__ import annotations

import os
import time

# `_socket` instead of `socket`, whose enumerations of constants would take half the time of a call.
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

from cognitive.hook.paths import DaemonPaths, checksum, daemon_paths, with_private_folders
from cognitive.hook.protocol import ANSWER, EVENTS, MAX_BYTES, NOTHING, OUTDATED, VERSION, Call, encode

# Seconds; COGNITIVE_HOOK_WAIT replaces the first, and also the second if it is larger.
COLD_START_SECONDS = 0.1  # to wait for a daemon that is starting; short, so that the first prompt does not hang
ANSWER_SECONDS = 1.0  # to wait for a response; a turn's deadline is a quarter of that
_PAUSE = 0.01  # seconds between two attempts


def main(arguments: list[str]) -> int:
    """Send the event named by the first argument to the daemon, print the answer, and return the exit code, always 0.

    The event's JSON comes from standard input. The option `--agent NAME` sets the agent whose memory is used.
    """
    try:
        output = _output(arguments)
    except Exception as error:  # a failing hook must not break the user's session
        note(f"{' '.join(arguments[:1])}: {type(error).__name__}: {error}")
        output = NOTHING
    try:
        os.write(1, output + b"\n")
    except OSError as error:
        note(f"the agent does not read the answer: {error}")
    return 0


def ask(paths: DaemonPaths, call: Call, *, patience: float = ANSWER_SECONDS) -> bytes | None:
    """Send a call to the daemon and return its response, or None if no daemon listens.

    The first byte of the response is its kind: an answer, or a notice that the daemon has another version than the
    client. `patience` is the timeout of each socket operation in seconds.

    Raises:
        OSError: the connection broke, or the response did not arrive in time.
    """
    connection = _connect(paths, patience)
    if connection is None:
        return None
    try:
        connection.sendall(encode(call))
        connection.shutdown(SHUT_WR)
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        connection.close()


def note(line: str) -> None:
    """Add a warning to the daemon's log. Do nothing if the log cannot be opened."""
    try:
        log = os.open(
            with_private_folders(daemon_paths()).log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
    except OSError:
        return  # the log is the only place to report it
    try:
        os.write(log, f"{time.strftime('%Y-%m-%d %H:%M:%S')} WARNING hook: {line}\n".encode("utf-8", "replace"))
    finally:
        os.close(log)


def _output(arguments: list[str]) -> bytes:
    event, payload = arguments[0], _read_input()
    if event not in EVENTS:
        raise ValueError(f"unknown event; expected one of {', '.join(EVENTS)}")
    if len(payload) > MAX_BYTES:
        raise ValueError(f"the event has more than {MAX_BYTES} bytes")
    agent = _option(arguments[1:], "--agent") or os.environ.get("COGNITIVE_AGENT", "")
    database = checksum(os.environ.get("COGNITIVE_DATABASE_URL", ""))
    call = Call(VERSION, event, agent, os.environ.get("CLAUDE_PROJECT_DIR", ""), payload, database)
    answer = _ask_or_start(with_private_folders(daemon_paths()), call)
    if not answer.startswith(ANSWER):
        raise ConnectionError("the daemon ended without an answer")
    return answer.removeprefix(ANSWER)


def _ask_or_start(paths: DaemonPaths, call: Call) -> bytes:
    """Send a call to the daemon and return its response. Start a daemon if none is running.

    If the daemon is not ready within COGNITIVE_HOOK_WAIT seconds, return an empty JSON object as the answer.
    """
    wait = float(os.environ.get("COGNITIVE_HOOK_WAIT") or COLD_START_SECONDS)
    deadline, started = time.monotonic() + wait, False
    while True:
        answer = ask(paths, call, patience=max(wait, ANSWER_SECONDS))
        if answer is not None and not answer.startswith(OUTDATED):
            return answer
        if not started:
            from cognitive.hook.start import start  # imported late, since few calls need it

            started = start(paths)
        if time.monotonic() >= deadline:
            from cognitive.hook.missed import keep

            keep(paths, call)
            return ANSWER + NOTHING
        time.sleep(_PAUSE)


def _connect(paths: DaemonPaths, patience: float) -> socket | None:
    connection = socket(AF_UNIX, SOCK_STREAM)
    connection.settimeout(patience)
    try:
        connection.connect(paths.socket)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def _read_input() -> bytes:
    """Return all bytes of standard input, or an empty JSON object if it is a terminal, where no event arrives."""
    if os.isatty(0):
        return NOTHING
    parts = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _option(arguments: list[str], name: str) -> str:
    """Return the value of a command-line option, written `--name value` or `--name=value`, or "" if it is missing."""
    for n, argument in enumerate(arguments, 1):
        if argument == name:
            return next(iter(arguments[n:]), "")
        if argument.startswith(f"{name}="):
            return argument.removeprefix(f"{name}=")
    return ""
