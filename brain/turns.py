"""Turns as they were: what was planned, what was shown, what was used. Each is recorded once, whatever is retried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from brain import rollups, statements
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value, encode_halfvec
from brain.statements import SqlStatement
from brain.turn_records import (
    CalledTurn,
    ClosedTurn,
    Decoy,
    ExposureRow,
    HeldTurn,
    Judge,
    Judgement,
    OpenTurn,
    PlannedTurn,
    RecordedTurn,
    Shadow,
    ShadowedTurn,
    StillWanted,
    TurnJudgement,
    TurnSummary,
    TurnToolCalls,
    Verdict,
    Weigh,
)
from brain.types import MemoryType

T = TypeVar("T")

SQL = statements.load("turns")
_DAY = 86_400.0  # seconds
_MAX_REAPED = 100  # turns at a time: opening a turn must not wait for the cleaning up of an outage


class TurnLog:
    """The record of turns, and the one place where use is counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(
        self,
        agent_id: str,
        turn: OpenTurn,
        *,
        abandon_after_minutes: float,
        durable: bool = False,
        still: StillWanted | None = None,
    ) -> None:
        """Records a turn; one that is there already stays as it was recorded first. Gives up some that stayed open.

        Not `durable`, the commit does not wait for the disk: a turn lost in a crash is recorded with its outcome.
        """

        async def work(c: Connection) -> None:
            if still is not None and not await _wanted(c, agent_id, still):
                return
            await _open(c, agent_id, turn)
            await c.execute(
                *SQL.expire(agent_id=agent_id, max_open_seconds=abandon_after_minutes * 60, limit=_MAX_REAPED)
            )

        await self._database.run(agent_id, work, durable=durable)

    async def close(
        self,
        agent_id: str,
        turn_id: str,
        status: str,
        judge: Judge,
        *,
        opening: OpenTurn | None = None,
        still: StillWanted | None = None,
        received_at: float | None = None,
        tools_called: Sequence[str] = (),
        response: str | None = None,
    ) -> ClosedTurn | None:
        """Counts a turn's outcome once, opening the turn first if need be; one transaction. None: no such turn.

        What was counted before stays, whatever `judge` would say now. A turn that was given up can still be closed.
        `received_at` is when the outcome came in, in seconds since the epoch: what is forgotten since may stand in it.
        """

        async def work(c: Connection) -> ClosedTurn | None:
            if not await _wanted(c, agent_id, still):
                return None
            if opening is not None:
                await _open(c, agent_id, opening)
            turn = await _held(c, agent_id, turn_id, received_at)
            if turn is None:
                return None
            if not turn.open:
                rows = await c.fetch(*SQL.attributions(agent_id=agent_id, turn_id=turn_id))
                return ClosedTurn(
                    tuple(as_value(Judgement, row) for row in rows), False, turn.turn_message(turn.status)
                )
            shown, judged = await _judged(c, agent_id, turn_id, turn, judge)
            await c.execute(
                *SQL.close_turn(
                    agent_id=agent_id,
                    turn_id=turn_id,
                    status=status,
                    at=turn.at,
                    memory_ids=[j.memory_id for j in judged.shown],
                    overlaps=[j.overlap for j in judged.shown],
                    used=[j.used for j in judged.shown],
                    ratings=[j.rating for j in judged.shown],
                    half_life_seconds=judged.weights.half_life_days * _DAY,
                    rating_weight=judged.weights.rating_weight,
                    decoy_types=[type_ for type_, _ in judged.decoys],
                    decoys_credited=[credited for _, credited in judged.decoys],
                    tools=list(tools_called),
                    response="" if turn.withheld else response,
                ),
            )
            told = turn.counted(
                status, tuple(tools_called), _counted(shown, judged.shown) if status == "completed" else ()
            )
            await _tally(c, agent_id, turn.at, rollups.rows(told))
            return ClosedTurn(tuple(judged.shown), True, turn.turn_message(status))

        return await self._database.run(agent_id, work)

    async def expire(self, agent_id: str, *, abandon_after_minutes: float) -> int:
        """Gives up every turn that stayed open for longer, and returns how many. An outcome may still come."""
        expired = 0
        while True:
            rows = await self._database.run(
                agent_id,
                lambda c: c.fetch(
                    *SQL.expire(agent_id=agent_id, max_open_seconds=abandon_after_minutes * 60, limit=_MAX_REAPED)
                ),
            )
            expired += len(rows)
            if len(rows) < _MAX_REAPED:
                return expired

    async def expose_recalled(
        self, agent_id: str, turn_id: str, memories: Sequence[tuple[UUID, MemoryType, float | None]], at: datetime
    ) -> None:
        """Counts memories that the recall tool returned within a turn as shown in it, unless its outcome is known.

        Each memory comes with its type and how far it stood below the best of the turn's own search, None if unknown.
        """
        ids, types, relevance_gap = ([each[n] for each in memories] for n in range(3))
        await self._database.run(
            agent_id,
            lambda c: c.execute(
                *SQL.expose_recalled(
                    agent_id=agent_id,
                    turn_id=turn_id,
                    memory_ids=ids,
                    memory_types=types,
                    at=at,
                    relevance_gaps=relevance_gap,
                )
            ),
        )

    async def shown(self, agent_id: str, turn_id: str) -> list[ExposureRow]:
        """The memories a turn showed, by the prompt first, in their order there."""
        return await self._fetch(ExposureRow, SQL.exposures, agent_id, turn_id=turn_id)

    async def turn(self, agent_id: str, turn_id: str) -> RecordedTurn | None:
        """Return a recorded turn with its trace, or None."""
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.turn_whole(agent_id=agent_id, turn_id=turn_id))
        )
        return as_value(RecordedTurn, row) if row is not None else None

    async def stored_after(self, agent_id: str, turn_id: str, memory_id: UUID) -> datetime | None:
        """When a memory was stored, by the clock of the database, if that was after a turn was recorded; else None."""
        return await self._database.run(
            agent_id, lambda c: c.fetchval(*SQL.stored_after(agent_id=agent_id, turn_id=turn_id, memory_id=memory_id))
        )

    async def between(self, agent_id: str, since: datetime | None, until: datetime | None) -> list[str]:
        """The ids of the turns of [since, until), oldest first; None is no bound."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.turns_between(agent_id=agent_id, since=since, until=until))
        )
        return [row["turn_id"] for row in rows]

    async def policy(self, agent_id: str, version: str) -> Mapping[str, Any] | None:
        """The content of a policy that some turn was planned under, or None."""
        return await self._database.run(agent_id, lambda c: c.fetchval(*SQL.policy(agent_id=agent_id, version=version)))

    async def verdicts(self, agent_id: str) -> list[Verdict]:
        """All that was ever counted of the agent's memories that are still there, in the order of time."""
        return await self._fetch(Verdict, SQL.verdicts, agent_id)

    async def shadow(self, agent_id: str, shadow: Shadow) -> None:
        """Records what another policy would have shown in a turn that is recorded; the first record stands."""

        async def work(c: Connection) -> None:
            await _share(c, agent_id)
            await c.execute(
                *SQL.shadow(
                    agent_id=agent_id,
                    turn_id=shadow.turn_id,
                    policy=shadow.policy,
                    memory_ids=list(shadow.shown),
                    tokens=shadow.tokens,
                    at=shadow.at,
                )
            )

        await self._database.run(agent_id, work, durable=False)

    async def shadows(self, agent_id: str) -> list[ShadowedTurn]:
        """Return the shadows beside what their turns showed and what of that was used."""
        return await self._fetch(ShadowedTurn, SQL.shadows, agent_id)

    async def calls(self, agent_id: str, limit: int) -> list[TurnToolCalls]:
        """The agent's latest completed turns that have a category, newest first."""
        return await self._fetch(TurnToolCalls, SQL.calls, agent_id, limit=limit)

    async def forget_categories(self, agent_id: str, user_id: str | None) -> int:
        """Forgets the categories of the agent's turns, or of one user's, and returns of how many."""

        async def work(c: Connection) -> int:
            await _share(c, agent_id)
            return len(await c.fetch(*SQL.forget_categories(agent_id=agent_id, user_id=user_id)))

        return await self._database.run(agent_id, work)

    async def recent(self, agent_id: str, limit: int, session_id: str | None = None) -> list[TurnSummary]:
        """Return the agent's last turns, or those of one session, newest first."""
        return await self._fetch(TurnSummary, SQL.recent_turns, agent_id, limit=limit, session_id=session_id)

    async def opened(self, agent_id: str, session_id: str | None, minutes: float) -> list[str]:
        """The latest open turn of each session, or of one, of those opened in so many minutes past."""
        rows = await self._database.run(
            agent_id,
            lambda c: c.fetch(*SQL.open_turns(agent_id=agent_id, session_id=session_id, max_age_seconds=minutes * 60)),
        )
        return [row["turn_id"] for row in rows]

    async def called(self, agent_id: str, model: str, latest: int) -> list[CalledTurn]:
        """The latest completed turns that called tools, newest first; vectors only of this embedding model."""
        return await self._fetch(CalledTurn, SQL.called_turns, agent_id, model=model, limit=latest)

    async def judgements(self, agent_id: str, turn_id: str) -> list[Judgement]:
        """The verdicts that were counted when the turn was closed."""
        return await self._fetch(Judgement, SQL.attributions, agent_id, turn_id=turn_id)

    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, useful: bool, weigh: Weigh) -> bool:
        """Lets an explicit verdict take the place of the measured one. False if the turn showed no such memory."""

        async def work(c: Connection) -> bool:
            await _share(c, agent_id)
            turn = await _held(c, agent_id, turn_id, None)
            weights = weigh(turn.planned_under if turn is not None else None)
            rated = await c.fetchrow(
                *SQL.rate(
                    agent_id=agent_id,
                    turn_id=turn_id,
                    memory_id=memory_id,
                    useful=useful,
                    half_life_seconds=weights.half_life_days * _DAY,
                    rating_weight=weights.rating_weight,
                )
            )
            if turn is not None and rated is not None and rated["times"]:
                memory = rollups.CountedMemory(rated["type"], rated["tokens"], useful)
                await _tally(c, agent_id, turn.at, rollups.changed(turn.counted(turn.status), memory))
            return rated is not None

        return await self._database.run(agent_id, work)

    async def _fetch(self, kind: type[T], statement: SqlStatement, agent_id: str, **values: Any) -> list[T]:
        bound = statement(agent_id=agent_id, **values)
        rows = await self._database.run(agent_id, lambda c: c.fetch(*bound))
        return [as_value(kind, row) for row in rows]


