"""What comes of a turn: counted at once, or kept in the journal when Postgres is away and counted later, once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from brain.deadline import Deadline
from brain.erasure.residue import Residue
from brain.errors import EmbeddingError, InvalidInput, JournalError, StoreError, UnknownTurn
from brain.journal import Journal, JournalEntry, read, written
from brain.redacting import UNREDACTED, WITHHELD, Redactor
from brain.text import storable
from brain.turn_records import Decoy, ExposureRow, OpenTurn, PlannedTurn, StillWanted, TurnJudgement, TurnMessage
from brain.turns import TurnLog
from cognitive.context.dedup import excerpt
from cognitive.feedback import attribute
from cognitive.feedback.capture import Capture, CapturedExchange
from cognitive.feedback.strip_quotes import texts
from cognitive.policy import Policy
from cognitive.policy.resolver import PolicyResolver
from cognitive.privacy import redaction
from cognitive.recording.record import opened
from cognitive.turn import Outcome, Report, ToolCall, TurnContext, TurnRef

Excerpts = Mapping[str, Sequence[tuple[int, int]]]  # by memory: offsets of what was shown of it

log = logging.getLogger(__name__)

_MAX_CALLED = 100  # names that are kept of a turn; what calls more is a loop, and says nothing of the message


class OutcomeRecorder:
    """The one way by which outcomes are counted, whether the host brings them or the journal does."""

    def __init__(
        self,
        turns: TurnLog,
        journal: Journal,
        policy: PolicyResolver,
        capture: Capture,
        redactor: Redactor = UNREDACTED,
    ) -> None:
        self._turns = turns
        self._journal = journal
        self._policy = policy
        self._capture = capture
        self._redactor = redactor
        self._keeping: set[asyncio.Task[None]] = set()
        self.has_pending = True  # the journal may hold something; a look will tell
        self.wake_up = asyncio.Event()  # it does since a moment ago, or Postgres is back

    async def post(self, context: TurnContext | TurnRef, outcome: Outcome, received_at: float) -> Report:
        """Counts an outcome within the policy's deadline, or keeps it in the journal: it is safe either way.

        `received_at` is when it came in, in seconds since the epoch.

        Raises:
            UnknownTurn: it was never opened.
            JournalError: Postgres is away and the journal cannot be written: the outcome is not safe.
        """
        opening = opened(context) if isinstance(context, TurnContext) else None
        deadline = Deadline(self._policy.for_agent(context.agent_id).deadlines.post_turn_ms)
        outcome = await redaction.redact_outcome_in_time(outcome, self._redactor, deadline)
        try:
            report = await deadline.within(
                self._count(context.agent_id, context.turn_id, outcome, opening, received_at)
            )
        except (StoreError, EmbeddingError, TimeoutError) as error:
            log.warning("turn %s goes to the journal: %s", context.turn_id, str(error) or "no answer in time")
            first = await self._keep(context.agent_id, context.turn_id, opening, outcome)
            return Report(context.turn_id, (), recorded=False, duplicate=not first)
        if self.has_pending:
            self.wake_up.set()
        return report

    def keep_opening(self, agent_id: str, opening: OpenTurn) -> None:
        """Keeps an opened turn in the journal in the background, so that whoever brings its outcome is understood."""
        task = asyncio.create_task(self._keep_quietly(agent_id, opening))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def flush(self) -> None:
        """Returns when all that is on its way to the journal is there."""
        await asyncio.gather(*self._keeping)

    async def drain(self, entry: JournalEntry) -> None:
        """Settles a journal entry and removes it, after the commit; one that never can be is parked with the reason.

        Raises:
            StoreError: Postgres is away or refuses; the entry stays.
        """

        async def still() -> bool:
            return await asyncio.to_thread(self._journal.holds, entry)

        try:
            opening, outcome = _read(entry)
            if outcome is not None:
                await self._settle(entry.agent_id, entry.turn_id, outcome, opening, _came_in(opening), still)
            elif opening is not None:
                minutes = self._policy.for_agent(entry.agent_id).feedback.abandon_after_minutes
                await self._turns.open(
                    entry.agent_id, opening, abandon_after_minutes=minutes, durable=True, still=still
                )
        except InvalidInput as error:
            if isinstance(error, UnknownTurn) and entry.opening is not None:  # its agent was erased, from wherever
                await asyncio.to_thread(self._journal.remove, entry)
            elif await still():  # or somebody else has settled it, or the agent was erased
                log.error("turn %s stays in the journal %s: %s", entry.turn_id, self._journal.path, error)
                await asyncio.to_thread(self._journal.park, entry, str(error))
        else:
            await asyncio.to_thread(self._journal.remove, entry)

    async def erase(self, agent_id: str) -> int:
        """Removes all that the journal keeps of an agent, and returns how many turns that were.

        Done before the agent is erased in Postgres, it cannot come back: whoever drains asks in its transaction
        whether the entry is still there, and Postgres lets the erasure in only after that.
        """
        await self._capture.stop(agent_id)
        await self.flush()
        return await asyncio.to_thread(self._journal.erase, agent_id)

    async def forget(self, agent_id: str, remains: Residue) -> int:
        """Leaves what the journal keeps of an agent without what is about to be erased. Returns of how many turns.

        Whoever is draining one of them finds it gone, or stores nothing of what it said: that was read before.
        """
        await self._capture.wait_for(agent_id)
        await self.flush()
        return await asyncio.to_thread(self._journal.cut, agent_id, remains)

    async def _count(
        self, agent_id: str, turn_id: str, outcome: Outcome, opening: OpenTurn | None, received_at: float
    ) -> Report:
        """Settles an outcome with what the journal knows of its turn: one that was acknowledged before stands."""
        known, earlier = await self._known(agent_id, turn_id)
        opening, since = opening or known, received_at if earlier is None else _came_in(known)
        report = await self._settle(agent_id, turn_id, earlier or outcome, opening, since)
        return report if earlier is None else replace(report, duplicate=True)

    async def _known(self, agent_id: str, turn_id: str) -> tuple[OpenTurn | None, Outcome | None]:
        try:
            entry = await asyncio.to_thread(self._journal.find, agent_id, turn_id)
            return _read(entry) if entry is not None else (None, None)
        except (JournalError, InvalidInput) as error:  # what cannot be read must not stop what can be counted
            log.warning("the journal does not help with turn %s: %s", turn_id, error)
            return None, None

    async def _settle(
        self,
        agent_id: str,
        turn_id: str,
        outcome: Outcome,
        opening: OpenTurn | None,
        received_at: float | None,
        still: StillWanted | None = None,
    ) -> Report:
        """Opens the turn unless it is there, judges what it showed and closes it, in one transaction.

        What it taught is a matter of the policy it was planned under, whenever its outcome comes; what may be kept of
        it is one of the policy that holds.
        """
        holds = self._policy.for_agent(agent_id)
        excerpts = await self._excerpts(agent_id, turn_id, opening)

        async def judge(shown: Sequence[ExposureRow], decoys: Sequence[Decoy], planned: PlannedTurn) -> TurnJudgement:
            policy = attribute.planned_under(planned.policy, holds)
            seen = [_as_shown(memory, excerpts) for memory in shown]
            # a response of megabytes takes seconds, which the event loop has not
            return await asyncio.to_thread(attribute.judge_all, seen, decoys, planned.message, outcome, policy)

        closed = await self._turns.close(
            agent_id,
            turn_id,
            outcome.status,
            judge,
            opening=opening,
            still=still,
            received_at=received_at,
            tools_called=_called(outcome),
            response=_response(outcome, holds),
        )
        if closed is None:
            raise UnknownTurn(f"turn_id: agent {agent_id!r} has no turn {turn_id!r}")
        if outcome.status == "completed" and self._capture.wants(agent_id):
            anew = closed.first or still is not None  # from the journal, the first try may have failed
            await self._captured(agent_id, turn_id, outcome, closed.message, anew)
        return Report(turn_id, attribute.attributions(closed.judgements), recorded=True, duplicate=not closed.first)

    async def _captured(self, agent_id: str, turn_id: str, outcome: Outcome, said: TurnMessage, anew: bool) -> None:
        """What the turn said. Told again, it may be that a crash came between its closing and this: what is there
        already stays, and the extractor is not asked again.
        """
        if not anew and said.status != "completed":
            return
        answered = WITHHELD if said.withheld else outcome.response
        exchange = CapturedExchange(agent_id, said.session_id, turn_id, said.at, said.message, answered, said.user_id)
        await self._capture.keep(exchange, said.read_at, extract=anew)

    async def _excerpts(self, agent_id: str, turn_id: str, opening: OpenTurn | None) -> Excerpts:
        """What was shown of the memories that the turn shortened, as it was recorded when it opened."""
        if opening is not None:
            return opening.trace.get("excerpts") or {}
        turn = await self._turns.turn(agent_id, turn_id)
        return turn.excerpts if turn is not None else {}

    async def _keep(self, agent_id: str, turn_id: str, opening: OpenTurn | None, outcome: Outcome | None) -> bool:
        """Puts what there is into the journal. False if it was there. Cancelled meanwhile, it is there all the same."""
        first = await asyncio.to_thread(
            self._journal.put,
            agent_id,
            turn_id,
            opening=written(opening) if opening is not None else None,
            outcome=_kept(outcome).model_dump_json() if outcome is not None else None,
        )
        if not self.has_pending:
            self.has_pending = True
            self.wake_up.set()
        return first

    async def _keep_quietly(self, agent_id: str, opening: OpenTurn) -> None:
        try:
            await self._keep(agent_id, opening.turn_id, opening, None)
        except JournalError as error:
            log.warning("turn %s is recorded with its outcome or not at all: %s", opening.turn_id, error)


def _came_in(opening: OpenTurn | None) -> float | None:
    """Since when an outcome that was kept may have been there: not before its turn. None if that is not known here."""
    return opening.received_at if opening is not None else None


def _as_shown(memory: ExposureRow, excerpts: Excerpts) -> ExposureRow:
    """A memory with the words that the prompt showed of it: the others earn it nothing."""
    spans = excerpts.get(str(memory.memory_id))
    if not spans or memory.content is None or memory.via != "prompt":
        return memory
    return replace(memory, content=excerpt(memory.content, spans))


def _called(outcome: Outcome) -> list[str]:
    """The tools that were called, each once, in the order of their first call."""
    return list(dict.fromkeys(call.name for call in outcome.tool_calls))[:_MAX_CALLED]


def _response(outcome: Outcome, policy: Policy) -> str | None:
    """What is kept of a response, if anything."""
    return outcome.response[: policy.retention.max_response_chars] or None if policy.retention.keep_responses else None


def _kept(outcome: Outcome) -> Outcome:
    """An outcome with the texts of what its tools returned, which may have no other form as text: what the response
    quotes of them proves no use.
    """
    calls = (
        ToolCall(name=call.name, result=[storable(text) for text in texts(call.result)]) for call in outcome.tool_calls
    )
    return outcome.model_copy(update={"tool_calls": tuple(calls)})


def _read(entry: JournalEntry) -> tuple[OpenTurn | None, Outcome | None]:
    opening = read(entry.opening) if entry.opening is not None else None
    try:
        outcome = Outcome.model_validate_json(entry.outcome) if entry.outcome is not None else None
    except ValueError as error:  # whose text quotes the outcome
        raise InvalidInput(f"turn_id: what is kept of {entry.turn_id!r} is not an outcome") from error
    return opening, outcome
