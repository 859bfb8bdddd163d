"""Create a Postgres data directory atomically, and start, probe and stop its server.

A process id does not prove that a server is alive, since another process may have it by now. The server's processes
therefore inherit a lock on the file `server.lock`. The kernel releases the lock when the last of them has ended.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from brain.embedded.account import (
    ServerAccount,
    check_runs,
    clean_environment,
    make_private,
    runnable_install,
    user_name,
)
from brain.errors import EmbeddedServerError
from brain.file_lock import FileLock

PORT = 5432  # part of the socket's name; the server does not listen on a network
DATABASE = "cognitive"
CREATE_TIMEOUT = 300.0  # initdb takes half a second on a fast disk, and much longer on a slow one
START_TIMEOUT = 120.0  # recovery after a crash replays up to max_wal_size, 1 GB
STOP_TIMEOUT = 60.0
PROBE_TIMEOUT = 15.0  # for psql as a whole; its connect timeout is 3 s
ORPHAN_GRACE = 1.5  # seconds: idle children notice their postmaster's death themselves, those in a query do not
LAUNCHES = 3
LOG_LIMIT = 1_000_000

SETTINGS = {  # written into postgresql.conf once, so an operator can change them
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "128MB",
    "max_connections": "100",
    "jit": "off",
    # without statistics, a search of 1,000 new memories takes three times as long; they come with autovacuum
    "autovacuum_naptime": "5s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # messages at the level of errors quote values, so that text of memories would stay in the log after its erasure
    "log_min_messages": "log",
}
CREATE_ROLES = (
    "create role cognitive_owner login",
    "create role cognitive_app login nosuperuser nocreatedb nocreaterole nobypassrls",
    "create role cognitive_operator nologin nosuperuser nocreatedb nocreaterole nobypassrls",
    "grant cognitive_operator to cognitive_app with inherit false, set true",
    f"create database {DATABASE} owner cognitive_owner",
)
CREATE_EXTENSIONS = ("create extension if not exists vector",)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Creates, starts and stops the Postgres server of one data directory.

    The data directory is below `home`. The server runs as `account`, with the Postgres programs in `install`.
    """

    home: Path
    install: Path
    account: ServerAccount

    @property
    def data(self) -> Path:
        """The data directory of Postgres."""
        return self.home / "cluster"

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self.home / "server.log"

    @property
    def name(self) -> str:
        """The name of the Postgres cluster, which appears in the title of each process of the server."""
        return f"cognitive-{hashlib.sha256(os.fsencode(self.home)).hexdigest()[:12]}"

    @property
    def socket_folder(self) -> Path:
        """The folder of the server's unix socket.

        It is beside the data, or below /tmp if that path is too long for a socket address.
        """
        beside = self.home / "socket"
        # 103 bytes on macOS, 107 on Linux, for folder and "/.s.PGSQL.5432"; a comma or colon would split the address
        if len(os.fsencode(beside)) <= 88 and re.fullmatch(r"[A-Za-z0-9/._+-]+", str(beside)):
            return beside
        # not tempfile.gettempdir(): processes with another TMPDIR must find the same folder
        return Path("/tmp") / f"{self.name}-{self.account.uid}"

    def url(self, role: str) -> str:
        """Return the URL by which a role connects to the database."""
        return f"postgresql://{role}@/{DATABASE}?host={quote(str(self.socket_folder))}&port={PORT}"

    def probe(self) -> str | None:
        """Run a query on the server. Return None if the server answers, or else the error."""
        # as the superuser: Postgres reserves connections for it even if pools hold all others
        address = f"{self.url('postgres')}&connect_timeout=3"
        myself = ServerAccount(os.geteuid(), os.getegid(), switch=False)
        answer = myself.run([self.install / "bin" / "psql", "-XAtqc", "select 1", address], timeout=PROBE_TIMEOUT)
        return None if answer.stdout.strip() == "1" else answer.stderr.strip()

    def ensure_running(self, start: FileLock) -> None:
        """Create the data directory if it is missing, and start its server unless the server answers.

        The caller has taken the lock `start`, so that no other process starts or stops the server meanwhile.
        """
        self._check_owner()
        make_private(self.socket_folder, self.account)  # before connecting: no other user may pose as the server
        if not (self.data / "PG_VERSION").exists():
            self._create(start)
        began = time.monotonic()
        launches, orphaned, pause = 0, 0.0, 0.02
        while (problem := self.probe()) is not None:
            alive = FileLock(self.home / "server.lock")
            if alive.try_lock():
                if launches == LAUNCHES:
                    alive.unlock()
                    raise self._failure(f"the server of {self.home} does not start: {problem}")
                launches += 1
                self._launch(alive)
            else:
                orphaned = self._unblock(problem, orphaned)
            if time.monotonic() - began > START_TIMEOUT:
                raise self._failure(f"the server of {self.home} runs but does not answer: {problem}")
            time.sleep(pause)
            pause = min(2 * pause, 0.25)

    def stop(self) -> None:
        """Shut down the server and close its connections. Do nothing if no server runs."""
        postmaster = self._postmaster()
        if postmaster is None:
            return
        with suppress(ProcessLookupError):
            os.kill(postmaster, signal.SIGINT)
        deadline = time.monotonic() + STOP_TIMEOUT
        alive = FileLock(self.home / "server.lock")
        while self._postmaster() is not None or not alive.try_lock():
            if time.monotonic() > deadline:
                raise self._failure(f"the server of {self.home} still runs {STOP_TIMEOUT:g} s after the stop signal")
            time.sleep(0.02)
        alive.unlock()

    def _check_owner(self) -> None:
        """Raise an error if the data directory belongs to another system user than the one that runs the server."""
        owner = self.data.stat().st_uid if self.data.exists() else self.account.uid
        if owner == self.account.uid:
            return
        name = user_name(owner) if owner != 0 else None
        own = [str(folder) for folder in (self.data, self.home / "socket") if folder.exists()]
        chown = (
            f"stop every process that uses it and run `chown -R {self.account.uid}:{self.account.gid} {' '.join(own)}`"
        )
        other = f"set COGNITIVE_SERVER_USER={name}, or " if name and self.account.switch else ""
        raise EmbeddedServerError(
            f"the database in {self.data} belongs to {name or f'uid {owner}'}, and the server would run as"
            f" {self.account.name}: {other}{chown}"
        )

    def _create(self, start: FileLock) -> None:
        """Create the complete data directory under a temporary name, then rename it.

        An interrupted call therefore leaves no incomplete directory under the final name.
        """
        install = runnable_install(self.install, self.account, self.home / "runtime")
        partial = self.home / "cluster.new"
        # an initdb whose parent was killed still holds the start lock, so no process writes to this folder any more
        if partial.exists():
            shutil.rmtree(partial)
        make_private(partial, self.account)
        self._initdb(install, partial, start)
        self._run_single(install, partial, start, "postgres", CREATE_ROLES)
        self._run_single(install, partial, start, DATABASE, CREATE_EXTENSIONS)
        partial.rename(self.data)
        folder = os.open(self.home, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _initdb(self, install: Path, folder: Path, start: FileLock) -> None:
        # The mode of the socket's folder is the protection: only its owner and root reach the socket. The method `peer`
        # could not distinguish the three roles of one system user.
        command = [str(install / "bin" / "initdb"), "-D", str(folder), "-U", "postgres", "--auth=trust"]
        command += ["--encoding=UTF8", "--data-checksums", "--no-instructions"]
        command += [f"--set={key}={value}" for key, value in SETTINGS.items()]
        for locale in ("C.UTF-8", "C"):
            made = self.account.run([*command, f"--locale={locale}"], timeout=CREATE_TIMEOUT, inherit=start.descriptors)
            if made.returncode == 0 or "invalid locale name" not in made.stderr:
                break
        if made.returncode != 0:
            raise EmbeddedServerError(f"initdb could not create {folder}: {made.stderr.strip()}")

    def _run_single(
        self, install: Path, folder: Path, start: FileLock, database: str, statements: tuple[str, ...]
    ) -> None:
        made = self.account.run(
            [install / "bin" / "postgres", "--single", "-j", "-c", "exit_on_error=true", "-D", folder, database],
            send="".join(f"{statement};\n\n" for statement in statements),
            timeout=CREATE_TIMEOUT,
            inherit=start.descriptors,
        )
        if made.returncode != 0:
            raise EmbeddedServerError(f"could not set up {database!r} in {folder}: {made.stderr.strip()}")

    def _launch(self, alive: FileLock) -> None:
        """Start the main process of the server, which inherits the lock `alive`.

        The kernel releases the lock when the server has ended, so a free lock shows that no server runs.
        """
        try:
            install = runnable_install(self.install, self.account, self.home / "runtime")
            self._check_version(install)
            self._drop_stale_pids()
            if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
                self.log.replace(self.log.with_suffix(".log.1"))
            output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                self._spawn(install, alive, output)
            finally:
                os.close(output)
        finally:
            alive.leave()

    def _spawn(self, install: Path, alive: FileLock, output: int) -> None:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": self.socket_folder,
            "unix_socket_permissions": "0600",
            "port": PORT,
            "cluster_name": self.name,
        }
        command = [str(install / "bin" / "postgres"), "-D", str(self.data)]
        command += [f"--{key}={value}" for key, value in options.items()]
        # A shell that ends at once starts the postmaster, so that it is not our child and leaves no zombie when killed.
        # It runs in a new session: ^C in our terminal would otherwise shut it down.
        starter = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$@" &', "sh", *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=clean_environment(),
            start_new_session=True,
            pass_fds=alive.descriptors,
            **self.account.identity(),
        )
        starter.wait()

    def _check_version(self, install: Path) -> None:
        version = check_runs(install, self.account)
        of_data = (self.data / "PG_VERSION").read_text().strip()
        if not re.match(rf"{of_data}\b", version):
            raise EmbeddedServerError(
                f"{self.data} was made by Postgres {of_data}, and {install} is {version}: export the data with the "
                "version that wrote it, or move the folder away"
            )

    def _drop_stale_pids(self) -> None:
        """Remove the pid files of a server that has ended.

        Postgres refuses to start if the process id in such a file now belongs to another process.
        """
        if self._postmaster() is None:
            for file in (self.data / "postmaster.pid", self.socket_folder / f".s.PGSQL.{PORT}.lock"):
                file.unlink(missing_ok=True)

    def _postmaster(self) -> int | None:
        pid = _first_number(self.data / "postmaster.pid")
        command = dict(_commands()).get(pid, "") if pid is not None else ""
        return pid if f"postgres -D {self.data} " in command else None

    def _unblock(self, problem: str, orphaned: float) -> float:
        """Free a server that has processes but does not answer a probe; `problem` is the probe's error.

        If the server is shutting down slowly, its connections are closed at once. If its main process has been missing
        for over a second, its other processes are killed. `orphaned` is the time since which the main process has been
        missing, or 0; the function returns its new value.
        """
        postmaster = self._postmaster()
        if postmaster is not None and "shutting down" in problem:
            # a smart shutdown would wait for all connections to close and accept no new ones; SIGINT closes them
            with suppress(ProcessLookupError):
                os.kill(postmaster, signal.SIGINT)
        if postmaster is not None:
            return 0.0
        now = time.monotonic()
        if orphaned and now - orphaned > ORPHAN_GRACE:
            for pid, command in _commands():
                if command.startswith(f"postgres: {self.name}:"):
                    with suppress(ProcessLookupError, PermissionError):  # another user's process may have this title
                        os.kill(pid, signal.SIGKILL)
        return orphaned or now

    def _failure(self, message: str) -> EmbeddedServerError:
        try:
            lines = self.log.read_text(errors="replace").splitlines()[-20:]
        except FileNotFoundError:
            return EmbeddedServerError(f"{message} (it has no log)")
        return EmbeddedServerError("\n".join([f"{message}; the end of {self.log}:", *lines]))


def _first_number(file: Path) -> int | None:
    try:
        return int(file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _commands() -> Iterator[tuple[int, str]]:
    """Yield the id and the command line of every process. The command line of a zombie is empty."""
    if not Path("/proc/self/cmdline").exists():
        listed = subprocess.run(["ps", "-axwwo", "pid=,command="], capture_output=True, text=True, check=True)
        for pid, _, command in (line.strip().partition(" ") for line in listed.stdout.splitlines()):
            yield int(pid), f"{command} "
        return
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                yield int(folder.name), os.fsdecode((folder / "cmdline").read_bytes().replace(b"\0", b" "))
