"""`layer.admin`: operators' tasks on an agent's memories, indexes and embedding models, and checks of the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.analytics.users import UserAnalytics, UserCounts
from brain.assignment import UserAssigner, UserAssignment, Users
from brain.changes.backfill import Pace
from brain.changes.reembedding import Reembedding
from brain.changes.reindexing import LanguageStatus, Reindexing, StepProgress
from brain.embedding.embedders import Embedders
from brain.ivf_index import IvfIndex, VectorGroup
from brain.journal import Journal
from brain.memory_types import Retained
from brain.ports import Progress
from brain.postgres.reading import ReadDatabase
from brain.receipts import Erasure, Receipt
from brain.turns import TurnLog
from brain.types import Memory, MemoryType, Revision
from brain.users import ALL_USERS, Scope, UserId
from cognitive.api.exporter import Exporter
from cognitive.api.health import HealthMethods
from cognitive.api.importer import Importer
from cognitive.api.memories import AgentMemories
from cognitive.api.transfer_methods import TransferMethods
from cognitive.context.engine import ContextEngine
from cognitive.formation.model.batch import ModelBatch, ModelBatchReport
from cognitive.lab.comparison import ModelComparison, compare
from cognitive.policy.models import context_budgets
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight.category_learning import CategoryLearner, CategoryLearning, ToolUsage
from cognitive.privacy.erasure_listeners import ErasureListener, ErasureListeners
from cognitive.validation import require_instance, require_label


class AdminApi(TransferMethods, HealthMethods):
    """Operators' tasks: export and import, retention, indexes and embedding models, learned data, and health checks.

    The attribute `reembedding` moves an agent to another embedding model and back (`brain.changes.reembedding`). The
    attribute `reindexing` changes the language of an agent's word search (`brain.changes.reindexing`).
    """

    def __init__(
        self,
        memories: AgentMemories,
        exporter: Exporter,
        importer: Importer,
        assigner: UserAssigner,
        reading: ReadDatabase,
        journal: Journal,
        embedders: Embedders,
        ivf_index: IvfIndex,
        reembedding: Reembedding,
        reindexing: Reindexing,
        turns: TurnLog,
        users: UserAnalytics,
        engine: ContextEngine,
        policies: PolicyResolver,
        category_learner: CategoryLearner,
        erasure_listeners: ErasureListeners,
        batch: ModelBatch,
    ) -> None:
        TransferMethods.__init__(self, exporter, importer)
        HealthMethods.__init__(self, reading, journal, embedders, turns)
        self.reembedding = reembedding
        self.reindexing = reindexing
        self._memories = memories
        self._assigner = assigner
        self._ivf_index = ivf_index
        self._users = users
        self._engine = engine
        self._policies = policies
        self._category_learner = category_learner
        self._erasure_listeners = erasure_listeners
        self._batch = batch

    # --- memories ---

    async def form_by_model(
        self, agent_id: str, *, parked: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> ModelBatchReport:
        """Have the model of the layer read the completed turns of all users that it did not read, session by session.

        With `parked`, also turns on which it failed three times. With `dry_run`, only count the turns. A call that was
        broken off can be repeated. `progress(done, total)` is called after each session.

        Raises:
            InvalidInput: the layer has no model (`extractor=ModelExtractor(ask)`), and this is no dry run.
            StoreUnavailable: Postgres is unavailable; repeat the call.
        """
        require_label("agent_id", agent_id)
        return await self._batch.read(agent_id, parked=parked, dry_run=dry_run, progress=progress)

    async def assign_users(
        self, agent_id: str, users: Users | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> UserAssignment:
        """Assign captured memories and sessions of before an agent had users to the users who spoke.

        Their turns recorded the user that the host named. `users` maps such a name to a user id, or to None to keep its
        rows shared; any other name is the id. With `dry_run`, rows are only counted. `progress(done, total)` is called
        after each batch. An interrupted call can be repeated. Ids, usage and revisions stay. A session of several
        speakers stays shared, as do memories that the host stored.

        Raises:
            InvalidInput: `users` has an invalid id.
        """
        require_instance("users", users or {}, Mapping, 'a mapping such as {"Ada Lovelace": "ada"}')
        return await self._assigner.assign(Scope.of(agent_id), users or {}, dry_run=dry_run, progress=progress)

    async def find_by_source(
        self, agent_id: str, type_: MemoryType, sources: Sequence[str], *, user_id: str | None = None
    ) -> list[Memory]:
        """Return the memories of one type whose `source` is one of `sources`, oldest first.

        They are the user's, or without a user the shared ones.
        """
        return await self._memories.find_by_source(Scope.of_one(agent_id, user_id), type_, sources)

    async def find(
        self,
        agent_id: str,
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        offset: int = 0,
        *,
        user_id: UserId = None,
    ) -> list[Memory]:
        """Return at most `limit` memories of an agent that meet the conditions, oldest first, from position `offset`.

        `where` is a filter as in `{"tags": {"in": ["billing"]}}` (see `brain.filters`); None admits all memories.
        Hidden memories are listed too.
        """
        return await self._memories.find(Scope.of(agent_id, user_id), where, limit, offset)

    async def revisions(self, agent_id: str, id: UUID, *, user_id: UserId = None) -> list[Revision]:
        """Return the last 100 changes of a memory, latest first, each with the values before the change.

        Raises:
            UnknownMemory: the agent has no such memory.
        """
        return await self._memories.revisions(Scope.of(agent_id, user_id), id)

    async def preview_forget(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> Receipt:
        """Return the receipt that `layer.forget` of these memories would have now; nothing is changed.

        Raises:
            UnknownMemory: the view does not see one of the ids.
            InvalidInput: a user's view would erase a shared memory.
            StoreUnavailable: Postgres did not answer in time.
        """
        return await self._memories.preview_forget(Scope.of(agent_id, user_id), ids)

    async def apply_retention(
        self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False
    ) -> dict[Retained, int]:
        """Delete an agent's data older than `Policy.retention.days` allows; return the number of deleted items by kind.

        With `dry_run`, only count the items. `now` replaces the present time. The layer also applies retention by
        itself, once an hour, to agents that have turns.
        """
        return await self._memories.apply_retention(agent_id, now=now, dry_run=dry_run)

    async def erasures(self, agent_id: str, *, user_id: UserId = None) -> list[Erasure]:
        """Return the log of an agent's erasures, oldest first: what was erased, when, and how many rows."""
        return await self._memories.erasures(Scope.of(agent_id, user_id))

    def on_erasure(self, listener: ErasureListener, *, weak: bool = False) -> None:
        """Register a function to call at every erasure, for a component that caches agents' texts in this process.

        With `weak`, it is a method, and is called only as long as its object exists.
        """
        self._erasure_listeners.add(listener, weak=weak)

    # --- indexes, languages, embedding models ---

    async def build_vector_index(self, agent_id: str, *, progress: Progress | None = None) -> list[VectorGroup]:
        """Build the approximate vector index of an agent with tens of thousands of memories; see `IvfIndex.build`.

        The index assigns the vectors to cells, so that a search reads only a few cells. A vector that is stored later
        is assigned to a cell at once. As the agent grows, build the index again from time to time. For an agent with
        few memories, nothing happens. `progress(done, total)` counts the vectors.
        """
        return await self._ivf_index.build(require_label("agent_id", agent_id), progress=progress)

    async def language(self, agent_id: str) -> str:
        """Return the language in which an agent's text is indexed and searched.

        Until `set_language` is called, it follows the memories: English at first, then the language that most of them
        are in.
        """
        return (await self.reindexing.status(require_label("agent_id", agent_id))).language

    async def set_language(
        self,
        agent_id: str,
        language: str,
        *,
        pace: Pace | None = None,
        progress: StepProgress = lambda doing, done, total: None,
    ) -> LanguageStatus:
        """Change the language in which an agent's text is indexed and searched by words.

        `language` is one with a Snowball stemmer, or `simple` (no stemming). All memories are indexed again. Until that
        is done, turns use the old language. From now on, the language no longer follows the stored memories. If the
        change is interrupted, call the method again to continue. Texts and vectors are not changed. `pace` limits the
        load on the database, and `progress(step, done, total)` is called as the work proceeds.

        Raises:
            UnknownLanguage: there is no such language; the message lists the available ones.
            InvalidInput: the agent was erased meanwhile, or another call set another language.
        """
        return await self.reindexing.change(require_label("agent_id", agent_id), language, pace, progress)

    async def compare_models(self, agent_id: str, model: str, *, latest: int = 200) -> ModelComparison:
        """Compare an agent's embedding model with another model before a switch; vectors of both must be stored.

        The queries of the latest completed turns, at most `latest`, are searched with both models, and the results are
        compared. Nothing is recorded.

        Raises:
            EmbeddingError: this process lacks one of the models.
            InvalidInput: the agent has no vectors.
        """
        policy = self._policies.for_agent(require_label("agent_id", agent_id))
        return await compare(
            agent_id,
            model,
            reembedding=self.reembedding,
            engine=self._engine,
            policy=policy,
            now=datetime.now(UTC),
            latest=latest,
        )

    # --- users ---

    async def users(
        self, agent_id: str, words: str | None = None, limit: int = 50, after: str | None = None
    ) -> list[UserCounts]:
        """Return at most `limit` users of an agent by id, each with the numbers of memories, sessions and turns.

        `words` are those that an id must contain. The list begins behind the id `after`.

        Raises:
            InvalidInput: `limit` is not from 1 to 500.
        """
        return await self._users.list(require_label("agent_id", agent_id), words, limit=limit, after=after or "")

    # --- turns and what they taught ---

    async def expire_turns(self, agent_id: str) -> int:
        """Mark the agent's turns as abandoned that got no outcome within the policy's time limit; return their number.

        Whenever a turn is opened, some such turns are also marked. If the outcome of an abandoned turn arrives after
        all, it is still recorded.
        """
        minutes = self._policies.for_agent(require_label("agent_id", agent_id)).feedback.abandon_after_minutes
        return await self._turns.expire(agent_id, abandon_after_minutes=minutes)

    async def tool_usage(self, agent_id: str, *, user_id: UserId = None) -> tuple[ToolUsage, ...]:
        """Return how often each tool was called in the agent's turns, by category of the user's message."""
        return await self._category_learner.tool_usage(Scope.of(agent_id, user_id))

    async def category_learning(self, agent_id: str, *, user_id: UserId = None) -> CategoryLearning:
        """Return everything that was learned from an agent's turns about message categories and the tools called."""
        return await self._category_learner.learning(Scope.of(agent_id, user_id))

    async def user_profile(self, agent_id: str, user_id: str) -> Mapping[str, int]:
        """Return the number of a user's completed turns with an agent, by category of the message."""
        return await self._category_learner.user_profile(Scope.of_one(agent_id, user_id))

    async def reset_learning(self, agent_id: str, user_id: str | None = None) -> int:
        """Delete the message categories recorded with an agent's turns, or only with those of one user.

        Return the number of turns changed. The record of the tools that the turns called is not deleted.
        """
        return await self._category_learner.reset(Scope.of(agent_id, ALL_USERS if user_id is None else user_id))

    # --- the layer itself ---

    def context_budgets(self) -> dict[str, Any]:
        """Return the token limits of all language models, built-in and from the policy, as JSON-compatible data."""
        return context_budgets(self._policies.base.budgets.models)
