"""The ends of turns that no daemon was ready to take: a hook keeps them as files, and a daemon reads them at its start.

A file holds an event without the agent's answer, which the daemon reads from the transcript.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress

from cognitive.hook.paths import DaemonPaths
from cognitive.hook.protocol import Call, decode, encode

MAX_FILES = 100  # files; the oldest ones are removed


def keep(paths: DaemonPaths, call: Call) -> None:
    """Write the end of a turn to a file, and remove the oldest files above MAX_FILES. Other events are ignored."""
    if call.event != "stop":
        return
    event = json.loads(call.payload)
    event.pop("last_assistant_message", None)
    folder = _folder(paths)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = os.path.join(folder, f"{time.time_ns()}-{os.getpid()}")
    with open(os.open(f"{name}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        payload = json.dumps(event).encode()
        file.write(encode(Call(call.version, call.event, call.agent, call.project, payload, call.database)))
    os.rename(f"{name}.part", f"{name}.call")
    for old in _files(folder)[:-MAX_FILES]:
        with suppress(FileNotFoundError):
            os.unlink(old)


def take(paths: DaemonPaths) -> Iterator[Call]:
    """Yield the kept calls, oldest first, and remove their files. Files that cannot be read are removed too."""
    for file in _files(_folder(paths)):
        with suppress(OSError, ValueError):
            with open(file, "rb") as handle:
                data = handle.read()
            os.unlink(file)
            yield decode(data)


def _folder(paths: DaemonPaths) -> str:
    return os.path.join(paths.folder, "missed")


def _files(folder: str) -> list[str]:
    with suppress(FileNotFoundError):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".call"))
    return []
