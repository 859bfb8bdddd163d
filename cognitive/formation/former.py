"""Form memories from completed turns in the background, once per turn, also after a crash.

A turn's lines are committed with a note that they are still to form memories (`brain.forming`). The transaction that
stores these memories removes the note. When a process first works for an agent, it catches up on the agent's turns that
still have the note.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from brain import forming
from brain.claims import claim_of
from brain.errors import InvalidInput
from brain.forming import Condition, FormingTurns
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from brain.users import Scope
from cognitive import threads
from cognitive.background import BackgroundQueue
from cognitive.formation.corrections import Corrections, is_correction
from cognitive.formation.extract import Extraction, extract
from cognitive.formation.lines import assistant_line, lines_of_turn, user_line
from cognitive.formation.memories import CapturedLine, formed_memories
from cognitive.formation.model.runs import ModelRuns
from cognitive.formation.storing import FormedStore
from cognitive.policy import Policy
from cognitive.telemetry.metrics import NOT_FORMED, Metrics, Observation
from cognitive.telemetry.spans import quietly
from cognitive.turn import Correction

log = logging.getLogger(__name__)

MAX_FORMING = 256  # turns in the queue; a later process forms the others
AT_CLOSE = 10.0  # seconds that forming may still take when the layer closes
_MAX_CATCH_UP = 10_000  # turns
# Late forming stores nothing if a memory was erased up to this long before, since clocks differ.
_CLOCKS_DIFFER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """The user's captured line of a turn, and what the rules found in it."""

    line: NewMemory | Memory
    extraction: Extraction


class Former:
    """Forms memories from the captured lines of completed turns by rules, as `Policy.formation` says.

    If there is a model, `runs` lets it read the lines afterwards.
    """

    def __init__(
        self,
        store: MemoryStore,
        corrections: Corrections,
        waiting: FormingTurns,
        policy: Policy,
        queue: BackgroundQueue,
        metrics: Metrics,
        formed: FormedStore,
        runs: ModelRuns | None = None,
    ) -> None:
        self._store = store
        self._corrections = corrections
        self._waiting = waiting
        self._policy = policy
        self._metrics = metrics
        self._formed = formed
        self._runs = runs
        self._queue = queue
        self._caught_up: set[str] = set()  # agents

    async def read(self, agent_id: str, lines: Sequence[NewMemory], response: str) -> ReadLine | None:
        """Read the captured lines of a turn by the rules. Return None if they form and change nothing.

        The response may confirm what the user said although it is not captured ("Noted.").
        """
        line = user_line(lines)
        if line is None or not self._is_on(agent_id):
            return None
        read = await self._read(agent_id, line, response)
        return read if self._runs is not None or read.extraction.proposals or is_correction(line.content) else None

    def forming_condition(self, scope: Scope, turn_id: str, read: ReadLine) -> Condition:
        """Return the condition that notes a turn as one whose lines are to form or change memories."""
        return forming.begin(scope, turn_id, read.line.source or "", by_model=self._runs is not None)

    async def start(self, scope: Scope, turn_id: str, read: ReadLine, read_at: datetime) -> tuple[Correction, ...]:
        """Take back or correct memories as the line says, return the corrections, and start to form memories.

        The lines are stored already, with the note of `forming_condition`.
        """
        corrections = await self._corrections.apply(scope, turn_id, read.line, read_at)
        read = await self._without_corrected(scope, read, corrections)
        self._queue.start(self._form_now(scope, turn_id, read, read_at), *scope.key, turn_id)
        return corrections

    def catch_up(self, agent_id: str) -> None:
        """Start to form what earlier processes left out, if this process has not done so for the agent yet."""
        if agent_id not in self._caught_up and self._is_on(agent_id):
            self._caught_up.add(agent_id)
            self._queue.start(self._catch_up(agent_id), agent_id)

    def end_session(self, scope: Scope, session_id: str) -> None:
        """Start to have the model read the turns of a session that it did not read yet. Return at once."""
        if self._runs is not None:
            self._runs.start(scope, session_id)

    async def wait_for(self, *name: str) -> None:
        """Wait until the running work for an agent, or for one user, is done or has failed."""
        await self._queue.wait_for(*name)
        if self._runs is not None:
            await self._runs.wait_for(*name)

    async def stop(self, *name: str) -> None:
        """Cancel the running work for an agent, or for one user, because the rows are about to be erased."""
        await self._queue.stop(*name)
        if self._runs is not None:
            await self._runs.stop(*name)

    def _is_on(self, agent_id: str) -> bool:
        policy = self._policy.for_agent(agent_id)
        return policy.capture != "off" and bool(policy.formation.kinds)

    async def _read(self, agent_id: str, line: NewMemory | Memory, response: str) -> ReadLine:
        kinds = self._policy.for_agent(agent_id).formation.kinds
        extraction = await threads.in_thread_if_long(len(line.content), extract, line.content, response, kinds)
        rejected = [Observation(NOT_FORMED, (n,), (rule,)) for rule, n in extraction.rejected.items()]
        quietly(lambda: self._metrics.observe(rejected))
        return ReadLine(line, extraction)

    async def _without_corrected(self, scope: Scope, read: ReadLine, corrections: Sequence[Correction]) -> ReadLine:
        """Return what was read without the proposals that state what a correction stored already."""
        known = await self._corrections.claims(scope, corrections)
        if not known:
            return read
        claims = [(each, claim_of(each.text, read.line.speaker)) for each in read.extraction.proposals]
        left = tuple(each for each, claim in claims if claim is None or claim not in known)
        return replace(read, extraction=replace(read.extraction, proposals=left))

    async def _form_now(self, scope: Scope, turn_id: str, read: ReadLine, read_at: datetime) -> None:
        """Form memories by rules, then have the model read the session if its time has come."""
        await self._form(scope, turn_id, read, read_at)
        if self._runs is not None and read.line.session_id is not None:
            await self._runs.on_turn(scope, read.line.session_id)

    async def _form(self, scope: Scope, turn_id: str, read: ReadLine, read_at: datetime) -> None:
        policy = self._policy.for_agent(scope.agent_id)
        memories = formed_memories(CapturedLine.of(read.line), read.extraction.proposals, policy.formation)
        await self._formed.write(scope, turn_id, memories, read_at, partial(forming.check, scope, turn_id))
        if not memories:
            await self._waiting.end(scope, turn_id)

    async def _catch_up(self, agent_id: str) -> None:
        """Form memories from the captured lines of all users of an agent from which none were formed yet."""
        read_at = datetime.now(UTC) - _CLOCKS_DIFFER
        for scope, turn_id in await self._waiting.list(agent_id, _MAX_CATCH_UP):
            lines = await lines_of_turn(self._store, scope, turn_id)
            if (line := user_line(lines)) is None:
                await self._waiting.end(scope, turn_id)  # the line was forgotten or retired
                continue
            try:
                corrections = await self._corrections.apply(scope, turn_id, line, read_at)
                response = assistant_line(lines)
                read = await self._read(agent_id, line, response.content if response is not None else "")
                await self._form(scope, turn_id, await self._without_corrected(scope, read, corrections), read_at)
            except InvalidInput:  # a defect of one turn must not keep the others from forming
                log.exception("turn %s forms nothing", turn_id)
                await self._waiting.end(scope, turn_id)
        if self._runs is not None:
            await self._runs.catch_up(agent_id)
