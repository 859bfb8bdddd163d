"""Form memories from completed turns in the background, once per turn, and make up for those that a crash left out.

A turn's lines are committed before anything is formed from them, with a note that they are still to form memories
(`brain.forming`). The note is removed in the transaction that stores what they form. A process that begins to work for
an agent forms the memories of the turns that still have it.
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
_MAX_MADE_UP = 10_000  # turns
# Late forming stores nothing if a memory was erased up to this long before, since clocks differ.
_CLOCKS_DIFFER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class ReadLines:
    """The user's captured line of a turn, and what the rules found in it."""

    said: NewMemory | Memory
    found: Extraction


class Former:
    """Forms memories from the captured lines of completed turns by rules, as `Policy.formation` says.

    If there is a model, `runs` then has it read the lines too.
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
        self._made_up: set[str] = set()  # agents

    async def read(self, agent_id: str, lines: Sequence[NewMemory], response: str) -> ReadLines | None:
        """Read the captured lines of a turn by the rules. Return None if nothing forms or changes by them.

        The response may confirm what the user said although it is not captured ("Noted.").
        """
        said = user_line(lines)
        if said is None or not self._is_on(agent_id):
            return None
        read = await self._read(agent_id, said, response)
        return read if self._runs is not None or read.found.proposals or is_correction(said.content) else None

    def begins(self, scope: Scope, turn_id: str, read: ReadLines) -> Condition:
        """Return the condition that notes a turn whose lines are to form or change memories."""
        return forming.begin(scope, turn_id, read.said.source or "", by_model=self._runs is not None)

    async def start(self, scope: Scope, turn_id: str, read: ReadLines, read_at: datetime) -> tuple[Correction, ...]:
        """Apply what the line takes back or corrects, return what was done, and start to form memories.

        The lines are stored already, with the note that `begins` makes.
        """
        corrections = await self._corrections.apply(scope, turn_id, read.said, read_at)
        read = await self._without_corrected(scope, read, corrections)
        self._queue.start(self._form_now(scope, turn_id, read, read_at), *scope.key, turn_id)
        return corrections

    def make_up(self, agent_id: str) -> None:
        """Start to form what an earlier process left out, when this process first works for an agent."""
        if agent_id not in self._made_up and self._is_on(agent_id):
            self._made_up.add(agent_id)
            self._queue.start(self._make_up(agent_id), agent_id)

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

    async def _read(self, agent_id: str, said: NewMemory | Memory, response: str) -> ReadLines:
        kinds = self._policy.for_agent(agent_id).formation.kinds
        found = await threads.in_thread_if_long(len(said.content), extract, said.content, response, kinds)
        rejected = [Observation(NOT_FORMED, (n,), (rule,)) for rule, n in found.rejected.items()]
        quietly(lambda: self._metrics.observe(rejected))
        return ReadLines(said, found)

    async def _without_corrected(self, scope: Scope, read: ReadLines, corrections: Sequence[Correction]) -> ReadLines:
        """Return what was read without the proposals that state what a correction stored already."""
        known = await self._corrections.claims(scope, corrections)
        if not known:
            return read
        claims = [(each, claim_of(each.text, read.said.speaker)) for each in read.found.proposals]
        left = tuple(each for each, claim in claims if claim is None or claim not in known)
        return replace(read, found=replace(read.found, proposals=left))

    async def _form_now(self, scope: Scope, turn_id: str, read: ReadLines, read_at: datetime) -> None:
        """Form memories by rules, then have the model read the session if its time has come."""
        await self._form(scope, turn_id, read, read_at)
        if self._runs is not None and read.said.session_id is not None:
            await self._runs.on_turn(scope, read.said.session_id)

    async def _form(self, scope: Scope, turn_id: str, read: ReadLines, read_at: datetime) -> None:
        policy = self._policy.for_agent(scope.agent_id)
        memories = formed_memories(CapturedLine.of(read.said), read.found.proposals, policy.formation)
        await self._formed.write(scope, turn_id, memories, read_at, partial(forming.check, scope, turn_id))
        if not memories:
            await self._waiting.end(scope, turn_id)

    async def _make_up(self, agent_id: str) -> None:
        """Form memories from the captured lines of all users of an agent from which none were formed yet."""
        read_at = datetime.now(UTC) - _CLOCKS_DIFFER
        for scope, turn_id in await self._waiting.list(agent_id, _MAX_MADE_UP):
            lines = await lines_of_turn(self._store, scope, turn_id)
            if (said := user_line(lines)) is None:
                await self._waiting.end(scope, turn_id)  # the line was forgotten or retired
                continue
            try:
                corrections = await self._corrections.apply(scope, turn_id, said, read_at)
                response = assistant_line(lines)
                read = await self._read(agent_id, said, response.content if response is not None else "")
                await self._form(scope, turn_id, await self._without_corrected(scope, read, corrections), read_at)
            except InvalidInput:  # a defect of one turn must not keep the others from forming
                log.exception("turn %s forms nothing", turn_id)
                await self._waiting.end(scope, turn_id)
        if self._runs is not None:
            await self._runs.make_up(agent_id)
