"""The doctor, on really broken databases and machines, and on simulated facts where a real fault is impossible."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from brain.agents import ModelOfAgents
from brain.journal import Journal, journal_name
from brain.postgres.distribute import distribute
from brain.postgres.health import DatabaseHealth
from brain.postgres.migrate import repair, upgrade
from brain.postgres.roles import Granted
from brain.postgres.schema import HEAD
from brain.users import Scope
from cognitive.doctor.examine import CHECKS, examine, healthy, judge_all
from cognitive.doctor.facts import Facts, HostFacts, ModelFacts, SpaceFacts
from cognitive.doctor.machine import COSINE, DIMENSION
from cognitive.errors import SchemaError

WELL = DatabaseHealth("18.1", 18, "0.8.1", "0.8.1", "app", False, False, True, True, HEAD, 0.0, 0.001, (), (), ())
FACTS = Facts(
    HostFacts(directory="/d", free=1 << 40),
    ModelFacts("m", DIMENSION, COSINE, 0.1),
    "postgresql://host/db",
    database=WELL,
)
UNGRANTED = Granted("app", reader=False, overview=False)
OF_M = ModelOfAgents("m", live=3, building=0, ready=0, retired=1)


@pytest.fixture(autouse=True)
def machine(urls, tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.app)
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
async def scratch(urls, monkeypatch):
    """Yield an administrator's connection and URL of a separate database, which the doctor examines."""
    name = f"scratch_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", _named(urls.app, name))
    inside = await asyncpg.connect(_named(urls.admin, name))
    yield inside, _named(urls.admin, name)
    await inside.close()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