async def _held(c: Connection, agent_id: str, turn_id: str, received_at: float | None) -> HeldTurn | None:
    row = await c.fetchrow(*SQL.hold_turn(agent_id=agent_id, turn_id=turn_id, received_at=received_at))
    return as_value(HeldTurn, row) if row is not None else None


async def _wanted(c: Connection, agent_id: str, still: StillWanted | None) -> bool:
    await _share(c, agent_id)
    return still is None or await still()


async def _share(c: Connection, agent_id: str) -> None:
    await share_agent(c, agent_id)
    await c.execute(*SQL.share_agent_row(agent_id=agent_id))


async def _open(c: Connection, agent_id: str, turn: OpenTurn) -> None:
    await c.execute(
        *SQL.open_turn(
            agent_id=agent_id,
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            user_id=turn.user_id,
            at=turn.at,
            message=turn.message,
            policy=turn.policy,
            frame=turn.frame,
            degraded=list(turn.degraded),
            model=turn.model,
            embedding=encode_halfvec(turn.query) if turn.query is not None else None,
            trace=dict(turn.trace),
            memory_ids=[shown.memory_id for shown in turn.shown],
            memory_types=[shown.type for shown in turn.shown],
            slots=[shown.slot for shown in turn.shown],
            propensities=[shown.propensity for shown in turn.shown],
            policy_content=dict(turn.policy_content) if turn.policy_content is not None else None,
            relevance_gaps=[shown.relevance_gap for shown in turn.shown],
            categories=list(turn.categories),
            runtime=turn.runtime,
            measures=dict(turn.measures),
            tokens=[shown.tokens for shown in turn.shown],
            received_at=turn.received_at,
            degraded_codes=list(turn.degraded_codes),
        ),
    )


