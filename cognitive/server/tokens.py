"""The token file, which has the SHA-256 digests of bearer tokens. Only its owner may read it.

A token is for one agent, for one user of an agent, or for an admin, who may access all agents. It has the form
`cog_<id>_<secret>`. The id is not secret: it names the token in lists and is the key of its digest. The SHA-256 of the
whole token is compared in constant time. The secret has 256 random bits, so the digest needs no salt.
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
from typing import Annotated, Self, TextIO

from pydantic import AwareDatetime, Field, model_validator

from brain.input_model import InputModel
from brain.settings import from_environment
from brain.types import Label, Trust
from cognitive.errors import InvalidInput, PolicyError

log = logging.getLogger(__name__)

_UNKNOWN_DIGEST = "0" * 64  # compared for an unknown id, so that it takes as long as a known one
_Stamp = tuple[int, int, int]


class Token(InputModel):
    """An entry of the token file: the rights of a token and its digest, but not the token itself.

    Attributes:
        agent: the agent that the token is for; None for an admin.
        user: the only user that the token may name; None permits any user.
        operator: True if a token of an agent may read and write in the view of all users.
        trust: the highest trust level that the token may give to memories.
        erase: True if the token may erase data.
        sha256: the digest of the token, in hexadecimal.
        created: the time of creation.
    """

    agent: Label | None = None
    user: Label | None = None
    operator: bool = False
    trust: Trust = "host"
    erase: bool = True
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    created: AwareDatetime

    @model_validator(mode="after")
    def _require_one_kind(self) -> Self:
        if self.user is not None and (self.agent is None or self.operator):
            raise InvalidInput("user: a token of a user needs an agent, and cannot be an operator's")
        return self


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request, with its rights.

    Attributes:
        id: the id of the caller's token.
        agent: the only agent that the caller may access; None for an admin, who may access all.
        user: the only user that the caller may name; None permits any user.
        operator: True if the caller may name all users at once; an admin may.
        trust: the highest trust level that the caller may give to memories.
        erase: True if the caller may erase data.
    """

    id: str
    agent: str | None
    trust: Trust = "host"
    erase: bool = True
    user: str | None = None
    operator: bool = False

    def may(self, agent_id: str) -> bool:
        """Return True if the caller may access this agent."""
        return self.agent is None or self.agent == agent_id


ANONYMOUS = Caller("anybody", None, operator=True)  # the caller of a server without tokens


