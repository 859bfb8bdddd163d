"""All SQL is restricted to one agent, changes no session settings, and binds its values."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

import pytest

from brain import statements
from brain.statements import SqlStatement

PORTS = [
    "agents",
    "archive",
    "artifacts",
    "assignment",
    "bench",
    "erase_scope",
    "fleet",
    "forming",
    "health",
    "index_builds",
    "ivf_index",
    "memory_analytics",
    "model_readings",
    "passage_texts",
    "policies",
    "purge_derived",
    "recent",
    "reembedding",
    "reindexing",
    "replica",
    "retention",
    "rewrite_tables",
    "roles",
    "search",
    "sessions",
    "store",
    "subtasks",
    "superseding",
    "turn_analytics",
    "turn_reads",
    "turns",
    "upkeep",
    "user_analytics",
    "value_rows",
]
WALKING = {"memories": "walk_types walk_session walk_pinned walk_hidden", "group": "walk_stored walk_shown"}
STORE, TURNS = statements.load("store"), statements.load("turns")
SLOTS = {
    "spaces": STORE.spaces,
    "pinned": STORE.pinned_memories,
    "held_turn": TURNS.held_turn,
    "exposures": TURNS.exposures,
    "decoys": TURNS.decoys,
    "dimensions": "dimension <= 1200",
    "session": "session_id = :session_id",
    "condition": "TRUE",
    "own": "user_id = cognitive.scope()",
    "scopes": "unnest(cognitive.scopes())",
    "of_scope": "t.user_id = scope.of_user",
    "table": "turn",
    "key": "id",
}
PARTS = ("listed", "narrowed", "listed_words", "listed_vectors", "admitted", "short", "indexed")  # with a filter
FILTER = {
    "condition": "TRUE",
    "most": "9",
    "found": "SELECT memory_id FROM cognitive.memory_value WHERE agent_id = :agent_id",
}
NO_STATEMENTS_OF_ROWS = {"create", "grant"}  # they are about roles, which belong to no agent


def run(port):
    """Yield the statements of a port with their slots filled: a walk is part of the statement that pages through it."""
    own = statements.load(port, **SLOTS)
    for name, statement in own.items():
        for walk in WALKING[name].split() if "<walk>" in statement.source else []:
            yield f"{name} by {walk}", statement.fill(walk=own[walk]).fill(each_type=own.get("walk_type", "")).sql
        if "<listed>" in statement.source:
            parts = {slot: own.get(f"filtered_{slot}", "") for slot in PARTS}
            yield f"{name} with a filter", statement.fill(**parts).fill(**FILTER).sql
            yield name, statement.fill(**{**dict.fromkeys(PARTS, ""), "short": "NULL::text[]"}).sql
        elif "<walk>" not in statement.source and not name.startswith(("walk_", "filtered_")):
            yield name, statement.sql


NAMED = [
    (port, *each) for port in PORTS for each in run(port) if port != "roles" or each[0] not in NO_STATEMENTS_OF_ROWS
]
OF_ALL_AGENTS = {  # run by a role that sees only counts, or by a role that sees all agents
    *statements.load("fleet"),
    *statements.load("agents"),
}


def each_statement(check):
    """Make a test of a check of one statement: it runs the check on all, and a failure names the statement."""

    def test():
        for port, name, sql in NAMED:
            try:
                check(name, sql)
            except AssertionError as error:
                raise AssertionError(f"statement {port}.{name}") from error

    test.__name__, test.__doc__ = check.__name__, check.__doc__
    return test


TABLE = r"cognitive\.(?!alembic_version\b)\w+"


def bare(sql: str) -> str:
    """Return SQL on one line and without comments."""
    return re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", sql)).strip()


def test_all_statement_files_are_listed_and_loaded(root):
    folder = root / "brain" / "statements"
    assert sorted(path.stem for path in folder.glob("*.sql")) == PORTS
    for port in PORTS:
        headings = re.findall(r"^-- name: (\w+)$", (folder / f"{port}.sql").read_text(encoding="utf-8"), re.MULTILINE)
        assert list(statements.load(port)) == headings
        assert len(set(headings)) == len(headings)
        assert not set(headings) & set(dir(Mapping)), "the name of a mapping method hides the statement"


def test_every_statement_is_used(root):
    paths = [path for folder in ("brain", "cognitive") for path in (root / folder).rglob("*.py")]
    sources = [path.read_text(encoding="utf-8") for path in paths]
    used = re.compile(r"\b(?:SQL|WRITING|sql|_OF_AGENT|_OF_USER)\.(\w+)")
    attributes = {name for text in sources for name in used.findall(text)}
    strings = {name for text in sources for name in re.findall(r'"(\w+)"', text)}
    counted = {f"count_{kind}" for kind in strings}  # names of retention statements are composed from the kind of row
    for port in PORTS:
        assert set(statements.load(port)) <= attributes | strings | counted, port


def test_statements_are_written_with_named_parameters(root):
    for port in PORTS:
        for statement in statements.load(port).values():
            assert not re.search(r"\$\d", statement.source), statement.name
            assert statement.parameters[:1] == ("agent_id",) or "agent_id" not in statement.parameters


@pytest.mark.parametrize(
    ("source", "sql", "parameters"),
    [
        ("SELECT a FROM t WHERE b = :b AND c = :c", "SELECT a FROM t WHERE b = $1 AND c = $2", ("b", "c")),
        ("SELECT :x, :agent_id, :x", "SELECT $2, $1, $2", ("agent_id", "x")),
        ("SELECT :x::uuid[], y::text, ARRAY[:z]", "SELECT $1::uuid[], y::text, ARRAY[$2]", ("x", "z")),
        ("SELECT ':x', '::', 'it''s :y', \":z\", :w", "SELECT ':x', '::', 'it''s :y', \":z\", $1", ("w",)),
        ("SELECT 1 -- :x\n/* :y */ + :z", "SELECT 1 -- :x\n/* :y */ + $1", ("z",)),
        ("SELECT a[1:5], a[2:n], f(a)[1:n]", "SELECT a[1:5], a[2:n], f(a)[1:n]", ()),
        ("DO $$ BEGIN x := 1; RAISE ':y'; END $$", "DO $$ BEGIN x := 1; RAISE ':y'; END $$", ()),
    ],
)
def test_named_parameters_become_numbered_parameters(source, sql, parameters):
    statement = SqlStatement("test", source)
    assert (statement.sql, statement.parameters) == (sql, parameters)


def test_call_returns_cached_sql_and_ordered_values():
    statement = SqlStatement("test", "SELECT :b, :agent_id, :a")
    assert statement(a=1, b=2, agent_id="x") == ("SELECT $2, $1, $3", "x", 2, 1)
    assert statement(a=1, b=2, agent_id="x")[0] is statement(a=3, b=4, agent_id="y")[0]
    assert statement.values(a=1, b=None, agent_id="x") == ("x", None, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": 1}, "statement test: missing b"),
        ({}, "statement test: missing a, b"),
        ({"a": 1, "b": 2, "c": 3}, "statement test: unknown c"),
        ({"a": 1, "c": 3}, "statement test: missing b; unknown c"),
    ],
)
def test_invalid_call_names_missing_and_unknown_parameters(values, message):
    with pytest.raises(TypeError, match=f"^{message}$"):
        SqlStatement("test", "SELECT :a, :b")(**values)


def test_slot_accepts_sql_with_its_own_parameters():
    inner, outer = (
        SqlStatement("inner", "SELECT :a LIMIT <most>"),
        SqlStatement("outer", "SELECT :b FROM (<inner>) AS i"),
    )
    filled = outer.fill(inner=inner).fill(most=5)
    assert filled.sql == "SELECT $1 FROM (SELECT $2 LIMIT 5) AS i"
    assert filled.parameters == ("b", "a")


def test_unknown_statement_name_is_an_error():
    with pytest.raises(AttributeError, match="there is no statement missing"):
        _ = statements.load("turns").missing


def test_statement_calls_in_code_pass_the_declared_parameters(root):
    """Check the calls `SQL.name(...)` in the syntax tree of each module that loads one statement file."""
    called = 0
    for path in sorted((root / "brain").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        loads = [node for node in calls if ast.unparse(node.func).endswith(".load")]
        files = [node.args[0].value for node in loads if node.args and isinstance(node.args[0], ast.Constant)]
        if len(files) != 1 or files[0] not in PORTS:
            continue
        own = statements.load(files[0])
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "SQL":
                assert node.attr in own, f"{path}: {node.attr}"
        for node in calls:
            if not re.fullmatch(r"SQL\.\w+(?:\.values)?", ast.unparse(node.func)):
                continue
            name, named = ast.unparse(node.func).split(".")[1], {each.arg for each in node.keywords}
            parameters = set(own[name].parameters)
            assert named - {None} <= parameters, f"{path}: {name}"
            assert None in named or named == parameters, f"{path}: {name}"
            called += 1
    assert called > 100


def unrestricted_joins(text: str, agent: str = r"\$1") -> list[str]:
    """Return the joins of a statement on one line that are not restricted to the agent."""
    joins = re.findall(
        rf"\bJOIN ({TABLE})(?: AS)? (\w+) (?:USING|ON) (.*?)(?= (?:LEFT|CROSS|INNER|JOIN|WHERE|GROUP|ORDER)\b|\)|;|$)",
        text,
    )
    return [
        f"{table} AS {alias} ON {condition}"
        for table, alias, condition in joins
        if not re.search(rf"\b{alias}\.agent_id = {agent}\b", condition)
    ]


WRITES = re.compile(rf"(?:\bINSERT INTO|(?<!FOR )(?<!DO )\bUPDATE|\bDELETE FROM) ({TABLE})")
WRITES_IN_PARTS = {
    "assignment.move_memories": "foreign keys of all tables are checked at its end",
    "assignment.move_session": "foreign keys of all tables are checked at its end",
    "purge_derived.cut_candidate": "replaces a row that cannot be updated",
    "purge_derived.cut_choice": "replaces a row that cannot be updated",
}


def test_few_statements_write_inside_a_query():
    """A cluster runs such a statement in parts, whose rows it sends to every machine."""
    in_parts = set()
    for port, name, sql in NAMED:
        text = bare(sql)
        begins = [text[: match.start()] for match in WRITES.finditer(text)]
        if any(before.count("(") > before.count(")") for before in begins):
            in_parts.add(f"{port}.{name}")
    assert in_parts == set(WRITES_IN_PARTS)


@each_statement
def test_every_join_is_restricted_to_the_agent(name, sql):
    assert unrestricted_joins(bare(sql), r"\w+\.agent_id" if name in OF_ALL_AGENTS else r"\$1") == []


@each_statement
def test_every_table_access_is_restricted_to_the_agent(name, sql):
    """Each table that is read, updated or deleted from needs an `agent_id = $1`; an insert names the agent first."""
    text = bare(sql)
    touched = len(re.findall(rf"\b(?:FROM|JOIN) {TABLE}", text)) + len(re.findall(rf"(?<!DO )\bUPDATE {TABLE}", text))
    assert name in OF_ALL_AGENTS or len(re.findall(r"\bagent_id = \$1\b", text)) >= touched
    for columns in re.findall(rf"INSERT INTO {TABLE}(?: AS \w+)? \(([^)]*)\)", text):
        assert columns.split(",")[0].strip() == "agent_id"
    for target in re.findall(r"ON CONFLICT \(([^)]*)\)", text):
        assert target.split(",")[0].strip() == "agent_id"


@each_statement
def test_values_are_bound_and_parameter_numbers_have_no_gaps(name, sql):
    text = bare(sql)
    numbers = {int(number) for number in re.findall(r"\$(\d+)", text)}
    assert numbers == set(range(1, len(numbers) + 1))
    assert not re.search(r"\{|\}|%s|%\(", re.sub(r"'[^']*'", "''", text))
    assert ";" not in text


@each_statement
def test_upserts_of_many_rows_lock_them_in_a_fixed_order(name, sql):
    """Upserts of many rows are ordered; otherwise two concurrent writers can deadlock."""
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
        ("SET cognitive.agent_id = 'a'", True),
        ("SET SESSION work_mem TO '1MB'", True),
        ("SET ROLE app", True),
        ("SELECT set_config('cognitive.agent_id', $1, false)", True),
        ("SET LOCAL work_mem = '1MB'", False),
        ("SELECT set_config('cognitive.agent_id', $1, true)", False),
    ],
)
def test_pattern_separates_session_from_transaction_settings(sql, is_session_level):
    assert bool(SESSION_LEVEL.search(sql)) == is_session_level


def test_no_setting_outlives_its_transaction(root):
    """Behind a transaction pooler, a session-level setting would apply to the next tenant."""
    violations = []
    for folder in ("brain", "cognitive"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".py", ".sql"):
                continue
            # SET of an UPDATE, and server settings, which a tenant's connection may not change
            text = re.sub(r"\bUPDATE\b[^;]*?\bSET\b|\bALTER SYSTEM SET\b", "", path.read_text(encoding="utf-8"))
            if path.suffix == ".py":  # only strings can contain SQL
                text = "\n".join(re.findall(r'"""(?:.|\n)*?"""|"[^"\n]*"', text))
            violations += [f"{path.relative_to(root)}: {match.group()}" for match in SESSION_LEVEL.finditer(text)]
    assert violations == []


def test_agent_is_set_for_the_transaction_only(root):
    sources = [path.read_text(encoding="utf-8") for path in (root / "brain").rglob("*.py")]
    settings = [setting for source in sources for setting in re.findall(r"(\w+ \w+) cognitive\.agent_id TO", source)]
    assert settings
    assert set(settings) == {"SET LOCAL"}
    configured = [each for _, _, text in NAMED for each in re.findall(r"set_config\(('[\w.]+'|).*?(, true|)\)", text)]
    assert set(configured) == {("'lock_timeout'", ", true")}, "which is local to the transaction"


def test_statement_files_contain_no_numbered_parameters(root):
    files = sorted((root / "brain" / "statements").glob("*.sql"))
    assert [file.name for file in files if re.search(r"\$\d", file.read_text(encoding="utf-8"))] == []
