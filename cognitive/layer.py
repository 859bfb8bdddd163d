"""The layer, the main object of the package: a runtime calls it before and after each turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from time import time
from typing import Any
from uuid import UUID, uuid4

from brain.artifacts import ArtifactPage
from brain.ports import Embedder
from brain.postgres import event_loop
from brain.postgres.breaker import waits_for_recovery
from brain.receipts import Receipt
from brain.redacting import Redact
from brain.store import Progress
from brain.types import Memory, MemoryType, NewMemory, Trust
from brain.users import Scope, UserId
from cognitive import bootstrap
from cognitive.api.health import LayerHealth
from cognitive.api.sessions import PAGE_CHARACTERS
from cognitive.catalog.refine import RefinedTools, ToolChooser
from cognitive.errors import StoreUnavailable
from cognitive.feedback.capture import Extractor
from cognitive.feedback.conversations import RememberedConversation
from cognitive.lab.why import Explanation
from cognitive.pipeline import TurnRequest, create_context
from cognitive.policy import Policy
from cognitive.preflight.classifier import Classifier
from cognitive.prompt import without_injected
from cognitive.recall import recall_filter
from cognitive.recall_hits import RecallHits
from cognitive.session.recent import ResumedSession
from cognitive.telemetry.metrics import Metrics
from cognitive.telemetry.operations import ERASE, FORGET, POST_TURN, PRE_TURN, RECALL, REMEMBER, UPDATE, instrument
from cognitive.tokens import TokenCounter
from cognitive.turn import Message, Outcome, Report, Turn, TurnContext, TurnRef
from cognitive.validation import require_instance, require_sequence
from cognitive.window.fit import FittedWindow
from cognitive.window.summary import Summarizer


class CognitiveLayer:
    """Selects before every turn what the model should see, and learns after it which memories were used.

    Further methods are in namespaces: `sessions`, `policies`, `explain`, `upkeep` and `admin`; `work` stores an agent's
    plans and subtasks. Call the layer only in `loop`, the event loop that opened it.

    `user_id` names the view of a call. None, the view without a user, sees and writes shared rows. A user's view also
    sees the rows of that user, and writes only these. Where its type admits `ALL_USERS`, that is the operator's view.
    """

    def __init__(self, services: bootstrap.Services) -> None:
        self.loop = asyncio.get_running_loop()
        self.sessions = services.sessions
        self.policies = services.policies
        self.explain = services.explain
        self.upkeep = services.upkeep
        self.admin = services.admin
        self.work = services.work
        self._policies = services.resolver
        self._window = services.window
        self._memories = services.memories
        self._tools = services.tools
        self._recorder = services.recorder
        self._prefetch = services.prefetch
        self._outcomes = services.outcomes
        self._former = services.former
        self._conversations = services.conversations
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
        """Open a layer on a Postgres database, and close it at the end of the `async with` block.

        Args:
            database_url: the address; None uses COGNITIVE_DATABASE_URL, or else the embedded server.
            policy: the settings of all agents; None uses the file named by COGNITIVE_POLICY, or else the defaults.
            shadow: a second policy. Every turn is also planned with it in the background, and the difference is stored.
            embedder: replaces the embedding models named by the environment. Pass several while agents change models.
            token_counter: counts tokens; the default estimates them (`cognitive.tokens`).
            summarizer: summarizes evicted messages after a turn; the default extracts sentences.
            classifier: classifies messages that no category rule matches.
            extractor: makes memories from a completed turn, in addition to those that `Policy.capture` stores.
            metrics: receives counts and durations (`cognitive.telemetry.prometheus`).
            redact: changes every text before it is stored; must take milliseconds (`cognitive.privacy.patterns`).

        Raises:
            SchemaError: the database lacks the extension, the schema or the role; the message says what to do.
            EmbeddedServerError: the bundled server cannot be started.
            PolicyError: the environment names a file that is not a valid policy or model table.
        """
        extensions = bootstrap.Extensions(embedder, token_counter, summarizer, classifier, extractor, metrics, redact)
        async with bootstrap.assemble(database_url, policy, shadow, extensions) as services:
            yield cls(services)

    # --- a turn ---

    @instrument(PRE_TURN)
    async def pre_turn(self, turn: Turn) -> TurnContext:
        """Return what the model should see in this turn, within the policy's deadline.

        A failure of memory never fails the turn: the context then lacks a part, and `degraded` names it.

        Raises:
            WrongEventLoop: the call comes from another event loop than the one that opened the layer.
        """
        event_loop.require(self.loop)
        require_instance("turn", turn, Turn, 'Turn(agent_id="…", session_id="…", text="…")')
        request = await TurnRequest.create(turn, self._policies)
        try:
            async with asyncio.TaskGroup() as tasks:  # the parts fail open, so that none cancels another
                window_task = tasks.create_task(self._window.build(request))
                plan, memories = await self._memories.fetch(request, window_task)
                tools = await self._tools.select(request, plan, memories)
        except ExceptionGroup as defects:  # a defect of ours: a part raised after all
            raise defects.exceptions[0] from None
        window = window_task.result()
        context = create_context(request, plan, memories, tools, window)
        self._former.make_up(turn.agent_id)
        return await self._recorder.record(request, context, memories, window) if request.planned else context

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> FittedWindow:
        """Fit a conversation that has grown within a turn into the window, before the model is called again.

        Use this in a loop of tool calls. It fetches no memories and calls no model. As in `pre_turn`, the window has
        the policy's limits, and long outputs are stored as artifacts. If it cannot finish in time, the result is the
        newest messages, truncated, and `trace.degraded` says so.

        Args:
            context: the result of `pre_turn`.
            conversation: all messages that the model would see, with the turn's message, its tool calls and results.
            iteration: the number of this model call within the turn; None counts the calls.

        Raises:
            InvalidInput: `conversation` contains something other than messages.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        require_instance("context", context, TurnContext, "the result of pre_turn")
        for message in require_sequence("conversation", conversation, "Message values"):
            require_instance("conversation", message, Message, 'Message(role="user", content="…") values')
        if not any(message.role == "user" for message in conversation):
            conversation = [Message(role="user").model_copy(update={"content": context.message}), *conversation]
        return await self._window.fit(context, conversation, iteration, self._policy_of(context))

    async def refine_tools(self, context: TurnContext, model: ToolChooser) -> RefinedTools:
        """Let a small model choose among the turn's tools, if their ranking was uncertain. Return the tools that fit.

        `model` is an async function from a prompt to an answer, with at most `tools.refine_deadline_ms` of the policy.
        This never raises: if the model fails, the result has the tools of the context, and `reason` names the failure.
        """
        if context.tool_selection is None:
            return RefinedTools(context.tools, "not_needed")
        return await self._catalog.refine(context.tool_selection, context.message, model, self._policy_of(context))

    @instrument(POST_TURN)
    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learn from a turn's outcome and return after the commit. A repeated call counts nothing twice.

        While Postgres is down, the outcome is stored in a local journal, and `Report.recorded` is False. This process,
        or a later one, records the outcome when Postgres is back.

        Raises:
            UnknownTurn: the turn was never opened, or not by this user.
            JournalError: Postgres is down and the journal cannot be written, so the outcome is not stored.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        _require_outcome(context, outcome)
        if self._policies.for_agent(context.agent_id).dedup.enabled:
            self._prefetch.enqueue(context.agent_id, without_injected(outcome.response))
        received_at = time()
        report = await self._outcomes.post(context, outcome, received_at)
        if report.recorded:
            self._session_manager.on_outcome(context.scope, context.turn_id, outcome, received_at)
            self._retention.schedule(context.agent_id)
        return report

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """Run `post_turn` in the background, so that the user need not wait for it.

        Errors are logged. The layer closes only after the outcome is stored or has failed.

        Raises:
            StoreUnavailable: too many outcomes are pending; this one was not accepted.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        _require_outcome(context, outcome)
        name = (*context.scope.key, context.turn_id, str(uuid4()))
        if not self._settling.start(self._posted(context, outcome), *name):
            raise StoreUnavailable("settle: too many outcomes are pending; wait with `flush`, or call `post_turn`")

    async def flush(self, context: TurnContext | TurnRef | None = None) -> None:
        """Wait until the outcomes passed to `settle`, of one turn or of all, are stored (or journaled), or refused."""
        name = () if context is None else (*context.scope.key, context.turn_id)
        await self._settling.wait_for(*name)

    # --- memories ---

    @instrument(REMEMBER)
    @waits_for_recovery
    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories, one transaction per batch, and return their ids in order.

        A memory that already exists is not changed, and its id is returned. Memories are the same if agent, user, type
        and source are equal or, without a source, agent, user, type, speaker, session, time and content.

        Raises:
            InvalidInput: a memory is invalid; the message names it, and nothing of its batch is stored.
        """
        return await self._agent_memories.remember(agent_id, memories, progress=progress)

    @waits_for_recovery
    async def remember_conversation(
        self,
        agent_id: str,
        messages: Sequence[Message | Mapping[str, Any]],
        *,
        user_id: str | None = None,
        session_id: str = "imported",
        now: datetime | None = None,
    ) -> RememberedConversation:
        """Store the exchanges of a conversation as captured lines, and the memories that the rules form from them.

        `messages` have a role and content, and may have the time `at`; `now` is when the conversation ended. Exchanges
        that are stored already, also from a shorter version of the conversation, are left unchanged. The policy's
        `capture` says which lines are stored; with "off", the user's and the assistant's.

        Raises:
            InvalidInput: an id or a message is invalid; nothing is stored.
            StoreUnavailable: Postgres is unavailable; repeat the call.
        """
        return await self._conversations.remember(Scope.of_one(agent_id, user_id), messages, session_id, now)

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
        where: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        user_id: str | None = None,
        related_only: bool = False,
    ) -> RecallHits:
        """Return at most `limit` memories for a query, best first; this is the recall tool of the model.

        The result is a tuple; there are at least as many further memories as its attribute `more` says. Memories with
        nearly the same text are one hit, whose `count` says how many they are.

        Args:
            agent_id: the agent whose memories are searched.
            query: the text to search for.
            memory_type: restricts the search to one type.
            limit: the maximum number of memories, 1 to 200.
            turn_id: the turn in which the model asks. Memories that its prompt already shows are left out, and the
                results count as shown in it.
            now: the time for decay and relative dates; None is the current time.
            tags: only memories with at least one of these tags.
            session_id: only memories of this session.
            since: only memories from this time on.
            until: only memories before this time.
            where: only memories that meet these conditions, as in `{"metadata.priority": {"gte": 3}}`; see
                `brain.filters`.
            as_of: only memories that were visible at this time, which must not be after `now`: they had occurred, and
                were not hidden (superseded, retired, expired, merged) yet.
            user_id: the user whose memories are searched beside the shared ones; None searches shared ones only.
            related_only: leave out memories that share no word with the query and whose vector is far from it.

        Raises:
            InvalidInput: the query or a filter is invalid; the message names it.
            RecallClosed: the policy disables the tool in this turn.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        filters = recall_filter(where, tags, session_id, since, until, as_of, now)
        return await self._recall.search(
            Scope.of_one(agent_id, user_id),
            query,
            memory_type,
            limit,
            turn_id,
            now,
            filters,
            related_only=related_only,
        )

    async def get(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> list[Memory]:
        """Return the memories with these ids that the view sees, in the order of `ids`; unknown ids are skipped."""
        return await self._agent_memories.get(Scope.of(agent_id, user_id), ids)

    @instrument(UPDATE)
    @waits_for_recovery
    async def update(
        self, /, agent_id: str, id: UUID, *, by: Trust = "host", user_id: UserId = None, **changes: Any
    ) -> Memory:
        """Change fields of a memory and return it.

        All fields of `NewMemory` can be changed except type, session_id, source and supersedes.

        `by` is the trust level of the author, who cannot change a memory with more trust, nor give a memory more trust.

        Raises:
            UnknownMemory: the agent has no such memory.
            InvalidInput: a field that cannot be changed, an invalid value, or a memory with more trust than `by`.
        """
        return await self._agent_memories.update(Scope.of(agent_id, user_id), id, by=by, **changes)

    @waits_for_recovery
    async def rate(
        self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool, user_id: str | None = None
    ) -> None:
        """Store a user's rating of a memory that a turn showed.

        It weighs as much as `feedback.rating_weight` measured showings, by the policy of the turn.

        Raises:
            InvalidInput: the turn did not show this memory.
        """
        await self._agent_memories.rate(Scope.of_one(agent_id, user_id), turn_id, memory_id, useful=useful)

    @waits_for_recovery
    async def retire(
        self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Hide memories from now on, and return them with their new state; `restore` shows them again.

        `by` is the trust level of the author, who cannot hide or show a memory with more trust.

        Raises:
            UnknownMemory: the agent does not have one of the ids; nothing is changed.
            InvalidInput: a memory is hidden already, or has more trust than `by`; nothing is changed.
        """
        return await self._agent_memories.retire(Scope.of(agent_id, user_id), ids, by=by)

    @waits_for_recovery
    async def merge(
        self, agent_id: str, ids: Sequence[UUID], into: UUID, *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Hide memories that say the same as the memory `into`, and return them; `restore` shows them again.

        Raises:
            UnknownMemory, InvalidInput: as in `retire`; also if a memory has another type than `into`.
        """
        return await self._agent_memories.merge(Scope.of(agent_id, user_id), ids, into, by=by)

    @waits_for_recovery
    async def restore(
        self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Show hidden memories again, as if nothing had hidden them, and return them. A past expiry is removed.

        Raises:
            UnknownMemory, InvalidInput: as in `retire`; also if a memory is not hidden.
        """
        return await self._agent_memories.restore(Scope.of(agent_id, user_id), ids, by=by)

    @instrument(FORGET)
    @waits_for_recovery
    async def forget(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> Receipt:
        """Erase memories and everything derived from them; the receipt counts the deleted and changed rows.

        Their text is removed from turns, from the summaries and last messages of sessions, from artifacts and subtasks,
        from this machine's journal and from the caches of this process. Other memories that state the same, and that a
        caller stored, are kept; the receipt counts them as `restated`.

        Raises:
            UnknownMemory: the agent does not have one of the ids; nothing is erased.
        """
        return await self._agent_memories.forget(Scope.of(agent_id, user_id), ids)

    @waits_for_recovery
    async def share(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId) -> list[UUID]:
        """Store a shared copy of each of a user's memories, and return the ids of the copies.

        It is for hosts and operators. A copy names its origin in `source`, as `shared:ID`; it is neither pinned nor
        part of a session. Erasing the origin does not erase it.

        Raises:
            UnknownMemory: the view has no memory with one of the ids; nothing is stored.
            InvalidInput: a memory is shared already; nothing is stored.
        """
        return await self._agent_memories.share(Scope.of(agent_id, user_id), ids)

    @instrument(ERASE)
    @waits_for_recovery
    async def forget_user(self, agent_id: str, user_id: str) -> Receipt:
        """Erase all data of a user, in Postgres and in this machine's journal. The receipt counts the erased rows.

        Rows of other users and shared rows stay.
        """
        return await self._agent_memories.forget_user(agent_id, user_id)

    @instrument(ERASE)
    @waits_for_recovery
    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erase all data of an agent, in Postgres and in this machine's journal. The receipt counts the erased rows."""
        return await self._agent_memories.erase_agent(agent_id)

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID, *, user_id: str | None = None) -> Explanation:
        """Return the explanation why a memory was shown in a turn, or why it was not.

        Raises:
            UnknownTurn: the agent has no such turn.
        """
        return await self.explain.why(agent_id, turn_id, memory_id, user_id=user_id)

    # --- sessions ---

    async def resume(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> ResumedSession | None:
        """Return the summary, last messages and plan from which a session continues, or None if it is unknown."""
        return await self.sessions.resume(agent_id, session_id, user_id=user_id)

    async def end_session(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> bool:
        """Mark a session as ended. Return False if there is no such session."""
        return await self.sessions.end(agent_id, session_id, user_id=user_id)

    async def artifact(
        self,
        agent_id: str,
        id: UUID,
        *,
        start: int = 0,
        length: int = PAGE_CHARACTERS,
        user_id: str | None = None,
    ) -> ArtifactPage:
        """Return a page of a stored tool output: `length` characters from offset `start`.

        `ArtifactPage.next` is the offset of the next page.

        Raises:
            UnknownArtifact: the agent has no such artifact.
            InvalidInput: `start` or `length` is out of range.
        """
        return await self.sessions.artifact(agent_id, id, start=start, length=length, user_id=user_id)

    async def health(self) -> LayerHealth:
        """Check the database, the journal and the embedding model, as `cognitive doctor` does.

        An unreachable database is a finding with a remedy. Errors are returned as findings, not raised.
        """
        return await self.admin.health()

    def _policy_of(self, context: TurnContext) -> Policy:
        """Return the policy that the turn was planned with, or the current one if the context came over HTTP."""
        return context.policy or self._policies.for_agent(context.agent_id)

    async def _posted(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        await self.post_turn(context, outcome)


def _require_outcome(context: TurnContext | TurnRef, outcome: Outcome) -> None:
    """Raise InvalidInput if the arguments of `post_turn` have other types, such as a text as the outcome."""
    expected = "the result of pre_turn, or TurnRef(agent_id, turn_id)"
    require_instance("context", context, (TurnContext, TurnRef), expected)
    require_instance("outcome", outcome, Outcome, 'Outcome(response="…")')
