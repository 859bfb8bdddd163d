"""Record the outcome of a turn, once: in Postgres, or in the journal (a local file) while Postgres is unavailable.

`OutcomeRecorder` closes the turn, decides which shown memories the response used, and stores the exchange as memories.
Outcomes that the host reports and outcomes that are read from the journal take the same path.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from brain.deadline import Deadline
from brain.erasure.residue import Residue
from brain.errors import EmbeddingError, InvalidInput, JournalError, StoreError, UnknownTurn
from brain.journal import Journal, JournalEntry
from brain.judgements import Decoy, ExposureRow, PlannedTurn, TurnJudgement
from brain.opened_turns import written
from brain.redacting import UNREDACTED, WITHHELD, Redactor
from brain.turn_outcomes import ReportedOutcome
from brain.turn_records import ClosedTurn, OpenTurn, StillWanted
from brain.turns import TurnLog
from brain.users import Scope
from cognitive import threads
from cognitive.context.dedup import excerpt
from cognitive.feedback import attribute, journal_entries
from cognitive.feedback.capture import Capture, CapturedExchange, PreparedExchange
from cognitive.feedback.prefetch import ResponseEmbedder
from cognitive.policy import Policy
from cognitive.policy.resolver import PolicyResolver
from cognitive.privacy import redaction
from cognitive.prompt import without_injected
from cognitive.recording.record import open_turn
from cognitive.turn import Correction, Outcome, Report, TurnContext, TurnRef
from cognitive.validation import unknown_turn

Excerpts = Mapping[str, Sequence[tuple[int, int]]]  # by memory id: offsets [start, end) of the shown parts

log = logging.getLogger(__name__)

_MAX_CALLED = 100  # names of called tools that are stored of a turn; a turn that calls more is a loop


class OutcomeRecorder:
    """Records the outcomes of turns, which the host reports or which wait in the journal.

    Attributes:
        has_pending: True if the journal may have entries that are not in Postgres yet.
        wake_up: an event that is set when the journal gets an entry, or when Postgres is available again.
    """

    def __init__(
        self,
        turns: TurnLog,
        journal: Journal,
        policy: PolicyResolver,
        capture: Capture,
        redactor: Redactor = UNREDACTED,
        prefetch: ResponseEmbedder | None = None,
    ) -> None:
        self._turns = turns
        self._journal = journal
        self._policy = policy
        self._capture = capture
        self._redactor = redactor
        self._prefetch = prefetch
        self._writing: set[asyncio.Task[None]] = set()
        self.has_pending = True  # until a first look at the journal
        self.wake_up = asyncio.Event()

    async def post(
        self, context: TurnContext | TurnRef, outcome: Outcome, received_at: float
    ) -> tuple[Report, str | None]:
        """Record an outcome in Postgres within the policy's deadline, or else in the journal.

        Return the report and the id of the turn's session, or None for an outcome in the journal. `received_at` is the
        arrival of the outcome, in seconds since the epoch.

        Raises:
            UnknownTurn: the turn was never opened.
            JournalError: Postgres is unavailable and the journal cannot be written; the outcome is not stored.
        """
        opening = open_turn(context) if isinstance(context, TurnContext) else None
        deadline = Deadline(self._policy.for_agent(context.agent_id).deadlines.post_turn_ms)
        outcome = await redaction.redact_outcome_in_time(outcome, self._redactor, deadline)
        try:
            recording = self._record(context.scope, context.turn_id, outcome, opening, received_at)
            report, session_id = await deadline.within(recording)
        except (StoreError, EmbeddingError, TimeoutError) as error:
            log.warning("turn %s goes to the journal: %s", context.turn_id, str(error) or "no answer in time")
            first = await self._keep(context.scope, context.turn_id, opening, outcome)
            return Report(context.turn_id, (), recorded=False, duplicate=not first), None
        if self.has_pending:
            self.wake_up.set()
        return report, session_id

    def keep_opening(self, scope: Scope, opening: OpenTurn) -> None:
        """Start to write an opened turn to the journal, because Postgres could not store it. Return at once.

        The journal then has what is needed to record the turn's outcome.
        """
        task = asyncio.create_task(self._keep_quietly(scope, opening))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def flush(self) -> None:
        """Wait until all started writes to the journal have ended."""
        await asyncio.gather(*self._writing)

    async def drain(self, entry: JournalEntry) -> None:
        """Record a journal entry in Postgres, and remove it from the journal after the commit.

        An entry that cannot be recorded is parked (set aside with the reason).

        Raises:
            StoreError: Postgres is unavailable or refuses the entry, which stays in the journal.
        """

        async def still_wanted() -> bool:
            return await asyncio.to_thread(self._journal.holds, entry)

        try:
            opening, outcome = journal_entries.read(entry)
            if outcome is not None:
                await self._complete(
                    entry.scope, entry.turn_id, outcome, opening, journal_entries.received_at(opening), still_wanted
                )
            elif opening is not None:
                minutes = self._policy.for_agent(entry.scope.agent_id).feedback.abandon_after_minutes
                await self._turns.open(
                    entry.scope, opening, abandon_after_minutes=minutes, durable=True, still_wanted=still_wanted
                )
        except InvalidInput as error:
            if isinstance(error, UnknownTurn) and await self._is_erased(entry):
                await asyncio.to_thread(self._journal.remove, entry)
            elif await still_wanted():  # False if the entry was recorded or erased in the meantime
                log.error("turn %s stays in the journal %s: %s", entry.turn_id, self._journal.path, error)
                await asyncio.to_thread(self._journal.park, entry, str(error))
        else:
            await asyncio.to_thread(self._journal.remove, entry)

    async def _is_erased(self, entry: JournalEntry) -> bool:
        """Return True if the turn of an entry is unknown because its agent or user was erased.

        A turn is opened from its entry unless it was erased. Without an opening, the log of erasures decides.
        """
        return entry.opening is not None or await self._turns.erased_since(entry.scope, entry.kept_at)

    async def erase(self, scope: Scope) -> int:
        """Remove all entries of an agent (the operator's view) or of a user from the journal; return their number.

        It must be called before they are erased in Postgres. A process that drains an entry checks inside its
        transaction that the entry still exists, and the erasure in Postgres waits for that transaction.
        """
        await self._capture.stop(*scope.names)
        await self.flush()
        return await asyncio.to_thread(self._journal.erase, scope)

    async def forget(self, scope: Scope, remains: Residue) -> int:
        """Remove text that is about to be erased from journal entries; return the number of changed entries.

        They are the entries of a user's turns or, for shared memories, of all turns of the agent.

        Another process may be draining one of these entries at the same time. It finds that the entry is gone, or it
        stores none of the text because it read the entry before the erasure.
        """
        await self._capture.wait_for(*scope.readers)
        await self.flush()
        return await asyncio.to_thread(self._journal.cut, scope, remains)

    async def forgettable(self, scope: Scope, remains: Residue) -> int:
        """Return the number of journal entries that `forget` would change."""
        return await asyncio.to_thread(self._journal.cut, scope, remains, dry_run=True)

    async def _record(
        self, scope: Scope, turn_id: str, outcome: Outcome, opening: OpenTurn | None, received_at: float
    ) -> tuple[Report, str]:
        """Record an outcome in Postgres, or the journal's earlier outcome for the turn if there is one.

        The first outcome of a turn is final. Return the report and the id of the turn's session.
        """
        journaled_opening, journaled_outcome = await self._read_journal(scope, turn_id)
        opening = opening or journaled_opening
        if journaled_outcome is None:
            return await self._complete(scope, turn_id, outcome, opening, received_at)
        journaled_at = journal_entries.received_at(journaled_opening)
        report, session_id = await self._complete(scope, turn_id, journaled_outcome, opening, journaled_at)
        return replace(report, duplicate=True), session_id

    async def _read_journal(self, scope: Scope, turn_id: str) -> tuple[OpenTurn | None, Outcome | None]:
        """Return the opened turn and the outcome that the journal has for a turn id; each is None if it is missing.

        An entry that cannot be read counts as missing.
        """
        try:
            if not self._journal.exists:
                return None, None
            entry = await asyncio.to_thread(self._journal.find, scope, turn_id)
            return journal_entries.read(entry) if entry is not None else (None, None)
        except (JournalError, InvalidInput) as error:  # the outcome can be recorded without the journal
            log.warning("the journal's entry of turn %s cannot be read: %s", turn_id, error)
            return None, None

    async def _complete(
        self,
        scope: Scope,
        turn_id: str,
        outcome: Outcome,
        opening: OpenTurn | None,
        received_at: float | None,
        still_wanted: StillWanted | None = None,
    ) -> tuple[Report, str]:
        """Close a turn and store its messages as memories. Return the report and the id of the turn's session.

        Messages are stored again if the host reports the outcome again, because the process may have crashed after it
        closed the turn. Those that are stored already stay unchanged. `still_wanted` is given for a journal entry only.
        It returns False if the entry was erased meanwhile.
        """
        from_journal = still_wanted is not None
        current = self._policy.for_agent(scope.agent_id)
        prefetch = self._prefetch.begin(scope.agent_id) if self._prefetch is not None and not from_journal else None
        captures = outcome.status == "completed" and self._capture.wants(scope.agent_id)
        exchange = None
        if captures and opening is not None and not from_journal:  # a journal entry may be erased meanwhile
            exchange = CapturedExchange.of(scope, turn_id, opening, outcome.response)
        closing = self._close(scope, turn_id, outcome, opening, received_at, still_wanted)
        closed, prepared = await asyncio.gather(closing, self._prepared(exchange))  # both take about as long
        recorded = None
        if closed is not None:
            response = WITHHELD if closed.message.withheld else outcome.response  # it may contain what was erased
            recorded = CapturedExchange.of(scope, turn_id, closed.message, response)
        if prepared is not None and prepared.exchange != recorded:
            self._capture.forget(prepared)  # erased meanwhile, in whole or in part
        if closed is None or recorded is None:
            raise unknown_turn(scope, turn_id)
        corrections: tuple[Correction, ...] = ()
        if captures and closed.message.status == "completed":
            extract = closed.first or from_journal  # an earlier attempt to record the entry may have failed here
            corrections = await self._capture.keep(scope, recorded, closed.message.read_at, prepared, extract=extract)
        if prefetch is not None and current.dedup.enabled and not closed.message.withheld:
            prefetch(without_injected(outcome.response))  # last, since it takes a processor from the writes
        attributions = attribute.attributions(closed.judgements)
        report = Report(turn_id, attributions, recorded=True, duplicate=not closed.first, corrections=corrections)
        return report, closed.message.session_id

    async def _close(
        self,
        scope: Scope,
        turn_id: str,
        outcome: Outcome,
        opening: OpenTurn | None,
        received_at: float | None,
        still_wanted: StillWanted | None,
    ) -> ClosedTurn | None:
        """Close a turn in one transaction, with a verdict for each shown memory: used by the response or not.

        A turn that Postgres does not have is opened first. The verdicts follow the policy that the turn was planned
        with. The current policy decides how much of the response is stored. Return None if the turn was never opened.
        """
        current = self._policy.for_agent(scope.agent_id)
        excerpts = await self._excerpts(scope, turn_id, opening)
        return await self._turns.close(
            scope,
            turn_id,
            ReportedOutcome(outcome.status, _called(outcome), _response(outcome, current), received_at),
            partial(_judged, turn_id, outcome, excerpts, current),
            opening=opening,
            still_wanted=still_wanted,
        )

    async def _prepared(self, exchange: CapturedExchange | None) -> PreparedExchange | None:
        return await self._capture.prepare(exchange) if exchange is not None else None

    async def _excerpts(self, scope: Scope, turn_id: str, opening: OpenTurn | None) -> Excerpts:
        """Return, for each memory that was shortened in the prompt, the parts of its text that the prompt showed.

        They come from the opened turn or, if `opening` is None, from Postgres.
        """
        if opening is not None:
            return opening.trace.get("excerpts") or {}
        turn = await self._turns.turn(scope, turn_id)
        return turn.excerpts if turn is not None else {}

    async def _keep(self, scope: Scope, turn_id: str, opening: OpenTurn | None, outcome: Outcome | None) -> bool:
        """Write an opened turn, an outcome or both to the journal. Return False if the journal has them already.

        The write is completed even if the caller is cancelled.
        """
        first = await asyncio.to_thread(
            self._journal.put,
            scope,
            turn_id,
            opening=written(opening) if opening is not None else None,
            outcome=journal_entries.storable(outcome).model_dump_json() if outcome is not None else None,
        )
        if not self.has_pending:
            self.has_pending = True
            self.wake_up.set()
        return first

    async def _keep_quietly(self, scope: Scope, opening: OpenTurn) -> None:
        """Write an opened turn to the journal; if that fails, only log it."""
        try:
            await self._keep(scope, opening.turn_id, opening, None)
        except JournalError as error:
            log.warning(
                "turn %s is not in the journal, so it is recorded only with its outcome: %s", opening.turn_id, error
            )


async def _judged(
    turn_id: str,
    outcome: Outcome,
    excerpts: Excerpts,
    current: Policy,
    shown: Sequence[ExposureRow],
    decoys: Sequence[Decoy],
    planned: PlannedTurn,
) -> TurnJudgement:
    """Return which of a turn's memories the outcome used; none if judging them fails."""
    policy = attribute.planned_under(planned.policy, current)
    seen = [_as_shown(memory, excerpts) for memory in shown]
    try:
        size = threads.characters([outcome.response], outcome.tool_calls)
        judging = attribute.judge_all, seen, decoys, planned.message, outcome, policy
        return await threads.in_thread_if_long(size, *judging)
    except Exception:  # a defect in judging must not cost the turn's outcome and what it captures
        log.exception("the memories of turn %s are not judged", turn_id)
        return TurnJudgement((), attribute.weights(policy))


def _as_shown(memory: ExposureRow, excerpts: Excerpts) -> ExposureRow:
    """Return a memory cut to the text that the prompt showed, since the response cannot have used the rest."""
    spans = excerpts.get(str(memory.memory_id))
    if not spans or memory.content is None or memory.via != "prompt":
        return memory
    return replace(memory, content=excerpt(memory.content, spans))


def _called(outcome: Outcome) -> tuple[str, ...]:
    """Return the names of the tools that the turn called, each once, in the order of their first call."""
    return tuple(dict.fromkeys(call.name for call in outcome.tool_calls))[:_MAX_CALLED]


def _response(outcome: Outcome, policy: Policy) -> str | None:
    """Return the part of a response that the policy stores, or None if it stores nothing."""
    return outcome.response[: policy.retention.max_response_chars] or None if policy.retention.keep_responses else None
