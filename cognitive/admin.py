"""What an operator has done to a database: at a URL, or in the embedded server, which runs for as long as it takes."""

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
from brain.postgres import distribute, roles
from brain.settings import Settings, from_environment

T = TypeVar("T")


async def migrate(url: str | None) -> str:
    """Brings the schema up to date, and returns its revision."""
    from brain.postgres.migrate import upgrade  # alembic is slow to import and needed once

    return await _at(url, upgrade, lambda urls: urls.owner)


async def repair(url: str | None) -> tuple[str, ...]:
    """Mends the indexes of the database, and returns their names."""
    from brain.postgres.migrate import repair

    return await _at(url, repair, lambda urls: urls.owner)


def distribution() -> tuple[str, ...]:
    """The statements that spread the tables over several machines; see `brain.postgres.distribute`."""
    return distribute.statements()


async def run_distribution(url: str | None) -> Sequence[str]:
    """Runs them on the database at the URL.

    Raises:
        SchemaError: there is no URL, since the embedded server is one machine; or the server has no Citus, or refuses.
        StoreUnavailable: nothing answers there.
    """
    url = url or from_environment().database_url
    if url is None:
        raise SchemaError("the embedded server is one machine: name a database with Citus by --url")
    return await distribute.distribute(url)


async def create_roles(url: str | None, logins: Sequence[str], *, overview: bool) -> tuple[str, ...]:
    """Creates the roles of those who only look; see `brain.postgres.roles`."""
    return await _at(url, lambda at: roles.create(at, logins, overview=overview))


async def agents(url: str | None) -> tuple[str, ...]:
    """The names of all agents, as a role that sees them."""
    return await _at(url, names)


async def scrub_database(url: str | None) -> tuple[int, bool]:
    """Writes all tables anew; see `brain.erasure.rewrite_tables`."""
    return await _at(url, rewrite_tables.scrub)


async def _at(
    url: str | None, work: Callable[[str], Awaitable[T]], own: Callable[[ServerUrls], str] = lambda urls: urls.admin
) -> T:
    """At the URL, that of the settings, or the embedded server's."""
    settings = from_environment()
    if (known := url or settings.database_url) is not None:
        return await work(known)
    async with embedded(settings) as urls:
        return await work(own(urls))


def embedders_of(own: Embedder | Sequence[Embedder] | None, settings: Settings) -> Sequence[Embedder]:
    """Return the host's embedders, or those that the settings name."""
    if own is None:
        return [named(name, settings.cache_dir) for name in settings.embedders]
    return own if isinstance(own, Sequence) else [own]


def embedders_with(name: str | None) -> tuple[list[Embedder], str]:
    """The embedders of the settings, with that of a name beside them, and the model that this one is of.

    Raises:
        EmbeddingError: a name that is none.
    """
    settings = from_environment()
    embedders = list(embedders_of(None, settings))
    if name is None:
        return embedders, embedders[0].model
    new = named(name, settings.cache_dir)
    if all(each.model != new.model for each in embedders):
        embedders.append(new)
    return embedders, new.model
