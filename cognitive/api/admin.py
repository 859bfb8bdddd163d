"""`layer.admin`: what operators do with an agent's memory, its indexes and models, and the state of the layer."""

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

    `reembedding` builds, activates, rolls back and drops embedding models (`brain.changes.reembedding`); `reindexing`
    builds the index of a language (`brain.changes.reindexing`).
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
        """Yield everything that `import_lines` reads, a line of JSON each.

        These are the language of an agent's words, unless it is English; every memory, oldest first, with its use and
        earlier versions; the base rates of use; and the policies that were chosen. Vectors are left out, since they are
        made again, and so are turns, which a dump keeps.
        """
        return self._transfer.export(agent_id)

    async def import_lines(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store the memories of an export, ours, mem0's or LangGraph's, and return their ids in order.

        Ours keep their ids, use, revisions and order. Whatever is there already stays as it is: an import that was
        interrupted is run again. An empty agent that was told no language takes that of the file. What another system
        gave has the trust "foreign". The file is held in memory.

        Raises:
            InvalidInput: a line that cannot be read, named by its number; nothing is stored.
        """
        return await self._transfer.import_lines(agent_id, lines, progress=progress)

    async def find_by_source(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """Return the memories of a type that were stored under these sources of the caller's own, oldest first."""
        return await self._memories.find_by_source(agent_id, type_, sources)

    async def find_by_tags(self, agent_id: str, tags: Sequence[str], limit: int = 100, offset: int = 0) -> list[Memory]:
        """Return a page of the memories that have all of these tags, oldest first; with no tag, of all memories."""
        return await self._memories.find_by_tags(agent_id, tags, limit, offset)

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the last hundred changes of a memory, the latest first, each with what it replaced.

        Raises:
            UnknownMemory: this agent has no such memory.
        """
        return await self._memories.revisions(agent_id, id)

    async def apply_retention(
        self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False
    ) -> dict[Retained, int]:
        """Remove what `Policy.retention.days` keeps no longer, by kind; with `dry_run`, only count it.

        Agents that have turns are looked after once an hour without this.
        """
        return await self._memories.apply_retention(agent_id, now=now, dry_run=dry_run)

    async def erasures(self, agent_id: str) -> list[Erasure]:
        """Return what was erased of an agent, when, and how many rows that were; oldest first."""
        return await self._memories.erasures(agent_id)

    def on_erasure(self, let_go: ErasureListener) -> None:
        """Call `let_go` at every erasure from now on, for those who hold texts of agents in this process."""
        self._erasure_listeners.add(let_go)

    # --- indexes, languages, embedding models ---

    async def build_vector_index(self, agent_id: str, *, progress: Progress | None = None) -> list[VectorGroup]:
        """Sort a large agent's vectors into cells, so that its turns read a few of them; see `IvfIndex.build`.

        To be called when an agent has grown to tens of thousands of memories, and now and then as it grows on: what
        comes later goes to its cell at once. A small agent has nothing to sort.
        """
        return await self._ivf_index.build(require_label("agent_id", agent_id), progress=progress)

    async def language(self, agent_id: str) -> str:
        """Return the language that an agent's words are indexed and searched in: `english` unless set otherwise."""
        return (await self.reindexing.standing(require_label("agent_id", agent_id))).language

    async def set_language(
        self,
        agent_id: str,
        language: str,
        *,
        pace: Pace | None = None,
        progress: MovedMemory = lambda doing, done, total: None,
    ) -> LanguageStatus:
        """Have an agent's memory searched in another language: that of a Snowball stemmer, or `simple`.

        What it has is indexed anew while its turns go on, in the old language until all of it is. Interrupted, it goes
        on where it stopped when it is called again. What is stored of the agent's words and vectors stays as it is.

        Raises:
            UnknownLanguage: there is no such language; the message lists those that there are, and nothing was changed.
            InvalidInput: meanwhile the agent was erased, or another caller set another language.
        """
        return await self.reindexing.change(require_label("agent_id", agent_id), language, pace, progress)

    async def compare_models(self, agent_id: str, model: str, *, latest: int = 200) -> ModelComparison:
        """Compare the agent's live model and another one that is kept, on its latest completed turns. Teaches nothing.

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
        """Abandon the turns that have been open for longer than the policy allows, and return how many.

        Opening a turn does the same for some of them. An outcome that comes after all still counts.
        """
        minutes = self._policies.for_agent(require_label("agent_id", agent_id)).feedback.abandon_after_minutes
        return await self._turns.expire(agent_id, abandon_after_minutes=minutes)

    async def tool_usage(self, agent_id: str) -> tuple[ToolUsage, ...]:
        """Return how often each tool was called in the agent's turns of each category."""
        return await self._category_learner.tool_usage(agent_id)

    async def category_learning(self, agent_id: str) -> CategoryLearning:
        """Return all that the agent's turns taught about categories and tools."""
        return await self._category_learner.learning(agent_id)

    async def user_profile(self, agent_id: str, user_id: str) -> Mapping[str, int]:
        """Return how many of a user's completed turns were of each category."""
        return await self._category_learner.user_profile(agent_id, user_id)

    async def reset_learning(self, agent_id: str, user_id: str | None = None) -> int:
        """Forget the categories of an agent's turns, or of one user's; return of how many. Their calls stay."""
        return await self._category_learner.reset(agent_id, user_id)

    # --- the layer itself ---

    async def health(self) -> LayerHealth:
        """Run the doctor's checks on this layer's own database, journal and model. Raises nothing."""
        return await self._checks.health()

    async def readiness(self) -> Mapping[str, str | None]:
        """Return what is wrong with the "database", its "schema" and the "model"; None for what is well."""
        return await self._checks.readiness()

    async def replica(self) -> Replica | None:
        """Return how far the standby that figures are read from is behind, None if there is none."""
        return await self._checks.replica()

    async def database_role(self) -> Granted:
        """Return the role that a dashboard reads as.

        Raises:
            StoreUnavailable, SchemaError: the database does not answer, or cannot be used.
        """
        return await self._checks.database_role()

    async def journal_backlog(self, agent_id: str, *, whole: bool) -> tuple[Backlog, list[JournalEntry]] | None:
        """Return what waits in the journal, of all agents if `whole`, and what is parked of this one; or None."""
        return await self._checks.journal_backlog(agent_id, whole=whole)

    @property
    def embedding_model(self) -> str:
        """Return the model that new passages get their vectors from."""
        return self._checks.embedding_model

    def context_budgets(self) -> dict[str, Any]:
        """Return what each model can carry, with the rows of this layer's policy; data that JSON can hold."""
        return context_budgets(self._policies.base.budgets.models)
