"""The journal: turns that Postgres could not store are kept in a file on this machine until it can.

The file is an SQLite database with one row per turn, which has the turn's opening and its outcome as text. Neither of
them can be replaced once it is stored. Every write is one transaction, synced before the function returns. SQLite uses
a rollback journal instead of a write-ahead log, so that removed text is overwritten and no second file contains it.
Processes may share the file, but only one at a time drains it, that is, moves its entries to Postgres. The file is
created when the first turn must be kept.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from brain.erasure.residue import Residue
from brain.errors import InvalidInput, JournalError
from brain.file_lock import FileLock
from brain.opened_turns import opening_without, read
from brain.users import Scope

log = logging.getLogger(__name__)

_BUSY_SECONDS = 5.0  # seconds to wait for another process to finish its write
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL,
    user_id  TEXT    NOT NULL DEFAULT '',
    turn_id  TEXT    NOT NULL,
    version  INTEGER NOT NULL DEFAULT 1,
    opening  TEXT,
    outcome  TEXT,
    error    TEXT,
    kept_at  REAL,
    UNIQUE (agent_id, user_id, turn_id))
"""
# For a file of an older version, which had no users and perhaps no `kept_at`: its entries are without a user.
_ADD_KEPT_AT = "ALTER TABLE entry ADD COLUMN kept_at REAL"
_RENAME = "ALTER TABLE entry RENAME TO entry_without_users"
_COPY = """
INSERT INTO entry (id, version, agent_id, turn_id, opening, outcome, error, kept_at)
SELECT id, version, agent_id, turn_id, opening, outcome, error, kept_at FROM entry_without_users
"""
_DROP = "DROP TABLE entry_without_users"
# Existing values stay. A value that was missing is added and makes a new version of the entry.
_PUT = """
INSERT INTO entry (agent_id, user_id, turn_id, opening, outcome, kept_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, user_id, turn_id) DO UPDATE SET
    opening = coalesce(opening, excluded.opening), outcome = coalesce(outcome, excluded.outcome),
    version = version + 1, error = NULL
WHERE (opening IS NULL AND excluded.opening IS NOT NULL) OR (outcome IS NULL AND excluded.outcome IS NOT NULL)
"""
_COLUMNS = "id, version, agent_id, user_id, turn_id, opening, outcome, error, kept_at"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An entry of the journal: a turn that waits until Postgres can store it.

    Ids grow and are never reused. `version` grows when an opening or outcome is added to the entry. `error` is set if
    Postgres refused the entry; such an entry is parked, which means that it is not tried again for now. `user_id` is ''
    for a turn without a user. `kept_at` is when the entry was made, in seconds since the epoch; older files lack it.
    """

    id: int
    version: int
    agent_id: str
    user_id: str
    turn_id: str
    opening: str | None
    outcome: str | None
    error: str | None
    kept_at: float | None = None

    @property
    def scope(self) -> Scope:
        """The agent and the view in which the turn ran."""
        return Scope(self.agent_id, self.user_id)


@dataclass(frozen=True, slots=True)
class Backlog:
    """The turns that wait in the journal: the numbers of pending entries and of parked ones, which Postgres refused.

    `oldest_at` is the time of the oldest pending turn, or None if it is not known.
    """

    pending: int
    parked: int
    oldest_at: datetime | None = None


class Journal:
    """The journal in a file: turns that Postgres could not store yet.

    Its methods block, so call them in a thread. Every method may raise JournalError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, scope: Scope, turn_id: str, *, opening: str | None = None, outcome: str | None = None) -> bool:
        """Store a turn's opening, its outcome, or both, and sync the file. Return False if the entry already had them.

        Existing values are not replaced. If something is added to a parked entry, the entry becomes pending again.
        """
        self._make_room()
        with self._transaction() as c:
            # The file exists now, readable by all, and without this entry. It is not created before with `os.open`,
            # since closing any descriptor of a file releases the locks that SQLite holds on it in other threads.
            with suppress(PermissionError):  # the file may be another user's
                self.path.chmod(0o600)
            return c.execute(_PUT, (*scope.key, turn_id, opening, outcome, time())).rowcount > 0

    def find(self, scope: Scope, turn_id: str) -> JournalEntry | None:
        """Return the journal's entry for a turn of the scope's user, parked or not, or None if there is none."""
        return self._first("agent_id = ? AND user_id = ? AND turn_id = ?", *scope.key, turn_id)

    def after(self, id: int) -> JournalEntry | None:
        """Return the first pending entry whose id is larger than `id`, or None if there is none."""
        return self._first("id > ? AND error IS NULL", id)

    def holds(self, entry: JournalEntry) -> bool:
        """Return True if some version of this entry still exists: it was neither drained nor erased."""
        return self._first("id = ?", entry.id) is not None

    def remove(self, entry: JournalEntry) -> None:
        """Remove an entry that Postgres has stored, unless something was added to the entry since it was read."""
        self._change("DELETE FROM entry WHERE id = ? AND version = ?", entry.id, entry.version)

    def park(self, entry: JournalEntry, error: str) -> None:
        """Mark an entry as refused by Postgres, so that it is not tried again. Do nothing if it has a newer version."""
        self._change("UPDATE entry SET error = ? WHERE id = ? AND version = ?", error, entry.id, entry.version)

    def unpark(self) -> None:
        """Make all parked entries pending again, for example after a restart."""
        self._change("UPDATE entry SET error = NULL WHERE error IS NOT NULL")

    @contextmanager
    def draining(self) -> Iterator[bool]:
        """Hold the lock for draining the journal, and yield True; yield False if another process holds the lock.

        The kernel releases the lock after a crash. If the lock cannot be used at all, True is yielded too: storing a
        turn twice in Postgres does no harm, but losing a turn does.
        """
        lock, acquired = FileLock(self.path.with_suffix(".lock")), True
        try:
            acquired = lock.try_lock()
        except OSError as error:
            log.debug("another process may drain the journal at the same time: %s", error)
        try:
            yield acquired
        finally:
            lock.unlock()

    def erase(self, scope: Scope) -> int:
        """Remove all entries of a user, or in the operator's view of the agent, and return their number."""
        where, values = _owned(scope)
        return self._change(f"DELETE FROM entry WHERE {where}", *values)

    def end(self, agent_id: str, until: datetime) -> int:
        """Remove an agent's parked entries of turns before `until`, and return their number.

        Pending entries stay, because their turns must still be counted. If an entry has only an outcome, the time at
        which the entry was made counts as the turn's time.
        """
        if not self.exists:
            return 0
        with self._transaction() as c:
            parked = "SELECT id, opening, kept_at FROM entry WHERE agent_id = ? AND error IS NOT NULL"
            rows = c.execute(parked, (agent_id,)).fetchall()
            due = [(id,) for id, opening, kept_at in rows if _at(opening, kept_at) < until.timestamp()]
            c.executemany("DELETE FROM entry WHERE id = ?", due)
        return len(due)

    def cut(self, scope: Scope, remains: Residue, *, dry_run: bool = False) -> int:
        """Remove erased text from a user's entries, and return the number of entries that contained such text.

        In the view without a user, the entries of all users are searched, since all turns read shared memories.

        A changed entry gets a new id. A process that drains the old entry finds it gone. `dry_run` only counts.
        """
        if not self.exists:
            return 0
        changed = 0
        with self._transaction() as c:
            where, values = _owned(scope if scope.user is not None else Scope.all_users(scope.agent_id))
            select = f"SELECT user_id, turn_id, opening, outcome, kept_at FROM entry WHERE {where}"
            for user_id, turn_id, opening, outcome, kept_at in c.execute(select, values).fetchall():
                cleaned = opening and opening_without(opening, remains), outcome and remains.cut_json(outcome)
                if cleaned != (opening, outcome):
                    changed += 1
                    if not dry_run:
                        key = (scope.agent_id, user_id, turn_id)
                        c.execute("DELETE FROM entry WHERE agent_id = ? AND user_id = ? AND turn_id = ?", key)
                        c.execute(_PUT, (*key, *cleaned, kept_at))
        return changed

    @property
    def exists(self) -> bool:
        """True if the file exists, that is, if an entry was ever stored."""
        return os.path.exists(self.path)

    def count(self, *, parked: bool = False) -> int:
        """Return the number of pending entries, or with `parked`, of the entries that Postgres refused."""
        if not self.exists:
            return 0
        with self._transaction() as c:
            where = "IS NOT NULL" if parked else "IS NULL"
            return int(c.execute(f"SELECT count(*) FROM entry WHERE error {where}").fetchone()[0])

    def backlog(self, agent_id: str | None = None) -> Backlog:
        """Return how many entries of an agent, or of all agents, wait in the journal."""
        if not self.exists:
            return Backlog(0, 0)
        where = "" if agent_id is None else "WHERE agent_id = ?"
        values = () if agent_id is None else (agent_id,)
        with self._transaction() as c:
            pending, parked = c.execute(
                f"SELECT count(*) - count(error), count(error) FROM entry {where}", values
            ).fetchone()
        oldest = self._first("error IS NULL" + (" AND agent_id = ?" if agent_id is not None else ""), *values)
        opening = oldest.opening if oldest is not None else None
        return Backlog(pending, parked, read(opening).at if opening is not None else None)

    def parked(self, scope: Scope, limit: int = 20) -> list[JournalEntry]:
        """Return the parked entries (turns that Postgres refused) of a user, or in the operator's view of the agent."""
        if not self.exists:
            return []
        owned, values = _owned(scope)
        where = f"{owned} AND error IS NOT NULL ORDER BY id LIMIT ?"
        with self._transaction() as c:
            return [
                JournalEntry(*row) for row in c.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where}", (*values, limit))
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
        """Open a connection for one transaction only.

        No connection stays open after a fork or after the file's removal.
        """
        try:
            with closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level="IMMEDIATE")) as c, c:
                c.execute("PRAGMA synchronous = EXTRA")  # sync the folder too: a commit deletes the rollback journal
                c.execute("PRAGMA secure_delete = ON")
                c.execute(_SCHEMA)
                _upgrade(c)
                yield c
        except (sqlite3.Error, OSError) as error:
            raise JournalError(f"the journal {str(self.path)!r} cannot be used: {error}") from error

    def _make_room(self) -> None:
        folder = self.path.parent
        try:
            with suppress(FileExistsError):
                # 0711 for root: the embedded server's user must pass through the data directory, without listing it
                folder.parent.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True)
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
        except OSError as error:
            raise JournalError(f"the journal {str(self.path)!r} cannot be used: {error}") from error