async def _judged(
    c: Connection, agent_id: str, turn_id: str, turn: HeldTurn, judge: Judge
) -> tuple[Sequence[ExposureRow], TurnJudgement]:
    """The memories that the turn showed, and the judgement on them and on its decoys."""
    shown = [as_value(ExposureRow, row) for row in await c.fetch(*SQL.exposures(agent_id=agent_id, turn_id=turn_id))]
    decoys = [as_value(Decoy, row) for row in await c.fetch(*SQL.decoys(agent_id=agent_id, turn_id=turn_id))]
    return shown, await judge(shown, decoys, PlannedTurn(turn.message, turn.planned_under))


def _counted(shown: Sequence[ExposureRow], judged: Sequence[Judgement]) -> list[rollups.CountedMemory]:
    verdicts = {judgement.memory_id: judgement for judgement in judged}
    return [
        rollups.CountedMemory(memory.type, memory.tokens, memory.counts_as_used(verdicts[memory.memory_id]))
        for memory in shown
        if memory.memory_id in verdicts
    ]


async def _tally(c: Connection, agent_id: str, at: datetime, rows: Mapping[rollups.Key, rollups.RollupCounts]) -> None:
    told = [
        {"dimension": by, "value": value, **{name: getattr(numbers, name) for name in rollups.COLUMNS}}
        for (by, value), numbers in rows.items()  # not `asdict`, which copies deeply
    ]
    await c.execute(*SQL.add_to_rollups(agent_id=agent_id, at=at, rows=told))
