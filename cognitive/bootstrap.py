"""Create the objects that a layer consists of, from the database to the API, as the settings say.

Besides `admin`, no other module chooses between implementations, such as the embedding models.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from brain.analytics.users import UserAnalytics
from brain.embedding.embedders import Embedders
from brain.erasure.erasing import Eraser
from brain.erasure.retention import Retention
from brain.journal import Journal, journal_name
from brain.opening import open_database
from brain.redacting import Redactor
from brain.settings import from_environment, misspelled
from brain.states import MemoryStates
from brain.subtasks import Subtasks
from cognitive import namespaces
from cognitive.admin import embedders_of
from cognitive.api.memories import AgentMemories
from cognitive.api.sessions import SessionsApi
from cognitive.background import Background, BackgroundQueue
from cognitive.catalog.engine import CatalogEngine
from cognitive.feedback.capture import Capture
from cognitive.feedback.conversations import ConversationWriter
from cognitive.feedback.drain import draining
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.feedback.prefetch import ResponseEmbedder
from cognitive.feedback.shared_turns import SharedTurns
from cognitive.formation.assembly import Formation
from cognitive.formation.former import Former
from cognitive.infrastructure import BUNDLED, Extensions, Infrastructure, Stores
from cognitive.lab.shadow import Shadowing
from cognitive.pipeline import MemoryFetcher, ToolSelector, TurnRecorder, WindowBuilder
from cognitive.policy import Policy
from cognitive.policy.configured import live_policy, with_models
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight.category_learning import CategoryLearner
from cognitive.preflight.planner import Planner
from cognitive.preparation import TurnPreparation
from cognitive.privacy import redaction
from cognitive.privacy.erasure_listeners import ErasureListeners
from cognitive.privacy.retention_schedule import RetentionScheduler
from cognitive.recall import Recall
from cognitive.session.conversation import SessionManager
from cognitive.session.work import Work
from cognitive.session.writer import SessionWriter
from cognitive.startup import load_classifiers, load_models
from cognitive.telemetry.metrics import NO_METRICS, Metrics, watch_breaker, watch_journal
from cognitive.telemetry.spans import TracedEmbedder, quietly
from cognitive.validation import require_instance
from cognitive.window.summary import ExtractiveSummarizer

if TYPE_CHECKING:
    from cognitive.api.admin import AdminApi
    from cognitive.api.explain import ExplainApi
    from cognitive.api.policies import PoliciesApi
    from cognitive.api.upkeep import UpkeepApi

log = logging.getLogger(__name__)

_MAX_SETTLING = 10_000  # pending outcomes of `settle`; further calls raise an error


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
    session_writer: SessionWriter
    retention: RetentionScheduler
    recall: Recall
    catalog: CatalogEngine
    agent_memories: AgentMemories
    metrics: Metrics


@asynccontextmanager
async def assemble(
    database_url: str | None,
    policy: Policy | None,
    shadow: Policy | None = None,
    extensions: Extensions = BUNDLED,
    *,
    load: bool = True,
) -> AsyncIterator[Services]:
    """Open the database and the embedders, yield the services of a layer, and close everything at the end.

    A database that does not answer yet does not prevent opening: turns are degraded until it does. With `load`, the
    models and rules that turns use are loaded before the first turn.

    Raises:
        InvalidInput: a policy is something else, such as the path of its file.
        SchemaError: the database lacks the extension, the schema or the role.
        EmbeddedServerError: the bundled server cannot be started.
        PolicyError: the policy file is not a valid policy.
        EmbeddingError: the settings name an unknown model, or one model twice.
    """
    for name, given in {"policy": policy, "shadow": shadow}.items():
        if given is not None:
            require_instance(name, given, Policy, "Policy(…), or Policy.load(file)")
    settings = from_environment()
    for name, meant in misspelled(os.environ):
        log.warning("no setting is called %s; did you mean %s?", name, meant)
    policy = with_models(policy, settings) if policy is not None else live_policy(settings)
    shadow = shadow or (Policy.load(settings.shadow_policy) if settings.shadow_policy else None)
    embedders = Embedders([TracedEmbedder(each) for each in embedders_of(extensions.embedder, settings)])
    async with AsyncExitStack() as closing:
        closing.callback(embedders.close)
        url = database_url or settings.database_url
        journal = Journal(settings.directory / "journal" / journal_name(url))
        database, reading = await closing.enter_async_context(open_database(url, settings))
        redactor = Redactor(extensions.redact or redaction.load_redactor(settings.redact))
        closing.callback(redactor.close)
        if load:
            await load_models(embedders, policy)
        classifiers = await load_classifiers(extensions.classifier, embedders.first, policy)
        services = _compose(
            Infrastructure(database, reading, journal, embedders, redactor, policy, shadow, extensions, classifiers)
        )
        quietly(lambda: watch_journal(services.metrics, journal))
        quietly(lambda: watch_breaker(services.metrics, database.breaker))
        await closing.enter_async_context(draining(services.outcomes, journal))
        closing.push_async_callback(services.background.drain)
        yield services


def _outcome_recorder(
    base: Infrastructure, stores: Stores, resolver: PolicyResolver, former: Former, background: Background
) -> OutcomeRecorder:
    """Create the recorder of outcomes, and what captures and embeds their texts."""
    shared_turns = SharedTurns(UserAnalytics(base.database), background)
    capture = Capture(
        stores.memories, base.policy, background, former, shared_turns, base.extensions.function_extractor
    )
    prefetch = ResponseEmbedder(base.embedders, background)
    return OutcomeRecorder(stores.turns, base.journal, resolver, capture, base.redactor, prefetch)


def _compose(base: Infrastructure) -> Services:
    """Create the services of a layer. When the layer closes, background queues are drained in the order of creation."""
    embedders, redactor, background = base.embedders, base.redactor, Background()
    stores = Stores.create(base, background)
    turns, resolver = stores.turns, PolicyResolver(stores.policies, base.policy, base.shadow)
    settling = background.queue(_MAX_SETTLING)  # each within its deadline: Postgres, or else the journal
    metrics, model = base.extensions.metrics or NO_METRICS, base.extensions.model_extractor
    formation = Formation.create(base.database, stores.memories, turns, base.policy, background, metrics, model)
    former = formation.former
    outcomes = _outcome_recorder(base, stores, resolver, former, background)
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
        session_manager.writer,
        erasure_listeners,
        retention,
    )
    policies = cache(lambda: namespaces.policies(base, stores, resolver, erasure_listeners))
    conversations = ConversationWriter(stores.memories, base.policy, formation.corrections, formation.reader)
    return Services(
        sessions=SessionsApi(stores.sessions, stores.artifacts, session_manager, turns, resolver, former),
        policies=policies,
        explain=cache(lambda: namespaces.explain(base, stores)),
        upkeep=cache(lambda: namespaces.upkeep(base, resolver)),
        admin=cache(
            lambda: namespaces.admin(
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
            TurnRecorder(turns, outcomes, session_manager.writer, shadowing),
            former,
        ),
        outcomes=outcomes,
        conversations=conversations,
        background=background,
        settling=settling,
        session_writer=session_manager.writer,
        retention=retention,
        recall=recall,
        catalog=catalog,
        agent_memories=memories,
        metrics=metrics,
    )
