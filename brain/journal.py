"""The journal: what Postgres could not take, on this machine's disk until it can.

One row per turn, with its opening and its outcome as text, each as it was first put there. Every write is one
transaction of SQLite that is synced before it returns, with a rollback journal and not a log ahead of the file: what
was removed is overwritten, and no second file keeps it. Processes may share the file; one of them at a time drains it.
Nothing is created before there is something to keep.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import math
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID

import numpy as np

from brain.erasure.residue import Residue
from brain.errors import InvalidInput, JournalError
from brain.file_lock import FileLock
from brain.turn_records import Exposure, OpenTurn

log = logging.getLogger(__name__)

_PATIENCE = 5.0  # seconds for another process to finish its write
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL,
    turn_id  TEXT    NOT NULL,
    version  INTEGER NOT NULL DEFAULT 1,
    opening  TEXT,
    outcome  TEXT,
    error    TEXT,
    kept_at  REAL,
    UNIQUE (agent_id, turn_id))
"""
_LACKING = "ALTER TABLE entry ADD COLUMN kept_at REAL"  # in a file that is older than it
# What is there stays: only what was missing is added, and makes a new version of the entry.
_PUT = """
INSERT INTO entry (agent_id, turn_id, opening, outcome, kept_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (agent_id, turn_id) DO UPDATE SET
    opening = coalesce(opening, excluded.opening), outcome = coalesce(outcome, excluded.outcome),
    version = version + 1, error = NULL
WHERE (opening IS NULL AND excluded.opening IS NOT NULL) OR (outcome IS NULL AND excluded.outcome IS NOT NULL)
"""
_COLUMNS = "id, version, agent_id, turn_id, opening, outcome, error"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What is kept of a turn. `id` grows and is never given twice; `version` counts what was added to the entry.

    `error` says why an entry is parked: it cannot be settled as it is, and does not stand in the way of others.
    """

    id: int
    version: int
    agent_id: str
    turn_id: str
    opening: str | None
    outcome: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: entries that are pending, and parked; when the turn of the oldest pending one was, if it says so."""

    pending: int
    parked: int
    oldest_at: datetime | None = None


