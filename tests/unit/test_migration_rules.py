"""Migrations are compatible with running code: they add, take no long lock, and declare what they remove."""

from __future__ import annotations

import re

import pytest

from brain.errors import SchemaError
from brain.postgres.index_builds import declared
from brain.postgres.schema import FIRST, HEAD, refusal

RAISES = re.compile(r"^UPDATE cognitive\.alembic_version SET oldest = '(\d{4})'$")
CREATED = re.compile(r"^CREATE TABLE (cognitive\.\w+)")
NAMED_TABLE = re.compile(r"^(?:ALTER TABLE|CREATE(?: UNIQUE)? INDEX \w+ ON) (cognitive\.\w+)")
ADDS = [
    re.compile(pattern)
    for pattern in (
        r"^CREATE (?:TABLE|(?:OR REPLACE )?FUNCTION|POLICY) ",
        r"^GRANT ",
        # a default that is not constant is computed for every row, under a lock that blocks readers
        r"^ALTER TABLE \S+ ADD COLUMN \w+ (?!.*NOT NULL)(?!.*DEFAULT \w*\()(?!.*REFERENCES).*$",
        r"^ALTER TABLE \S+ ADD COLUMN \w+ [\w\[\]() ]+ NOT NULL"
        r" DEFAULT (?:'[^']*'|-?[\d.]+|true|false|now\(\))(?: CHECK .*)?$",
        r"^ALTER TABLE \S+ ADD CONSTRAINT .* NOT VALID$",
        r"^DO ",
    )
]
BUILDS_INDEX = re.compile(r"^(?:CREATE(?: UNIQUE)? INDEX|DROP INDEX) ")
PROVES_ROWS = re.compile(r"^ALTER TABLE .* ADD (?:CONSTRAINT \w+ )?FOREIGN KEY\b")  # reads them under a lock
IN_A_BLOCK = re.compile(
    r"\b(?:DROP|UPDATE \S+ SET|DELETE FROM|TRUNCATE|RENAME|ALTER COLUMN|SET NOT NULL|CREATE INDEX)\b"
)


def statements(script: str) -> list[str]:
    """Return the statements of a script, each on one line and without comments.

    Dollar-quoted text belongs to its statement.
    """
    bare = re.sub(r"--[^\n]*", "", script)
    pieces = re.split(r"(\$\$.*?\$\$)", bare, flags=re.DOTALL)
    masked = "".join(piece.replace(";", "\0") if piece.startswith("$$") else piece for piece in pieces)
    return [" ".join(each.split()).replace("\0", ";") for each in masked.split(";") if each.strip()]


def broken(script: str) -> list[str]:
    """Return the statements that break a rule."""
    violations, created, contracts = [], set(), any(RAISES.match(each) for each in statements(script))
    for each in statements(script):
        created.update(CREATED.findall(each))
        table = NAMED_TABLE.match(each)
        if RAISES.match(each) or (table and table[1] in created):
            continue
        if (
            contracts and not BUILDS_INDEX.match(each) and not PROVES_ROWS.match(each)
        ):  # older code refuses the schema, and no turn waits for its locks
            continue
        if not any(rule.match(each) for rule in ADDS) or (each.startswith("DO ") and IN_A_BLOCK.search(each)):
            violations.append(each)
    return violations


def test_every_migration_follows_the_rules(root):
    scripts = sorted((root / "migrations" / "versions").glob("[0-9]*.sql"))
    assert scripts
    for path in scripts:
        if path.name[:4] != FIRST and not path.name.endswith((".concurrently.sql", ".analyze.sql", ".down.sql")):
            assert broken(path.read_text(encoding="utf-8")) == [], path.name


def test_concurrent_index_files_are_declared_correctly(root):
    declared(root / "migrations" / "versions", HEAD)


