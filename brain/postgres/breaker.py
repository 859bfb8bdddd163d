"""A circuit breaker for Postgres: it stops calls to a server that does not answer, and probes the server.

    closed ── `failures` failures in a row ──▶ open ── a probe succeeds ──▶ half-open ── a call succeeds ──▶ closed
                                                ▲                               │
                                                └────────── a call fails ───────┘

While the breaker is open, calls fail at once instead of waiting for a timeout, and one probe at a time runs in the
background. The breaker reads no clock: callers pass the time, in seconds of a monotonic clock.

A function decorated with `waits_for_recovery` waits for the next probe instead of failing at once. Calls that store,
erase, rate or search are decorated, because they have no fallback and a timeout of seconds. Turns are not: their
deadline is short, and their outcome is safe in the journal.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from time import monotonic
from typing import Any, Literal, ParamSpec, TypeVar

from brain import statements
from brain.deadline import Deadline
from brain.postgres.transaction import Connection

log = logging.getLogger(__name__)

SQL = statements.load("health")

P = ParamSpec("P")
T = TypeVar("T")
State = Literal["closed", "half-open", "open"]

# How the coordinator of a cluster names a node that it cannot reach.
_NODE = re.compile(r"\b(?:remote node|node) (?:[^\s@]+@)?([\w.\-\[\]]+:\d+)")
# Run on the coordinator of a cluster, whose catalog it reads; no other server has these tables.
_NODE_OF_AGENT = """
SELECT n.nodename || ':' || n.nodeport FROM pg_dist_placement AS p JOIN pg_dist_node AS n ON n.groupid = p.groupid
WHERE p.shardid = get_shard_id_for_distribution_column('cognitive.agent_state', $1::text) AND n.noderole = 'primary'
"""
NO_ANSWER = "no answer in time"
_MAX_AGENTS = 10_000  # whose node is remembered while it fails

Answers = Callable[[str], Awaitable[bool]]  # whether Postgres answers a query for this agent; '' is the server itself
# The node with an agent's rows, as host:port; '' if that is unknown, None if no connection was free to ask for it.
Locate = Callable[[str], Awaitable[str | None]]
_waiting: ContextVar[bool] = ContextVar("waits_for_recovery", default=False)


class Breaker:
    """Counts consecutive failures of Postgres, and refuses calls after `failures` of them (0: never refuses).

    Calls that were already running at the previous failure do not count again: twenty turns that time out together
    behind a blocked event loop are one failure. When Postgres answers a call, the breaker closes and lets calls through
    again. While it is open, Postgres is probed in the background, first after `wait` seconds. The wait doubles with
    each failed probe, up to `max_wait` seconds, until a call succeeds.
    """

    def __init__(self, failures: int = 5, wait: float = 0.25, max_wait: float = 5.0) -> None:
        self._max_failures = failures
        self._first_wait = wait
        self._max_wait = max_wait
        self._state: State = "closed"
        self._wait = wait
        self._failures = 0
        self._since = float("-inf")  # failures of calls that began before are not counted
        self._reason = ""

    def another(self) -> Breaker:
        """Return a closed breaker with the same limits."""
        return Breaker(self._max_failures, self._first_wait, self._max_wait)

    @property
    def state(self) -> State:
        """The state: closed (calls pass), open (calls are refused) or half-open (calls pass after a probe)."""
        return self._state

    @property
    def wait(self) -> float:
        """The number of seconds between two probes of Postgres. It doubles after a failed probe."""
        return self._wait

    def refusal(self) -> str | None:
        """Return the reason why calls are refused now, or None if they are allowed."""
        if self._state != "open":
            return None
        return f"the circuit breaker is open: Postgres failed {self._failures} times in a row ({self._reason})"

    def answered(self) -> None:
        """Close the breaker: Postgres answered a call, even if with an error."""
        self._state, self._failures, self._wait = "closed", 0, self._first_wait

    def failed(self, began: float, now: float, reason: str) -> bool:
        """Count the failure of a call that ran from `began` to `now`.

        Return True if this failure opened the breaker.
        """
        if began < self._since or self._state == "open":
            return False
        self._failures, self._since, self._reason = self._failures + 1, now, reason
        if not self._max_failures or (self._state == "closed" and self._failures < self._max_failures):
            return False
        self._wait = self._wait if self._state == "closed" else self._doubled()
        self._state = "open"
        return True

    def probed(self, *, answered: bool, now: float) -> None:
        """Record the result of a probe of Postgres: let calls through again if it answered, else double the wait."""
        if self._state != "open":
            return
        if answered:
            self._state, self._since = "half-open", now
        else:
            self._wait = self._doubled()

    def _doubled(self) -> float:
        return min(2 * self._wait, self._max_wait)


class Probe:
    """Calls `answers` in the background at intervals until it returns True, to find out when Postgres is back."""

    def __init__(self, breaker: Breaker, answers: Callable[[], Awaitable[bool]]) -> None:
        self._breaker = breaker
        self._answers = answers
        self._task: asyncio.Task[None] | None = None
        self._finished = asyncio.Event()  # set when the next probe has finished

    def begin(self) -> None:
        """Start to probe Postgres in the background, until the breaker is no longer open."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._probe())

    async def next(self, deadline: Deadline) -> None:
        """Wait until the next probe has finished, whatever its result, or until the deadline."""
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline.left()):
                await self._finished.wait()

    async def stop(self) -> None:
        """Stop probing Postgres, and wake the callers that wait for the next probe."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._finished.set()

    async def _probe(self) -> None:
        while self._breaker.state == "open":
            await asyncio.sleep(self._breaker.wait)
            self._breaker.probed(answered=await self._answers(), now=monotonic())
            self._finished.set()
            self._finished = asyncio.Event()
        log.info("Postgres answers again")


def failed_node(error: BaseException) -> str | None:
    """Return the node, as host:port, that an error of a cluster's coordinator names as unreachable, or None."""
    found = _NODE.search(str(error))
    return found[1] if found is not None else None