class Journal:
    """The journal in a file. Its methods block: call them off the event loop. All raise JournalError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, agent_id: str, turn_id: str, *, opening: str | None = None, outcome: str | None = None) -> bool:
        """Keeps a turn's opening, its outcome, or both, synced. False if it had all that was given: the first stands.

        Something new makes a parked entry pending again.
        """
        self._make_room()
        with self._transaction() as c:
            return c.execute(_PUT, (agent_id, turn_id, opening, outcome, time())).rowcount > 0

    def find(self, agent_id: str, turn_id: str) -> JournalEntry | None:
        """What is kept of a turn, parked or not."""
        return self._first("agent_id = ? AND turn_id = ?", agent_id, turn_id)

    def after(self, id: int) -> JournalEntry | None:
        """The oldest entry younger than this that is not parked."""
        return self._first("id > ? AND error IS NULL", id)

    def holds(self, entry: JournalEntry) -> bool:
        """Whether some version of this entry is still there: it was neither drained nor erased."""
        return self._first("id = ?", entry.id) is not None

    def remove(self, entry: JournalEntry) -> None:
        """Removes an entry that was settled. A newer version of it, which was not, stays."""
        self._change("DELETE FROM entry WHERE id = ? AND version = ?", entry.id, entry.version)

    def park(self, entry: JournalEntry, error: str) -> None:
        """Sets an entry aside, unless something was added to it meanwhile."""
        self._change("UPDATE entry SET error = ? WHERE id = ? AND version = ?", error, entry.id, entry.version)

    def unpark(self) -> None:
        """Makes parked entries pending again: what they waited for may have come."""
        self._change("UPDATE entry SET error = NULL WHERE error IS NOT NULL")

    @contextmanager
    def drained_by_one(self) -> Iterator[bool]:
        """Whether nobody else drains it while this is entered; the kernel lets the next one in, however this one ends.

        True as well where it cannot be found out: to count a turn again does no harm, and to leave it uncounted does.
        """
        lock, alone = FileLock(self.path.with_suffix(".lock")), True
        try:
            alone = lock.try_lock()
        except OSError as error:
            log.debug("others may drain the journal beside us: %s", error)
        try:
            yield alone
        finally:
            lock.unlock()

    def erase(self, agent_id: str) -> int:
        """Removes all of an agent, and returns how many entries that were."""
        return self._change("DELETE FROM entry WHERE agent_id = ?", agent_id)

    def end(self, agent_id: str, until: datetime) -> int:
        """Removes an agent's parked entries of turns before `until`, and returns how many those were. What waits stays,
        since it is to be counted. An outcome without its turn is as old as its entry.
        """
        if not self.exists:
            return 0
        with self._transaction() as c:
            parked = "SELECT id, opening, kept_at FROM entry WHERE agent_id = ? AND error IS NOT NULL"
            rows = c.execute(parked, (agent_id,)).fetchall()
            due = [(id,) for id, opening, kept_at in rows if _at(opening, kept_at) < until.timestamp()]
            c.executemany("DELETE FROM entry WHERE id = ?", due)
        return len(due)

    def cut(self, agent_id: str, remains: Residue) -> int:
        """Leaves what is kept of an agent without what is erased, and returns of how many turns that was.

        A turn that is cut becomes another entry: whoever is draining the one that it was finds that gone.
        """
        if not self.exists:
            return 0
        cut = 0
        with self._transaction() as c:
            kept = "SELECT turn_id, opening, outcome, kept_at FROM entry WHERE agent_id = ?"
            for turn_id, opening, outcome, kept_at in c.execute(kept, (agent_id,)).fetchall():
                left = opening and opening_without(opening, remains), outcome and remains.cut_json(outcome)
                if left != (opening, outcome):
                    c.execute("DELETE FROM entry WHERE agent_id = ? AND turn_id = ?", (agent_id, turn_id))
                    c.execute(_PUT, (agent_id, turn_id, *left, kept_at))
                    cut += 1
        return cut

    @property
    def exists(self) -> bool:
        """Whether there ever was something to keep."""
        return os.path.exists(self.path)

    def count(self, *, parked: bool = False) -> int:
        """How many entries are pending, or parked."""
        if not self.exists:
            return 0
        with self._transaction() as c:
            where = "IS NOT NULL" if parked else "IS NULL"
            return int(c.execute(f"SELECT count(*) FROM entry WHERE error {where}").fetchone()[0])

    def backlog(self, agent_id: str | None = None) -> Backlog:
        """What waits of an agent, or of all."""
        if not self.exists:
            return Backlog(0, 0)
        of = "" if agent_id is None else "WHERE agent_id = ?"
        given = () if agent_id is None else (agent_id,)
        with self._transaction() as c:
            pending, parked = c.execute(
                f"SELECT count(*) - count(error), count(error) FROM entry {of}", given
            ).fetchone()
        oldest = self._first("error IS NULL" + (" AND agent_id = ?" if agent_id is not None else ""), *given)
        opening = oldest.opening if oldest is not None else None
        return Backlog(pending, parked, read(opening).at if opening is not None else None)

    def parked(self, agent_id: str, limit: int = 20) -> list[JournalEntry]:
        """An agent's parked entries, the oldest first, each with its error."""
        if not self.exists:
            return []
        where = "agent_id = ? AND error IS NOT NULL ORDER BY id LIMIT ?"
        with self._transaction() as c:
            return [
                JournalEntry(*row)
                for row in c.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where}", (agent_id, limit))
            ]

    def _first(self, where: str, *values: Any) -> JournalEntry | None:
        if not self.exists:
            return None
        with self._transaction() as c:
            row = c.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where} ORDER BY id LIMIT 1", values).fetchone()
        return JournalEntry(*row) if row is not None else None

    def _change(self, statement: str, *values: Any) -> int:
        if not self.exists:
            return 0
        with self._transaction() as c:
            return c.execute(statement, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: no handle outlives a fork, a thread or the removal of the file."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level="IMMEDIATE")) as c, c:
                c.execute("PRAGMA synchronous = EXTRA")  # the folder as well: a commit is one file less in it
                c.execute("PRAGMA secure_delete = ON")
                c.execute(_SCHEMA)
                if not c.execute("SELECT 1 FROM pragma_table_info('entry') WHERE name = 'kept_at'").fetchone():
                    c.execute(_LACKING)
                yield c
        except (sqlite3.Error, OSError) as error:
            raise JournalError(f"the journal {str(self.path)!r} cannot be used: {error}") from error

    def _make_room(self) -> None:
        folder = self.path.parent
        try:
            with suppress(FileExistsError):
                # as root the embedded server's user passes through the data directory, and nobody can look around
                folder.parent.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True)
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
        except OSError as error:
            raise JournalError(f"the journal {str(self.path)!r} cannot be used: {error}") from error


