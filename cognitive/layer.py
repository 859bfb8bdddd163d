"""The layer: what a runtime calls before and after each turn, and the only place that fails open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
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
from cognitive.context.engine import Built
from cognitive.context.retrieve import Filters
from cognitive.errors import CognitiveError, InvalidInput
from cognitive.lab.why import Explanation
from cognitive.models import budget_for
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.preflight import frames, signals
from cognitive.preflight import plan as planning
from cognitive.questions import Questions, Replay
from cognitive.recall import recall
from cognitive.settle import opened
from cognitive.turn import (
    LONGEST_MESSAGE,
    Message,
    Outcome,
    RecallHit,
    Report,
    Turn,
    TurnContext,
    TurnRef,
    require_id,
    require_label,
)
from cognitive.window.fit import Window, fit

log = logging.getLogger(__name__)

_RECENT_TURNS = 10  # of a session, for `resume`


class CognitiveLayer:
    """Decides before every turn what the model should see, and learns after it what was worth showing.

    `questions` answers what else may be asked of recorded turns.
    """

    def __init__(self, parts: bootstrap.Parts) -> None:
        self._policy = parts.policy
        self._embedder = parts.embedder
        self._store = parts.store
        self._turns = parts.turns
        self._engine = parts.engine
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
    ) -> AsyncIterator[CognitiveLayer]:
        """A ready layer on a Postgres URL; without one on COGNITIVE_DATABASE_URL, or on the embedded server.

        Under `shadow`, every turn is run a second time after it was prepared, and the difference is recorded.

        Raises:
            SchemaError: the database lacks the extension, the schema or the role; the message says what to do.
            EmbeddedServerError: the bundled server cannot be started.
        """
        async with bootstrap.assemble(database_url, policy, embedder, shadow) as parts:
            yield cls(parts)

    # --- the turn ---

    async def pre_turn(self, turn: Turn) -> TurnContext:
        """What the model should see in this turn, within the policy's deadline.

        It never fails because memory does: what cannot be had in time is missing, and `degraded` says so.
        """
        deadline = Deadline(self._policy.deadline_ms)
        now, turn = turn.now or datetime.now(UTC), _named(turn)
        fitting = asyncio.ensure_future(self._fitted(turn, now))
        if turn.kind != "user":
            plan = self._untouched(turn, f"kind.{turn.kind}")
            return _with(await fitting, _context(turn, plan, Built.nothing(plan, now), now))
        plan = self._untouched(turn, "failed")
        try:
            plan = self._plan(turn, now)
            built = await self._engine.build(plan, turn, now, deadline)
        except Exception as error:  # the one boundary: whatever went wrong, the agent's turn goes on without memory
            log.exception("pre_turn goes on without memory")
            built = Built.nothing(plan, now, f"memory: {type(error).__name__}: {error}")
        context = replace(
            _with(await fitting, _context(turn, plan, built, now)),
            model=self._embedder.model, query=built.vector, policy=self._policy,
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

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> Window:
        """The window over a conversation that has grown within a turn, before the model is called again.

        For loops of tool calls: `conversation` is all that the model would see, with the turn's own message, its calls
        and their results; `iteration` is the number of the call, None to count them. No memory is fetched and no model
        called; the bounds are those of `pre_turn`.

        Raises:
            InvalidInput: a conversation of something else than messages.
        """
        if not all(isinstance(message, Message) for message in conversation):
            raise InvalidInput("conversation: expected Message values")
        if not any(message.role == "user" for message in conversation):
            conversation = [Message(role="user", content=context.message), *conversation]
        return await asyncio.to_thread(
            fit, conversation, session_id=context.session_id, plan_step=context.plan_step, iteration=iteration,
            tokens=_tokens(context.reader), now=datetime.now(UTC), policy=context.policy or self._policy,
        )  # fmt: skip

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

    async def _fitted(self, turn: Turn, now: datetime) -> Window | str:
        """The window of a turn, computed beside the event loop; or why there is none."""
        work = asyncio.to_thread(
            fit, turn.conversation, session_id=turn.session_id, plan_step=turn.plan_step, iteration=turn.iteration,
            tokens=_tokens(turn.model), now=now, policy=self._policy,
        )  # fmt: skip
        try:
            return await Deadline(self._policy.window_deadline_ms).within(work)
        except TimeoutError:
            return "window: not in time; the conversation is as it came"
        except Exception as error:  # the same boundary as memory's: the conversation goes on as it came
            log.exception("pre_turn goes on with the conversation as it came")
            return f"window: {type(error).__name__}: {error}; the conversation is as it came"

    def _untouched(self, turn: Turn, reason: str) -> Plan:
        """A plan that asks for nothing and changes nothing."""
        return planning.make(Signals(turn.text, greeting=True), "conversation", (reason,), self._policy, turn.thinking)

    def _plan(self, turn: Turn, now: datetime) -> Plan:
        previous = next((message.content for message in reversed(turn.conversation) if message.role == "user"), "")
        read = signals.read(turn.text, now=now, previous=previous)
        frame, reasons = frames.select(turn.text, read)
        return planning.make(read, frame, reasons, self._policy, turn.thinking)


def _named(turn: Turn) -> Turn:
    return turn if turn.turn_id else turn.model_copy(update={"turn_id": str(uuid4())})


def _context(turn: Turn, plan: Plan, built: Built, now: datetime) -> TurnContext:
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
        messages=turn.conversation,
        tools=turn.tools,
        degraded=built.degraded,
        trace=built.trace,
        user_id=turn.user_id,
        reader=turn.model,
        plan_step=turn.plan_step,
    )


def _with(window: Window | str, context: TurnContext) -> TurnContext:
    """The context with the fitted window, or with the reason why it shows the conversation as it came."""
    if isinstance(window, str):
        return replace(context, degraded=(*context.degraded, window))
    refused = window.trace.refused
    lacking = (f"directive: {refused}",) if refused else ()
    return replace(context, messages=window.messages, degraded=(*context.degraded, *lacking))


def _tokens(model: str | None) -> int | None:
    """What a language model reads, None where the host does not say which it is: characters alone bound the window."""
    return budget_for(model).input_tokens if model else None


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}


def _require_aware(name: str, at: datetime | None) -> None:
    if at is not None and at.tzinfo is None:
        raise InvalidInput(f"{name}: expected an aware datetime, got the naive {at.isoformat()}")
