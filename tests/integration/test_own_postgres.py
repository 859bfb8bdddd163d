"""The way to a layer on an own Postgres: each obstacle is named with its remedy by `open`, the commands and doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from brain.embedded import EmbeddedServer
from brain.postgres.migrate import upgrade
from brain.postgres.refusals import plain_url, public_address
from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.errors import SchemaError, StoreUnavailable

UPGRADE = "run `cognitive db upgrade --url URL-OF-THE-OWNER`"


@pytest.fixture(scope="module")
def server_with_passwords():
    """The URL of the superuser on a server where the logins `app` and `alone` need a password."""
    with TemporaryDirectory(prefix="cognitive-own-") as folder:
        Path(folder).chmod(0o711)
        server = EmbeddedServer(Path(folder))
        admin = server.acquire().admin
        rules = "local all app scram-sha-256\nlocal all alone scram-sha-256\nlocal all all trust\n"
        (Path(folder) / "postgres" / "cluster" / "pg_hba.conf").write_text(rules)
        yield admin
        server.release()


@pytest.fixture(scope="module")
async def own(server_with_passwords):
    """The same server with the databases `shop` and `empty`, which have no schema."""
    admin = server_with_passwords
    await execute(
        admin,
        "SELECT pg_reload_conf()",
        "CREATE ROLE app LOGIN PASSWORD 'secret'",
        "CREATE ROLE alone LOGIN PASSWORD 'secret'",
        "CREATE ROLE founder LOGIN CREATEROLE",
        "GRANT cognitive_app TO founder WITH ADMIN OPTION",  # a server other than the bundled one lacks the role
        "CREATE DATABASE shop OWNER founder",
        "CREATE DATABASE empty OWNER founder",
    )
    for database in ("shop", "empty"):
        await execute(url_of(admin, "postgres", database), "CREATE EXTENSION vector")
    return admin


async def execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def url_of(admin: str, login: str, database: str = "shop", password: str = "") -> str:
    """Return the URL of a login and a database on the server."""
    parts, secret = urlsplit(admin), f":{password}" if password else ""
    return urlunsplit(parts._replace(netloc=f"{login}{secret}@", path=f"/{database}"))


def run(*words: str, url: str, folder, code: int | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COGNITIVE_DATABASE_URL": url, "COGNITIVE_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "cognitive.cli.main", *words]
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert code is None or ran.returncode == code, ran.stderr
    return ran


@pytest.fixture(scope="module")
def upgraded(own, tmp_path_factory):
    """The same server after `cognitive db upgrade`, which printed the next step, and after that step for `app`."""
    folder, founder = tmp_path_factory.mktemp("home"), url_of(own, "founder")
    first = run("db", "upgrade", "--url", founder, url=founder, folder=folder, code=0).stdout
    first = " ".join(first.split())  # it is wrapped to the width of the terminal
    assert 'GRANT cognitive_app TO "LOGIN"' in first
    assert "--grant LOGIN" in first
    second = run("db", "upgrade", "--url", founder, "--grant", "app", url=founder, folder=folder, code=0).stdout
    assert "Granted cognitive_app to app" in second
    assert "Next:" not in second
    return own


OBSTACLES = {
    "wrong password": (("app", "shop", "wrong"), "password", 'ALTER ROLE "app" PASSWORD'),
    "no password": (("app", "shop", ""), "password", "the password in the database URL is missing or wrong"),
    "unknown login": (("stranger", "shop", ""), 'role "stranger" does not exist', 'CREATE ROLE "stranger" LOGIN'),
    "missing database": (
        ("app", "nowhere", "secret"),
        'database "nowhere" does not exist',
        'CREATE DATABASE "nowhere"',
    ),
    "missing schema": (("app", "empty", "secret"), "no cognitive schema yet", UPGRADE),
    "missing membership": (("alone", "shop", "secret"), "permission denied", 'GRANT cognitive_app TO "alone"'),
}


@pytest.mark.parametrize(("where", "problem", "remedy"), OBSTACLES.values(), ids=OBSTACLES)
async def test_obstacle_is_named_with_its_remedy(upgraded, embedder, tmp_path, where, problem, remedy):
    login, database, password = where
    url = url_of(upgraded, login, database, password)
    with pytest.raises(SchemaError) as raised:
        async with CognitiveLayer.open(url, embedder=embedder):
            raise AssertionError("it opened")
    assert problem in raised.value.problem
    assert remedy in raised.value.remedy
    assert str(raised.value) == f"{raised.value.problem}: {raised.value.remedy}"
    command = run("recall", "x", "--agent", "a", "--json", url=url, folder=tmp_path, code=1)
    assert remedy in json.loads(command.stderr.splitlines()[-1])["error"]["message"]
    findings = json.loads(run("doctor", "--json", url=url, folder=tmp_path).stdout)["checks"]
    failures = [each for each in findings if each["status"] == "failure"]
    fixes = " ".join(each["fix"] for each in failures)
    assert remedy in fixes or (remedy == UPGRADE and "`cognitive db upgrade`" in fixes)
    assert "does not exist" not in " ".join(each["detail"] for each in findings if each["status"] == "ok")
    assert not any("check that the server" in each["fix"] for each in failures), "the server is up"


async def test_pgvector_in_a_schema_that_the_login_does_not_search_is_named(upgraded, embedder):
    await execute(upgraded, "CREATE DATABASE apart OWNER founder")
    in_schema = "CREATE EXTENSION vector SCHEMA extensions"
    await execute(url_of(upgraded, "postgres", "apart"), "CREATE SCHEMA extensions", in_schema)
    search = 'ALTER ROLE "{}" SET search_path = "$user", public, "extensions"'
    with pytest.raises(SchemaError) as raised:
        await upgrade(url_of(upgraded, "founder", "apart"))
    assert search.format("founder") in raised.value.remedy
    usage = 'GRANT USAGE ON SCHEMA "extensions" TO public'
    await execute(url_of(upgraded, "postgres", "apart"), search.format("founder"), usage)
    await upgrade(url_of(upgraded, "founder", "apart"))
    with pytest.raises(SchemaError) as raised:
        async with CognitiveLayer.open(url_of(upgraded, "app", "apart", "secret"), embedder=embedder):
            raise AssertionError("it opened")
    assert search.format("app") in raised.value.remedy
    await execute(upgraded, *(f"ALTER ROLE {login} RESET search_path" for login in ("founder", "app")))


async def test_unreachable_server_is_named_by_open_health_and_commands(embedder, tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))
    url = "postgresql://app:secret@127.0.0.1:1/shop"
    async with CognitiveLayer.open(url, embedder=embedder, policy=Policy(deadline_ms=300)) as layer:
        assert "check that a server runs at postgresql://127.0.0.1:1/shop" in caplog.text
        assert "secret" not in caplog.text
        assert (await layer.pre_turn(Turn(agent_id="a", session_id="s", text="Where?"))).degraded
        [finding] = [each for each in (await layer.health()).findings if each.check == "database"]
        assert finding.status == "failure"
        assert "a server runs at postgresql://127.0.0.1:1/shop" in finding.fix
        with pytest.raises(StoreUnavailable, match="Postgres"):
            await layer.remember("a", [NewMemory(type="fact", content="The key hangs there.")])
    doctor = json.loads(run("doctor", "--json", url=url, folder=tmp_path).stdout)["checks"]
    assert any("a server runs at postgresql://127.0.0.1:1/shop" in each["fix"] for each in doctor)
    refused = run("recall", "key", "--agent", "a", url=url, folder=tmp_path).stderr
    assert refused.count("warning: ") == 1, refused


async def test_url_of_sqlalchemy_is_accepted(upgraded, embedder, agent, tmp_path):
    url = url_of(upgraded, "app", password="secret").replace("postgresql://", "postgresql+asyncpg://")
    async with CognitiveLayer.open(url, embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content="The key hangs there.")])
        assert len(await layer.recall(agent, "key")) == 1
    owner = url_of(upgraded, "founder").replace("postgresql://", "postgresql+asyncpg://")
    run("db", "upgrade", "--url", owner, url=owner, folder=tmp_path, code=0)
    assert json.loads(run("recall", "key", "--agent", agent, "--json", url=url, folder=tmp_path, code=0).stdout)


def test_url_of_sqlalchemy_becomes_one_of_postgres():
    assert plain_url("postgresql://a:b@h/d?sslmode=require") == "postgresql://a:b@h/d?sslmode=require"
    assert plain_url("postgresql+asyncpg://a:b@h:5/d?ssl=require") == "postgresql://a:b@h:5/d?sslmode=require"
    assert plain_url("postgres+psycopg://h/d") == "postgres://h/d"
    assert public_address("postgresql+asyncpg://a:b@h:5/d?ssl=require") == "postgresql://h:5/d"
