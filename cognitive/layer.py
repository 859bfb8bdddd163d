"""The layer: what a runtime calls before and after each turn, and the only place that fails open."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from brain.deadline import Deadline
from brain.ledger import SessionState
from brain.ports import Embedder
from brain.store import Progress
from brain.types import Memory, MemoryType, NewMemory, Receipt
from cognitive import bootstrap
from cognitive.classifier import Classifier
from cognitive.context import repeat
from cognitive.context.engine import Built
from cognitive.context.retrieve import Filters
from cognitive.errors import CognitiveError, InvalidInput
from cognitive.lab.why import Explanation
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.sections import Sections, sections
from cognitive.questions import Questions, Replay
from cognitive.recall import recall
from cognitive.settle import opened
from cognitive.turn import (
    LONGEST_MESSAGE,
    Outcome,
    RecallHit,
    Report,
    Turn,
    TurnContext,
    TurnRef,
    require_id,
    require_label,
)

log = logging.getLogger(__name__)

_RECENT_TURNS = 10  # of a session, for `resume`


class CognitiveLayer:
    """Decides before every turn what the model should see, and learns after it what was worth showing.

    `questions` answers what else may be asked of recorded turns; `habits` knows, and forgets, what they taught about
    categories and tools.
    """

    def __init__(self, parts: bootstrap.Parts) -> None:
        self._policy = parts.policy
        self._embedder = parts.embedder
        self._store = parts.store
        self._turns = parts.turns
        self._engine = parts.engine
        self._planner = parts.planner
        self.habits = parts.habits
        self._settlement = parts.settlement
        self._shadowing = parts.shadowing
        self.questions = Questions(parts.turns, parts.store, parts.contents)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database_url: str | None = None,
        *,
        policy: Policy | None = None,
        embedder: Embedder | None = None,
        shadow: Policy | None = None,
        classifier: Classifier | None = None,
    ) -> AsyncIterator[CognitiveLayer]:
        """A ready layer on a Postgres URL; without one on COGNITIVE_DATABASE_URL, or on the embedded server.

        Under `shadow`, every turn is run a second time after it was prepared, and the difference is recorded.
        `classifier` is asked about messages that no rule of the categories knows.

        Raises:
            SchemaError: the database lacks the extension, the schema or the role; the message says what to do.
            EmbeddedServerError: the bundled server cannot be started.
        """
        async with bootstrap.assemble(database_url, policy, embedder, shadow, classifier) as parts:
            yield cls(parts)

    # --- the turn ---

    async def pre_turn(self, turn: Turn) -> TurnContext:
        """What the model should see in this turn, within the policy's deadline.

        It never fails because memory does: what cannot be had in time is missing, and `degraded` says so.
        """
        deadline = Deadline(self._policy.deadline_ms)
        now, turn = turn.now or datetime.now(UTC), _named(turn)
        if turn.kind != "user":
            plan = self._planner.untouched(turn, f"kind.{turn.kind}")
            return _context(turn, plan, Built.nothing(plan, now), now, self._policy)
        plan = self._planner.untouched(turn, "failed")
        try:
            plan = self._planner.plan(turn, now)
            built = await self._engine.build(plan, turn, now, deadline)
            plan = await self._planner.refine(plan, turn, built.vector, deadline)
        except Exception as error:  # the one boundary: whatever went wrong, the agent's turn goes on without memory
            log.exception("pre_turn goes on without memory")
            built = Built.nothing(plan, now, f"memory: {type(error).__name__}: {error}")
        context = replace(
            _context(turn, plan, built, now, self._policy), model=self._embedder.model, query=built.vector,
            policy=self._policy,
        )  # fmt: skip
        opening = opened(context)
        try:
            minutes = self._policy.abandon_after_minutes
            await deadline.within(self._turns.open(turn.agent_id, opening, abandon_after_minutes=minutes))
        except (CognitiveError, TimeoutError) as error:
            self._settlement.keep_opening(turn.agent_id, opening)
            reason = f"record: {str(error) or 'not in time'}; it is recorded with the outcome"
            context = replace(context, degraded=(*context.degraded, reason))
        self._shadowing.follow(turn.agent_id, context.turn_id, built)
        return context

    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learns from a turn's outcome, once, whatever is retried. Returns after the commit.

        While Postgres is away the outcome is kept in a local journal, synced, and `Report.recorded` is False: it is
        counted when Postgres is back, by this process or by the next one.

        Raises:
            InvalidInput: a turn that was never opened.
            JournalError: Postgres is away and the journal cannot be written: the outcome is not safe.
        """
        return await self._settlement.post(context, outcome)

    async def recall(
        self,
        agent_id: str,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
        now: datetime | None = None,
        *,
        tags: Sequence[str] = (),
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> tuple[RecallHit, ...]:
        """Memories for a query of the model's own, best first; see `cognitive.recall`."""
        require_label("agent_id", agent_id)
        require_label("query", query, longest=LONGEST_MESSAGE)
        for name, value in (("turn_id", turn_id), ("session_id", session_id), *(("tags", tag) for tag in tags)):
            if value is not None:
                require_label(name, value)
        for name, at in (("now", now), ("since", since), ("until", until)):
            _require_aware(name, at)
        return await recall(
            agent_id, query, engine=self._engine, store=self._store, turns=self._turns, now=now or datetime.now(UTC),
            memory_type=memory_type, limit=limit, turn_id=turn_id,
            filters=Filters(tuple(tags), session_id, since, until),
        )  # fmt: skip

    def sections(self, context: TurnContext, named: Mapping[str, Collection[str]]) -> Sections:
        """Which parts of a system prompt this turn's plan keeps, each given by its name with its categories."""
        return sections(named, context.plan, self._policy)

    # --- memories ---

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Stores memories, a transaction per batch, and returns their ids in order; see `MemoryStore.remember`."""
        require_label("agent_id", agent_id)
        for memory in memories:
            if not isinstance(memory, NewMemory):
                raise InvalidInput(f"memories: expected NewMemory values, got {type(memory).__name__}")
        return await self._store.remember(agent_id, memories, now=datetime.now(UTC), progress=progress)

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """The memories of these ids that this agent has, in the order asked."""
        wanted = [require_id("ids", id) for id in ids]
        return await self._store.get(require_label("agent_id", agent_id), wanted)

    async def update(self, agent_id: str, id: UUID, **changes: Any) -> Memory:
        """Changes fields of a memory (those of `NewMemory` but type, session_id, source and supersedes).

        Raises:
            UnknownMemory: this agent has no such memory. InvalidInput: a field that cannot be changed, or a bad value.
        """
        fixed = {"type", "session_id", "source", "supersedes"} & changes.keys()
        if fixed:
            raise InvalidInput(f"update: {', '.join(sorted(fixed))} cannot be changed")
        require_label("agent_id", agent_id)
        return await self._store.update(
            agent_id, require_id("id", id), lambda found: NewMemory(**{**_fields(found), **changes})
        )

    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with all that was derived from them, in one transaction; the receipt counts what went."""
        wanted = [require_id("ids", id) for id in ids]
        return await self._store.forget(require_label("agent_id", agent_id), wanted)

    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erases everything of an agent, here and in the journal of this machine; the receipt counts what went."""
        journaled = await self._settlement.erase(require_label("agent_id", agent_id))
        return replace(await self._store.erase_agent(agent_id), journaled=journaled)

    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Counts somebody's explicit verdict on a memory that a turn showed; it weighs `rating_weight` showings.

        Raises:
            InvalidInput: the turn showed no such memory.
        """
        require_label("agent_id", agent_id)
        require_label("turn_id", turn_id)
        rated = await self._turns.rate(
            agent_id, turn_id, memory_id, useful, half_life_days=self._policy.half_life_days,
            rating_weight=self._policy.rating_weight,
        )  # fmt: skip
        if not rated:
            raise InvalidInput(f"memory_id: turn {turn_id!r} showed no memory {memory_id}")

    async def reap(self, agent_id: str) -> int:
        """Gives up the turns that have been open for longer than the policy allows, and returns how many.

        Opening a turn does the same for some of them. An outcome that comes after all still counts.
        """
        minutes = self._policy.abandon_after_minutes
        return await self._turns.reap(require_label("agent_id", agent_id), abandon_after_minutes=minutes)

    # --- questions about turns and sessions ---

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID) -> Explanation:
        """Why a memory was shown in a turn, or why it was not.

        Raises:
            InvalidInput: a turn that this agent does not have.
        """
        return await self.questions.why(agent_id, turn_id, require_id("memory_id", memory_id))

    async def fates(self, agent_id: str, turn_id: str) -> list[Explanation]:
        """What became of every candidate of a turn, by rank; see `why`."""
        return await self.questions.fates(agent_id, turn_id)

    async def replay(self, agent_id: str, turn_id: str, policy: Policy | None = None) -> Replay | None:
        """Runs a recorded turn again, under its own policy or another; None if no stage ran in it. Teaches nothing.

        Raises:
            InvalidInput: a turn that this agent does not have.
            PolicyError: the turn's own policy is not known, or not one that this version has.
        """
        return await self.questions.replay(agent_id, turn_id, policy)

    async def turn_ids(self, agent_id: str, since: datetime | None = None, until: datetime | None = None) -> list[str]:
        """The agent's turns of [since, until), oldest first."""
        for name, at in (("since", since), ("until", until)):
            _require_aware(name, at)
        return await self._turns.between(require_label("agent_id", agent_id), since, until)

    async def turns(self, agent_id: str, limit: int = 20) -> list[Mapping[str, Any]]:
        """The agent's last turns, newest first: turn_id, session_id, at, status, message."""
        return await self._turns.recent(require_label("agent_id", agent_id), limit)

    async def resume(self, agent_id: str, session_id: str) -> SessionState | None:
        """What is known of a session (summary, step, last turns), or None if it never was."""
        require_label("agent_id", agent_id)
        return await self._turns.session(agent_id, require_label("session_id", session_id), _RECENT_TURNS)

    async def end_session(self, agent_id: str, session_id: str) -> bool:
        """Marks a session as ended. False if there is no such session."""
        require_label("agent_id", agent_id)
        return await self._turns.end_session(agent_id, require_label("session_id", session_id), datetime.now(UTC))


def _named(turn: Turn) -> Turn:
    return turn if turn.turn_id else turn.model_copy(update={"turn_id": str(uuid4())})


def _context(turn: Turn, plan: Plan, built: Built, now: datetime, policy: Policy) -> TurnContext:
    return TurnContext(
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        turn_id=turn.turn_id or "",
        now=now,
        message=turn.text,
        text=built.text,
        prefix=built.prefix,
        shown=built.shown,
        plan=plan,
        messages=repeat.history(turn.conversation, policy.placement),
        placement=policy.placement,
        tools=tuple(tool for tool in turn.tools if tool.name not in plan.removed),
        degraded=built.degraded,
        trace=built.trace,
        user_id=turn.user_id,
    )


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}


def _require_aware(name: str, at: datetime | None) -> None:
    if at is not None and at.tzinfo is None:
        raise InvalidInput(f"{name}: expected an aware datetime, got the naive {at.isoformat()}")
