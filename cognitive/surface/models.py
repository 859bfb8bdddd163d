"""Which embedding model an agent's memory is read by, and how another takes its place."""

from __future__ import annotations

from datetime import UTC, datetime

from brain.changes.reembedding import Reembedding
from cognitive.arguments import require_label
from cognitive.bootstrap import Parts
from cognitive.lab.comparison import Comparison, compare


class Models:
    """The part of a layer that moves agents from one embedding model to another."""

    _parts: Parts

    @property
    def reembedding(self) -> Reembedding:
        """Builds, makes live, rolls back and drops models; see `brain.changes.reembedding`."""
        return self._parts.reembedding

    async def compare_models(self, agent_id: str, model: str, *, latest: int = 200) -> Comparison:
        """The agent's live model and another one that is kept, on its latest completed turns. Teaches nothing.

        Raises:
            EmbeddingError: this process lacks one of the models.
            InvalidInput: the agent has no vectors.
        """
        policy = self._parts.policy.for_agent(require_label("agent_id", agent_id))
        return await compare(
            agent_id, model, reembedding=self._parts.reembedding, engine=self._parts.engine, policy=policy,
            now=datetime.now(UTC), latest=latest,
        )  # fmt: skip
