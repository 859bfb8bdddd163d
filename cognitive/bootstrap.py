"""Create the objects that a layer consists of, from the database to the API, as the settings say.

Besides `admin`, no other module chooses between implementations, such as the embedding models.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from brain.analytics.users import UserAnalytics
from brain.artifacts import Artifacts
from brain.changes.reindexing import Reindexing
from brain.embedding.embedders import Embedders
from brain.erasure.erasing import Eraser
from brain.erasure.retention import Retention
from brain.journal import Journal, journal_name
from brain.languages import AgentLanguages
from brain.opening import opened
from brain.passage_texts import PassageTexts
from brain.policies import PolicyStore
from brain.ports import Embedder
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.redacting import Redact, Redactor
from brain.search import MemorySearch
from brain.sessions import Sessions
from brain.settings import from_environment
from brain.states import MemoryStates
from brain.store import MemoryStore
from brain.subtasks import Subtasks
from brain.turn_reads import TurnReader
from brain.turns import TurnLog
from cognitive.admin import embedders_of
from cognitive.api.memories import AgentMemories
from cognitive.api.sessions import SessionsApi
from cognitive.background import Background, BackgroundQueue
from cognitive.catalog.engine import CatalogEngine
from cognitive.context.engine import ContextEngine
from cognitive.feedback.capture import Capture, Extractor
from cognitive.feedback.conversations import ConversationWriter
from cognitive.feedback.drain import draining
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.feedback.prefetch import ResponseEmbedder
from cognitive.feedback.shared_turns import SharedTurns
from cognitive.formation.assembly import Formation
from cognitive.formation.model.extractor import ModelExtractor
from cognitive.lab.shadow import Shadowing
from cognitive.pipeline import MemoryFetcher, ToolSelector, TurnRecorder, WindowBuilder
from cognitive.policy import Policy
from cognitive.policy.configured import live_policy, with_models
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight.category_learning import CategoryLearner
from cognitive.preflight.classifier import Classifier, Classifiers
from cognitive.preflight.planner import Planner
from cognitive.preparation import TurnPreparation
from cognitive.privacy import redaction
from cognitive.privacy.erasure_listeners import ErasureListeners
from cognitive.privacy.retention_schedule import RetentionScheduler
from cognitive.recall import Recall
from cognitive.session.conversation import SessionManager
from cognitive.session.work import Work
from cognitive.startup import load_classifiers, load_models
from cognitive.telemetry.metrics import NO_METRICS, Metrics, watch_breaker, watch_journal
from cognitive.telemetry.spans import TracedEmbedder, quietly
from cognitive.tokens import TokenCounter, count
from cognitive.window.summary import ExtractiveSummarizer, Summarizer

if TYPE_CHECKING:
    from cognitive.api.admin import AdminApi
    from cognitive.api.explain import ExplainApi
    from cognitive.api.policies import PoliciesApi
    from cognitive.api.upkeep import UpkeepApi

_MAX_SETTLING = 10_000  # pending outcomes of `settle`; further calls raise an error
_MAX_RECOGNISING = 4  # agents whose language is recognised at once; others wait until they have grown further
_RECOGNISING_AT_CLOSE = 1.0  # seconds that a change of language may still take; later writes continue it


@dataclass(frozen=True, slots=True)
class Extensions:
    """Components that the host provides in place of the bundled ones; None keeps the bundled component.

    `constants`, the constants of the ranking, are replaced only by benchmarks and tests.
    """

    embedder: Embedder | Sequence[Embedder] | None = None
    token_counter: TokenCounter | None = None
    summarizer: Summarizer | None = None
    classifier: Classifier | None = None
    extractor: Extractor | ModelExtractor | None = None
    metrics: Metrics | None = None
    redact: Redact | None = None
    constants: Constants = CONSTANTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The objects that `CognitiveLayer` calls: `memories` and its other attributes, turn steps, background work.

    The namespaces that no turn needs are created by the first call, since importing their modules takes long.
    """

    sessions: SessionsApi
    policies: Callable[[], PoliciesApi]
    explain: Callable[[], ExplainApi]
    upkeep: Callable[[], UpkeepApi]
    admin: Callable[[], AdminApi]
    work: Work
    resolver: PolicyResolver
    preparation: TurnPreparation
    outcomes: OutcomeRecorder
    conversations: ConversationWriter
    background: Background
    settling: BackgroundQueue
    session_manager: SessionManager
    retention: RetentionScheduler
    recall: Recall
    catalog: CatalogEngine
    agent_memories: AgentMemories
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class _Infrastructure:
    """The objects that all services are composed from: database, journal, embedders, redaction and policies."""

    database: Database
    reading: ReadDatabase
    journal: Journal
    embedders: Embedders
    redactor: Redactor
    policy: Policy
    shadow: Policy | None
    extensions: Extensions
    classifiers: Classifiers


