"""Create the namespaces of a layer that no turn needs, such as `admin`; importing their modules takes long.

Each function imports what only its namespace needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain.analytics.users import UserAnalytics
from brain.changes.reindexing import Reindexing

if TYPE_CHECKING:
    from cognitive.api.admin import AdminApi
    from cognitive.api.explain import ExplainApi
    from cognitive.api.memories import AgentMemories
    from cognitive.api.policies import PoliciesApi
    from cognitive.api.upkeep import UpkeepApi
    from cognitive.feedback.conversations import ConversationWriter
    from cognitive.formation.assembly import Formation
    from cognitive.infrastructure import Infrastructure, Stores
    from cognitive.policy.resolver import PolicyResolver
    from cognitive.preflight.category_learning import CategoryLearner
    from cognitive.privacy.erasure_listeners import ErasureListeners


def policies(
    base: Infrastructure, stores: Stores, resolver: PolicyResolver, erasure_listeners: ErasureListeners
) -> PoliciesApi:
    """Create the namespace `policies`."""
    from cognitive.api.policies import PoliciesApi
    from cognitive.lab.samples import SampleCache

    samples = SampleCache(stores.policies, stores.memories, stores.contents, stores.counter, base.extensions.constants)
    erasure_listeners.add(samples.forget)
    return PoliciesApi(resolver, stores.policies, samples, base.redactor)


def explain(base: Infrastructure, stores: Stores) -> ExplainApi:
    """Create the namespace `explain`."""
    from brain.analytics.turns import TurnAnalytics
    from cognitive.api.explain import ExplainApi
    from cognitive.lab.questions import Questions

    questions = Questions(stores.turns, stores.memories, stores.contents, stores.counter, base.extensions.constants)
    return ExplainApi(questions, stores.turns, base.embedders, TurnAnalytics(base.reading), base.extensions.constants)


def upkeep(base: Infrastructure, resolver: PolicyResolver) -> UpkeepApi:
    """Create the namespace `upkeep`."""
    from brain.upkeep import UpkeepReader
    from cognitive.api.upkeep import UpkeepApi

    return UpkeepApi(UpkeepReader(base.database), base.embedders, resolver)


def admin(
    base: Infrastructure,
    stores: Stores,
    memories: AgentMemories,
    policies_api: PoliciesApi,
    conversations: ConversationWriter,
    resolver: PolicyResolver,
    category_learner: CategoryLearner,
    erasure_listeners: ErasureListeners,
    formation: Formation,
) -> AdminApi:
    """Create the namespace `admin`."""
    from brain.archive import Archive
    from brain.assignment import UserAssigner
    from brain.changes.reembedding import Reembedding
    from brain.ivf_index import IvfIndex
    from cognitive.api.admin import AdminApi
    from cognitive.api.exporter import Exporter
    from cognitive.api.importer import Importer

    database, reindexing, archive = base.database, Reindexing(base.database), Archive(base.database)
    return AdminApi(
        memories,
        Exporter(archive, reindexing, stores.policies),
        Importer(stores.memories, archive, reindexing, policies_api, stores.policies, conversations),
        UserAssigner(database),
        base.reading,
        base.journal,
        base.embedders,
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
