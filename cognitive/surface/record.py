"""What is asked of an agent's recorded turns; nothing asked here teaches."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from brain.turn_records import TurnSummary
from cognitive.arguments import require_aware, require_id, require_label
from cognitive.bootstrap import Parts
from cognitive.catalog.plans import PastPlan, group
from cognitive.errors import InvalidInput
from cognitive.lab.questions import Account, Questions, Replay
from cognitive.lab.why import Explanation
from cognitive.policy import Policy
from cognitive.turn import LONGEST_MESSAGE

_PLANNED_TURNS = 500  # the latest that called tools, for `my_plans`


class Record:
    """The part of a layer that answers for its turns."""

    _parts: Parts
    questions: Questions

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID) -> Explanation:
        """Why a memory was shown in a turn, or why it was not.

        Raises:
            UnknownTurn: this agent does not have it.
        """
        return await self.questions.why(agent_id, turn_id, require_id("memory_id", memory_id))

    async def fates(self, agent_id: str, turn_id: str) -> list[Explanation]:
        """What became of every candidate of a turn, by rank; see `why`."""
        return await self.questions.fates(agent_id, turn_id)

    async def replay(self, agent_id: str, turn_id: str, policy: Policy | None = None) -> Replay | None:
        """Runs a recorded turn again, under its own policy or another; None if no stage ran in it. Teaches nothing.

        Raises:
            UnknownTurn: this agent does not have it.
            PolicyError: the turn's own policy is not known, or not one that this version has.
        """
        return await self.questions.replay(agent_id, turn_id, policy)

    async def turn_ids(self, agent_id: str, since: datetime | None = None, until: datetime | None = None) -> list[str]:
        """The agent's turns of [since, until), oldest first."""
        for name, at in (("since", since), ("until", until)):
            require_aware(name, at)
        return await self._parts.turns.between(require_label("agent_id", agent_id), since, until)

    async def turns(self, agent_id: str, limit: int = 20, *, session_id: str | None = None) -> list[TurnSummary]:
        """Return the agent's last turns, or those of one session, newest first."""
        return await self._parts.turns.recent(require_label("agent_id", agent_id), limit, session_id)

    async def open_turns(self, agent_id: str, session_id: str | None = None) -> list[str]:
        """The latest open turn of each of the agent's sessions, or of one, if it was opened within `tie_minutes`."""
        minutes = self.policy(require_label("agent_id", agent_id)).tie_minutes
        return await self._parts.turns.opened(agent_id, session_id, minutes)

    async def account(self, agent_id: str, turn_id: str) -> Account:
        """All that a turn showed, and why; see `cognitive.lab.questions.Account`.

        Raises:
            UnknownTurn: this agent does not have it.
        """
        return await self.questions.account(agent_id, turn_id)

    def policy(self, agent_id: str) -> Policy:
        """The policy that the agent's turns are planned under."""
        return self._parts.policy.for_agent(agent_id)

    async def my_plans(self, agent_id: str, message: str | None = None, *, limit: int = 25) -> tuple[PastPlan, ...]:
        """What tools the agent's latest turns called, by what they were asked; with a message, of turns that asked the
        like. Read-only; of the agent's own turns alone.

        Raises:
            EmbeddingError: the message could not be turned into a vector.
        """
        require_label("agent_id", agent_id)
        if limit < 0:
            raise InvalidInput(f"limit: expected a number from 0, got {limit}")
        embedder = self._parts.embedders.of(agent_id)
        turns = await self._parts.turns.called(agent_id, embedder.model, _PLANNED_TURNS)
        if message is None:
            return group(turns, limit)
        require_label("message", message, longest=LONGEST_MESSAGE)
        return group(turns, limit, like=(await embedder.embed([message]))[0])

    async def reap(self, agent_id: str) -> int:
        """Gives up the turns that have been open for longer than the policy allows, and returns how many.

        Opening a turn does the same for some of them. An outcome that comes after all still counts.
        """
        minutes = self._parts.policy.for_agent(require_label("agent_id", agent_id)).abandon_after_minutes
        return await self._parts.turns.reap(agent_id, abandon_after_minutes=minutes)
