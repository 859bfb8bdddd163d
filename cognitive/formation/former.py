"""Form memories from completed turns in the background, once per turn, and make up for those that a crash left out.

A turn's lines are committed before anything is formed from them. What one line forms is stored in one transaction, so
that a line has all of its memories or none. A process that begins to work for an agent looks for recent lines that have
none, and forms theirs; the identity of a formed memory keeps it from being stored twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from brain.filters import MemoryFilter
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from cognitive.background import Background
from cognitive.formation.extract import extract
from cognitive.formation.memories import CapturedLine, formed_memories
from cognitive.formation.updates import with_updates
from cognitive.policy import Policy
from cognitive.telemetry.metrics import FORMED, NOT_FORMED, Metrics, Observation
from cognitive.telemetry.spans import quietly

log = logging.getLogger(__name__)

_MAX_FORMING = 256  # turns in the queue; what is beyond is made up for by a later process
_AT_CLOSE = 10.0  # seconds that forming may still take when the layer closes
_MADE_UP = timedelta(days=7)  # age of the lines that are looked at again
_MAX_MADE_UP = 10_000  # lines
_PAGE = 1_000
# The catch-up is dropped if a memory was erased within this time before it, for clocks that differ.
_CLOCKS_DIFFER = timedelta(minutes=5)
_USER, _ASSISTANT = "/user", "/assistant"  # the ends of the sources of captured lines


class Former:
    """Forms memories from the captured lines of completed turns by rules, as `Policy.formation` says."""

    def __init__(self, store: MemoryStore, policy: Policy, background: Background, metrics: Metrics) -> None:
        self._store = store
        self._policy = policy
        self._metrics = metrics
        self._queue = background.queue(_MAX_FORMING, at_close=_AT_CLOSE)
        self._known: set[str] = set()

    def start(self, agent_id: str, turn_id: str, lines: Sequence[NewMemory], read_at: datetime) -> None:
        """Start to form memories from the lines of a turn, which are stored. Return at once."""
        self.make_up(agent_id)
        texts = {line.source: line for line in lines if line.source is not None}
        for source, line in texts.items():
            if source == _source(turn_id, _USER) and line.occurred_at is not None and self._wants(agent_id):
                captured = CapturedLine(line.content, line.speaker, line.occurred_at, line.session_id, source)
                answer = texts.get(_source(turn_id, _ASSISTANT))
                work = self._form(agent_id, turn_id, captured, answer.content if answer else "", read_at)
                self._queue.start(work, agent_id, turn_id)

    def make_up(self, agent_id: str) -> None:
        """Start to form what an earlier process left out, when this process first works for an agent."""
        if agent_id not in self._known and self._wants(agent_id):
            self._known.add(agent_id)
            self._queue.start(self._make_up(agent_id), agent_id)

    async def wait_for(self, agent_id: str) -> None:
        """Wait until the running work for an agent is done or has failed."""
        await self._queue.wait_for(agent_id)

    async def stop(self, agent_id: str) -> None:
        """Cancel the running work for an agent, because the agent is about to be erased."""
        await self._queue.stop(agent_id)

    def _wants(self, agent_id: str) -> bool:
        policy = self._policy.for_agent(agent_id)
        return policy.capture != "off" and bool(policy.formation.kinds)

    async def _form(self, agent_id: str, turn_id: str, line: CapturedLine, answer: str, read_at: datetime) -> None:
        settings = self._policy.for_agent(agent_id).formation
        found = await asyncio.to_thread(extract, line.text, answer, settings.kinds)
        quietly(
            lambda: self._metrics.observe(
                [Observation(NOT_FORMED, (n,), (rule,)) for rule, n in found.rejected.items()]
            )
        )
        memories = formed_memories(line, found.proposals, settings)
        if not memories:
            return
        memories = await with_updates(self._store, agent_id, memories)
        await self._store.remember_of_turn(agent_id, turn_id, memories, now=datetime.now(UTC), read_at=read_at)
        rules = [str(memory.attributes["formed_by"]).partition("/")[0] for memory in memories]
        quietly(lambda: self._metrics.observe([Observation(FORMED, (1,), (rule,)) for rule in rules]))

    async def _make_up(self, agent_id: str) -> None:
        """Form memories from recent captured lines from which none were formed."""
        now = datetime.now(UTC)
        since = now - _MADE_UP
        lines = await self._tagged(agent_id, "captured", since)
        formed = await self._tagged(agent_id, "formed", since)
        done = {memory.source for memory in formed}
        texts = {memory.source: memory for memory in lines if memory.source is not None}
        for source, memory in texts.items():
            if source.endswith(_USER) and source not in done and memory.hidden_at is None:
                turn = source.removeprefix("turn/").removesuffix(_USER)
                answer = texts.get(_source(turn, _ASSISTANT))
                await self._form(
                    agent_id, turn, _line(memory, source), answer.content if answer else "", now - _CLOCKS_DIFFER
                )

    async def _tagged(self, agent_id: str, tag: str, since: datetime) -> list[Memory]:
        """Return the memories with a tag since a time, oldest first, hidden ones included."""
        wanted, found = MemoryFilter.parse({"tags": {"eq": tag}}, since=since), list[Memory]()
        for offset in range(0, _MAX_MADE_UP, _PAGE):
            found += await self._store.find(agent_id, wanted, _PAGE, offset)
            if len(found) < offset + _PAGE:
                break
        return found


def _source(turn_id: str, end: str) -> str:
    return f"turn/{turn_id}{end}"


def _line(memory: Memory, source: str) -> CapturedLine:
    return CapturedLine(memory.content, memory.speaker, memory.occurred_at, memory.session_id, source)
