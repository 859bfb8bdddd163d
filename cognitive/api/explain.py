"""`layer.explain`: explanations, replays and lists of an agent's recorded turns. Nothing here changes stored data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from brain.analytics.turns import TurnAnalytics
from brain.embedding.embedders import Embedders
from brain.judgements import Verdict
from brain.ports import Progress
from brain.turn_records import TurnSummary
from brain.turns import TurnLog
from brain.users import Scope, UserId
from cognitive.catalog.plans import PastPlan, group
from cognitive.errors import InvalidInput
from cognitive.lab.cases import EvaluationCase
from cognitive.lab.questions import Questions, Replay, TurnExplanation
from cognitive.lab.shadow import Agreement
from cognitive.lab.why import Explanation
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.turn import MAX_MESSAGE_LENGTH
from cognitive.validation import require_aware, require_id, require_label, require_sequence

_PLANNED_TURNS = 500  # latest turns with tool calls that `past_plans` reads


class ExplainApi:
    """Explains, replays and lists the recorded turns of agents.

    `analytics` reads aggregated data for dashboards, and `constants` are the ranking constants of this layer. Methods
    raise UnknownTurn for a turn that the agent does not have.
    """

    def __init__(
        self, questions: Questions, turns: TurnLog, embedders: Embedders, analytics: TurnAnalytics, constants: Constants
    ) -> None:
        self.analytics = analytics
        self.constants = constants
        self._questions = questions
        self._turns = turns
        self._embedders = embedders

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID, *, user_id: str | None = None) -> Explanation:
        """Explain why a memory was shown in a turn, or why it was not."""
        return await self._questions.why(Scope.of_one(agent_id, user_id), turn_id, require_id("memory_id", memory_id))

    async def candidates(self, agent_id: str, turn_id: str, *, user_id: str | None = None) -> list[Explanation]:
        """Explain, for every candidate memory of a turn, why it was shown or not; the best-ranked comes first."""
        return await self._questions.candidates(Scope.of_one(agent_id, user_id), turn_id)

    async def turn(self, agent_id: str, turn_id: str, *, user_id: str | None = None) -> TurnExplanation:
        """Return a recorded turn with its plan, the memories that it showed, and an explanation of every candidate."""
        return await self._questions.turn(Scope.of_one(agent_id, user_id), turn_id)

    async def replay(
        self, agent_id: str, turn_id: str, policy: Policy | None = None, *, user_id: str | None = None
    ) -> Replay | None:
        """Run a recorded turn again, under its own policy or under `policy`, and compare the two outcomes.

        Return the differences, or None if the turn did not search for memories.

        Raises:
            UnknownTurn: the agent has no such turn.
            PolicyError: the turn's policy is unknown, or is invalid in this version.
        """
        return await self._questions.replay(Scope.of_one(agent_id, user_id), turn_id, policy)

    async def shadow_agreement(self, agent_id: str, *, user_id: UserId = None) -> list[Agreement]:
        """Return, for each shadow policy, how much the memories it selected agree with those that the turns showed.

        A shadow policy selects memories after each turn, only for this comparison.
        """
        return await self._questions.shadow_agreement(Scope.of(agent_id, user_id))

    async def evaluation_cases(
        self,
        agent_id: str,
        turn_ids: Sequence[str],
        progress: Progress = lambda done, total: None,
        *,
        user_id: str | None = None,
    ) -> tuple[list[EvaluationCase], list[Verdict]]:
        """Return the data for evaluating other policies: completed turns among `turn_ids`, and the agent's verdicts.

        A verdict says whether a response used a memory that its turn showed. Only turns are returned whose replay still
        gives the recorded prompt. `progress(done, total)` is called after each turn.
        """
        scope, wanted = Scope.of_one(agent_id, user_id), require_sequence("turn_ids", turn_ids, "texts")
        return await self._questions.evaluation_cases(scope, wanted, progress)

    async def turns(
        self, agent_id: str, limit: int = 20, *, session_id: str | None = None, user_id: UserId = None
    ) -> list[TurnSummary]:
        """Return summaries of at most `limit` of the agent's turns, or of one session's, newest first."""
        return await self._turns.recent(Scope.of(agent_id, user_id), limit, session_id)

    async def turn_ids(
        self, agent_id: str, since: datetime | None = None, until: datetime | None = None, *, user_id: str | None = None
    ) -> list[str]:
        """Return the ids of the agent's turns from `since` on and before `until`, oldest first."""
        scope = Scope.of_one(agent_id, user_id)
        for name, at in (("since", since), ("until", until)):
            require_aware(name, at)
        return await self._turns.between(scope, since, until)

    async def past_plans(
        self, agent_id: str, message: str | None = None, *, limit: int = 25, user_id: UserId = None
    ) -> tuple[PastPlan, ...]:
        """Return the tools that the agent's latest turns called, grouped by similar messages; at most `limit` groups.

        With a `message`, only turns with similar messages are considered.

        Raises:
            EmbeddingError: the message could not be embedded.
        """
        scope = Scope.of(agent_id, user_id)
        if limit < 0:
            raise InvalidInput(f"limit: expected a number from 0, got {limit}")
        embedder = self._embedders.of(agent_id)
        turns = await self._turns.called(scope, embedder.model, _PLANNED_TURNS)
        if message is None:
            return group(turns, limit)
        require_label("message", message, max_length=MAX_MESSAGE_LENGTH)
        return group(turns, limit, like=(await embedder.embed([message]))[0])
