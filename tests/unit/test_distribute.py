"""The rows of an agent can be stored on one machine, because every statement names the agent."""

from __future__ import annotations

import re

from brain.postgres.database import APP_ROLE
from brain.postgres.distribute import DISTRIBUTION_COLUMN, TABLES, statements
from brain.postgres.roles import ROLES
from tests.unit.test_statements import TABLE, bare, each_statement

# Features that Citus refuses for distributed tables or applies only within each shard. The schema uses none of them.
REFUSED = (
    r"\bTRIGGER\b|\bGENERATED\b|\b(?:BIG|SMALL)?SERIAL\b|\bSEQUENCE\b|\bEXCLUDE\b|\bINHERITS\b|\bPARTITION\b|\bVIEW\b"
    r"|\bCREATE RULE\b|\bUNLOGGED\b|\bSECURITY DEFINER\b|\bON (?:DELETE|UPDATE) SET\b"
)


def named() -> list[str]:
    return [name for each in statements() for name in re.findall(r"create_distributed_table\('cognitive\.(\w+)'", each)]


def test_every_table_is_distributed_once_by_agent_and_colocated():
    assert named() == TABLES
    in_turn, logins, first, *others, functions, of_agent = statements()
    assert "sequential" in in_turn
    assert all(f"'{role}'" in logins for role in (APP_ROLE, *ROLES))
    assert "colocate_with => 'none'" in first
    assert all(f"'{DISTRIBUTION_COLUMN}', colocate_with => 'cognitive.{named()[0]}'" in each for each in others)
    assert "create_distributed_function" in functions
    assert f"'$1', colocate_with => 'cognitive.{named()[0]}'" in of_agent


def test_distributed_tables_are_left_out():
    *others, last = named()
    rest = statements({f"cognitive.{name}" for name in others})
    assert re.findall(r"create_distributed_table\('cognitive\.(\w+)'", "".join(rest)) == [last]


def test_schema_uses_no_feature_that_citus_refuses(root):
    scripts = sorted((root / "migrations" / "versions").glob("*.sql"))
    assert scripts
    for path in scripts:
        sql = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
        assert not re.search(REFUSED, sql, re.IGNORECASE), path.name


@each_statement
def test_insert_from_a_query_has_on_conflict_or_returning(name, sql):
    """Without either clause, Citus uses COPY, which Postgres refuses under row level security."""
    for insert in re.findall(rf"INSERT INTO {TABLE}(?: AS \w+)? \([^)]*\) SELECT\b(.*?)(?=INSERT INTO|$)", bare(sql)):
        assert re.search(r"\bON CONFLICT\b|\bRETURNING\b", insert)


@each_statement
def test_advisory_lock_statements_read_no_table(name, sql):
    """A statement that reads tables runs on another machine, where an advisory lock has no effect.

    Two statements need the lock only to keep their place among those that wait for the row that they lock.
    """
    queues = name.endswith(("lock_agent_row", "lock_existing_agent_row"))
    assert queues or "pg_advisory" not in sql or not re.search(TABLE, sql.replace("cognitive.scope()", ""))


@each_statement
def test_coordinator_tables_are_not_joined_with_agent_tables(name, sql):
    """Citus cannot join a coordinator table with distributed tables on another machine."""
    of_coordinator = r"\b(?:FROM|JOIN) (?:pg_\w+|cognitive\.alembic_version)\b"
    assert not (re.search(TABLE, bare(sql)) and re.search(of_coordinator, bare(sql)))
