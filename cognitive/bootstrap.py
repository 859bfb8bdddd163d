"""From settings to a ready layer: the only place that names adapters."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from brain.agent_languages import AgentLanguages
from brain.archive import Archive
from brain.artifacts import Artifacts
from brain.cells import Cells
from brain.changes.reembedding import Reembedding
from brain.changes.reindexing import Reindexing
from brain.contents import Contents
from brain.deadline import Deadline
from brain.embedding.cached import CachedEmbedder
from brain.embedding.named import named
from brain.embedding.several import Embedders
from brain.erasure.erasing import Erasing
from brain.erasure.retention import Retention
from brain.errors import EmbeddingError
from brain.figures.turns import Figures
from brain.journal import Journal, journal_name
from brain.opening import opened
from brain.policies import PolicyStore
from brain.ports import Embedder
from brain.postgres.database import Database
from brain.postgres.reading import Reading
from brain.redacting import Redact, Redactor
from brain.search import MemorySearch
from brain.sessions import Sessions
from brain.settings import Settings, from_environment
from brain.store import MemoryStore
from brain.subtasks import Subtasks
from brain.turns import TurnLog
from cognitive.background import Background
from cognitive.catalog.engine import Catalog
from cognitive.context.engine import ContextEngine
from cognitive.feedback.capture import Capture, Extractor
from cognitive.feedback.drain import draining
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.feedback.prefetch import ResponseEmbedder
from cognitive.lab.shadow import Shadowing
from cognitive.policy import Policy
from cognitive.policy.chosen import Chosen
from cognitive.policy.models import load as load_models
from cognitive.preflight import signals
from cognitive.preflight.category_learning import Habits
from cognitive.preflight.classifier import Classifier, Classifiers, ExemplarClassifier
from cognitive.preflight.planner import Planner
from cognitive.privacy import redaction
from cognitive.privacy.forgetting import Forgetting
from cognitive.privacy.retaining import Retaining
from cognitive.session.continuity import Continuity
from cognitive.telemetry.metrics import NO_METRICS, Metrics, watch_breaker, watch_journal
from cognitive.telemetry.spans import TracedEmbedder, quietly
from cognitive.tokens import TokenCounter, count
from cognitive.window.summary import Extractive, Summarizer

log = logging.getLogger(__name__)

_MOST_SETTLING = 10_000  # outcomes under way at a time; a host that hands in more gets an error
_AT_CLOSE = 10.0  # seconds that a host's extractor may still take
_MOST_WARMING = 5.0  # seconds; the first time on a machine the model is prepared, which takes about three
_A_MESSAGE = "Where does Ada keep the key of the boat house?"  # no small talk, so that every rule reads it


@dataclass(frozen=True, slots=True)
class Plugins:
    """What a host may put in place of what is bundled; None keeps that."""

    embedder: Embedder | Sequence[Embedder] | None = None
    token_counter: TokenCounter | None = None
    summarizer: Summarizer | None = None
    classifier: Classifier | None = None
    extractor: Extractor | None = None
    metrics: Metrics | None = None
    redact: Redact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a layer is made of."""

    policy: Chosen
    embedders: Embedders
    reembedding: Reembedding
    reindexing: Reindexing
    store: MemoryStore
    erasing: Erasing
    archive: Archive
    cells: Cells
    turns: TurnLog
    contents: Contents
    engine: ContextEngine
    catalog: Catalog
    settlement: OutcomeRecorder
    capture: Capture
    arrivals: ResponseEmbedder
    shadowing: Shadowing
    counter: TokenCounter
    sessions: Sessions
    artifacts: Artifacts
    subtasks: Subtasks
    continuity: Continuity
    habits: Habits
    planner: Planner
    settling: Background
    policies: PolicyStore
    metrics: Metrics
    journal: Journal
    reading: Reading
    figures: Figures
    forgetting: Forgetting
    redactor: Redactor
    retaining: Retaining


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
        EmbeddingError: the settings name a model that there is not, or the same one twice.
    """
    settings = from_environment()
    policy = with_models(policy, settings) if policy is not None else live_policy(settings)
    shadow = shadow or (Policy.load(settings.shadow_policy) if settings.shadow_policy else None)
    embedders = Embedders([TracedEmbedder(each) for each in embedders_of(plugins.embedder, settings)])
    async with AsyncExitStack() as closing:
        closing.callback(embedders.close)
        url = database_url or settings.database_url
        journal = Journal(settings.directory / "journal" / journal_name(url))
        database, reading = await closing.enter_async_context(opened(url, settings))
        redactor = Redactor(plugins.redact or redaction.named(settings.redact))
        closing.callback(redactor.close)
        await _warm(embedders)
        classifiers = await _classifiers(plugins.classifier, embedders.first, policy)
        parts = _parts(database, reading, journal, embedders, redactor, policy, shadow, plugins, classifiers)
        quietly(lambda: watch_journal(parts.metrics, journal))
        quietly(lambda: watch_breaker(parts.metrics, database.breaker))
        await closing.enter_async_context(draining(parts.settlement, journal))
        closing.push_async_callback(_finished, parts)
        yield parts


def _parts(
    database: Database,
    reading: Reading,
    journal: Journal,
    embedders: Embedders,
    redactor: Redactor,
    policy: Policy,
    shadow: Policy | None,
    plugins: Plugins,
    classifiers: Classifiers,
) -> Parts:
    counter = plugins.token_counter or count
    languages = AgentLanguages()
    store, turns = MemoryStore(database, embedders, redactor, languages), TurnLog(database)
    sessions, artifacts = Sessions(database, redactor), Artifacts(database, redactor)
    policies, capture, habits = PolicyStore(database), Capture(store, policy, plugins.extractor), Habits(turns, policy)
    chosen, summarizer = Chosen(policies, policy, shadow), plugins.summarizer or Extractive()
    return Parts(
        policy=chosen, policies=policies, embedders=embedders, counter=counter, redactor=redactor, journal=journal,
        store=store, erasing=Erasing(database, store, embedders), turns=turns, contents=Contents(database),
        archive=Archive(database), cells=Cells(database),
        sessions=sessions, artifacts=artifacts, subtasks=Subtasks(database, redactor),
        reembedding=Reembedding(database, embedders), reindexing=Reindexing(database),
        engine=ContextEngine(store, MemorySearch(database, embedders.told, languages), embedders, counter),
        catalog=Catalog(embedders.first), planner=Planner(policy, habits, classifiers), habits=habits, capture=capture,
        continuity=Continuity(sessions, artifacts, policy, counter, summarizer, redactor),
        settlement=OutcomeRecorder(turns, journal, chosen, capture, redactor), settling=Background(_MOST_SETTLING),
        arrivals=ResponseEmbedder(embedders),
        shadowing=Shadowing(turns, chosen.shadow, counter), forgetting=Forgetting(),
        retaining=Retaining(Retention(database), chosen, journal), reading=reading, figures=Figures(reading),
        metrics=plugins.metrics or NO_METRICS,
    )  # fmt: skip


async def _finished(parts: Parts) -> None:
    """Returns when what runs beside the turns is done, each part within a bound of its own."""
    await parts.settling.finished()  # bounded by the deadline of each: Postgres, or else the journal
    await parts.capture.finished(_AT_CLOSE)
    await parts.arrivals.finished()
    await parts.shadowing.finished()
    await parts.continuity.finished()
    await parts.catalog.close()
    await parts.habits.finished()
    await parts.retaining.finished(_AT_CLOSE)
    await parts.policy.finished()


def embedders_of(own: Embedder | Sequence[Embedder] | None, settings: Settings) -> Sequence[Embedder]:
    """The host's, or those that the settings name."""
    if own is None:
        return [named(name, settings.cache_dir) for name in settings.embedders]
    return own if isinstance(own, Sequence) else [own]


async def _warm(embedders: Embedders) -> None:
    """Loads the models before the first turn needs it; a model that fails is that turn's to report.

    And reads a message: automata are built when they first match, which takes a third of a deadline.
    """
    signals.read(_A_MESSAGE, now=datetime.now(UTC))
    try:
        for embedder in embedders:
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