def journal_name(url: str | None) -> str:
    """A file name for the journal of the database at a URL, the same for all who connect to it; None: the embedded."""
    if url is None:
        return "embedded.sqlite"
    parts = urlsplit(url)
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    hosts = unquote(parts.netloc.rpartition("@")[2]) or asked.get("host") or os.environ.get("PGHOST", "")
    port = asked.get("port") or os.environ.get("PGPORT", "")
    name = unquote(parts.path.lstrip("/")) or asked.get("dbname") or os.environ.get("PGDATABASE", "")
    address = json.dumps([hosts.removesuffix(":5432"), port if port != "5432" else "", name])
    return f"{hashlib.sha256(address.encode()).hexdigest()[:16]}.sqlite"


def _at(opening: str | None, kept_at: float | None) -> float:
    """When a turn was, in seconds since the epoch; or when its entry was kept, where the turn is not there or cannot be
    read. Of what an older version kept it is not known, and it is never old enough.
    """
    with suppress(InvalidInput):
        if opening is not None:
            return read(opening).at.timestamp()
    return math.inf if kept_at is None else kept_at


def written(turn: OpenTurn) -> str:
    """An opened turn as text, whole: `read` gives it back."""
    fields = {name: getattr(turn, name) for name in turn.__dataclass_fields__}
    return json.dumps(
        fields
        | {
            "at": turn.at.isoformat(),
            "shown": [asdict(shown) | {"memory_id": str(shown.memory_id)} for shown in turn.shown],
            "query": base64.b64encode(turn.query.astype("<f4").tobytes()).decode() if turn.query is not None else None,
        }
    )


def opening_without(text: str, remains: Residue) -> str:
    """An opened turn as text, without what is erased; its vector and its record follow from that, and go too."""
    left = remains.cut_json(text)
    if left == text:
        return text
    opening = json.loads(left)
    return json.dumps(opening | {"query": None, "model": None, "trace": without_record(opening["trace"])})


def without_record(trace: Mapping[str, Any]) -> dict[str, Any]:
    """A turn's trace after its words were erased: what is told of them, and that they were."""
    return {**trace, "query": "", "record": None, "erased": True}


def read(text: str) -> OpenTurn:
    """The reverse of `written`.

    Raises:
        InvalidInput: the text is no opened turn.
    """
    try:
        fields = json.loads(text)
        query = fields["query"]
        return OpenTurn(
            **fields
            | {
                "at": datetime.fromisoformat(fields["at"]),
                "degraded": tuple(fields["degraded"]),
                "degraded_codes": tuple(fields.get("degraded_codes", ())),
                "categories": tuple(fields.get("categories", ())),
                "shown": tuple(
                    Exposure(**shown | {"memory_id": UUID(shown["memory_id"])}) for shown in fields["shown"]
                ),
                "query": np.frombuffer(base64.b64decode(query), "<f4").astype(np.float32) if query else None,
            }
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(f"not an opened turn: {type(error).__name__}") from error
