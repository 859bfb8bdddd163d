"""The layer: what a runtime calls before and after each turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter, time
from uuid import uuid4

from brain.deadline import Deadline
from brain.ports import Embedder
from brain.postgres import loops
from brain.postgres.patience import patient
from brain.redacting import Redact
from brain.types import MemoryType
from cognitive import bootstrap, fail_open
from cognitive.arguments import require_aware, require_label
from cognitive.catalog.refine import Chooser, Refined
from cognitive.context.retrieve import Filters
from cognitive.errors import InvalidInput, StoreUnavailable
from cognitive.feedback.capture import Extractor
from cognitive.lab.questions import Questions
from cognitive.policy import Policy
from cognitive.preflight.classifier import Classifier
from cognitive.preflight.plan import Sections, sections
from cognitive.preflight.planner import hinted
from cognitive.preparation import Preparation, timed
from cognitive.privacy import redaction
from cognitive.prompt import without_injected
from cognitive.recall import recall
from cognitive.session.continuity import Talk
from cognitive.session.work import Work
from cognitive.surface.checks import Checks
from cognitive.surface.languages import Languages
from cognitive.surface.memories import Memories
from cognitive.surface.models import Models
from cognitive.surface.policies import Policies
from cognitive.surface.record import Record
from cognitive.surface.sessions import Sessions as SessionSurface
from cognitive.surface.state import State
from cognitive.surface.transfer import Transfer
from cognitive.telemetry.metrics import Metrics
from cognitive.telemetry.operations import POST_TURN, PRE_TURN, RECALL, observed
from cognitive.tokens import TokenCounter
from cognitive.turn import LONGEST_MESSAGE, Message, Outcome, RecallHit, Report, Turn, TurnContext, TurnRef
from cognitive.window.fit import Window
from cognitive.window.summary import Summarizer


class CognitiveLayer(Memories, Transfer, SessionSurface, Record, Models, Languages, State, Checks):
    """Decides before every turn what the model should see, and learns after it what was worth showing.

    `questions` answers what else may be asked of recorded turns; `work` keeps an agent's plans and subtasks; `habits`
    knows, and forgets, what turns taught about categories and tools; `policies` saves policies and says which holds;
    `figures` reads what a dashboard shows. `loop` is the event loop that it was opened in, the only one that it may be
    called in.
    """

    def __init__(self, parts: bootstrap.Parts) -> None:
        self._parts = parts
        self.loop = asyncio.get_running_loop()
        self.work = Work(parts.policy, parts.sessions, parts.subtasks, parts.store, parts.turns, parts.engine)
        self.questions = Questions(parts.turns, parts.store, parts.contents, parts.counter)
        self.habits = parts.habits
        self.figures = parts.figures
        self.policies = Policies(parts)
        self.forgetting = parts.forgetting

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
        plugins = bootstrap.Plugins(embedder, token_counter, summarizer, classifier, extractor, metrics, redact)
        async with bootstrap.assemble(database_url, policy, shadow, plugins) as parts:
            yield cls(parts)

    @observed(PRE_TURN)
    async def pre_turn(self, turn: Turn) -> TurnContext:
        """What the model should see in this turn, within the policy's deadline.

        It never fails because memory does: what cannot be had in time is missing, and `degraded` says so.

        Raises:
            WrongEventLoop: called from another event loop than the one that the layer was opened in.
        """
        loops.require(self.loop)
        began, deadline = perf_counter(), Deadline(self._parts.policy.for_agent(turn.agent_id).deadline_ms)
        policy = await self._parts.policy.current(turn.agent_id)
        begun = Preparation.of(turn, deadline, policy)
        talking = asyncio.create_task(fail_open.talk(self._parts, begun))
        heard, withheld = await redaction.heard_in_time(begun.turn, self._parts.redactor, deadline)
        plan, built = await fail_open.memory(self._parts, replace(begun, turn=heard), talking)
        offer, untrimmed = await fail_open.offer(self._parts, begun, plan, built)
        talk = await talking
        context = begun.context(
            hinted(plan, offer, policy), built, offer, talk,
            degraded=(*withheld, *built.degraded, *talk.degraded, *untrimmed),
            heard=heard.text if heard is not begun.turn else None,
            embedding=self._parts.embedders.of(turn.agent_id).model,
        )  # fmt: skip
        if not begun.planned:
            return context
        context = await fail_open.recorded(self._parts, begun, timed(context, began))
        self._parts.continuity.opened(talk.sent)
        self._parts.shadowing.follow(turn.agent_id, context.turn_id, built)
        return context

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> Window:
        """The window over a conversation that has grown within a turn, before the model is called again.

        For loops of tool calls: `conversation` is all that the model would see, with the turn's own message, its calls
        and their results; `iteration` is the number of the call, None to count them. No memory is fetched and no model
        called; the bounds are those of `pre_turn`, and whole outputs are kept as there. It is never late: what cannot
        be made in time is the newest messages, cut, and `trace.degraded` says so.

        Raises:
            InvalidInput: a conversation of something else than messages.
            WrongEventLoop: as in `pre_turn`.
        """
        loops.require(self.loop)
        if not all(isinstance(message, Message) for message in conversation):
            raise InvalidInput("conversation: expected Message values")
        if not any(message.role == "user" for message in conversation):
            conversation = [Message(role="user").model_copy(update={"content": context.message}), *conversation]
        policy = context.policy or self._parts.policy.for_agent(context.agent_id)
        return await fail_open.window(self._parts, Talk.within(context, tuple(conversation), iteration), policy)

    @observed(POST_TURN)
    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learns from a turn's outcome, once, whatever is retried. Returns after the commit.

        While Postgres is away the outcome is kept in a local journal, synced, and `Report.recorded` is False: it is
        counted when Postgres is back, by this process or by the next one.

        Raises:
            UnknownTurn: it was never opened.
            JournalError: Postgres is away and the journal cannot be written: the outcome is not safe.
            WrongEventLoop: as in `pre_turn`.
        """
        loops.require(self.loop)
        if self._parts.policy.for_agent(context.agent_id).dedup:
            self._parts.arrivals.enqueue(context.agent_id, without_injected(outcome.response))
        told_at = time()
        report = await self._parts.settlement.post(context, outcome, told_at)
        if report.recorded:
            self._parts.continuity.closed(context.agent_id, context.turn_id, outcome, told_at)
            self._parts.retaining.look(context.agent_id)
        return report

    def settle(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        """`post_turn` in the background, for a host whose user shall not wait for it.

        What goes wrong with it is logged. The layer does not close before it is done.

        Raises:
            StoreUnavailable: too many outcomes are on their way; this one is not.
            WrongEventLoop: as in `pre_turn`.
        """
        loops.require(self.loop)
        name = (context.agent_id, context.turn_id, str(uuid4()))
        if not self._parts.settling.start(self._posted(context, outcome), *name):
            raise StoreUnavailable("settle: too many outcomes are on their way to Postgres or to the journal")

    async def settled(self, context: TurnContext | TurnRef | None = None) -> None:
        """Returns when every outcome handed to `settle`, or a turn's, is counted, safe in the journal, or refused."""
        name = () if context is None else (context.agent_id, context.turn_id)
        await self._parts.settling.ended(*name)

    @observed(RECALL)
    @patient
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
        """Memories for a query of the model's own, best first; see `cognitive.recall`.

        Raises:
            InvalidInput: a query or a filter that cannot be searched with; the message names it.
            WrongEventLoop: as in `pre_turn`.
        """
        loops.require(self.loop)
        require_label("agent_id", agent_id)
        require_label("query", query, longest=LONGEST_MESSAGE)
        for name, value in (("turn_id", turn_id), ("session_id", session_id), *(("tags", tag) for tag in tags)):
            if value is not None:
                require_label(name, value)
        for name, at in (("now", now), ("since", since), ("until", until)):
            require_aware(name, at)
        return await recall(
            agent_id, query, engine=self._parts.engine, policy=await self._parts.policy.current(agent_id),
            store=self._parts.store, turns=self._parts.turns, now=now or datetime.now(UTC), memory_type=memory_type,
            limit=limit, turn_id=turn_id, filters=Filters(tuple(tags), session_id, since, until),
        )  # fmt: skip

    async def refine_tools(self, context: TurnContext, model: Chooser) -> Refined:
        """Lets a small model choose among a turn's tools where ranking was not sure which to cut, within the policy's
        `refine_deadline_ms`; the choice is fitted to the budget again.

        `model` is any async callable from a prompt to an answer. It never fails: whatever goes wrong leaves the tools
        as they are in the context, and `reason` says what it was.
        """
        if context.offer is None:
            return Refined(context.tools, "not_needed")
        policy = context.policy or self._parts.policy.for_agent(context.agent_id)
        return await self._parts.catalog.refine(context.offer, context.message, model, policy)

    def sections(self, context: TurnContext, named: Mapping[str, Collection[str]]) -> Sections:
        """Which parts of a system prompt this turn's plan keeps, each given by its name with its categories."""
        return sections(named, context.plan, context.policy or self._parts.policy.for_agent(context.agent_id))

    async def _posted(self, context: TurnContext | TurnRef, outcome: Outcome) -> None:
        await self.post_turn(context, outcome)
