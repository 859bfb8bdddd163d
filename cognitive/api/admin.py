"""`layer.admin`: operators' tasks on an agent's memories, indexes and models, and the health of the layer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.changes.backfill import Pace
from brain.changes.reembedding import Reembedding
from brain.changes.reindexing import LanguageStatus, Reindexing
from brain.changes.reindexing import Progress as MovedMemory
from brain.erasure.retention import Retained
from brain.ivf_index import IvfIndex, VectorGroup
from brain.journal import Backlog, JournalEntry
from brain.postgres.reading import Replica
from brain.postgres.roles import Granted
from brain.store import Progress
from brain.turns import TurnLog
from brain.types import Erasure, Memory, MemoryType, Revision
from cognitive.api.health import HealthChecks, LayerHealth
from cognitive.api.import_export import ImportExport
from cognitive.api.memories import AgentMemories
from cognitive.context.engine import ContextEngine
from cognitive.lab.comparison import ModelComparison, compare
from cognitive.policy.models import context_budgets
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight.category_learning import CategoryLearner, CategoryLearning, ToolUsage
from cognitive.privacy.erasure_listeners import ErasureListener, ErasureListeners
from cognitive.validation import require_label


class AdminApi:
    """Administration of agents.

    `reembedding` builds, activates, rolls back and drops embedding models (`brain.changes.reembedding`). `reindexing`
    changes the language of the lexical index (`brain.changes.reindexing`).
    """

    def __init__(
        self,
        memories: AgentMemories,
        transfer: ImportExport,
        checks: HealthChecks,
        ivf_index: IvfIndex,
        reembedding: Reembedding,
        reindexing: Reindexing,
        turns: TurnLog,
        engine: ContextEngine,
        policies: PolicyResolver,
        category_learner: CategoryLearner,
        erasure_listeners: ErasureListeners,
    ) -> None:
        self.reembedding = reembedding
        self.reindexing = reindexing
        self._memories = memories
        self._transfer = transfer
        self._checks = checks
        self._ivf_index = ivf_index
        self._turns = turns
        self._engine = engine
        self._policies = policies
        self._category_learner = category_learner
        self._erasure_listeners = erasure_listeners

    # --- memories ---

    def export(self, agent_id: str) -> AsyncIterator[str]:
        """Yield an agent's export, one JSON line at a time, for `import_lines`.

        It contains the language unless it is English; every memory, oldest first, with its usage and revisions; the
        base rates of use; and the active policies. Vectors are left out, because an import computes them again. Turns
        are left out; use a database dump for them.
        """
        return self._transfer.export(agent_id)

    async def import_lines(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Import the memories of an export of this product, mem0 or LangGraph, and return their ids in order.

        Memories of this product keep their ids, usage, revisions and order. Existing memories are not changed, so an
        interrupted import can be repeated. An empty agent without a language takes that of the file. Memories of other
        systems get the trust "foreign". The whole file is held in memory.

        Raises:
            InvalidInput: a line is invalid; the message has its number, and nothing is stored.
        """
        return await self._transfer.import_lines(agent_id, lines, progress=progress)

    async def find_by_source(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """Return the memories of a type that were stored with one of these sources, oldest first."""
        return await self._memories.find_by_source(agent_id, type_, sources)

    async def find_by_tags(self, agent_id: str, tags: Sequence[str], limit: int = 100, offset: int = 0) -> list[Memory]:
        """Return a page of the memories that have all of these tags, oldest first; with no tag, of all memories."""
        return await self._memories.find_by_tags(agent_id, tags, limit, offset)

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the last hundred revisions of a memory, latest first, each with the values that it replaced.

        Raises:
            UnknownMemory: the agent has no such memory.
        """
        return await self._memories.revisions(agent_id, id)

    async def apply_retention(
        self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False
    ) -> dict[Retained, int]:
        """Delete everything older than `Policy.retention.days` allows; return the numbers by kind.

        With `dry_run`, only count. The layer does this by itself once an hour for agents that have turns.
        """
        return await self._memories.apply_retention(agent_id, now=now, dry_run=dry_run)

    async def erasures(self, agent_id: str) -> list[Erasure]:
        """Return the log of an agent's erasures: what kind, when, and the numbers of rows, oldest first."""
        return await self._memories.erasures(agent_id)

    def on_erasure(self, let_go: ErasureListener) -> None:
        """Call `let_go` at every erasure from now on; for components that cache agents' texts in this process."""
        self._erasure_listeners.add(let_go)

    # --- indexes, languages, embedding models ---

    async def build_vector_index(self, agent_id: str, *, progress: Progress | None = None) -> list[VectorGroup]:
        """Assign a large agent's vectors to cells, so that a search reads a few cells; see `IvfIndex.build`.

        Call it when an agent has tens of thousands of memories, and again from time to time as it grows. Later vectors
        are assigned when they are stored. It does nothing for a small agent.
        """
        return await self._ivf_index.build(require_label("agent_id", agent_id), progress=progress)

    async def language(self, agent_id: str) -> str:
        """Return the language that an agent's text is indexed and searched in: `english` unless set otherwise."""
        return (await self.reindexing.standing(require_label("agent_id", agent_id))).language

    async def set_language(
        self,
        agent_id: str,
        language: str,
        *,
        pace: Pace | None = None,
        progress: MovedMemory = lambda doing, done, total: None,
    ) -> LanguageStatus:
        """Change the language of an agent's lexical index: one with a Snowball stemmer, or `simple`.

        Memories are indexed again while turns continue to use the old language; searches switch when all are done. An
        interrupted change continues when it is called again. Texts and vectors are not changed.

        Raises:
            UnknownLanguage: there is no such language; the message lists the available ones.
            InvalidInput: meanwhile the agent was erased, or another call set another language.
        """
        return await self.reindexing.change(require_label("agent_id", agent_id), language, pace, progress)

    async def compare_models(self, agent_id: str, model: str, *, latest: int = 200) -> ModelComparison:
        """Compare the agent's live embedding model with another stored one, on its latest completed turns.

        Nothing is recorded.

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

    # --- turns and what they taught ---

    async def expire_turns(self, agent_id: str) -> int:
        """Abandon the turns that were open for longer than the policy allows, and return their number.

        Opening a turn also does this for some of them. An outcome that arrives later still counts.
        """
        minutes = self._policies.for_agent(require_label("agent_id", agent_id)).feedback.abandon_after_minutes
        return await self._turns.expire(agent_id, abandon_after_minutes=minutes)

    async def tool_usage(self, agent_id: str) -> tuple[ToolUsage, ...]:
        """Return how often each tool was called in the agent's turns of each category."""
        return await self._category_learner.tool_usage(agent_id)

    async def category_learning(self, agent_id: str) -> CategoryLearning:
        """Return everything that was learned from the agent's turns about categories and tools."""
        return await self._category_learner.learning(agent_id)

    async def user_profile(self, agent_id: str, user_id: str) -> Mapping[str, int]:
        """Return the number of a user's completed turns by category."""
        return await self._category_learner.user_profile(agent_id, user_id)

    async def reset_learning(self, agent_id: str, user_id: str | None = None) -> int:
        """Delete the categories of an agent's turns, or of one user's; return the number of turns.

        Called tools stay.
        """
        return await self._category_learner.reset(agent_id, user_id)

    # --- the layer itself ---

    async def health(self) -> LayerHealth:
        """Run the doctor's checks on this layer's database, journal and embedding model. Raises nothing."""
        return await self._checks.health()

    async def readiness(self) -> Mapping[str, str | None]:
        """Return the errors of "database", "schema" and "model"; None for each that works."""
        return await self._checks.readiness()

    async def replica(self) -> Replica | None:
        """Return the lag of the standby that dashboards read from; None without a standby."""
        return await self._checks.replica()

    async def database_role(self) -> Granted:
        """Return the read-only roles that a dashboard can use.

        Raises:
            StoreUnavailable, SchemaError: the database does not answer, or cannot be used.
        """
        return await self._checks.database_role()

    async def journal_backlog(self, agent_id: str, *, whole: bool) -> tuple[Backlog, list[JournalEntry]] | None:
        """Return the journal's waiting entries, of all agents if `whole`, and this agent's parked entries.

        The result is None if the journal cannot be read.
        """
        return await self._checks.journal_backlog(agent_id, whole=whole)

    @property
    def embedding_model(self) -> str:
        """The model that new passages are embedded with."""
        return self._checks.embedding_model

    def context_budgets(self) -> dict[str, Any]:
        """Return the token budgets of each language model, with the rows of this layer's policy, as JSON data."""
        return context_budgets(self._policies.base.budgets.models)
