"""Starting the resident server: one, however many hooks want it at once.

Whoever gets the lock starts it and hands the lock over: the server holds it for as long as it lives, and the kernel
drops it when that ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

from cognitive.hook.paths import DaemonPaths


def start(paths: DaemonPaths) -> bool:
    """Starts the server, detached, and does not wait for it. False if one runs, is being started, or is ending."""
    lock = locked(paths)
    if lock is None:
        return False
    log = os.open(paths.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        # In the agent's folder, where relative paths in the settings mean what they mean to the hook; -P: but without
        # searching it for modules.
        command = [sys.executable, "-P", "-m", "cognitive.hook.daemon", str(lock)]
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, pass_fds=(lock,)
        )
        server.returncode = 0  # it is nobody's child to wait for
    finally:
        os.close(log)
        os.close(lock)
    return True


def locked(paths: DaemonPaths) -> int | None:
    """The lock, as an open file, or None while somebody holds it."""
    lock = os.open(paths.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    if _file_identity(paths.lock) != os.fstat(lock)[:3]:
        os.close(lock)  # it was taken away meanwhile, with its folder: whoever comes next locks the new one
        return None
    return lock


def _file_identity(path: str) -> tuple[int, ...] | None:
    """Mode, inode and device of the file that has this name now."""
    try:
        return os.stat(path)[:3]
    except FileNotFoundError:
        return None
