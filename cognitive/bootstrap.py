"""From settings to a ready layer: the only place that names adapters."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from brain import distribute, roles
from brain.artifacts import Artifacts
from brain.breaker import Breaker
from brain.contents import Contents
from brain.database import Database
from brain.deadline import Deadline
from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedding.cached import CachedEmbedder
from brain.embedding.minilm import MiniLM
from brain.errors import EmbeddingError, SchemaError, StoreUnavailable
from brain.figures import Figures
from brain.journal import Journal, journal_name
from brain.ports import Embedder
from brain.search import MemorySearch
from brain.sessions import Sessions
from brain.settings import Settings, from_environment
from brain.store import MemoryStore
from brain.subtasks import Subtasks
from brain.turns import TurnLog
from cognitive.arrivals import Arrivals
from cognitive.background import Background
from cognitive.capture import Capture, Extractor
from cognitive.catalog.engine import Catalog
from cognitive.classifier import Classifier, Classifiers, ExemplarClassifier
from cognitive.context.engine import ContextEngine
from cognitive.continuity import Continuity
from cognitive.drain import draining
from cognitive.habits import Habits
from cognitive.models import load as load_models
from cognitive.planner import Planner
from cognitive.policy import Policy
from cognitive.preflight import signals
from cognitive.settle import Settlement
from cognitive.shadow import Shadowing
from cognitive.telemetry.embedder import TracedEmbedder
from cognitive.telemetry.metrics import NO_METRICS, Metrics, watch_breaker, watch_journal
from cognitive.telemetry.spans import quietly
from cognitive.tokens import TokenCounter, count
from cognitive.window.summary import Extractive, Summarizer

log = logging.getLogger(__name__)

_MOST_SETTLING = 10_000  # outcomes on their way at a time; more is a fault of the host's, which is told
_AT_CLOSE = 10.0  # seconds that a host's extractor may still take
_MOST_WARMING = 5.0  # seconds; the first time on a machine the model is prepared, which takes about three
_A_MESSAGE = "Where does Ada keep the key of the boat house?"  # no small talk, so that all rules look at it


@dataclass(frozen=True, slots=True)
class Plugins:
    """What a host may put in place of what is bundled; None keeps that."""

    embedder: Embedder | None = None
    token_counter: TokenCounter | None = None
    summarizer: Summarizer | None = None
    classifier: Classifier | None = None
    extractor: Extractor | None = None
    metrics: Metrics | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a layer is made of."""

    policy: Policy
    embedder: CachedEmbedder
    store: MemoryStore
    turns: TurnLog
    contents: Contents
    engine: ContextEngine
    catalog: Catalog
    settlement: Settlement
    arrivals: Arrivals
    shadowing: Shadowing
    counter: TokenCounter
    sessions: Sessions
    artifacts: Artifacts
    subtasks: Subtasks
    continuity: Continuity
    habits: Habits
    planner: Planner
    settling: Background
    metrics: Metrics
    figures: Figures


def live_policy(settings: Settings | None = None) -> Policy:
    """The policy that turns are planned under where nobody hands the layer one: the environment's file, or the default.

    Raises:
        PolicyError: the file does not hold a policy.
    """
    settings = settings or from_environment()
    return with_models(Policy.load(settings.policy) if settings.policy else Policy(), settings)


def with_models(policy: Policy, settings: Settings) -> Policy:
    """The policy with the rows for models of the environment's file; its own rows stand before them.

    Raises:
        PolicyError: the file cannot be read, or a row makes no sense.
    """
    if settings.models is None:
        return policy
    return Policy(**{**policy.model_dump(), "models": {**load_models(settings.models), **policy.models}})


@asynccontextmanager
async def assemble(
    database_url: str | None,
    policy: Policy | None,
    shadow: Policy | None = None,
    plugins: Plugins = Plugins(),
) -> AsyncIterator[Parts]:
    """Opens the database and the embedder, and closes what it opened.

    A database that does not answer yet does not stop the layer from opening: its turns are degraded until it does.

    Raises:
        SchemaError: the database lacks the extension, the schema or the role.
        EmbeddedServerError: the bundled server cannot be started.
        PolicyError: the policy file does not hold a policy.
    """
    settings = from_environment()
    policy = with_models(policy, settings) if policy is not None else live_policy(settings)
    shadow = shadow or (Policy.load(settings.shadow_policy) if settings.shadow_policy else None)
    counter = plugins.token_counter or count
    metrics = plugins.metrics or NO_METRICS
    cached = TracedEmbedder(plugins.embedder or MiniLM(settings.cache_dir))
    try:
        url = database_url or settings.database_url
        journal = Journal(settings.directory / "journal" / journal_name(url))
        quietly(lambda: watch_journal(metrics, journal))
        async with _database(url, settings) as database:
            quietly(lambda: watch_breaker(metrics, database.breaker))
            store, turns = MemoryStore(database, cached), TurnLog(database)
            engine = ContextEngine(store, MemorySearch(database), cached, counter)
            catalog = Catalog(cached)
            capture = Capture(store, policy, plugins.extractor)
            settlement = Settlement(turns, journal, policy, capture)
            await _warm(cached)
            async with draining(settlement, journal):
                shadowing, arrivals = Shadowing(turns, shadow, counter), Arrivals(cached)
                sessions, artifacts = Sessions(database), Artifacts(database)
                continuity = Continuity(sessions, artifacts, policy, counter, plugins.summarizer or Extractive())
                habits = Habits(turns, policy)
                planner = Planner(policy, habits, await _classifiers(plugins.classifier, cached, policy))
                settling = Background(_MOST_SETTLING)
                try:
                    yield Parts(
                        policy=policy,
                        embedder=cached,
                        store=store,
                        turns=turns,
                        contents=Contents(database),
                        engine=engine,
                        catalog=catalog,
                        settlement=settlement,
                        arrivals=arrivals,
                        shadowing=shadowing,
                        counter=counter,
                        sessions=sessions,
                        artifacts=artifacts,
                        subtasks=Subtasks(database),
                        continuity=continuity,
                        habits=habits,
                        planner=planner,
                        settling=settling,
                        metrics=metrics,
                        figures=Figures(database),
                    )
                finally:
                    await settling.finished()  # bounded by the deadline of each: Postgres, or else the journal
                    await capture.finished(_AT_CLOSE)
                    await arrivals.finished()
                    await shadowing.finished()
                    await continuity.finished()
                    await catalog.close()
                    await habits.finished()
    finally:
        cached.close()


