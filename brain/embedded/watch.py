"""Stop the embedded server when all processes that used it have ended without stopping it, as a killed kernel does.

One such watcher runs beside each server, in a process that holds the lock `watch.lock`. Every few seconds it looks if
any process still holds `users.lock`. If none does, it uses the server and leaves it, which stops it (see `server`). It
ends with the server. It imports only the standard library until then, so that it takes little memory.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time

SECONDS = 15.0  # between two looks


def is_free(path: str) -> bool:
    """Return True if no process holds the lock on a file, or the file does not exist."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def watch(home: str, seconds: float) -> bool:
    """Wait until the server of a folder has ended, or is in use no more. Return True if it then still runs."""
    while True:
        time.sleep(seconds)
        if is_free(f"{home}/server.lock"):
            return False
        if is_free(f"{home}/users.lock"):
            return True


# Run with the installed packages, which the watcher itself does without.
_LEAVE = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from brain.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[2]), watch_seconds=None)
server.acquire()
server.release()
"""

if __name__ == "__main__":
    packages, directory, interval = sys.argv[1:]
    if watch(f"{directory}/postgres", float(interval)):
        os.execv(sys.executable, [sys.executable, "-c", _LEAVE, packages, directory])