@asynccontextmanager
async def assemble(
    database_url: str | None,
    policy: Policy | None,
    shadow: Policy | None = None,
    extensions: Extensions = Extensions(),
    *,
    load: bool = True,
) -> AsyncIterator[Services]:
    """Open the database and the embedders, yield the services of a layer, and close everything at the end.

    A database that does not answer yet does not prevent opening: turns are degraded until it does. With `load`, the
    models and rules that turns use are loaded before the first turn.

    Raises:
        SchemaError: the database lacks the extension, the schema or the role.
        EmbeddedServerError: the bundled server cannot be started.
        PolicyError: the policy file is not a valid policy.
        EmbeddingError: the settings name an unknown model, or one model twice.
    """
    settings = from_environment()
    policy = with_models(policy, settings) if policy is not None else live_policy(settings)
    shadow = shadow or (Policy.load(settings.shadow_policy) if settings.shadow_policy else None)
    embedders = Embedders([TracedEmbedder(each) for each in embedders_of(extensions.embedder, settings)])
    async with AsyncExitStack() as closing:
        closing.callback(embedders.close)
        url = database_url or settings.database_url
        journal = Journal(settings.directory / "journal" / journal_name(url))
        database, reading = await closing.enter_async_context(opened(url, settings))
        redactor = Redactor(extensions.redact or redaction.load_redactor(settings.redact))
        closing.callback(redactor.close)
        if load:
            await load_models(embedders, policy)
        classifiers = await load_classifiers(extensions.classifier, embedders.first, policy)
        services = _compose(
            _Infrastructure(database, reading, journal, embedders, redactor, policy, shadow, extensions, classifiers)
        )
        quietly(lambda: watch_journal(services.metrics, journal))
        quietly(lambda: watch_breaker(services.metrics, database.breaker))
        await closing.enter_async_context(draining(services.outcomes, journal))
        closing.push_async_callback(services.background.drain)
        yield services


@dataclass(frozen=True, slots=True)
class _Stores:
    """The objects that read and write a database's tables, and the engine that selects memories with them."""

    memories: MemoryStore
    turns: TurnLog
    sessions: Sessions
    artifacts: Artifacts
    policies: PolicyStore
    contents: PassageTexts
    engine: ContextEngine
    counter: TokenCounter

    @classmethod
    def create(cls, base: _Infrastructure, background: Background) -> _Stores:
        """Create the stores of the database in `base`. The languages of agents are recognised in the background."""
        database, embedders, redactor = base.database, base.embedders, base.redactor
        counter, languages = base.extensions.token_counter or count, AgentLanguages()
        reindexing = Reindexing(database)
        recognising = background.queue(_MAX_RECOGNISING, at_close=_RECOGNISING_AT_CLOSE)
        memories = MemoryStore(
            database,
            embedders,
            redactor,
            languages,
            lambda agent_id: recognising.start(reindexing.recognise(agent_id), agent_id),
        )
        search = MemorySearch(database, embedders.remember, languages)
        reader = TurnReader(database, search)
        engine = ContextEngine(memories, search, reader, embedders, counter, base.extensions.constants)
        return cls(
            memories,
            TurnLog(database),
            Sessions(database, redactor),
            Artifacts(database, redactor),
            PolicyStore(database),
            PassageTexts(database),
            engine,
            counter,
        )


