"""Store turns and their outcomes. However often a call is repeated, an outcome is counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import inf
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

from brain import statements, turn_outcomes
from brain.agent_rows import sharing, sharing_unless_erased
from brain.judgements import ExposureRow, Judge, Judgement, Verdict, Weigh
from brain.postgres.database import Bound, Connection, Database
from brain.postgres.wire_types import as_value, encode_halfvec
from brain.redacting import WITHHELD
from brain.statements import SqlStatement
from brain.turn_outcomes import ReportedOutcome
from brain.turn_records import (
    CalledTurn,
    ClosedTurn,
    OpenTurn,
    RecordedTurn,
    Shadow,
    ShadowedTurn,
    StillWanted,
    TurnMessage,
    TurnSummary,
    TurnToolCalls,
    reused_turn_id,
)
from brain.types import MemoryType
from brain.users import Scope

T = TypeVar("T")

SQL = statements.load("turns")
_RECENT_TURNS = statements.by_view(SQL.recent_turns)
_SEARCHES = 60  # searches for turns that stayed open, in the time after which they are abandoned
_MAX_VIEWS = 10_000  # views whose last search is remembered
_MAX_EXPIRED = 100  # turns per statement: after an outage, a new turn must not wait until all old ones are abandoned


class TurnLog:
    """The recorded turns of all agents; an agent sees only its own. Only this class counts the use of memories."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._searched_at: dict[tuple[str, str], float] = {}  # by view: the last search for turns that stayed open

    async def open(
        self,
        scope: Scope,
        turn: OpenTurn,
        *,
        abandon_after_minutes: float,
        durable: bool = False,
        still_wanted: StillWanted | None = None,
    ) -> None:
        """Record a turn; if it is recorded already, change nothing. Also abandon turns of its user that stayed open.

        With `durable`, wait until the turn is on disk. Without it, a crash may lose the turn; `close` can then record
        it together with its outcome. If `still_wanted` returns False, nothing is recorded. Up to 60 times in
        `abandon_after_minutes`, a call abandons up to 100 turns that were open for longer.

        Raises:
            StoreError: Postgres failed, or the agent's or user's rows are being erased: the turn can be recorded later.
        """
        expiring = self._search_is_due(scope, abandon_after_minutes * 60 / _SEARCHES)
        if self._database.can_call and not (expiring or durable or still_wanted):
            await self._database.call(scope, SQL.record_turn(view=scope.key[1], **_values(scope.agent_id, turn)))
            return

        async def work(c: Connection) -> None:
            if still_wanted is not None and not await still_wanted():
                return
            await _open(c, scope.agent_id, turn)
            if expiring:
                seconds = abandon_after_minutes * 60
                await c.execute(*SQL.expire(agent_id=scope.agent_id, max_open_seconds=seconds, limit=_MAX_EXPIRED))

        row_locks = _agent_row_locks(scope.agent_id) if still_wanted is not None else ()
        first = (*sharing_unless_erased(scope.agent_id), *row_locks)
        await self._database.run(scope, work, durable=durable, first=first)

    def _search_is_due(self, scope: Scope, seconds: float) -> bool:
        """Return True, and note the time, if turns that stayed open were not searched for within these seconds."""
        now = monotonic()
        if now - self._searched_at.get(scope.key, -inf) < seconds:
            return False
        self._searched_at[scope.key] = now
        if len(self._searched_at) > _MAX_VIEWS:
            del self._searched_at[next(iter(self._searched_at))]
        return True

    async def close(
        self,
        scope: Scope,
        turn_id: str,
        outcome: ReportedOutcome,
        judge: Judge,
        *,
        opening: OpenTurn | None = None,
        still_wanted: StillWanted | None = None,
    ) -> ClosedTurn | None:
        """Close a turn: store its outcome and count it, in one transaction. Return None if it does not exist.

        If the turn is not recorded yet, `opening` is recorded first. `judge` decides which memories were used. If the
        turn was closed before, its outcome is not counted again: the stored verdicts are returned, and `judge` is not
        called. A turn abandoned as too old can be closed. If `still_wanted` returns False, nothing is stored.

        Raises:
            InvalidInput: the turn was recorded with another text than `opening` has; nothing is stored.
            StoreError: Postgres failed, or the agent's or user's rows are being erased: the turn can be closed later.
        """

        async def work(c: Connection) -> ClosedTurn | None:
            if still_wanted is not None and not await still_wanted():
                return None
            closed = await turn_outcomes.close(c, scope.agent_id, turn_id, outcome, judge)
            if closed is None and opening is not None:
                await _open(c, scope.agent_id, opening)
                await c.execute(*SQL.lock_turn(agent_id=scope.agent_id, turn_id=turn_id))
                closed = await turn_outcomes.close(c, scope.agent_id, turn_id, outcome, judge)
            if closed is not None and opening is not None and _is_another(opening, closed.message):
                raise reused_turn_id(turn_id)
            return closed

        locks = *_agent_row_locks(scope.agent_id), SQL.lock_turn(agent_id=scope.agent_id, turn_id=turn_id)
        return await self._database.run(scope, work, first=(*sharing_unless_erased(scope.agent_id), *locks))

    async def expire(self, agent_id: str, *, abandon_after_minutes: float) -> int:
        """Abandon the turns that have been open for more than `abandon_after_minutes`, and return their number."""
        expired = 0
        bound = SQL.expire(agent_id=agent_id, max_open_seconds=abandon_after_minutes * 60, limit=_MAX_EXPIRED)
        while True:
            rows = await self._database.run(Scope.all_users(agent_id), lambda c: c.fetch(*bound))
            expired += len(rows)
            if len(rows) < _MAX_EXPIRED:
                return expired

    async def expose_recalled(
        self, scope: Scope, turn_id: str, memories: Sequence[tuple[UUID, MemoryType, float | None, int]], at: datetime
    ) -> None:
        """Record that the turn showed the memories that the recall tool returned, unless it is closed or was erased.

        `memories` are (id, type, relevance gap, tokens). The gap is the best relevance of the turn minus the memory's,
        or None.
        """
        ids, types, relevance_gaps, tokens = ([each[n] for each in memories] for n in range(4))
        shown = {"memory_ids": ids, "memory_types": types, "relevance_gaps": relevance_gaps, "tokens": tokens}
        bound = SQL.expose_recalled(agent_id=scope.agent_id, turn_id=turn_id, at=at, **shown)

        await self._database.run(scope, lambda c: c.execute(*bound), first=sharing(scope.agent_id))

    async def shown(self, scope: Scope, turn_id: str) -> list[ExposureRow]:
        """Return the memories that a turn showed: those of its prompt, in their order there, then those of recall."""
        return await self._fetch(ExposureRow, SQL.exposures, scope, turn_id=turn_id)

    async def turn(self, scope: Scope, turn_id: str) -> RecordedTurn | None:
        """Return a recorded turn with its trace, or None if it does not exist."""
        turns = await self._fetch(RecordedTurn, SQL.turn_whole, scope, turn_id=turn_id)
        return turns[0] if turns else None

    async def erased_since(self, scope: Scope, since: float | None) -> bool:
        """Return True if the view's user or the agent was erased since a time, in seconds since the epoch.

        For None, which is an unknown time, the answer is False.
        """
        bound = SQL.erased_since(agent_id=scope.agent_id, since=since)
        return bool(await self._database.run(scope, lambda c: c.fetchval(*bound)))

    async def stored_after(self, scope: Scope, turn_id: str, memory_id: UUID) -> datetime | None:
        """Return when a memory was stored, by the database's clock, or None if that was not after the turn."""
        bound = SQL.stored_after(agent_id=scope.agent_id, turn_id=turn_id, memory_id=memory_id)
        return await self._database.run(scope, lambda c: c.fetchval(*bound))

    async def between(self, scope: Scope, since: datetime | None, until: datetime | None) -> list[str]:
        """Return the ids of the turns of [since, until), oldest first; a bound that is None sets no limit."""
        rows = await self._rows(scope, SQL.turns_between(agent_id=scope.agent_id, since=since, until=until))
        return [row["turn_id"] for row in rows]

    async def policy(self, agent_id: str, version: str) -> Mapping[str, Any] | None:
        """Return the content of a policy by its version, or None if no turn was planned under it."""
        bound = SQL.policy(agent_id=agent_id, version=version)
        return await self._database.run(Scope(agent_id), lambda c: c.fetchval(*bound))

    async def verdicts(self, scope: Scope) -> list[Verdict]:
        """Return the verdicts on the memories that the agent's completed turns showed, the oldest turn first."""
        return await self._fetch(Verdict, SQL.verdicts, scope)

    async def shadow(self, scope: Scope, shadow: Shadow) -> None:
        """Record the memories that a shadow policy would have shown in a turn, unless they are recorded already."""
        bound = SQL.shadow(
            agent_id=scope.agent_id,
            turn_id=shadow.turn_id,
            policy=shadow.policy,
            memory_ids=list(shadow.shown),
            tokens=shadow.tokens,
            at=shadow.at,
        )
        first = _usage_locks(scope.agent_id)
        await self._database.run(scope, lambda c: c.execute(*bound), durable=False, first=first)

    async def shadows(self, scope: Scope) -> list[ShadowedTurn]:
        """Return per turn the memories that a shadow policy would have shown, those shown, and those used."""
        return await self._fetch(ShadowedTurn, SQL.shadows, scope)

    async def calls(self, scope: Scope, limit: int) -> list[TurnToolCalls]:
        """Return the tools called in the agent's latest completed turns that have a category, newest turn first."""
        return await self._fetch(TurnToolCalls, SQL.calls, scope, limit=limit)

    async def forget_categories(self, scope: Scope, recorded_user: str | None) -> int:
        """Delete the message categories of the turns that the view may write; return the number of turns.

        `recorded_user` restricts this to turns that name a user.
        """
        bound = SQL.forget_categories(agent_id=scope.agent_id, recorded_user=recorded_user)
        return len(await self._database.run(scope, lambda c: c.fetch(*bound), first=_usage_locks(scope.agent_id)))

    async def recent(self, scope: Scope, limit: int, session_id: str | None = None) -> list[TurnSummary]:
        """Return the agent's last turns, or those of one session, newest first."""
        statement = _RECENT_TURNS[scope.sees_all and session_id is None]
        return await self._fetch(TurnSummary, statement, scope, limit=limit, session_id=session_id)

    async def latest_open(self, scope: Scope, session_id: str | None, minutes: float) -> list[str]:
        """Return the id of the latest open turn of each session.

        Only turns opened in the last `minutes` are considered, and only those of `session_id` unless it is None.
        """
        bound = SQL.open_turns(agent_id=scope.agent_id, session_id=session_id, max_age_seconds=minutes * 60)
        return [row["turn_id"] for row in await self._rows(scope, bound)]

    async def called(self, scope: Scope, model: str, latest: int) -> list[CalledTurn]:
        """Return the latest completed turns that called tools, newest first, with embeddings made by `model`."""
        return await self._fetch(CalledTurn, SQL.called_turns, scope, model=model, limit=latest)

    async def judgements(self, scope: Scope, turn_id: str) -> list[Judgement]:
        """Return the verdicts on the memories of a closed turn: whether the response used each."""
        return await self._fetch(Judgement, SQL.attributions, scope, turn_id=turn_id)

    async def rate(self, scope: Scope, turn_id: str, memory_id: UUID, useful: bool, weigh: Weigh) -> bool:
        """Replace the measured verdict on a memory by a rating; return False if the turn did not show the memory."""

        async def work(c: Connection) -> bool:
            return await turn_outcomes.rate(c, scope.agent_id, turn_id, memory_id, useful, weigh)

        return await self._database.run(scope, work, first=_usage_locks(scope.agent_id, turn_id))

    async def _fetch(self, kind: type[T], statement: SqlStatement, scope: Scope, **values: Any) -> list[T]:
        rows = await self._rows(scope, statement(agent_id=scope.agent_id, **values))
        return [as_value(kind, row) for row in rows]

    async def _rows(self, scope: Scope, bound: Bound) -> list[Any]:
        return await self._database.run(scope, lambda c: c.fetch(*bound))