async def ask(connection: Connection, agent_id: str) -> None:
    """Read the agent's row, to find out whether the agent's node answers. For '' an empty transaction suffices."""
    if agent_id:
        await connection.execute(*SQL.agent_row(agent_id=agent_id))


async def node_of(connection: Connection, agent_id: str) -> str | None:
    """Return the node of a cluster that has an agent's rows, as host:port."""
    node: str | None = await connection.fetchval(_NODE_OF_AGENT, agent_id)
    return node


class CircuitBreakers:
    """The circuit breaker of a server and those of the nodes that have failed, each with its probe.

    Args:
        server: the breaker of the server; those of nodes have the same limits.
        answers: asks Postgres for a row of an agent, to find out whether the agent's node is back.
        locate: asks the coordinator of a cluster for an agent's node, since a timeout names none. It raises nothing.
    """

    def __init__(self, server: Breaker, answers: Answers, locate: Locate | None) -> None:
        self.server = server
        self._answers = answers
        self._locate = locate
        self._locating: dict[str, asyncio.Task[None]] = {}  # by agent
        self._unplaced: dict[str, list[tuple[float, float]]] = {}  # begin and end of calls whose agent is being located
        self._stopped = False
        # Before the first answer, callers report errors, and an open breaker is logged as INFO.
        self._has_answered = False
        self._server_probe = self._probe(server, "")
        self._nodes: dict[str, tuple[Breaker, Probe]] = {}
        self._node_of: dict[str, str] = {}  # of the agents with failures since their node last answered

    def of(self, agent_id: str) -> tuple[Breaker, Probe]:
        """Return the breaker that counts for an agent, with its probe: that of its node if the node has failed."""
        node = self._node_of.get(agent_id)
        if node is not None and self.server.refusal() is None:
            return self._nodes[node]
        return self.server, self._server_probe

    def blame(self, agent_id: str, node: str) -> None:
        """Count further failures of an agent's calls for this node."""
        if node not in self._nodes:
            breaker = self.server.another()
            self._nodes[node] = breaker, self._probe(breaker, agent_id)
        if len(self._node_of) < _MAX_AGENTS or agent_id in self._node_of:
            self._node_of[agent_id] = node

    def failed(self, agent_id: str, began: float, reason: str) -> None:
        """Count the failure of an agent's call: for the agent's node if that is known, else for the server.

        A call that had no answer in time names no node. On a cluster, the coordinator is therefore asked for the
        agent's node in the background. Then all such failures since the agent's last answer are counted.
        """
        now = monotonic()
        if reason != NO_ANSWER or self._locate is None or agent_id in self._node_of:
            self._count(agent_id, began, now, reason)
        elif not self._stopped:
            self._unplaced.setdefault(agent_id, []).append((began, now))
            if agent_id not in self._locating:
                self._locating[agent_id] = asyncio.create_task(self._count_at_node(self._locate, agent_id))

    async def _count_at_node(self, locate: Locate, agent_id: str) -> None:
        """Ask for an agent's node, and count the agent's calls without an answer as failures of this node."""
        try:
            node = await locate(agent_id)
        finally:
            del self._locating[agent_id]
            unplaced = self._unplaced.pop(agent_id, [])
        if node is None:  # the calls of this process keep all connections busy, which is no failure of the server
            return
        if node and unplaced:
            self.blame(agent_id, node)
        for began, ended in unplaced:
            self._count(agent_id, began, ended, NO_ANSWER)

    def _count(self, agent_id: str, began: float, now: float, reason: str) -> None:
        breaker, probe = self.of(agent_id)
        node = self._node_of.get(agent_id)
        description = reason if node is None or node in reason else f"{reason} from the node {node}"
        if breaker.failed(began, now, description) and not self._stopped:
            level = logging.WARNING if self._has_answered else logging.INFO
            log.log(level, "%s; next probe in %.2g s", breaker.refusal(), breaker.wait)
            probe.begin()

    def answered(self, agent_id: str) -> None:
        """Close the breakers that count for an agent: Postgres answered a call, even if with an error."""
        self._has_answered = True
        self.server.answered()
        self._unplaced.pop(agent_id, None)
        node = self._node_of.pop(agent_id, None)
        if node is not None:  # its rows may have moved to another node meanwhile
            self._nodes[node][0].answered()

    async def stop(self) -> None:
        """Stop probing and asking for nodes."""
        self._stopped = True
        for task in list(self._locating.values()):
            task.cancel()
            await asyncio.wait({task})
        for probe in (self._server_probe, *(probe for _, probe in self._nodes.values())):
            await probe.stop()

    def _probe(self, breaker: Breaker, agent_id: str) -> Probe:
        return Probe(breaker, lambda: self._answers(agent_id))


def waits_for_recovery(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Decorate a coroutine function so that it waits for the next probe of Postgres while the breaker is open.

    Without the decorator, a call fails at once. The decorator also affects all functions that the decorated one calls.
    """

    @wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _waiting.set(True)
        try:
            return await call(*args, **kwargs)
        finally:
            _waiting.reset(before)

    return waiting


def may_wait() -> bool:
    """Return True if the current code runs inside a function decorated with `waits_for_recovery`."""
    return _waiting.get()
