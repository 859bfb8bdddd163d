"""The file of tokens: digests only, readable by its owner only, each token for one agent or for all.

A token is `cog_<id>_<secret>`. The id is no secret: it names the token in lists and finds its digest, and what is
compared, in constant time, is the SHA-256 of the whole. The secret has 256 bits, so a digest without salt keeps it.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO

from pydantic import AwareDatetime, Field

from brain.settings import from_environment
from brain.types import InputModel, Label, Trust
from cognitive.errors import InvalidInput, PolicyError

log = logging.getLogger(__name__)

_UNKNOWN_DIGEST = "0" * 64  # what an unknown id is compared with, so that it takes as long as a known one
_Stamp = tuple[int, int, int]


class Token(InputModel):
    """What is kept of a token: whose it is, None for an admin's, the most trust that it gives, whether it may erase,
    and its digest.
    """

    agent: Label | None = None
    trust: Trust = "host"
    erase: bool = True
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    created: AwareDatetime


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a token by its id, for one agent; `agent` None is an admin, who may ask for all. What they hand over is
    of `trust` at most; `erase` says whether they may erase what is kept.
    """

    id: str
    agent: str | None
    trust: Trust = "host"
    erase: bool = True

    def may(self, agent_id: str) -> bool:
        """Whether what is asked of this agent is this caller's to ask."""
        return self.agent is None or self.agent == agent_id


ANONYMOUS = Caller("anybody", None)  # of an open server


class Tokens:
    """The tokens of a file, read again when it changes: one that is revoked is refused from the next request on.

    Raises:
        PolicyError: the file cannot be read, others can read it, or it holds no tokens; the message says what to do.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = _stamp(path)
        self._known = load(path)

    def caller(self, token: str) -> Caller | None:
        """Whose token this is; None if it is nobody's."""
        self._read_again()
        id = token.split("_")[1] if token.count("_") == 2 else ""
        found = self._known.get(id)
        equal = hmac.compare_digest(_digest(token), found.sha256 if found is not None else _UNKNOWN_DIGEST)
        return Caller(id, found.agent, found.trust, found.erase) if found is not None and equal else None

    def _read_again(self) -> None:
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._known = load(self._path)
        except PolicyError as error:  # a file that is gone or broken lets nobody in
            log.error("no token is accepted: %s", error)
            self._known = {}


def default_path() -> Path:
    """Where the environment says that the tokens are."""
    settings = from_environment()
    return settings.token_file.expanduser() if settings.token_file is not None else settings.directory / "tokens.toml"


def load(path: Path) -> Mapping[str, Token]:
    """The tokens of a file by their ids.

    Raises:
        PolicyError: as `Tokens` says.
    """
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            tables = tomllib.load(file)
    except OSError as error:
        raise PolicyError(f"cannot read the tokens in {str(path)!r}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{str(path)!r} is not TOML: {error}") from error
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise PolicyError(f"others than its owner may use {str(path)!r}: run `chmod 600` on it")
    if found.st_uid not in (os.geteuid(), 0):
        raise PolicyError(f"{str(path)!r} belongs to somebody else, who could let anybody in: run `chown` on it")
    try:
        return {id: Token.model_validate(table) for id, table in tables.items()}
    except InvalidInput as error:
        raise PolicyError(f"{str(path)!r}: {error}") from error


def create(path: Path, agent: str | None, trust: Trust = "host", *, erase: bool = True) -> tuple[str, str]:
    """Adds a token for an agent, or for an admin; returns its id and the token, which is told this once. What comes in
    by it is of `trust` at most, and it may erase or not.

    Raises:
        InvalidInput: no agent can have this name. PolicyError: the file cannot be used.
    """
    id = secrets.token_hex(4)
    token = f"cog_{id}_{secrets.token_hex(32)}"
    made = Token(
        agent=agent,
        trust=trust,
        erase=erase,
        sha256=_digest(token),
        created=datetime.now(UTC).replace(microsecond=0),
    )
    with _changing(path) as known:
        known[id] = made
    return id, token


def revoke(path: Path, id: str) -> Token:
    """Removes a token, and returns what was kept of it.

    Raises:
        InvalidInput: there is no such token. PolicyError: the file cannot be used.
    """
    with _changing(path) as known:
        if id not in known:
            raise InvalidInput(f"id: there is no token {id!r} in {str(path)!r}")
        return known.pop(id)


@contextmanager
def _changing(path: Path) -> Iterator[dict[str, Token]]:
    """The tokens, to be changed by one process at a time; written whole, so that a reader never sees half of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.resolve()  # behind a symbolic link, which stays
    with _file(path.parent / f"{path.name}.lock", os.O_CREAT) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = dict(load(path)) if path.exists() else {}
        yield known
        beside = path.parent / f"{path.name}.new"
        beside.unlink(missing_ok=True)
        with _file(beside, os.O_CREAT | os.O_EXCL) as file:
            file.write("\n".join(_table(id, token) for id, token in known.items()))
        beside.replace(path)


def _file(path: Path, how: int) -> TextIO:
    """A file to write that is its owner's only: whoever could open the lock could hold it, and no token be revoked.

    Raises:
        PolicyError: the directory does not let us.
    """
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CLOEXEC | how, 0o600), "w", encoding="utf-8")
    except OSError as error:
        raise PolicyError(f"cannot write {str(path)!r}: {error.strerror}") from error


def _table(id: str, token: Token) -> str:
    agent = f"agent = {_quoted(token.agent)}\n" if token.agent is not None else "# an admin's\n"
    rights = f'trust = "{token.trust}"\nerase = {str(token.erase).lower()}\n'
    kept = f'sha256 = "{token.sha256}"\ncreated = {token.created.isoformat()}\n'
    return f"[{_quoted(id)}]\n{agent}{rights}{kept}"


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(path: Path) -> _Stamp | None:
    """What changes when a file is replaced, written or opened to others; None if it cannot be looked at."""
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_mtime_ns, told.st_ino, told.st_mode