def _usage_locks(agent_id: str, turn_id: str | None = None) -> tuple[Bound, ...]:
    """Return the locks that a transaction takes before it counts usage; with a `turn_id`, also that of the turn."""
    turn = (SQL.lock_turn(agent_id=agent_id, turn_id=turn_id),) if turn_id is not None else ()
    return (*sharing(agent_id), *_agent_row_locks(agent_id), *turn)


def _agent_row_locks(agent_id: str) -> tuple[Bound, ...]:
    """Return the statements that take a shared lock on the agent's row, in the queue behind waiting writers."""
    return SQL.queue_for_agent_row(agent_id=agent_id), SQL.share_agent_row(agent_id=agent_id)


def _is_another(turn: OpenTurn, recorded: TurnMessage) -> bool:
    """Return True if the recorded turn with this id is another one: its time and text differ.

    Texts that were erased or withheld are not compared.
    """
    withheld = recorded.withheld or WITHHELD in (turn.message, recorded.message)
    return not withheld and turn.at != recorded.at and turn.message != recorded.message


async def _open(c: Connection, agent_id: str, turn: OpenTurn) -> None:
    await c.execute(*SQL.open_turn(**_values(agent_id, turn)))


def _values(agent_id: str, turn: OpenTurn) -> dict[str, Any]:
    """Return the parameters of the statements that record a turn."""
    return {
        "agent_id": agent_id,
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "recorded_user": turn.user_id,
        "at": turn.at,
        "message": turn.message,
        "policy": turn.policy,
        "frame": turn.frame,
        "degraded": list(turn.degraded),
        "model": turn.model,
        "embedding": encode_halfvec(turn.query) if turn.query is not None else None,
        "trace": dict(turn.trace),
        "memory_ids": [shown.memory_id for shown in turn.shown],
        "memory_types": [shown.type for shown in turn.shown],
        "slots": [shown.slot for shown in turn.shown],
        "propensities": [shown.propensity for shown in turn.shown],
        "policy_content": dict(turn.policy_content) if turn.policy_content is not None else None,
        "relevance_gaps": [shown.relevance_gap for shown in turn.shown],
        "categories": list(turn.categories),
        "runtime": turn.runtime,
        "measures": dict(turn.measures),
        "tokens": [shown.tokens for shown in turn.shown],
        "received_at": turn.received_at,
        "degraded_codes": list(turn.degraded_codes),
    }