def _named(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


async def check_results() -> dict[str, tuple[str, str, str]]:
    return {each.check: (each.status, each.detail, each.fix) for each in await examine()}


async def test_all_checks_pass_on_a_migrated_database(scratch):
    _, admin = scratch
    await upgrade(admin)
    findings = await examine()
    assert [each.check for each in findings] == list(CHECKS)
    assert {each.check: each.detail for each in findings if each.status not in ("ok", "skipped")} == {}
    assert healthy(findings)


async def test_agents_of_another_model_are_reported_to_an_administrator(scratch, monkeypatch):
    inside, admin = scratch
    await upgrade(admin)
    await inside.execute(
        "INSERT INTO cognitive.agent_state (agent_id, model, language_chosen) VALUES ('a', 'another', true)"
    )
    await inside.execute(
        "INSERT INTO cognitive.embedding_model (agent_id, model, dimension) VALUES ('a', 'another', 3)"
    )
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", admin)
    status, detail, fix = (await check_results())["agent models"]
    assert (status, "agents searched by another: 1" in detail, "reembed --to" in fix) == ("warning", True, True)


async def test_unreachable_database_does_not_stop_the_other_checks(monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", "postgresql://somebody:secret@127.0.0.1:1/nowhere")
    findings = await examine()
    results = {each.check: each for each in findings}
    assert results["database"].status == "failure"
    assert "127.0.0.1:1/nowhere" in results["database"].fix
    assert "secret" not in str(findings)
    assert results["migrations"].status == "unknown"
    assert {results[name].status for name in ("settings", "policy", "data directory", "disk", "journal")} == {"ok"}
    assert results["embedding model"].status == "ok"
    assert not healthy(findings)


async def test_missing_schema_or_extension_is_reported_with_a_fix(scratch):
    inside, url = scratch
    await inside.execute("DROP EXTENSION IF EXISTS vector")
    results = await check_results()
    assert results["pgvector"][0] == "failure"
    assert "cognitive db upgrade" in results["pgvector"][2]
    assert results["migrations"][:2] == ("failure", "there is no schema")
    await upgrade(url)
    results = await check_results()
    assert results["pgvector"][0] == results["migrations"][0] == "ok"
    await inside.execute("UPDATE cognitive.alembic_version SET version_num = '0001'")
    status, detail, fix = (await check_results())["migrations"]
    assert status == "failure"
    assert "revision 0001, which this version does not know" in detail
    assert fix.startswith("export the memories with the version that wrote them")


async def test_invalid_index_unprotected_table_and_bloat_are_reported(scratch):
    inside, url = scratch
    await upgrade(url)
    await inside.execute("CREATE TABLE cognitive.twice (n int) WITH (autovacuum_enabled = false)")
    await inside.execute("INSERT INTO cognitive.twice SELECT n / 2 FROM generate_series(1, 40000) n")
    with pytest.raises(asyncpg.UniqueViolationError):
        await inside.execute("CREATE UNIQUE INDEX CONCURRENTLY once ON cognitive.twice (n)")
    results = await check_results()
    assert results["indexes"] == (
        "failure",
        "invalid and not used: once",
        "`cognitive db upgrade --repair`, as the owner of the schema",
    )
    assert results["row level security"][0] == "failure"
    assert "twice" in results["row level security"][1]
    assert results["statistics"][:2] == ("warning", "never analyzed: twice")

    await inside.execute("DELETE FROM cognitive.twice WHERE n > 5000")
    await inside.execute("SELECT pg_stat_force_next_flush()")
    await inside.execute("ANALYZE cognitive.twice")
    results = await check_results()
    assert results["statistics"][0] == "ok"
    assert results["bloat"][0] == "warning"
    assert "twice" in results["bloat"][1]


async def test_repair_rebuilds_indexes_left_by_interrupted_builds(scratch):
    inside, url = scratch
    await upgrade(url)
    await inside.execute(
        "INSERT INTO cognitive.policy (agent_id, version, content) SELECT 'a', n, '{}' FROM generate_series(1, 1000) n"
    )
    holder = await asyncpg.connect(url)
    for way in (
        "CREATE INDEX CONCURRENTLY late ON cognitive.policy (version)",
        "REINDEX INDEX CONCURRENTLY cognitive.policy_pkey",
    ):
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute(
            "UPDATE cognitive.policy SET content = '[]' WHERE version = '1'"
        )  # an index build waits for this transaction
        await inside.execute("SET lock_timeout = '200ms'")
        with pytest.raises(asyncpg.LockNotAvailableError):
            await inside.execute(way)
        await transaction.rollback()
    await holder.close()
    assert "late, policy_pkey_ccnew" in (await check_results())["indexes"][1]

    mended = await repair(url)
    assert set(mended) == {"late", "policy_pkey_ccnew"}
    assert (await check_results())["indexes"] == ("ok", "all indexes are valid", "")
    assert await inside.fetchval("SELECT indisvalid FROM pg_index WHERE indexrelid = 'cognitive.late'::regclass")
    assert await repair(url) == ()


async def test_repair_names_an_index_that_cannot_be_rebuilt(scratch):
    inside, url = scratch
    await upgrade(url)
    await inside.execute("CREATE TABLE cognitive.twice (n int)")
    await inside.execute("INSERT INTO cognitive.twice VALUES (1), (1)")
    with pytest.raises(asyncpg.UniqueViolationError):
        await inside.execute("CREATE UNIQUE INDEX CONCURRENTLY once ON cognitive.twice (n)")
    with pytest.raises(SchemaError, match="once"):
        await repair(url)


async def test_distribute_refuses_a_server_without_citus(scratch):
    _, url = scratch
    await upgrade(url)
    with pytest.raises(SchemaError, match="CREATE EXTENSION citus"):
        await distribute(url)


async def test_logins_with_too_many_or_too_few_privileges_are_reported(urls, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.admin)
    results = await check_results()
    assert results["roles"][0] == "warning"
    assert "bypasses row level security" in results["roles"][1]
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.owner)
    results = await check_results()
    assert results["migrations"][0] == "ok"
    assert results["roles"][0] == "failure"
    assert results["roles"][2] == 'GRANT cognitive_app TO "cognitive_owner"'


async def test_parked_journal_entry_is_reported_with_the_journal_path(machine, urls):
    journal = Journal(machine / "journal" / journal_name(urls.app))
    journal.put(Scope("agent"), "turn", opening="no opening at all")
    assert (await check_results())["journal"][:2] == ("ok", "1 waiting for Postgres, 0 parked")
    journal.park(journal.after(0), "cannot be read")
    status, detail, fix = (await check_results())["journal"]
    assert (status, detail) == ("warning", "0 waiting for Postgres, 1 parked")
    assert str(journal.path) in fix
    journal.path.write_bytes(b"no database" * 100)
    assert (await check_results())["journal"][0] == "failure"


async def test_invalid_settings_and_policy_files_are_reported(machine, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATABASE_URI", "postgresql://typo")
    assert (await check_results())["settings"] == (
        "warning",
        "COGNITIVE_DATABASE_URI is not a setting",
        "did you mean COGNITIVE_DATABASE_URL?",
    )
    (machine / "policy.toml").write_text("deadline = 3", encoding="utf-8")
    monkeypatch.setenv("COGNITIVE_POLICY", str(machine / "policy.toml"))
    assert "deadline" in (await check_results())["policy"][1]
    monkeypatch.setenv("COGNITIVE_POOL_SIZE", "none")
    results = await check_results()
    assert results["settings"][0] == "failure"
    assert "COGNITIVE_POOL_SIZE" in results["settings"][1]
    assert results["database"][0] == "failure", "the doctor does not open a database that was not configured"


async def test_data_directory_that_is_a_file_is_reported(machine, monkeypatch):
    (machine / "file").touch()
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(machine / "file"))
    results = await check_results()
    assert results["data directory"][0] == "failure"
    assert "COGNITIVE_DATA_DIR" in results["data directory"][2]


async def test_corrupt_model_file_is_reported(machine, monkeypatch):
    monkeypatch.setenv("COGNITIVE_CACHE_DIR", str(machine))
    (machine / "all-MiniLM-L6-v2-dynamic-int8-1.onnx").write_bytes(b"nothing")
    results = await check_results()
    assert results["embedding model"][0] == "failure"
    assert "COGNITIVE_CACHE_DIR" in results["embedding model"][2]


@pytest.mark.parametrize(
    ("check", "facts", "status"),
    [
        ("clock", replace(FACTS, database=replace(WELL, ahead=-4.0)), "ok"),
        ("clock", replace(FACTS, database=replace(WELL, ahead=-6.0)), "warning"),
        ("clock", replace(FACTS, database=replace(WELL, ahead=6.0, round_trip=3.0)), "ok"),
        ("clock", replace(FACTS, database=replace(WELL, ahead=400.0)), "failure"),
        ("disk", replace(FACTS, host=HostFacts(free=1 << 29)), "warning"),
        ("disk", replace(FACTS, host=HostFacts(free=1 << 20)), "failure"),
        ("disk", replace(FACTS, host=HostFacts(free=None)), "unknown"),
        ("journal", replace(FACTS, host=HostFacts(free=1 << 40, pending=1_001)), "warning"),
        ("embedding model", replace(FACTS, model=ModelFacts("m", DIMENSION, 0.1, 0.1)), "failure"),
        ("embedding model", replace(FACTS, model=ModelFacts("m", 768, COSINE, 0.1)), "failure"),
        ("agent models", replace(FACTS, spaces=SpaceFacts(error="no such model")), "failure"),
        ("agent models", replace(FACTS, spaces=SpaceFacts(("m",), hidden="one agent at a time")), "skipped"),
        ("agent models", replace(FACTS, spaces=SpaceFacts(("m",), agents=(OF_M,))), "ok"),
        ("large agents", replace(FACTS, spaces=SpaceFacts(("m",))), "ok"),
        ("large agents", replace(FACTS, spaces=SpaceFacts(("m",), hidden="one agent at a time")), "skipped"),
        ("large agents", replace(FACTS, spaces=SpaceFacts(("m",), unindexed=("a",))), "warning"),
        ("degraded turns", replace(FACTS, spaces=SpaceFacts(("m",), turns=(400, 20))), "ok"),
        ("degraded turns", replace(FACTS, spaces=SpaceFacts(("m",), hidden="one agent at a time")), "skipped"),
        ("degraded turns", replace(FACTS, spaces=SpaceFacts(("m",), turns=(400, 21))), "warning"),
        ("users", replace(FACTS, spaces=SpaceFacts(("m",))), "ok"),
        ("users", replace(FACTS, spaces=SpaceFacts(("m",), hidden="one agent at a time")), "skipped"),
        ("users", replace(FACTS, spaces=SpaceFacts(("m",), without_users=("a",))), "warning"),
        (
            "agent models",
            replace(FACTS, spaces=SpaceFacts(("m",), agents=(OF_M, replace(OF_M, model="n")))),
            "warning",
        ),
        ("agent models", replace(FACTS, spaces=SpaceFacts(("m",), agents=(replace(OF_M, building=2),))), "warning"),
        ("replica", replace(FACTS, database=None, unreachable="it does not answer"), "unknown"),
        ("server", replace(FACTS, database=replace(WELL, version="15.2", postgres=15)), "failure"),
        ("pgvector", replace(FACTS, database=replace(WELL, pgvector="0.7.4")), "failure"),
        ("roles", replace(FACTS, database=replace(WELL, role_above=True)), "failure"),
        ("roles", replace(FACTS, database=replace(WELL, role_above=None, member=None)), "failure"),
        ("dashboard roles", replace(FACTS, embedded=True, database=replace(WELL, granted=UNGRANTED)), "ok"),
        ("migrations", replace(FACTS, database=replace(WELL, migrated=False)), "failure"),
        ("migrations", replace(FACTS, embedded=True, database=replace(WELL, migrated=False)), "warning"),
    ],
)
def test_checks_judge_simulated_facts(check, facts, status):
    finding = next(each for each in judge_all(facts) if each.check == check)
    assert finding.status == status
    assert bool(finding.fix) == (status in ("warning", "failure"))
    assert healthy(judge_all(facts)) == (status in ("ok", "warning", "skipped"))


async def test_doctor_fails_where_a_memory_cannot_be_stored_or_found(scratch):
    """As on a cluster that refuses one statement, where all other checks pass."""
    inside, admin = scratch
    await upgrade(admin)
    assert (await check_results())["trial"][0] == "ok"
    left = [
        await inside.fetchval(f"SELECT count(*) FROM cognitive.{name}")
        for name in ("memory", "agent_state", "turn", "usage", "usage_base", "erasure", "session", "embedding_model")
    ]
    assert left == [0] * len(left)
    await inside.execute("ALTER FUNCTION cognitive.close_turn RENAME TO close_turn_away")
    results = await check_results()
    assert results["trial"][0] == "failure"
    assert (
        "cannot record a turn that shows a memory: Postgres refused: function cognitive.close_turn"
        in results["trial"][1]
    )
    assert {results[name][0] for name in ("database", "opening", "migrations")} == {"ok"}
    await inside.execute("ALTER FUNCTION cognitive.close_turn_away RENAME TO close_turn")
    await inside.execute("CREATE POLICY nothing ON cognitive.posting AS RESTRICTIVE FOR SELECT USING (false)")
    await inside.execute("CREATE POLICY nothing ON cognitive.embedding AS RESTRICTIVE FOR SELECT USING (false)")
    assert (await check_results())["trial"][1] == "cannot find a memory: it was stored, and the search does not find it"
