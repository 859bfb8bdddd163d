"""Form memories from completed turns in the background, once per turn, and make up for those that a crash left out.

A turn's lines are committed before anything is formed from them, with a note that they are still to form memories
(`brain.forming`). The note is removed in the transaction that stores what they form. A process that begins to work for
an agent forms the memories of the turns that still have it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from brain import forming
from brain.filters import MemoryFilter
from brain.forming import FormingTurns
from brain.states import MemoryStates
from brain.store import MemoryStore
from brain.types import Memory, NewMemory
from brain.users import Scope
from cognitive.background import Background
from cognitive.formation.corrections import meant, taken_back
from cognitive.formation.extract import extract
from cognitive.formation.memories import TAG, CapturedLine, formed_memories, is_personal, line_source
from cognitive.formation.updates import with_updates
from cognitive.policy import Policy
from cognitive.telemetry.metrics import FORMED, NOT_FORMED, Metrics, Observation
from cognitive.telemetry.spans import quietly

log = logging.getLogger(__name__)

_MAX_FORMING = 256  # turns in the queue; what is beyond is made up for by a later process
_AT_CLOSE = 10.0  # seconds that forming may still take when the layer closes
_MAX_MADE_UP = 10_000  # turns
_MAX_COMPARED = 1_000  # formed memories, among which the one that a statement takes back is looked for
# What is made up for is dropped if a memory was erased within this time before it, for clocks that differ.
_CLOCKS_DIFFER = timedelta(minutes=5)
_USER, _ASSISTANT = "/user", "/assistant"  # the ends of the sources of captured lines


class Former:
    """Forms memories from the captured lines of completed turns by rules, as `Policy.formation` says."""

    def __init__(
        self,
        store: MemoryStore,
        states: MemoryStates,
        waiting: FormingTurns,
        policy: Policy,
        background: Background,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._states = states
        self._waiting = waiting
        self._policy = policy
        self._metrics = metrics
        self._queue = background.queue(_MAX_FORMING, at_close=_AT_CLOSE)
        self._known: set[str] = set()

    def wants(self, agent_id: str, lines: Sequence[NewMemory]) -> bool:
        """Return True if memories are to be formed from the captured lines of a turn: one of them is the user's."""
        return self._is_on(agent_id) and _ending(lines, _USER) is not None

    def start(self, scope: Scope, turn_id: str, lines: Sequence[NewMemory], read_at: datetime) -> None:
        """Start to form memories from the lines of a turn of a user or without one. Return at once.

        The lines are stored already.
        """
        self.make_up(scope.agent_id)
        said, answer = _ending(lines, _USER), _ending(lines, _ASSISTANT)
        if said is not None and self._is_on(scope.agent_id):
            self._queue.start(self._form(scope, turn_id, said, answer, read_at), *scope.key, turn_id)

    def make_up(self, agent_id: str) -> None:
        """Start to form what an earlier process left out, when this process first works for an agent."""
        if agent_id not in self._known and self._is_on(agent_id):
            self._known.add(agent_id)
            self._queue.start(self._make_up(agent_id), agent_id)

    async def wait_for(self, *name: str) -> None:
        """Wait until the running work for an agent, or for one user, is done or has failed."""
        await self._queue.wait_for(*name)

    async def stop(self, *name: str) -> None:
        """Cancel the running work for an agent, or for one user, because the rows are about to be erased."""
        await self._queue.stop(*name)

    def _is_on(self, agent_id: str) -> bool:
        policy = self._policy.for_agent(agent_id)
        return policy.capture != "off" and bool(policy.formation.kinds)

    async def _form(
        self,
        scope: Scope,
        turn_id: str,
        said: NewMemory | Memory,
        answer: NewMemory | Memory | None,
        read_at: datetime,
    ) -> None:
        policy = self._policy.for_agent(scope.agent_id)
        found = await asyncio.to_thread(extract, said.content, answer.content if answer else "", policy.formation.kinds)
        rejected = [Observation(NOT_FORMED, (n,), (rule,)) for rule, n in found.rejected.items()]
        quietly(lambda: self._metrics.observe(rejected))
        await self._hide_taken_back(scope, said)
        memories = formed_memories(CapturedLine.of(said), found.proposals, policy.formation)
        shared = [each for each in memories if policy.capture_scope == "agent" and not is_personal(each)]
        own = [each for each in memories if each not in shared]
        if shared:
            await self._store_formed(scope, turn_id, shared, read_at, shared=True, end=not own)
        if own:
            await self._store_formed(scope, turn_id, own, read_at, shared=False, end=True)
        if not memories:
            await self._waiting.end(scope, turn_id)

    async def _hide_taken_back(self, scope: Scope, said: NewMemory | Memory) -> None:
        """Retire the user's earlier formed memories that the line takes back, if it is certain which are meant."""
        gone = taken_back(said.content)
        if not gone:
            return
        found = await self._store.find(scope, MemoryFilter.parse({"tags": {"eq": TAG}}), _MAX_COMPARED)
        earlier = [
            memory
            for memory in found
            if memory.hidden_at is None
            and memory.user_id == scope.user
            and memory.speaker == said.speaker
            and said.occurred_at is not None
            and memory.occurred_at < said.occurred_at
        ]
        ids = {memory.id for stems in gone if (memory := meant(stems, earlier)) is not None}
        if ids:
            log.info("retired what the user took back: %s", ", ".join(map(str, ids)))
            await self._states.retire(scope, list(ids), by="talk", now=datetime.now(UTC))

    async def _store_formed(
        self, scope: Scope, turn_id: str, memories: Sequence[NewMemory], read_at: datetime, *, shared: bool, end: bool
    ) -> None:
        """Store what a line formed for the turn's user, or with `shared` for all users of the agent."""
        memories = await with_updates(self._store, scope.as_user(None) if shared else scope, memories)
        await self._store.remember_of_turn(
            scope,
            turn_id,
            memories,
            now=datetime.now(UTC),
            read_at=read_at,
            shared=shared,
            condition=forming.check(scope, turn_id, end=end),
        )
        rules = [str(memory.attributes["formed_by"]).partition("/")[0] for memory in memories]
        quietly(lambda: self._metrics.observe([Observation(FORMED, (1,), (rule,)) for rule in rules]))

    async def _make_up(self, agent_id: str) -> None:
        """Form memories from the captured lines of all users of an agent from which none were formed yet."""
        read_at = datetime.now(UTC) - _CLOCKS_DIFFER
        for scope, turn_id in await self._waiting.list(agent_id, _MAX_MADE_UP):
            lines = [line for line in await self._lines(scope, turn_id) if line.hidden_at is None]
            said = _ending(lines, _USER)
            if said is None:
                await self._waiting.end(scope, turn_id)  # the line was forgotten or retired
            else:
                await self._form(scope, turn_id, said, _ending(lines, _ASSISTANT), read_at)

    async def _lines(self, scope: Scope, turn_id: str) -> list[Memory]:
        """Return the captured lines of a turn, its user's own or, if it shares them, the agent's."""
        lines: list[Memory] = []
        for view, user in ((scope, None), (scope.as_user(None), scope.user)):
            sources = [line_source(turn_id, user, "user"), line_source(turn_id, user, "assistant")]
            lines += await self._store.find_by_source(view, "episode", sources)
        return lines


Line = TypeVar("Line", NewMemory, Memory)


def _ending(lines: Sequence[Line], end: str) -> Line | None:
    """Return the line whose source has this end, or None."""
    return next((line for line in lines if line.source is not None and line.source.endswith(end)), None)
