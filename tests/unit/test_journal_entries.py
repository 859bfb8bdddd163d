"""Entries of the journal: the first opening and outcome of a turn, for one database, until they are stored."""

from __future__ import annotations

import os
import sqlite3
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from making import AT, uid, unit

from brain.erasure.residue import Residue
from brain.errors import InvalidInput, JournalError
from brain.journal import Journal, journal_name
from brain.opened_turns import read, written
from brain.turn_records import Exposure, OpenTurn
from brain.users import Scope

OPENING = OpenTurn(
    turn_id="t",
    session_id="s",
    user_id=None,
    at=AT,
    message="Wann gibt es Tee?",
    policy="abc",
    frame="question",
    degraded=("embedding: late",),
    degraded_codes=("embedding_late",),
    trace={"candidates": [{"value": 0.25}]},
    shown=(Exposure(uid(1), "fact", 0), Exposure(uid(2), "episode", 1, 0.25)),
    model="m",
    query=unit(1, 2, 3),
)


@pytest.fixture
def journal(tmp_path) -> Journal:
    return Journal(tmp_path / "data" / "journal" / "x.sqlite")


def test_opening_survives_a_round_trip():
    back = read(written(OPENING))
    assert replace(back, query=None) == replace(OPENING, query=None)
    assert np.array_equal(back.query, OPENING.query)
    assert back.query.dtype == np.float32
    assert read(written(replace(OPENING, query=None, model=None))).query is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"turn_id": "t"}', written(OPENING).replace("2026-", "soon-")])
def test_invalid_opening_is_refused(text):
    with pytest.raises(InvalidInput):
        read(text)


def test_only_parked_entries_expire_by_the_time_of_their_turn(journal):
    for name, days in (("old", 0), ("young", 9), ("waits", 0)):
        journal.put(Scope("a"), name, opening=written(replace(OPENING, at=AT + timedelta(days=days))))
    journal.put(Scope("a"), "alone", outcome="one")
    journal.put(Scope("b"), "theirs", opening=written(OPENING))
    for agent, name in (("a", "old"), ("a", "young"), ("a", "alone"), ("b", "theirs")):
        journal.park(journal.find(Scope(agent), name), "refused")
    assert journal.end("a", AT + timedelta(days=5)) == 1
    assert journal.find(Scope("a"), "old") is None
    assert all(journal.find(Scope("a"), name) for name in ("young", "waits", "alone"))
    assert journal.find(Scope("b"), "theirs") is not None
    assert journal.end("a", AT + timedelta(days=5)) == 0


def test_parked_outcome_without_opening_expires_by_its_storage_time(journal):
    journal.put(Scope("a"), "alone", outcome='{"response": "One is all there is."}')
    stored_at = datetime.now(UTC)
    assert journal.cut(Scope("a"), Residue(["One is all there is."])) == 1
    journal.park(journal.find(Scope("a"), "alone"), "refused")
    assert journal.end("a", stored_at - timedelta(days=1)) == 0
    assert journal.end("a", stored_at + timedelta(days=1)) == 1
    assert journal.find(Scope("a"), "alone") is None


def test_entry_of_an_older_file_without_a_time_never_expires(journal):
    journal.put(Scope("a"), "alone", outcome="one")
    with sqlite3.connect(journal.path) as older:
        older.execute("ALTER TABLE entry DROP COLUMN kept_at")
    journal.park(journal.find(Scope("a"), "alone"), "refused")
    assert journal.end("a", datetime.now(UTC) + timedelta(days=1)) == 0
    assert journal.put(Scope("a"), "later", outcome="two")


def test_journal_file_is_created_at_the_first_write(journal):
    assert journal.count() == journal.erase(Scope("a")) == 0
    assert journal.after(0) is journal.find(Scope("a"), "t") is None
    assert not journal.path.parent.exists()
    journal.put(Scope("a"), "t", outcome="one")
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    reachable = 0o711 if os.geteuid() == 0 else 0o700
    assert stat.S_IMODE(journal.path.parent.parent.stat().st_mode) == reachable


def test_journal_file_is_readable_by_its_owner_only(journal):
    journal.put(Scope("a"), "t", outcome="one")
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    journal.path.chmod(0o644)  # as files of older versions are
    journal.put(Scope("a"), "t2", outcome="two")
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600