async def _warm(embedder: CachedEmbedder) -> None:
    """Loads the model before the first turn needs it; a model that fails is that turn's to report.

    And reads a message: automata are built when they first match, which takes a third of a deadline.
    """
    signals.read(_A_MESSAGE, now=datetime.now(UTC))
    try:
        await Deadline(_MOST_WARMING * 1000).within(embedder.embed(["warm"]))
    except (EmbeddingError, TimeoutError) as error:
        log.warning("the embedding model is not ready: %s", str(error) or f"not loaded within {_MOST_WARMING:g} s")


async def _classifiers(own: Classifier | None, embedder: CachedEmbedder, policy: Policy) -> Classifiers:
    """The host's classifier, or else the exemplars for the policies that want them; if the model fails, they know
    nothing.
    """
    if own is not None or not any(each.exemplar_fallback for each in policy.variants):
        return lambda _: own
    exemplars = ExemplarClassifier(embedder, policy)
    try:
        await Deadline(_MOST_WARMING * 1000).within(exemplars.prepare())
    except (EmbeddingError, TimeoutError) as error:
        log.warning("no category is guessed: %s", str(error) or f"not embedded within {_MOST_WARMING:g} s")
    return exemplars.under


@asynccontextmanager
async def _database(url: str | None, settings: Settings) -> AsyncIterator[Database]:
    if url is not None:
        pooled = settings.pooler == "transaction"
        database = Database(url, pool_size=settings.pool_size, breaker=_breaker(settings), pooled=pooled)
        async with _closing(database, _open_or_wait(database)):
            yield database
        return
    server = EmbeddedServer(settings.data_dir)
    try:
        urls = await asyncio.to_thread(server.acquire)
        database = Database(
            urls.app, pool_size=settings.pool_size, revive=server.ensure_running, breaker=_breaker(settings)
        )
        async with _closing(database, _open_or_migrate(database, urls.owner)):
            yield database
    finally:
        await asyncio.to_thread(server.release)


def _breaker(settings: Settings) -> Breaker:
    return Breaker(settings.breaker_failures, settings.breaker_wait, settings.breaker_longest_wait)


@asynccontextmanager
async def _closing(database: Database, opening: Awaitable[None]) -> AsyncIterator[None]:
    try:
        await opening
        yield
    finally:
        await database.close()


async def _open_or_wait(database: Database) -> None:
    try:
        await database.open()
    except StoreUnavailable as error:
        log.warning("%s; turns are degraded until it answers", error)


async def _open_or_migrate(database: Database, owner_url: str) -> None:
    try:
        await database.open()
    except SchemaError:
        from brain.migrate import upgrade  # alembic is slow to import and needed once

        await upgrade(owner_url)
        await database.open()


async def migrate(url: str | None) -> str:
    """Brings the schema up to date, at the URL or of the embedded server, and returns its revision."""
    from brain.migrate import upgrade

    settings = from_environment()
    url = url or settings.database_url
    if url is not None:
        return await upgrade(url)
    async with embedded(settings) as urls:
        return await upgrade(urls.owner)


async def repair(url: str | None) -> tuple[str, ...]:
    """Mends the indexes of the database at the URL, or of the embedded server, and returns their names."""
    from brain.migrate import repair

    settings = from_environment()
    url = url or settings.database_url
    if url is not None:
        return await repair(url)
    async with embedded(settings) as urls:
        return await repair(urls.owner)


def distribution() -> tuple[str, ...]:
    """The statements that spread the tables over several machines; see `brain.distribute`."""
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
    """Creates the roles of those who only look, at the URL or in the embedded server; see `brain.roles`."""
    settings = from_environment()
    url = url or settings.database_url
    if url is not None:
        return await roles.create(url, logins, overview=overview)
    async with embedded(settings) as urls:
        return await roles.create(urls.admin, logins, overview=overview)


@asynccontextmanager
async def embedded(settings: Settings | None = None) -> AsyncIterator[ServerUrls]:
    """The embedded server, running for as long as this is entered."""
    server = EmbeddedServer((settings or from_environment()).data_dir)
    try:
        yield await asyncio.to_thread(server.acquire)
    finally:
        await asyncio.to_thread(server.release)
