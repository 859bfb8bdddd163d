"""All SQL: every table is read for one agent, nothing is set for a whole session, and all values are bound."""

from __future__ import annotations

import re

import pytest

from brain import statements

PORTS = [
    "across", "agents", "archive", "artifacts", "bench", "cells", "contents", "derived", "figures", "health",
    "index_builds", "lately", "memory_figures", "policies", "reembedding", "reindexing", "replica", "retention",
    "roles", "scrub", "search", "sessions", "store", "subtasks", "turns",
]  # fmt: skip
WALKING = {"memories": "walk_types walk_session walk_pinned walk_superseded", "group": "walk_stored walk_shown"}
NO_STATEMENTS_OF_ROWS = {"create", "grant"}  # of roles, which are no agent's


def run(port):
    """The statements of a port as they are run: a walk stands within the one that pages through it."""
    own = statements.load(port)
    for name, sql in own.items():
        for walk in WALKING[name].split() if "<walk>" in sql else []:
            yield f"{name} by {walk}", sql.replace("<walk>", own[walk])
        if "<walk>" not in sql and not name.startswith("walk_"):
            yield name, sql


NAMED = [
    (port, *each) for port in PORTS for each in run(port) if port != "roles" or each[0] not in NO_STATEMENTS_OF_ROWS
]
OF_ALL_AGENTS = {  # read by a role that sees their counts and nothing else, or by one that sees all agents
    *statements.load("across"), *statements.load("agents"),
}  # fmt: skip
IDS = [f"{port}.{name}" for port, name, _ in NAMED]
TABLE = r"cognitive\.(?!alembic_version\b)\w+"


def bare(sql: str) -> str:
    """SQL without comments, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql)).strip()


def test_all_files_are_covered_and_every_statement_is_found(root):
    folder = root / "brain" / "statements"
    assert sorted(path.stem for path in folder.glob("*.sql")) == PORTS
    for port in PORTS:
        headings = re.findall(r"^-- name: (\w+)$", (folder / f"{port}.sql").read_text(encoding="utf-8"), re.MULTILINE)
        assert list(statements.load(port)) == headings
        assert len(set(headings)) == len(headings)


@pytest.mark.parametrize(("port", "name", "sql"), NAMED, ids=IDS)
def test_every_join_on_a_table_carries_the_agent(port, name, sql):
    for table, alias, condition in re.findall(
        rf"\bJOIN ({TABLE})(?: AS)? (\w+) (?:USING|ON) (.*?)(?= (?:LEFT|CROSS|INNER|JOIN|WHERE|GROUP|ORDER)\b|\)|;|$)",
        bare(sql),
    ):
        whose = r"\w+\.agent_id" if name in OF_ALL_AGENTS else r"\$1"
        assert re.search(rf"\b{alias}\.agent_id = {whose}\b", condition), f"{table} AS {alias} ON {condition}"


@pytest.mark.parametrize(("port", "name", "sql"), NAMED, ids=IDS)
def test_every_reading_changing_or_deleting_of_a_table_carries_the_agent(port, name, sql):
    """As many `agent_id = $1` as tables that are read, updated or deleted from; an insert names the agent first."""
    text = bare(sql)
    touched = len(re.findall(rf"\b(?:FROM|JOIN) {TABLE}", text)) + len(re.findall(rf"(?<!DO )\bUPDATE {TABLE}", text))
    assert name in OF_ALL_AGENTS or len(re.findall(r"\bagent_id = \$1\b", text)) >= touched
    for columns in re.findall(rf"INSERT INTO {TABLE}(?: AS \w+)? \(([^)]*)\)", text):
        assert columns.split(",")[0].strip() == "agent_id"
    for target in re.findall(r"ON CONFLICT \(([^)]*)\)", text):
        assert target.split(",")[0].strip() == "agent_id"


@pytest.mark.parametrize(("port", "name", "sql"), NAMED, ids=IDS)
def test_values_are_bound_and_parameters_are_numbered_without_gaps(port, name, sql):
    text = bare(sql)
    numbers = {int(number) for number in re.findall(r"\$(\d+)", text)}
    assert numbers == set(range(1, len(numbers) + 1))
    assert not re.search(r"\{|\}|%s|%\(", re.sub(r"'[^']*'", "''", text))
    assert ";" not in text


@pytest.mark.parametrize(("port", "name", "sql"), NAMED, ids=IDS)
def test_rows_that_are_locked_one_after_the_other_are_taken_in_a_fixed_order(port, name, sql):
    """Upserts of many rows from a set: ordered, or two writers that meet deadlock."""
    upsert = r"INSERT INTO cognitive\.(?:usage|exposure|session|usage_base)\b(.*?)ON CONFLICT"
    for source in re.findall(upsert, bare(sql)):
        many = re.search(r"\bunnest\b|\bFROM (?:taught|opened)\b", source)
        assert not many or "ORDER BY" in source, source


SESSION_LEVEL = re.compile(
    r"""\bSET\s+(?!LOCAL\b)(?:SESSION\s+)?(?:ROLE|SESSION AUTHORIZATION|[a-z_]+(?:\.[a-z_]+)?\s*(?:=|TO)\s*['"\w$])"""
    r"""|set_config\([^)]*,\s*(?i:false)\s*\)|\bpg_advisory_lock\b|\bLISTEN\s+\w|\bDISCARD\b""",
)


@pytest.mark.parametrize(
    ("sql", "is_session_level"),
    [
        ("SET cognitive.agent_id = 'a'", True), ("SET SESSION work_mem TO '1MB'", True), ("SET ROLE app", True),
        ("SELECT set_config('cognitive.agent_id', $1, false)", True), ("SET LOCAL work_mem = '1MB'", False),
        ("SELECT set_config('cognitive.agent_id', $1, true)", False),
    ],
)  # fmt: skip
def test_the_pattern_tells_what_lasts_from_what_ends_with_the_transaction(sql, is_session_level):
    assert bool(SESSION_LEVEL.search(sql)) == is_session_level


def test_nothing_in_the_product_is_set_for_a_whole_session(root):
    """Through a transaction pooler a session-level setting is another tenant's setting."""
    found = []
    for folder in ("brain", "cognitive"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".py", ".sql"):
                continue
            # a column is set, or the whole server, which no tenant's connection may
            text = re.sub(r"\bUPDATE\b[^;]*?\bSET\b|\bALTER SYSTEM SET\b", "", path.read_text(encoding="utf-8"))
            if path.suffix == ".py":  # only what stands in strings can be SQL
                text = "\n".join(re.findall(r'"""(?:.|\n)*?"""|"[^"\n]*"', text))
            found += [f"{path.relative_to(root)}: {match.group()}" for match in SESSION_LEVEL.finditer(text)]
    assert found == []


def test_the_tenant_is_set_for_the_transaction(root):
    sources = [path.read_text(encoding="utf-8") for path in (root / "brain").rglob("*.py")]
    settings = [found for source in sources for found in re.findall(r"(\w+ \w+) cognitive\.agent_id TO", source)]
    assert settings
    assert set(settings) == {"SET LOCAL"}
    assert not any("set_config(" in text for _, _, text in NAMED)