def _owned(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return a condition on the entries of a scope, and its values."""
    return ("agent_id = ?", (scope.agent_id,)) if scope.sees_all else ("agent_id = ? AND user_id = ?", scope.key)


def _upgrade(c: sqlite3.Connection) -> None:
    """Add the columns that a file of an older version lacks, in one transaction: a crash must not lose the entries."""
    if {"kept_at", "user_id"} <= _columns(c):
        return
    c.execute("BEGIN IMMEDIATE")  # SQLite's module begins no transaction for changes of tables
    columns = _columns(c)  # another process may have added them meanwhile
    if "kept_at" not in columns:
        c.execute(_ADD_KEPT_AT)
    if "user_id" not in columns:
        for statement in (_RENAME, _SCHEMA, _COPY, _DROP):
            c.execute(statement)
    c.commit()


def _columns(c: sqlite3.Connection) -> set[str]:
    return {name for (name,) in c.execute("SELECT name FROM pragma_table_info('entry')")}


def journal_name(url: str | None) -> str:
    """Return the name of the journal's file for the database at `url`, or for the embedded server if `url` is None.

    The name depends on host, port and database, but not on the login in the URL.
    """
    if url is None:
        return "embedded.sqlite"
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    hosts = unquote(parts.netloc.rpartition("@")[2]) or options.get("host") or os.environ.get("PGHOST", "")
    port = options.get("port") or os.environ.get("PGPORT", "")
    name = unquote(parts.path.lstrip("/")) or options.get("dbname") or os.environ.get("PGDATABASE", "")
    address = json.dumps([hosts.removesuffix(":5432"), port if port != "5432" else "", name])
    return f"{hashlib.sha256(address.encode()).hexdigest()[:16]}.sqlite"


def _at(opening: str | None, kept_at: float | None) -> float:
    """Return the time of a journal entry's turn, in seconds since the epoch.

    If the opening is missing or unreadable, this is the time at which the entry was made. Entries of older versions
    lack that time; for them the result is infinity, so that they are never removed by age.
    """
    with suppress(InvalidInput):
        if opening is not None:
            return read(opening).at.timestamp()
    return math.inf if kept_at is None else kept_at
