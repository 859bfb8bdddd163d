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
from brain.users import Scope
from cognitive.background import Background
from cognitive.formation.extract import extract
from cognitive.formation.memories import CapturedLine, formed_memories, is_personal
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
_NO_USER = "user"  # the speaker of the lines of turns without a user
_USER, _ASSISTANT = "/user", "/assistant"  # the ends of the sources of captured lines


class Former:
    """Forms memories from the captured lines of completed turns by rules, as `Policy.formation` says."""

    def __init__(self, store: MemoryStore, policy: Policy, background: Background, metrics: Metrics) -> None:
        self._store = store
        self._policy = policy
        self._metrics = metrics
        self._queue = background.queue(_MAX_FORMING, at_close=_AT_CLOSE)
        self._known: set[str] = set()

    def start(self, scope: Scope, turn_id: str, lines: Sequence[NewMemory], read_at: datetime) -> None:
        """Start to form memories from the lines of a turn of a user or without one. Return at once.

        The lines are stored already.
        """
        self.make_up(scope.agent_id)
        said, answers = (_ending(lines, end) for end in (_USER, _ASSISTANT))
        if (
            said is not None
            and said.source is not None
            and said.occurred_at is not None
            and self._wants(scope.agent_id)
        ):
            line = CapturedLine(said.content, said.speaker, said.occurred_at, said.session_id, said.source)
            work = self._form(scope, turn_id, line, answers.content if answers else "", read_at)
            self._queue.start(work, *scope.key, turn_id)

    def make_up(self, agent_id: str) -> None:
        """Start to form what an earlier process left out, when this process first works for an agent."""
        if agent_id not in self._known and self._wants(agent_id):
            self._known.add(agent_id)
            self._queue.start(self._make_up(agent_id), agent_id)

    async def wait_for(self, *name: str) -> None:
        """Wait until the running work for an agent, or for one user, is done or has failed."""
        await self._queue.wait_for(*name)

    async def stop(self, *name: str) -> None:
        """Cancel the running work for an agent, or for one user, because the rows are about to be erased."""
        await self._queue.stop(*name)

    def _wants(self, agent_id: str) -> bool:
        policy = self._policy.for_agent(agent_id)
        return policy.capture != "off" and bool(policy.formation.kinds)

    async def _form(self, scope: Scope, turn_id: str, line: CapturedLine, answer: str, read_at: datetime) -> None:
        policy = self._policy.for_agent(scope.agent_id)
        found = await asyncio.to_thread(extract, line.text, answer, policy.formation.kinds)
        rejected = [Observation(NOT_FORMED, (n,), (rule,)) for rule, n in found.rejected.items()]
        quietly(lambda: self._metrics.observe(rejected))
        memories = formed_memories(line, found.proposals, policy.formation)
        shared = [each for each in memories if policy.capture_scope == "agent" and not is_personal(each)]
        for own, of_agent in ((shared, True), ([each for each in memories if each not in shared], False)):
            if own:
                await self._store_formed(scope, turn_id, own, read_at, shared=of_agent)

    async def _store_formed(
        self, scope: Scope, turn_id: str, memories: Sequence[NewMemory], read_at: datetime, *, shared: bool
    ) -> None:
        """Store what a line formed for the turn's user, or with `shared` for all users of the agent."""
        memories = await with_updates(self._store, scope.as_user(None) if shared else scope, memories)
        now = datetime.now(UTC)
        await self._store.remember_of_turn(scope, turn_id, memories, now=now, read_at=read_at, shared=shared)
        rules = [str(memory.attributes["formed_by"]).partition("/")[0] for memory in memories]
        quietly(lambda: self._metrics.observe([Observation(FORMED, (1,), (rule,)) for rule in rules]))

    async def _make_up(self, agent_id: str) -> None:
        """Form memories from recent captured lines of all users from which none were formed."""
        scope, now = Scope.all_users(agent_id), datetime.now(UTC)
        lines = await self._tagged(scope, "captured", now - _MADE_UP)
        done = {(memory.user_id, memory.source) for memory in await self._tagged(scope, "formed", now - _MADE_UP)}
        texts = {(memory.user_id, memory.source): memory for memory in lines}
        for (user_id, source), memory in texts.items():
            if source is None or not source.endswith(_USER) or memory.hidden_at is not None:
                continue
            # A shared line names its user as its speaker; a turn without a user has the speaker "user".
            user = user_id or (memory.speaker if memory.speaker != _NO_USER else None)
            if {(user_id, source), (user, source)} & done:
                continue
            answer = texts.get((user_id, source.removesuffix(_USER) + _ASSISTANT))
            turn = source.removeprefix("turn/").removesuffix(_USER)
            line = CapturedLine(memory.content, memory.speaker, memory.occurred_at, memory.session_id, source)
            turn = turn if user_id else turn.removeprefix(f"{user}/")
            await self._form(scope.as_user(user), turn, line, answer.content if answer else "", now - _CLOCKS_DIFFER)

    async def _tagged(self, scope: Scope, tag: str, since: datetime) -> list[Memory]:
        """Return the memories with a tag since a time, oldest first, hidden ones included."""
        wanted, found = MemoryFilter.parse({"tags": {"eq": tag}}, since=since), list[Memory]()
        for offset in range(0, _MAX_MADE_UP, _PAGE):
            found += await self._store.find(scope, wanted, _PAGE, offset)
            if len(found) < offset + _PAGE:
                break
        return found


def _ending(lines: Sequence[NewMemory], end: str) -> NewMemory | None:
    """Return the line whose source has this end, or None."""
    return next((line for line in lines if line.source is not None and line.source.endswith(end)), None)
