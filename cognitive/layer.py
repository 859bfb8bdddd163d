"""The layer, the main object of the package: a runtime calls it before and after each turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, MutableMapping, Sequence
from importlib import import_module
from time import time
from typing import TYPE_CHECKING
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from brain.postgres import event_loop
from cognitive.api.memory_methods import MemoryMethods
from cognitive.errors import StoreUnavailable
from cognitive.telemetry.operations import POST_TURN, PRE_TURN, instrument
from cognitive.turn import PAGE_CHARACTERS, Message, Outcome, Turn, TurnContext, TurnRef
from cognitive.validation import async_with, called_as, require_instance, require_sequence

if TYPE_CHECKING:
    from brain.artifacts import ArtifactPage
    from brain.ports import Embedder
    from brain.redacting import Redact
    from cognitive import bootstrap
    from cognitive.api.admin import AdminApi
    from cognitive.api.explain import ExplainApi
    from cognitive.api.health import LayerHealth
    from cognitive.api.policies import PoliciesApi
    from cognitive.api.upkeep import UpkeepApi
    from cognitive.catalog.refine import RefinedTools, ToolChooser
    from cognitive.feedback.capture import Extractor
    from cognitive.formation.model.extractor import ModelExtractor
    from cognitive.lab.why import Explanation
    from cognitive.policy import Policy
    from cognitive.preflight.classifier import Classifier
    from cognitive.session.recent import ResumedSession
    from cognitive.telemetry.metrics import Metrics
    from cognitive.tokens import TokenCounter
    from cognitive.turn import Report
    from cognitive.window.fit import FittedWindow
    from cognitive.window.summary import Summarizer


class CognitiveLayer(MemoryMethods):
    """Selects before every turn what the model should see, and learns after it which memories were used.

    Further methods are in namespaces: `sessions`, `policies`, `explain`, `upkeep` and `admin`; `work` stores an agent's
    plans and subtasks. Call the layer only in `loop`, the event loop that opened it.

    `user_id` names the view of a call. None, the view without a user, sees and writes shared rows. A user's view also
    sees the rows of that user, and writes only these. Some methods take `ALL_USERS`, the operator's view of all rows.
    """

    def __init__(self, services: bootstrap.Services | None = None) -> None:
        if services is None:
            raise TypeError("write `async with CognitiveLayer.open() as layer:`")
        super().__init__(services.agent_memories, services.conversations, services.recall, services.metrics)
        self.sessions = services.sessions
        self.work = services.work
        self._services = services
        self._policies = services.resolver
        self._preparation = services.preparation
        self._outcomes = services.outcomes
        self._background = services.background
        self._settling = services.settling
        self._session_locks: MutableMapping[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()
        self._session_writer = services.session_writer
        self._retention = services.retention
        self._catalog = services.catalog

    @classmethod
    @async_with("async with CognitiveLayer.open() as layer", "with Blocking.open() as layer")
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
        extractor: Extractor | ModelExtractor | None = None,
        metrics: Metrics | None = None,
        redact: Redact | None = None,
    ) -> AsyncIterator[CognitiveLayer]:
        """Open a layer on a Postgres database, and close it at the end of the `async with` block.

        Args:
            database_url: the address; None uses COGNITIVE_DATABASE_URL, or else the embedded server.
            policy: the settings of all agents; None uses the file named by COGNITIVE_POLICY, or else the defaults.
            shadow: a second policy. Every turn is also planned with it in the background, and the difference is stored.
            embedder: replaces the embedding models named by the environment. Pass several while agents change models.
            token_counter: counts tokens; the default estimates them (`cognitive.tokens`). It is tried at once.
            summarizer: summarizes evicted messages after a turn; the default extracts sentences.
            classifier: classifies messages that no category rule matches.
            extractor: makes memories from a completed turn, in addition to those that `Policy.capture` stores: a
                `ModelExtractor(ask)` of a language model, or a function from a `CapturedExchange` to memories.
            metrics: receives counts and durations (`cognitive.telemetry.prometheus`).
            redact: changes every text before it is stored; must take milliseconds (`cognitive.privacy.patterns`).

        Raises:
            SchemaError: the database lacks the extension, the schema or the role; the message says what to do.
            EmbeddedServerError: the bundled server cannot be started.
            PolicyError: the environment names a file that is not a valid policy or model table.
            InvalidInput: `token_counter` has no name, raises, or returns no number of at least 0.
        """
        # imported here and in a thread: it takes longer than other tasks of the event loop should wait
        bootstrap = await asyncio.to_thread(import_module, "cognitive.bootstrap")
        extensions = bootstrap.Extensions(embedder, token_counter, summarizer, classifier, extractor, metrics, redact)
        async with bootstrap.assemble(database_url, policy, shadow, extensions) as services:
            yield cls(services)

    @property
    def policies(self) -> PoliciesApi:
        """Save, compare, activate and roll back policies of agents."""
        return self._services.policies()

    @property
    def explain(self) -> ExplainApi:
        """Explain, replay and list recorded turns."""
        return self._services.explain()

    @property
    def upkeep(self) -> UpkeepApi:
        """List duplicates, contradictions and stale memories."""
        return self._services.upkeep()

    @property
    def admin(self) -> AdminApi:
        """Export, import, check and maintain what is stored."""
        return self._services.admin()

    # --- a turn ---

    @called_as('pre_turn(Turn(agent_id="…", session_id="…", text="…"))')
    @instrument(PRE_TURN)
    async def pre_turn(self, turn: Turn) -> TurnContext:
        """Return what the model should see in this turn, within the policy's deadline.

        A failure of memory never fails the turn: the context then lacks a part, and `degraded` names it.

        Raises:
            WrongEventLoop: the call comes from another event loop than the one that opened the layer.
        """
        event_loop.require(self.loop)
        require_instance("turn", turn, Turn, 'Turn(agent_id="…", session_id="…", text="…")')
        return await self._preparation.prepare(turn)

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
        return await self._preparation.window.fit(context, conversation, iteration, self._policy_of(context))

    async def refine_tools(self, context: TurnContext, model: ToolChooser) -> RefinedTools:
        """Let a small model choose among the turn's tools, if their ranking was uncertain. Return the tools that fit.

        `model` is an async function from a prompt to an answer, with at most `tools.refine_deadline_ms` of the policy.
        This never raises: if the model fails, the result has the tools of the context, and `reason` names the failure.
        """
        if context.tool_selection is None:
            return RefinedTools(context.tools, "not_needed")
        return await self._catalog.refine(context.tool_selection, context.message, model, self._policy_of(context))

    @called_as('post_turn(context, Outcome(response="…"))')
    @instrument(POST_TURN)
    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learn from a turn's outcome and return after the commit. A repeated call counts nothing twice.

        While Postgres is down, the outcome is stored in a local journal, and `Report.recorded` is False. This process,
        or a later one, records the outcome when Postgres is back.

        Raises:
            UnknownTurn: the turn was never opened, or not by this user.
            InvalidInput: an earlier turn with the same id has another text, so the outcome is not stored.
            JournalError: Postgres is down and the journal cannot be written, so the outcome is not stored.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        _require_outcome(context, outcome)
        received_at = time()
        report, session_id = await self._outcomes.post(context, outcome, received_at)
        if session_id is not None:
            self._session_writer.on_outcome(context.scope, session_id, context.turn_id, outcome, received_at)
            self._retention.schedule(context.agent_id)
        return report

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """Run `post_turn` in the background, so that the user need not wait for it.

        Outcomes of one session are stored in the order of these calls, except those of a `TurnRef`. Errors are logged.
        The layer closes only after the outcome is stored or has failed.

        Raises:
            StoreUnavailable: too many outcomes are pending; this one was not accepted.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        _require_outcome(context, outcome)
        name = (*context.scope.key, context.turn_id, str(uuid4()))
        if not self._settling.start(self._post_in_order(context, outcome), *name):
            raise StoreUnavailable("settle: too many outcomes are pending; wait with `flush`, or call `post_turn`")

    async def flush(self, context: TurnContext | TurnRef | None = None) -> None:
        """Wait until the outcomes passed to `settle`, of one turn or of all, are stored, journaled or refused."""
        name = () if context is None else (*context.scope.key, context.turn_id)
        await self._settling.wait_for(*name)

    # --- explanations and sessions ---

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID, *, user_id: str | None = None) -> Explanation:
        """Explain why a memory was shown in a turn, or why it was not.

        Raises:
            UnknownTurn: the agent has no such turn.
        """
        return await self.explain.why(agent_id, turn_id, memory_id, user_id=user_id)

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

    async def _post_in_order(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """Run `post_turn` after the earlier calls of `settle` for the same session."""
        session = context.session_id if isinstance(context, TurnContext) else f"turn {context.turn_id}"
        lock = self._session_locks.setdefault((*context.scope.key, session), asyncio.Lock())
        async with lock:  # admits the waiting tasks in the order of their start
            await self.post_turn(context, outcome)


def _require_outcome(context: TurnContext | TurnRef, outcome: Outcome) -> None:
    """Raise InvalidInput if the arguments of `post_turn` have wrong types, such as a text as the outcome."""
    expected = "the result of pre_turn, or TurnRef(agent_id, turn_id)"
    require_instance("context", context, (TurnContext, TurnRef), expected)
    require_instance("outcome", outcome, Outcome, 'Outcome(response="…")')
