"""Whom the bundled server runs as, since Postgres refuses to run as root; and what that user can reach.

Nothing here changes the mode of a folder that it did not create.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from brain.errors import EmbeddedServerError

SERVICE_USER = "cognitive-layer"
REMEDY = "run as a user who is not root, or set COGNITIVE_DATABASE_URL to a server of your own"


class _Identity(TypedDict):
    user: int | None
    group: int | None
    extra_groups: list[int] | None


@dataclass(frozen=True, slots=True)
class Account:
    """The system user that owns the cluster and runs the server."""

    uid: int
    gid: int
    switch: bool  # True: it is not the current user, and every command has to become it

    def identity(self) -> _Identity:
        """The arguments that make a subprocess this user."""
        if not self.switch:
            return {"user": None, "group": None, "extra_groups": None}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def run(
        self, command: Sequence[str | Path], *, send: str = "", timeout: float, inherit: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a short command as this user; what it prints and its exit code are the caller's to judge."""
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
            raise EmbeddedServerError(f"{command[0]} cannot be run as uid {self.uid}: {error}") from error


def clean_environment() -> dict[str, str]:
    """The environment for Postgres programs: PG* variables would redirect them, and secrets must not outlive us."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {"PATH": os.defpath, **kept, "LC_ALL": "C"}


def server_account() -> Account:
    """The current user, or for root the service user, created when it is missing."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    entry = _service_user() or _create_service_user()
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def _service_user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return None


def _create_service_user() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    why = "there is no system user {!r}, as whom Postgres would run instead of root, and {}; create it, " + REMEDY
    if useradd is None:
        raise EmbeddedServerError(why.format(SERVICE_USER, "no useradd to create it"))
    command = [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    for pause in (0.1, 0.5, 2.0, 0.0):
        tried = Account(0, 0, switch=False).run([*command, "--shell", "/usr/sbin/nologin", SERVICE_USER], timeout=30)
        entry = _service_user()
        if entry is not None:
            return entry
        time.sleep(pause)  # somebody else may hold the lock on /etc/passwd, perhaps to create the same user
    raise EmbeddedServerError(why.format(SERVICE_USER, f"useradd failed: {tried.stderr.strip()}"))


def make_home(directory: Path, account: Account) -> Path:
    """The server's folder within the data directory, reachable by `account`."""
    home = directory / "postgres"
    _check_reachable(home, account)  # before anything is made in a folder that will not do
    mode = 0o711 if account.switch else 0o700  # 0711: the service user passes through, and nobody can look around
    for folder in (directory, home):
        with suppress(FileExistsError):
            folder.mkdir(mode=mode, parents=True)
            folder.chmod(mode)  # created by us, under whatever umask
    owner = home.stat().st_uid
    if owner != os.geteuid():
        raise EmbeddedServerError(f"{home} belongs to uid {owner}, not to uid {os.geteuid()}; use another directory")
    _check_reachable(home, account)
    return home


def _check_reachable(home: Path, account: Account) -> None:
    if not account.switch:
        return
    first_closed = 'for folder; do test -x "$folder" || { printf %s "$folder"; exit; }; done'
    there = [folder for folder in (*reversed(home.parents), home) if folder.exists()]
    closed = account.run(["/bin/sh", "-c", first_closed, "sh", *there], timeout=10).stdout
    if closed:
        raise EmbeddedServerError(
            f"the data directory {home.parent} is out of reach for the system user {SERVICE_USER!r}, as whom Postgres "
            f"runs instead of root: {closed} is closed to it; choose another one (COGNITIVE_DATA_DIR), or {REMEDY}"
        )


def make_private(folder: Path, account: Account) -> Path:
    """Create a folder only `account` can enter, or make sure that an existing one is just that."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if account.switch and stat.S_ISDIR(found.st_mode) and found.st_uid == 0:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
        raise EmbeddedServerError(
            f"{folder} should be a folder that only uid {account.uid} can enter, but it belongs to uid {found.st_uid} "
            f"with mode {stat.filemode(found.st_mode)}; remove it, or use another data directory"
        )
    return folder


def runnable_install(install: Path, account: Account, store: Path) -> Path:
    """The install, or where `account` cannot run it (a wheel below /root), a copy of it in `store`."""
    try:
        check_runs(install, account)
    except EmbeddedServerError:
        if not account.switch:
            raise
    else:
        return install
    copy = store / f"{install.parent.name}-{_fingerprint(install)}"
    if not copy.exists():
        shutil.rmtree(store, ignore_errors=True)  # copies of older versions, and halves of one
        _copy(install, copy)
    target = copy / install.parent.name / install.name
    check_runs(target, account)
    return target


def check_runs(install: Path, account: Account) -> str:
    """The version of the Postgres in `install`, as told by its initdb run by `account`."""
    told = account.run([install / "bin" / "initdb", "--version"], timeout=30)  # it needs the wheel's libraries as well
    if told.returncode != 0:
        raise EmbeddedServerError(f"the Postgres in {install} does not run: {told.stderr.strip()}")
    return told.stdout.split()[-1]


def _libraries(install: Path) -> Path:
    # where auditwheel puts them; the programs look for them relative to themselves
    return install.parent.with_name(f"{install.parent.name}.libs")


def _fingerprint(install: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted([*install.rglob("*"), *_libraries(install).rglob("*")]):
        found = file.lstat()
        digest.update(f"{file}\0{found.st_size}\0{found.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:16]


def _copy(install: Path, copy: Path) -> None:
    copy.parent.mkdir(mode=0o755, exist_ok=True)
    copy.parent.chmod(0o755)
    partial = Path(tempfile.mkdtemp(dir=copy.parent))
    not_needed = shutil.ignore_patterns("include", "pgxs", "doc", "*.a")
    shutil.copytree(install, partial / install.parent.name / install.name, symlinks=True, ignore=not_needed)
    if _libraries(install).is_dir():
        shutil.copytree(_libraries(install), partial / _libraries(install).name, symlinks=True)
    for path in [partial, *partial.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    partial.rename(copy)
