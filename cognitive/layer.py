"""The layer: what a runtime calls before and after each turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from time import time
from typing import Any
from uuid import UUID, uuid4

from brain.artifacts import ArtifactPage
from brain.ports import Embedder
from brain.postgres import event_loop
from brain.postgres.breaker import waits_for_recovery
from brain.redacting import Redact
from brain.store import Progress
from brain.types import Memory, MemoryType, NewMemory, Receipt, Trust
from cognitive import bootstrap
from cognitive.api.sessions import PAGE_CHARACTERS
from cognitive.catalog.refine import RefinedTools, ToolChooser
from cognitive.context.retrieve import Filters
from cognitive.errors import InvalidInput, StoreUnavailable
from cognitive.feedback.capture import Extractor
from cognitive.lab.why import Explanation
from cognitive.pipeline import TurnRequest, create_context
from cognitive.policy import Policy
from cognitive.preflight.classifier import Classifier
from cognitive.prompt import without_injected
from cognitive.session.recent import ResumedSession
from cognitive.telemetry.metrics import Metrics
from cognitive.telemetry.operations import ERASE, FORGET, POST_TURN, PRE_TURN, RECALL, REMEMBER, UPDATE, instrument
from cognitive.tokens import TokenCounter
from cognitive.turn import Message, Outcome, RecallHit, Report, Turn, TurnContext, TurnRef
from cognitive.window.fit import FittedWindow
from cognitive.window.summary import Summarizer


class CognitiveLayer:
    """Decides before every turn what the model should see, and learns after it what was worth showing.

    `sessions`, `policies`, `explain` and `admin` hold the other methods, by what they are about; `work` keeps an
    agent's plans and subtasks. `loop` is the event loop that it was opened in, the only one that it may be called in.
    """

    def __init__(self, services: bootstrap.Services) -> None:
        self.loop = asyncio.get_running_loop()
        self.sessions = services.sessions
        self.policies = services.policies
        self.explain = services.explain
        self.admin = services.admin
        self.work = services.work
        self._policies = services.resolver
        self._window = services.window
        self._memories = services.memories
        self._tools = services.tools
        self._recorder = services.recorder
        self._prefetch = services.prefetch
        self._outcomes = services.outcomes
        self._background = services.background
        self._settling = services.settling
        self._session_manager = services.session_manager
        self._retention = services.retention
        self._recall = services.recall
        self._catalog = services.catalog
        self._agent_memories = services.agent_memories
        self._metrics = services.metrics

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database_url: str | None = None,
        *,
        policy: Policy | None = None,
        shadow: Policy | None = None,
        embedder: Embedder | Sequence[Embedder] | None = None,
        token_counter: TokenCounter | None = None,
        summarizer: Summarizer | None = None,
        classifier: Classifier | None = None,
        extractor: Extractor | None = None,
        metrics: Metrics | None = None,
        redact: Redact | None = None,
    ) -> AsyncIterator[CognitiveLayer]:
        """A ready layer on a Postgres URL; without one on COGNITIVE_DATABASE_URL, or on the embedded server.

        `embedder` takes the place of the models that the environment names: one, or several while agents move from one
        to another. Under `shadow`, every turn is run a second time after it was prepared, and the difference is
        recorded. `token_counter` counts what takes room in the prompt, in place of the estimate (`cognitive.tokens`);
        `summarizer` summarises what leaves the window, after the turn, in place of extraction; `classifier` is asked
        about messages that no rule of the categories knows; `extractor` makes memories of what a completed turn said,
        beside what `Policy.capture` keeps; `metrics` counts (`cognitive.telemetry.prometheus`); `redact` is called with
        every text before it is stored, and must take milliseconds (`cognitive.privacy.patterns`).

        Raises:
            SchemaError: the database lacks the extension, the schema or the role; the message says what to do.
            EmbeddedServerError: the bundled server cannot be started.
            PolicyError: the environment names a file that holds no policy, or no table of models.
        """
        extensions = bootstrap.Extensions(embedder, token_counter, summarizer, classifier, extractor, metrics, redact)
        async with bootstrap.assemble(database_url, policy, shadow, extensions) as services:
            yield cls(services)

    # --- a turn ---

    @instrument(PRE_TURN)
    async def pre_turn(self, turn: Turn) -> TurnContext:
        """What the model should see in this turn, within the policy's deadline.

        It never fails because memory does: what cannot be had in time is missing, and `degraded` says so.

        Raises:
            WrongEventLoop: called from another event loop than the one that the layer was opened in.
        """
        event_loop.require(self.loop)
        request = await TurnRequest.create(turn, self._policies)
        try:
            async with asyncio.TaskGroup() as tasks:  # no part raises, so none cancels another
                window_task = tasks.create_task(self._window.build(request))
                plan, memories = await self._memories.fetch(request, window_task)
                tools = await self._tools.select(request, plan, memories)
        except ExceptionGroup as defects:  # a part raised all the same
            raise defects.exceptions[0] from None
        window = window_task.result()
        context = create_context(request, plan, memories, tools, window)
        return await self._recorder.record(request, context, memories, window) if request.planned else context

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> FittedWindow:
        """The window over a conversation that has grown within a turn, before the model is called again.

        For loops of tool calls: `conversation` is all that the model would see, with the turn's own message, its calls
        and their results; `iteration` is the number of the call, None to count them. No memory is fetched and no model
        called; the bounds are those of `pre_turn`, and whole outputs are kept as there. It is never late: what cannot
        be made in time is the newest messages, cut, and `trace.degraded` says so.

        Raises:
            InvalidInput: a conversation of something else than messages.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        if not all(isinstance(message, Message) for message in conversation):
            raise InvalidInput("conversation: expected Message values")
        if not any(message.role == "user" for message in conversation):
            conversation = [Message(role="user").model_copy(update={"content": context.message}), *conversation]
        return await self._window.fit(context, conversation, iteration, self._policy_of(context))

    async def refine_tools(self, context: TurnContext, model: ToolChooser) -> RefinedTools:
        """Lets a small model choose among a turn's tools where ranking was not sure which to cut, within the policy's
        `tools.refine_deadline_ms`; the choice is fitted to the budget again.

        `model` is any async callable from a prompt to an answer. It never fails: whatever goes wrong leaves the tools
        as they are in the context, and `reason` says what it was.
        """
        if context.tool_selection is None:
            return RefinedTools(context.tools, "not_needed")
        return await self._catalog.refine(context.tool_selection, context.message, model, self._policy_of(context))

    @instrument(POST_TURN)
    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learns from a turn's outcome, once, whatever is retried. Returns after the commit.

        While Postgres is away the outcome is kept in a local journal, synced, and `Report.recorded` is False: it is
        counted when Postgres is back, by this process or by the next one.

        Raises:
            UnknownTurn: it was never opened.
            JournalError: Postgres is away and the journal cannot be written: the outcome is not safe.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        if self._policies.for_agent(context.agent_id).dedup.enabled:
            self._prefetch.enqueue(context.agent_id, without_injected(outcome.response))
        received_at = time()
        report = await self._outcomes.post(context, outcome, received_at)
        if report.recorded:
            self._session_manager.on_outcome(context.agent_id, context.turn_id, outcome, received_at)
            self._retention.look(context.agent_id)
        return report

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """`post_turn` in the background, for a host whose user shall not wait for it.

        What goes wrong with it is logged. The layer does not close before it is done.

        Raises:
            StoreUnavailable: too many outcomes are on their way; this one is not.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        name = (context.agent_id, context.turn_id, str(uuid4()))
        if not self._settling.start(self._posted(context, outcome), *name):
            raise StoreUnavailable("settle: too many outcomes are on their way to Postgres or to the journal")

    async def flush(self, context: TurnContext | TurnRef | None = None) -> None:
        """Returns when every outcome handed to `settle`, or a turn's, is counted, safe in the journal, or refused."""
        name = () if context is None else (context.agent_id, context.turn_id)
        await self._settling.wait_for(*name)

    # --- memories ---

    @instrument(REMEMBER)
    @waits_for_recovery
    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories, a transaction per batch, and return their ids in order.

        A memory that is there already stays as it is, and its id stands in its place: one with the same agent, type and
        source, or without a source the same speaker, session, time and content.

        Raises:
            InvalidInput: a memory that cannot be stored; the message names it, and nothing of its batch is stored.
        """
        return await self._agent_memories.remember(agent_id, memories, progress=progress)

    @instrument(RECALL)
    @waits_for_recovery
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
        """Return memories for a query of the model's own, best first; see `cognitive.recall`.

        Raises:
            InvalidInput: a query or a filter that cannot be searched with; the message names it.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        filters = Filters(tuple(tags), session_id, since, until)
        return await self._recall.search(agent_id, query, memory_type, limit, turn_id, now, filters)

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """Return the memories of these ids that this agent has, in the order asked."""
        return await self._agent_memories.get(agent_id, ids)

    @instrument(UPDATE)
    @waits_for_recovery
    async def update(self, agent_id: str, id: UUID, *, by: Trust = "host", **changes: Any) -> Memory:
        """Change fields of a memory (those of `NewMemory` but type, session_id, source and supersedes).

        `by` is whose word the change is: it reaches no memory that is trusted more, and gives no more trust.

        Raises:
            UnknownMemory: this agent has no such memory. InvalidInput: a field that cannot be changed, a bad value, or
            a memory that is trusted more.
        """
        return await self._agent_memories.update(agent_id, id, by=by, **changes)

    @waits_for_recovery
    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Count an explicit verdict on a memory that a turn showed.

        It weighs as many showings as the turn's own policy says (`feedback.rating_weight`).

        Raises:
            InvalidInput: the turn showed no such memory.
        """
        await self._agent_memories.rate(agent_id, turn_id, memory_id, useful=useful)

    @instrument(FORGET)
    @waits_for_recovery
    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erase memories with all that was derived from them; the receipt counts what went.

        Their words go wherever they stand: in what turns said, in summaries and last messages of sessions, in
        artifacts, subtasks, the journal of this machine and the caches of this process. Memories that were handed over
        and say the same stay, and are counted as `restated`.

        Raises:
            UnknownMemory: an id that this agent does not have; nothing is erased.
        """
        return await self._agent_memories.forget(agent_id, ids)

    @instrument(ERASE)
    @waits_for_recovery
    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erase everything of an agent, here and in the journal of this machine; the receipt counts what went."""
        return await self._agent_memories.erase_agent(agent_id)

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID) -> Explanation:
        """Return why a memory was shown in a turn, or why it was not.

        Raises:
            UnknownTurn: this agent does not have it.
        """
        return await self.explain.why(agent_id, turn_id, memory_id)

    # --- sessions ---

    async def resume(self, agent_id: str, session_id: str) -> ResumedSession | None:
        """Return what is needed to go on with a session, read from Postgres; None if it never was."""
        return await self.sessions.resume(agent_id, session_id)

    async def end_session(self, agent_id: str, session_id: str) -> bool:
        """Mark a session as ended. Return False if there is no such session."""
        return await self.sessions.end(agent_id, session_id)

    async def artifact(self, agent_id: str, id: UUID, *, start: int = 0, length: int = PAGE_CHARACTERS) -> ArtifactPage:
        """Return a page of a whole tool output: `length` characters from `start` on; `Page.next` begins the next.

        Raises:
            UnknownArtifact: this agent has no such artifact. InvalidInput: a page that cannot be.
        """
        return await self.sessions.artifact(agent_id, id, start=start, length=length)

    def _policy_of(self, context: TurnContext) -> Policy:
        """Return the policy that a turn was planned under; over HTTP, a context comes without it."""
        return context.policy or self._policies.for_agent(context.agent_id)

    async def _posted(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        await self.post_turn(context, outcome)
