"""`cognitive hook EVENT`: hands what the agent says to the resident server, and prints what that answers.

Whatever goes wrong, the agent's session goes on: the output is `{}`, the exit code 0, and the log has a line. A server
that is not there is started; who comes before it is ready does without it.
"""

from __future__ import annotations

import os
import time

# The module below `socket`, which a hook could do without: its enumerations of constants take half the time of a call.
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

from cognitive.hook.paths import DaemonPaths, daemon_paths, with_private_folders
from cognitive.hook.protocol import ANSWER, EVENTS, MAX_BYTES, NOTHING, OUTDATED, VERSION, Call, encode

# Seconds; COGNITIVE_HOOK_WAIT stands in place of the first, and of the second if it is more.
COLD_START_SECONDS = 0.1  # to wait for a server that is starting: nobody's first prompt hangs
ANSWER_SECONDS = 1.0  # to wait for an answer; a turn's deadline is a quarter of that
_PAUSE = 0.01


def main(arguments: list[str]) -> int:
    """Serves one event, which the first argument names; `--agent NAME` says whose it is."""
    try:
        output = _output(arguments)
    except Exception as error:  # nothing that a hook does may break its user's session
        note(f"{' '.join(arguments[:1])}: {type(error).__name__}: {error}")
        output = NOTHING
    try:
        os.write(1, output + b"\n")
    except OSError as error:
        note(f"the answer is not read: {error}")
    return 0


def ask(paths: DaemonPaths, call: Call, *, patience: float = ANSWER_SECONDS) -> bytes | None:
    """What the server answers to a call, its kind in the first byte, or None where no server listens.

    Raises:
        OSError: the connection broke, or there is no answer in time.
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
    """Adds a line to the log of the server that should have answered, if there is a way to."""
    try:
        log = os.open(
            with_private_folders(daemon_paths()).log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
    except OSError:
        return  # there is nowhere left to say so
    try:
        os.write(log, f"{time.strftime('%Y-%m-%d %H:%M:%S')} WARNING hook: {line}\n".encode("utf-8", "replace"))
    finally:
        os.close(log)


def _output(arguments: list[str]) -> bytes:
    event, given = arguments[0], _read_input()
    if event not in EVENTS:
        raise ValueError("no such event")
    if len(given) > MAX_BYTES:
        raise ValueError(f"more than {MAX_BYTES} bytes")
    agent = _option(arguments[1:], "--agent") or os.environ.get("COGNITIVE_AGENT", "")
    call = Call(VERSION, event, agent, os.environ.get("CLAUDE_PROJECT_DIR", ""), given)
    answer = _ask_or_start(with_private_folders(daemon_paths()), call)
    if not answer.startswith(ANSWER):
        raise ConnectionError("the server ended without an answer")
    return answer.removeprefix(ANSWER)


def _ask_or_start(paths: DaemonPaths, call: Call) -> bytes:
    """The server's answer; of one that is started for it if it is there in time, else nothing."""
    wait = float(os.environ.get("COGNITIVE_HOOK_WAIT") or COLD_START_SECONDS)
    until, started = time.monotonic() + wait, False
    while True:
        answer = ask(paths, call, patience=max(wait, ANSWER_SECONDS))
        if answer is not None and not answer.startswith(OUTDATED):
            return answer
        if not started:
            from cognitive.hook.start import start  # needed once in many calls

            started = start(paths)
        if time.monotonic() >= until:
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
    """All that the agent says; nothing, where a person calls the hook by hand."""
    if os.isatty(0):
        return NOTHING
    parts = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _option(arguments: list[str], name: str) -> str:
    """The value of an option, given as two arguments or as one; empty without it."""
    for n, argument in enumerate(arguments, 1):
        if argument == name:
            return next(iter(arguments[n:]), "")
        if argument.startswith(f"{name}="):
            return argument.removeprefix(f"{name}=")
    return ""