def _compose(base: _Infrastructure) -> Services:
    """Create the services of a layer. When the layer closes, background queues are drained in the order of creation."""
    embedders, redactor, background = base.embedders, base.redactor, Background()
    stores = _Stores.create(base, background)
    turns, resolver = stores.turns, PolicyResolver(stores.policies, base.policy, base.shadow)
    settling = background.queue(_MAX_SETTLING)  # each within its deadline: Postgres, or else the journal
    extractor, metrics = base.extensions.extractor, base.extensions.metrics or NO_METRICS
    model, extractor = (extractor, None) if isinstance(extractor, ModelExtractor) else (None, extractor)
    formation = Formation.create(base.database, stores.memories, turns, base.policy, background, metrics, model)
    former = formation.former
    shared_turns = SharedTurns(UserAnalytics(base.database), background)
    capture = Capture(stores.memories, base.policy, background, former, shared_turns, extractor)
    prefetch = ResponseEmbedder(embedders, background)
    outcomes = OutcomeRecorder(turns, base.journal, resolver, capture, redactor, prefetch)
    shadowing = Shadowing(turns, resolver.shadow, background, stores.counter, base.extensions.constants)
    session_manager = SessionManager(
        stores.sessions,
        stores.artifacts,
        base.policy,
        stores.counter,
        base.extensions.summarizer or ExtractiveSummarizer(),
        background,
        redactor,
    )
    catalog, category_learner = CatalogEngine(embedders.first), CategoryLearner(turns, base.policy)
    background.on_close(catalog.close)
    background.on_close(category_learner.drain)
    retention = RetentionScheduler(Retention(base.database), resolver, base.journal, background)
    erasure_listeners = ErasureListeners()
    erasure_listeners.add(lambda scope, _: category_learner.forget(scope))
    background.on_close(resolver.drain)
    recall = Recall(stores.engine, resolver, turns, base.reading, stores.counter)
    memories = AgentMemories(
        stores.memories,
        MemoryStates(base.database),
        Eraser(base.database, stores.memories, embedders),
        turns,
        resolver,
        outcomes,
        settling,
        session_manager,
        erasure_listeners,
        retention,
    )
    policies = cache(lambda: _policies(base, stores, resolver, erasure_listeners))
    conversations = ConversationWriter(stores.memories, base.policy, formation.corrections, formation.reader)
    return Services(
        sessions=SessionsApi(stores.sessions, stores.artifacts, session_manager, turns, resolver, former),
        policies=policies,
        explain=cache(lambda: _explain(base, stores)),
        upkeep=cache(lambda: _upkeep(base, resolver)),
        admin=cache(
            lambda: _admin(
                base,
                stores,
                memories,
                policies(),
                conversations,
                resolver,
                category_learner,
                erasure_listeners,
                formation,
            )
        ),
        work=Work(stores.sessions, Subtasks(base.database, redactor), stores.memories, recall),
        resolver=resolver,
        preparation=TurnPreparation(
            resolver,
            WindowBuilder(session_manager),
            MemoryFetcher(Planner(base.policy, category_learner, base.classifiers), stores.engine, embedders, redactor),
            ToolSelector(catalog),
            TurnRecorder(turns, outcomes, session_manager, shadowing),
            former,
        ),
        outcomes=outcomes,
        conversations=conversations,
        background=background,
        settling=settling,
        session_manager=session_manager,
        retention=retention,
        recall=recall,
        catalog=catalog,
        agent_memories=memories,
        metrics=metrics,
    )


def _policies(
    base: _Infrastructure, stores: _Stores, resolver: PolicyResolver, erasure_listeners: ErasureListeners
) -> PoliciesApi:
    from cognitive.api.policies import PoliciesApi
    from cognitive.lab.samples import SampleCache

    samples = SampleCache(stores.policies, stores.memories, stores.contents, stores.counter, base.extensions.constants)
    erasure_listeners.add(samples.forget)
    return PoliciesApi(resolver, stores.policies, samples, base.redactor)


def _explain(base: _Infrastructure, stores: _Stores) -> ExplainApi:
    from brain.analytics.turns import TurnAnalytics
    from cognitive.api.explain import ExplainApi
    from cognitive.lab.questions import Questions

    questions = Questions(stores.turns, stores.memories, stores.contents, stores.counter, base.extensions.constants)
    return ExplainApi(questions, stores.turns, base.embedders, TurnAnalytics(base.reading), base.extensions.constants)


def _upkeep(base: _Infrastructure, resolver: PolicyResolver) -> UpkeepApi:
    from brain.upkeep import UpkeepReader
    from cognitive.api.upkeep import UpkeepApi

    return UpkeepApi(UpkeepReader(base.database), base.embedders, resolver)


def _admin(
    base: _Infrastructure,
    stores: _Stores,
    memories: AgentMemories,
    policies: PoliciesApi,
    conversations: ConversationWriter,
    resolver: PolicyResolver,
    category_learner: CategoryLearner,
    erasure_listeners: ErasureListeners,
    formation: Formation,
) -> AdminApi:
    from brain.archive import Archive
    from brain.assignment import UserAssigner
    from brain.changes.reembedding import Reembedding
    from brain.ivf_index import IvfIndex
    from cognitive.api.admin import AdminApi
    from cognitive.api.exporter import Exporter
    from cognitive.api.health import HealthChecks
    from cognitive.api.importer import Importer

    database, reindexing, archive = base.database, Reindexing(base.database), Archive(base.database)
    checks = HealthChecks(base.reading, base.journal, base.embedders, stores.turns)
    return AdminApi(
        memories,
        Exporter(archive, reindexing, stores.policies),
        Importer(stores.memories, archive, reindexing, policies, stores.policies, conversations),
        UserAssigner(database),
        checks,
        IvfIndex(database),
        Reembedding(database, base.embedders),
        reindexing,
        stores.turns,
        UserAnalytics(base.database),
        stores.engine,
        resolver,
        category_learner,
        erasure_listeners,
        formation.batch,
    )
