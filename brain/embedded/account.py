"""Choose the system user that runs the bundled server, and make folders and programs that this user can use.

Postgres refuses to run as root. This module creates no account, and never changes the mode of an existing folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from brain.errors import EmbeddedServerError

log = logging.getLogger(__name__)

DEFAULT_ACCOUNT = "postgres"
REMEDY = "run as a user who is not root, or set COGNITIVE_DATABASE_URL to a server of your own"


class _Identity(TypedDict):
    user: int | None
    group: int | None
    extra_groups: list[int] | None


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """The system user that owns the data of the embedded Postgres server and runs the server."""

    uid: int
    gid: int
    switch: bool  # True: every command must switch to this user, because the process runs as another one

    @property
    def name(self) -> str:
        """The user's name, or `uid N` if the system has no name for it."""
        return user_name(self.uid) or f"uid {self.uid}"

    def identity(self) -> _Identity:
        """Return the arguments for `subprocess` that make a command run as this user."""
        if not self.switch:
            return {"user": None, "group": None, "extra_groups": None}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def run(
        self, command: Sequence[str | Path], *, send: str = "", timeout: float, inherit: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a short command as this user and return its output and exit code.

        Raises:
            EmbeddedServerError: the command cannot be started, or does not end within `timeout` seconds.
        """
        try:
            return subprocess.run(
                command,
                input=send,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=timeout,
                check=False,
                cwd="/",
                env=clean_environment(),
                pass_fds=inherit,
                **self.identity(),
            )
        except subprocess.TimeoutExpired as error:
            raise EmbeddedServerError(f"{command[0]} did not finish within {timeout:g} s") from error
        except (OSError, subprocess.SubprocessError) as error:
            raise EmbeddedServerError(f"{command[0]} cannot be run as {self.name}: {error}") from error


def clean_environment() -> dict[str, str]:
    """Return the environment for Postgres programs, without secrets and PG* variables.

    PG* variables would change how the programs behave.
    """
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {"PATH": os.defpath, **kept, "LC_ALL": "C"}


def user_name(uid: int) -> str | None:
    """Return the name of a system user, or None if there is no such user."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def server_account(chosen: str | None = None, default: str = DEFAULT_ACCOUNT) -> ServerAccount:
    """Return the account that runs the server.

    This is the current user, unless that is root. Instead of root it is `chosen` if given, else `default` if that user
    exists, else the user `nobody`, with a warning.

    Raises:
        EmbeddedServerError: the user does not exist, or is root.
    """
    if os.geteuid() != 0:
        return ServerAccount(os.geteuid(), os.getegid(), switch=False)
    if chosen is not None:
        entry = _entry(chosen)
        if entry is None or entry.pw_uid == 0:
            problem = "is not a system user" if entry is None else "is root, and Postgres refuses to run as root"
            raise EmbeddedServerError(f"COGNITIVE_SERVER_USER: {chosen!r} {problem}; name another user, or {REMEDY}")
    elif (entry := _entry(default)) is None:
        entry = _entry("nobody")
        if entry is None:
            raise EmbeddedServerError(f"no system user {default!r} or 'nobody': set COGNITIVE_SERVER_USER, or {REMEDY}")
        log.warning(
            "the embedded server runs as the user 'nobody', as other services may: there is no system user %r. Set"
            " COGNITIVE_SERVER_USER to a dedicated user",
            default,
        )
    return ServerAccount(entry.pw_uid, entry.pw_gid, switch=True)


def _entry(name: str) -> pwd.struct_passwd | None:
    with suppress(KeyError):
        return pwd.getpwnam(name)
    return None


def make_home(directory: Path, account: ServerAccount) -> Path:
    """Create the embedded server's folder within the data directory, so that `account` can reach it, and return it."""
    home = directory / "postgres"
    _check_reachable(home, account)  # before creating anything in a folder that cannot be used
    mode = 0o711 if account.switch else 0o700  # 0711 lets the account pass through without listing the folder
    for folder in (directory, home):
        with suppress(FileExistsError):
            folder.mkdir(mode=mode, parents=True)
            folder.chmod(mode)  # mkdir applied the umask
    owner = home.stat().st_uid
    if owner != os.geteuid():
        raise EmbeddedServerError(
            f"{home} belongs to {user_name(owner)} (uid {owner}), not to uid {os.geteuid()}; use another directory"
        )
    _check_reachable(home, account)
    return home


def _check_reachable(home: Path, account: ServerAccount) -> None:
    if not account.switch:
        return
    first_closed = 'for folder; do test -x "$folder" || { printf %s "$folder"; exit; }; done'
    there = [folder for folder in (*reversed(home.parents), home) if folder.exists()]
    closed = account.run(["/bin/sh", "-c", first_closed, "sh", *there], timeout=10).stdout
    if closed:
        raise EmbeddedServerError(
            f"the system user {account.name!r}, who runs Postgres instead of root, cannot reach the data directory "
            f"{home.parent}: {closed} is closed to it; choose another one (COGNITIVE_DATA_DIR), or {REMEDY}"
        )


def make_private(folder: Path, account: ServerAccount) -> Path:
    """Create a folder that only `account` can enter, or check that an existing one is such a folder.

    Raises:
        EmbeddedServerError: the existing folder has another owner or mode.
    """
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if account.switch and stat.S_ISDIR(status.st_mode) and status.st_uid == 0:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != account.uid or status.st_mode & 0o077:
        raise EmbeddedServerError(
            f"{folder} should be a folder that only {account.name} can enter, but it belongs to uid {status.st_uid} "
            f"with mode {stat.filemode(status.st_mode)}; remove it, or use another data directory"
        )
    return folder


def runnable_install(install: Path, account: ServerAccount, store: Path) -> Path:
    """Return a folder with Postgres programs that `account` can run.

    This is `install` if `account` can run the programs there, else a copy of it in `store`. The copy is needed, for
    example, if the package is installed below /root.
    """
    try:
        check_runs(install, account)
    except EmbeddedServerError:
        if not account.switch:
            raise
    else:
        return install
    program = (install / "bin" / "postgres").stat()
    mark = hashlib.sha256(f"{install}\0{program.st_size}\0{program.st_mtime_ns}".encode(errors="surrogateescape"))
    copy = store / f"{install.parent.name}-{mark.hexdigest()[:16]}"
    if not copy.exists():
        shutil.rmtree(store, ignore_errors=True)  # copies of older versions, and incomplete copies
        _copy(install, copy)
    target = copy / install.parent.name / install.name
    check_runs(target, account)
    return target


def check_runs(install: Path, account: ServerAccount) -> str:
    """Return the version of the Postgres in `install`, as its initdb reports it when run as `account`.

    Raises:
        EmbeddedServerError: `account` cannot run it.
    """
    answer = account.run([install / "bin" / "initdb", "--version"], timeout=30)  # also loads the wheel's libraries
    if answer.returncode != 0:
        raise EmbeddedServerError(f"the Postgres in {install} does not run: {answer.stderr.strip()}")
    return answer.stdout.split()[-1]


def _copy(install: Path, copy: Path) -> None:
    copy.parent.mkdir(mode=0o755, exist_ok=True)
    copy.parent.chmod(0o755)
    partial = Path(tempfile.mkdtemp(dir=copy.parent))
    not_needed = shutil.ignore_patterns("include", "pgxs", "doc", "*.a")
    shutil.copytree(install, partial / install.parent.name / install.name, symlinks=True, ignore=not_needed)
    # auditwheel puts the libraries here; the programs find them by a relative path
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, partial / libraries.name, symlinks=True)
    for path in [partial, *partial.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    partial.rename(copy)