COMPATIBLE = [
    "CREATE TABLE cognitive.new (a text); CREATE INDEX new_by_a ON cognitive.new (a);"
    " ALTER TABLE cognitive.new FORCE ROW LEVEL SECURITY",
    "ALTER TABLE cognitive.memory ADD COLUMN colour text",
    "ALTER TABLE cognitive.memory ADD COLUMN colour text NOT NULL DEFAULT 'red' CHECK (colour <> '')",
    "ALTER TABLE cognitive.turn ADD CONSTRAINT some CHECK (a > 0) NOT VALID",
    "UPDATE cognitive.alembic_version SET oldest = '0112';"
    " ALTER TABLE cognitive.turn ADD CONSTRAINT some FOREIGN KEY (a) REFERENCES cognitive.memory (id) NOT VALID",
    "DO $$ BEGIN GRANT SELECT ON cognitive.new TO somebody; END $$",
    "UPDATE cognitive.alembic_version SET oldest = '0112'; ALTER TABLE cognitive.memory DROP COLUMN colour",
    "UPDATE cognitive.alembic_version SET oldest = '0112'; ALTER TABLE cognitive.memory RENAME COLUMN a TO b",
    "UPDATE cognitive.alembic_version SET oldest = '0112'; UPDATE cognitive.memory SET trust = 'talk'",
]
INCOMPATIBLE = [
    "ALTER TABLE cognitive.memory DROP COLUMN colour",
    "DROP TABLE cognitive.memory",
    "DROP INDEX cognitive.memory_by_time",
    "ALTER TABLE cognitive.memory ADD COLUMN colour text NOT NULL",
    "ALTER TABLE cognitive.memory ADD COLUMN colour uuid DEFAULT gen_random_uuid()",
    "ALTER TABLE cognitive.memory ADD COLUMN colour uuid NOT NULL DEFAULT gen_random_uuid()",
    "ALTER TABLE cognitive.memory ALTER COLUMN type TYPE varchar",
    "ALTER TABLE cognitive.memory ALTER COLUMN speaker SET NOT NULL",
    "ALTER TABLE cognitive.memory RENAME COLUMN speaker TO said_by",
    "ALTER TABLE cognitive.memory ADD CONSTRAINT some CHECK (a > 0)",
    "CREATE INDEX late ON cognitive.memory (agent_id)",
    "UPDATE cognitive.memory SET trust = 'talk'",
    "DO $$ BEGIN ALTER TABLE cognitive.memory DROP COLUMN colour; END $$",
    "UPDATE cognitive.alembic_version SET oldest = '0112';"
    " ALTER TABLE cognitive.turn ADD CONSTRAINT some FOREIGN KEY (a) REFERENCES cognitive.memory (id)",
    "UPDATE cognitive.alembic_version SET oldest = '0112'; CREATE INDEX late ON cognitive.memory (agent_id)",
]


@pytest.mark.parametrize("script", COMPATIBLE)
def test_compatible_statement_passes_the_rules(script):
    assert broken(script) == []


@pytest.mark.parametrize("script", INCOMPATIBLE)
def test_incompatible_statement_breaks_a_rule(script):
    assert len(broken(script)) == 1


@pytest.mark.parametrize(
    ("revision", "oldest", "advice"),
    [
        (HEAD, None, None),
        ("9999", HEAD, None),
        ("9999", FIRST, None),
        ("0001", None, "export the memories with the version that wrote them"),
        ("0012", "0111", "cognitive db import"),
        ("beef", None, "does not know"),
        ("9999", "9998", "upgrade this package"),
        ("9999", None, "upgrade this package"),
    ],
)
def test_incompatible_schema_revision_is_refused_with_advice(revision, oldest, advice):
    message = refusal(revision, oldest)
    assert (message is None) if advice is None else (advice in message and revision in message)


def test_older_schema_is_refused_until_upgraded():
    message = refusal("0102", "0100", head="0103")
    assert message == "the schema is at revision 0102, this version needs 0103: run `cognitive db upgrade`"
    assert refusal("0104", "0102", head="0103") is None
    assert "code for 0104 or newer" in (refusal("0105", "0104", head="0103") or "")


def test_declared_indexes_follow_all_files_up_to_the_revision(tmp_path):
    (tmp_path / "0112_a.concurrently.sql").write_text(
        "-- Why.\nCREATE INDEX CONCURRENTLY one ON cognitive.memory (agent_id);\n"
        "CREATE UNIQUE INDEX CONCURRENTLY two\n    ON cognitive.turn (agent_id)"
    )
    (tmp_path / "0113_b.concurrently.sql").write_text("DROP INDEX CONCURRENTLY IF EXISTS cognitive.one;")
    assert declared(tmp_path, "0111") == {}
    assert declared(tmp_path, "0112") == {
        "one": "CREATE INDEX CONCURRENTLY one ON cognitive.memory (agent_id)",
        "two": "CREATE UNIQUE INDEX CONCURRENTLY two ON cognitive.turn (agent_id)",
    }
    assert declared(tmp_path, "0113")["one"] is None
    (tmp_path / "0114_c.concurrently.sql").write_text("DROP TABLE cognitive.memory")
    with pytest.raises(SchemaError, match="0114_c"):
        declared(tmp_path, "0114")
