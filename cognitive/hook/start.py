"""Starting of the daemon, only once even if several hooks need it at the same time.

The hook that gets the file lock starts the daemon and passes the lock on. The daemon holds the lock until its process
ends; then the kernel releases it, even after a crash.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

from cognitive.hook.paths import DaemonPaths


def start(paths: DaemonPaths) -> bool:
    """Start the daemon as a detached process, without waiting for it to be ready.

    Return False, and start nothing, if a daemon is running, starting or ending.
    """
    lock = locked(paths.lock)
    if lock is None:
        return False
    log = os.open(paths.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        # The daemon runs in the agent's folder, so that relative paths in the settings mean the same as in the hook;
        # with -P, Python does not import modules from that folder.
        command = [sys.executable, "-P", "-m", "cognitive.hook.daemon", str(lock)]
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, pass_fds=(lock,)
        )
        daemon.returncode = 0  # else subprocess warns that the process is still running
    finally:
        os.close(log)
        os.close(lock)
    return True


def locked(path: str) -> int | None:
    """Acquire a daemon's file lock and return its file descriptor, or None if another process holds the lock."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    if _file_identity(path) != os.fstat(lock)[:3]:
        os.close(lock)  # the file was removed meanwhile, with its folder; the next hook locks the new file
        return None
    return lock


def _file_identity(path: str) -> tuple[int, ...] | None:
    """Return the mode, inode and device of the file at a path, or None if there is no file."""
    try:
        return os.stat(path)[:3]
    except FileNotFoundError:
        return None
