"""A file lock that the kernel releases when the last process that holds it ends, even by `kill -9`."""

from __future__ import annotations

import fcntl
import os
import time
import weakref
from pathlib import Path


class FileLock:
    """An `flock` on a file. A child process that inherits the open file's descriptor holds the lock too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        _locks.add(self)

    @property
    def held(self) -> bool:
        """True if this object holds the lock."""
        return self._descriptor is not None

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that a child process must inherit to hold the lock too."""
        return () if self._descriptor is None else (self._descriptor,)

    def try_lock(self, *, shared: bool = False) -> bool:
        """Take the lock if it is free; return False otherwise."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def lock(self, timeout: float, *, shared: bool = False) -> bool:
        """Wait for the lock and take it; return False if it is not free within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not self.try_lock(shared=shared):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def unlock(self) -> None:
        """Release the lock for all processes that share the descriptor; do nothing if this object does not hold it."""
        if self._descriptor is not None:
            # a forked process may have a copy of the descriptor, so that closing it would not unlock
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self.leave()

    def leave(self) -> None:
        """Close the descriptor without unlocking: processes that inherited it keep the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


_locks: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _leave_inherited() -> None:
    for lock in list(_locks):
        lock.leave()


# A forked child must neither keep its parent's locks alive nor unlock them.
os.register_at_fork(after_in_child=_leave_inherited)