def test_first_opening_and_first_outcome_are_final(journal):
    assert journal.put(Scope("a"), "t", outcome="one")
    assert not journal.put(Scope("a"), "t", outcome="two")
    assert journal.put(Scope("a"), "t", opening="o", outcome="three")
    assert not journal.put(Scope("a"), "t", opening="p", outcome="four")
    entry = journal.find(Scope("a"), "t")
    assert (entry.opening, entry.outcome) == ("o", "one")
    assert journal.count() == 1


def test_only_the_stored_version_of_an_entry_is_removed(journal):
    journal.put(Scope("a"), "t", opening="o")
    settled = journal.after(0)
    journal.put(Scope("a"), "t", outcome="added later")
    journal.remove(settled)
    journal.park(settled, "bad")
    entry = journal.find(Scope("a"), "t")
    assert (entry.outcome, entry.error) == ("added later", None)
    journal.remove(entry)
    journal.put(Scope("a"), "t", outcome="again")
    journal.remove(replace(entry, version=1))
    assert journal.find(Scope("a"), "t").outcome == "again", "an id is never reused"


def test_entries_come_oldest_first_and_parked_ones_wait_for_additions(journal):
    for name in ("one", "two", "three"):
        journal.put(Scope("a"), name, outcome="x")
    first = journal.after(0)
    assert first.turn_id == "one"
    journal.park(first, "unknown turn")
    assert journal.after(0).turn_id == "two"
    assert (journal.count(), journal.count(parked=True)) == (2, 1)
    journal.put(Scope("a"), "one", opening="o")
    assert journal.after(0).turn_id == "one"
    journal.park(journal.after(0), "still")
    journal.unpark()
    assert journal.after(0).turn_id == "one"


def test_erasing_an_agent_leaves_other_agents(journal):
    for agent in ("a", "b"):
        journal.put(Scope(agent), "t", outcome=f"of {agent}")
    entry = journal.find(Scope("a"), "t")
    assert journal.holds(entry)
    assert journal.erase(Scope("a")) == 1
    assert not journal.holds(entry)
    assert journal.find(Scope("b"), "t").outcome == "of b"
    assert b"of a" not in journal.path.read_bytes()


URL = "postgresql://user:secret@db.example:5432/memory"


@pytest.mark.parametrize(
    "same", ["postgresql://other@db.example/memory", "postgres://db.example:5432/memory?application_name=x"]
)
def test_journal_name_does_not_depend_on_user_or_options(same, monkeypatch):
    monkeypatch.setenv("PGHOST", "elsewhere")
    assert journal_name(same) == journal_name(URL)
    assert "secret" not in journal_name(URL)


def test_each_database_has_its_own_journal_name(monkeypatch):
    for name in ("PGHOST", "PGPORT", "PGDATABASE"):
        monkeypatch.delenv(name, raising=False)
    urls = [
        None,
        URL,
        URL.replace("memory", "other"),
        URL.replace("5432", "5433"),
        URL.replace("db.", "db2."),
        "postgresql:///memory?host=/run/one",
        "postgresql:///memory?host=/run/two",
        "postgresql:///memory?host=/run/one&port=5433",
        "postgresql:///other?host=/run/one",
    ]
    assert len({journal_name(url) for url in urls}) == len(urls)


def older_file(journal: Journal) -> None:
    """Write a journal without users, with one entry."""
    journal.path.parent.mkdir(parents=True)
    with sqlite3.connect(journal.path) as older:
        older.execute(
            "CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT NULL, turn_id TEXT NOT NULL,"
            " version INTEGER NOT NULL DEFAULT 1, opening TEXT, outcome TEXT, error TEXT, kept_at REAL,"
            " UNIQUE (agent_id, turn_id))"
        )
        older.execute("INSERT INTO entry (agent_id, turn_id, outcome) VALUES ('a', 'alone', 'one')")


@pytest.mark.parametrize("statement", ["ALTER TABLE", "INSERT", "DROP TABLE"])
def test_upgrade_of_an_older_file_survives_a_crash(journal, monkeypatch, statement):
    older_file(journal)
    connect = sqlite3.connect

    class Crashing(sqlite3.Connection):
        def execute(self, sql, *values):
            if sql.lstrip().startswith(statement):
                raise sqlite3.OperationalError("crash")
            return super().execute(sql, *values)

    with monkeypatch.context() as crash:
        crash.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=Crashing))
        with pytest.raises(JournalError):
            journal.find(Scope("a"), "alone")
    assert journal.find(Scope("a"), "alone").outcome == "one"
    assert journal.count() == 1
