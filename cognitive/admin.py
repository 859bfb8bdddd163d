"""Operators' tasks on a database: migrate, repair, distribute, grant roles.

Most tasks take the URL of a database. Without a URL, they use that of the settings. If the settings have none either,
they start the embedded server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from brain.agents import names
from brain.embedded import ServerUrls
from brain.embedding.named import named
from brain.erasure import rewrite_tables
from brain.errors import SchemaError
from brain.opening import embedded as embedded
from brain.ports import Embedder
from brain.postgres import roles
from brain.settings import Settings, from_environment

T = TypeVar("T")


async def migrate(url: str | None) -> str:
    """Apply the migrations that the database's schema lacks, and return the revision that it has then."""
    from brain.postgres.migrate import upgrade  # alembic is slow to import and needed once

    return await _at(url, upgrade, lambda urls: urls.owner)


async def admit(url: str | None, logins: Sequence[str]) -> None:
    """Let database logins act as the application; see `brain.postgres.roles`."""
    await _at(url, lambda at: roles.admit(at, logins))


def is_embedded(url: str | None) -> bool:
    """Return True if neither an argument nor the settings name a database, so that it is the embedded server's."""
    return (url or from_environment().database_url) is None


async def repair(url: str | None) -> tuple[str, ...]:
    """Rebuild the invalid indexes of a database and build the missing ones; return the names of all indexes built."""
    from brain.postgres.migrate import repair

    return await _at(url, repair, lambda urls: urls.owner)


def distribution() -> tuple[str, ...]:
    """Return the SQL statements that distribute the tables over the machines of a Citus cluster.

    See `brain.postgres.distribute`.
    """
    from brain.postgres.distribute import statements  # SQLAlchemy is slow to import and needed once

    return statements()


async def run_distribution(url: str | None) -> Sequence[str]:
    """Distribute the tables over the nodes of a Citus cluster: run the SQL statements that `distribution` returns.

    Return the statements.

    Raises:
        SchemaError: there is no URL, the server has no Citus, or it refuses a statement.
        StoreUnavailable: the server does not answer.
    """
    url = url or from_environment().database_url
    if url is None:
        raise SchemaError("the embedded server is one machine: pass the URL of a database with Citus as --url")
    from brain.postgres.distribute import distribute

    return await distribute(url)


async def create_roles(url: str | None, logins: Sequence[str], *, overview: bool) -> tuple[str, ...]:
    """Create the database roles that may only read, for the given logins; see `brain.postgres.roles`."""
    return await _at(url, lambda at: roles.create(at, logins, overview=overview))


async def agents(url: str | None) -> tuple[str, ...]:
    """Return the ids of all agents in the database.

    The database login must bypass row-level security, which limits other logins to the rows of one agent.
    """
    return await _at(url, names)


async def scrub_database(url: str | None) -> tuple[int, bool]:
    """Rewrite all tables of a database, so that no deleted text stays on its disk.

    Return the number of tables, and True if old segments of the write-ahead log were removed too.
    """
    return await _at(url, rewrite_tables.scrub)


async def _at(
    url: str | None, work: Callable[[str], Awaitable[T]], choose: Callable[[ServerUrls], str] = lambda urls: urls.admin
) -> T:
    """Run `work` with the URL of a database, and return its result.

    The URL is `url` or, if that is None, the URL in the settings. If both are None, the embedded server is started, and
    `choose` selects one of its URLs.
    """
    settings = from_environment()
    if (known := url or settings.database_url) is not None:
        return await work(known)
    async with embedded(settings) as urls:
        return await work(choose(urls))


def embedders_of(own: Embedder | Sequence[Embedder] | None, settings: Settings) -> Sequence[Embedder]:
    """Return the embedders that the host passed, or else those that the settings name."""
    if own is None:
        return [named(name, settings.cache_dir) for name in settings.embedders]
    return own if isinstance(own, Sequence) else [own]


def embedders_with(name: str | None) -> tuple[list[Embedder], str]:
    """Return the embedders that the settings name and the embedder `name`, and the model of the latter.

    If `name` is None, return only the embedders of the settings, and the model of the first.

    Raises:
        EmbeddingError: the name is unknown.
    """
    settings = from_environment()
    embedders = list(embedders_of(None, settings))
    if name is None:
        return embedders, embedders[0].model
    new = named(name, settings.cache_dir)
    if all(each.model != new.model for each in embedders):
        embedders.append(new)
    return embedders, new.model