class Tokens:
    """The tokens of a token file.

    The file is read again when it has changed, so that a revoked token is refused from the next request on.

    Raises:
        PolicyError: the file cannot be read, is readable by other users, or contains invalid entries.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = _stamp(path)
        self._known = load(path)

    def caller(self, token: str) -> Caller | None:
        """Return the caller to whom a token belongs, or None if the token is unknown."""
        self._read_again()
        id = token.split("_")[1] if token.count("_") == 2 else ""
        entry = self._known.get(id)
        equal = hmac.compare_digest(_digest(token), entry.sha256 if entry is not None else _UNKNOWN_DIGEST)
        return _caller(id, entry) if entry is not None and equal else None

    def _read_again(self) -> None:
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._known = load(self._path)
        except PolicyError as error:  # with a missing or broken file, no token is valid
            log.error("all tokens are refused: %s", error)
            self._known = {}


def _caller(id: str, entry: Token) -> Caller:
    return Caller(id, entry.agent, entry.trust, entry.erase, entry.user, entry.operator or entry.agent is None)


def default_path() -> Path:
    """Return the path of the token file, from the settings in the environment."""
    settings = from_environment()
    return settings.token_file.expanduser() if settings.token_file is not None else settings.directory / "tokens.toml"


def load(path: Path) -> Mapping[str, Token]:
    """Read a token file, and return its entries by token id.

    Raises:
        PolicyError: the file cannot be read, belongs to or is open to another user, or has an invalid entry.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            tables = tomllib.load(file)
    except OSError as error:
        raise PolicyError(f"cannot read the token file {str(path)!r}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"token file {str(path)!r} is not TOML: {error}") from error
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise PolicyError(f"token file {str(path)!r} is accessible to other users; run `chmod 600 {path}`")
    if status.st_uid not in (os.geteuid(), 0):
        raise PolicyError(f"token file {str(path)!r} belongs to another user, who could add tokens; run `chown` on it")
    try:
        return {id: Token.model_validate(table) for id, table in tables.items()}
    except InvalidInput as error:
        raise PolicyError(f"token file {str(path)!r}: {error}") from error


def create(
    path: Path,
    agent: str | None,
    trust: Trust = "host",
    *,
    erase: bool = True,
    user: str | None = None,
    operator: bool = False,
) -> tuple[str, str]:
    """Create a token for an agent, or for an admin if `agent` is None, and add its digest to the token file.

    Return the token's id and the token itself, which is stored nowhere. `trust` is the highest trust level that the
    token may give to memories. `erase` permits it to erase data. `user` binds it to one user of the agent. `operator`
    permits the view of all users.

    Raises:
        InvalidInput: a name is invalid, or a token of a user has no agent or is an operator's.
        PolicyError: the file cannot be used.
    """
    id = secrets.token_hex(4)
    token = f"cog_{id}_{secrets.token_hex(32)}"
    entry = Token(
        agent=agent,
        user=user,
        operator=operator,
        trust=trust,
        erase=erase,
        sha256=_digest(token),
        created=datetime.now(UTC).replace(microsecond=0),
    )
    with _changing(path) as known:
        known[id] = entry
    return id, token


def revoke(path: Path, id: str) -> Token:
    """Remove a token from the token file, and return its entry.

    Raises:
        InvalidInput: there is no such token. PolicyError: the file cannot be used.
    """
    with _changing(path) as known:
        if id not in known:
            raise InvalidInput(f"id: there is no token {id!r} in {str(path)!r}")
        return known.pop(id)


@contextmanager
def _changing(path: Path) -> Iterator[dict[str, Token]]:
    """Lock the token file, yield its entries by token id for changes, and write them when the block ends.

    The file is replaced as a whole, so that other processes never read a part of it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path = path.resolve()  # a symbolic link stays, and its target is replaced
    with _file(path.parent / f"{path.name}.lock", os.O_CREAT) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = dict(load(path)) if path.exists() else {}
        yield known
        new = path.parent / f"{path.name}.new"
        new.unlink(missing_ok=True)
        with _file(new, os.O_CREAT | os.O_EXCL) as file:
            file.write("\n".join(_table(id, token) for id, token in known.items()))
        new.replace(path)


def _file(path: Path, flags: int) -> TextIO:
    """Open a file for writing. If the file is new, only its owner can open it.

    This also protects the lock file: another user who could lock it could prevent revocations.

    Raises:
        PolicyError: the file cannot be opened.
    """
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags, 0o600), "w", encoding="utf-8")
    except OSError as error:
        raise PolicyError(f"cannot write {str(path)!r}: {error.strerror}") from error


def _table(id: str, token: Token) -> str:
    agent = f"agent = {_quoted(token.agent)}\n" if token.agent is not None else "# an admin's\n"
    user = f"user = {_quoted(token.user)}\n" if token.user is not None else ""
    operator = "operator = true\n" if token.operator else ""
    rights = f'{user}{operator}trust = "{token.trust}"\nerase = {str(token.erase).lower()}\n'
    digest = f'sha256 = "{token.sha256}"\ncreated = {token.created.isoformat()}\n'
    return f"[{_quoted(id)}]\n{agent}{rights}{digest}"


def _quoted(text: str) -> str:
    """Return a text as a TOML basic string, which equals a JSON string except for one character (DEL)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(path: Path) -> _Stamp | None:
    """Return a stamp that changes when a file is replaced, written or made readable, or None if the file is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_mode
