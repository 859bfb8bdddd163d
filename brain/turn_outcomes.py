"""Count a turn's outcome, and ratings of its memories, inside a transaction of `brain.turns`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from brain import rollups, statements
from brain.judgements import Decoy, ExposureRow, Judge, Judgement, PlannedTurn, Weigh
from brain.postgres.database import Bound, Connection
from brain.postgres.wire_types import as_value
from brain.turn_records import ClosedTurn, HeldTurn

SQL = statements.load("turns")
_TO_CLOSE = SQL.turn_to_close.fill(held_turn=SQL.held_turn, exposures=SQL.exposures, decoys=SQL.decoys)
_DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class ReportedOutcome:
    """The outcome of a turn as it is stored: completed, failed or abandoned, with the names of the tools it called.

    `response` is None if the policy does not store responses. `received_at` is when the outcome was received, in
    seconds since the epoch. If memories were erased after that time, the response is not stored.
    """

    status: str
    tools_called: tuple[str, ...] = ()
    response: str | None = None
    received_at: float | None = None


async def close(
    c: Connection, agent_id: str, turn_id: str, outcome: ReportedOutcome, judge: Judge
) -> ClosedTurn | None:
    """Store and count the outcome of a turn, unless it has one. Return None if the turn does not exist.

    The transaction has locked the turn.
    """
    row = await c.fetchrow(*_TO_CLOSE(agent_id=agent_id, turn_id=turn_id, received_at=outcome.received_at))
    if row is None:
        return None
    turn = as_value(HeldTurn, row)
    if not turn.open:
        rows = await c.fetch(*SQL.attributions(agent_id=agent_id, turn_id=turn_id))
        return ClosedTurn(tuple(as_value(Judgement, row) for row in rows), False, turn.turn_message(turn.status))
    shown, decoys = _shown(row["shown"]), [as_value(Decoy, each) for each in row["decoys"]]
    judged = await judge(shown, decoys, PlannedTurn(turn.message, turn.planned_under))
    memories = _counted(shown, judged.shown) if outcome.status == "completed" else ()
    counted = rollups.rows(turn.counted(outcome.status, outcome.tools_called, memories))
    closing = SQL.close_turn(
        agent_id=agent_id,
        turn_id=turn_id,
        status=outcome.status,
        at=turn.at,
        memory_ids=[j.memory_id for j in judged.shown],
        overlaps=[j.overlap for j in judged.shown],
        used=[j.used for j in judged.shown],
        ratings=[j.rating for j in judged.shown],
        half_life_seconds=judged.weights.half_life_days * _DAY,
        rating_weight=judged.weights.rating_weight,
        decoy_types=[type_ for type_, _ in judged.decoys],
        decoys_credited=[credited for _, credited in judged.decoys],
        tools=list(outcome.tools_called),
        response="" if turn.withheld else outcome.response,
    )
    await c.write([_added(agent_id, turn.at, counted), closing])
    return ClosedTurn(tuple(judged.shown), True, turn.turn_message(outcome.status))


async def rate(c: Connection, agent_id: str, turn_id: str, memory_id: UUID, useful: bool, weigh: Weigh) -> bool:
    """Replace the measured verdict on a memory by a rating; return False if the turn did not show the memory."""
    row = await c.fetchrow(*SQL.held_turn(agent_id=agent_id, turn_id=turn_id, received_at=None))
    turn = as_value(HeldTurn, row) if row is not None else None
    weights = weigh(turn.planned_under if turn is not None else None)
    rated = await c.fetchval(
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
        await c.execute(*_added(agent_id, turn.at, rollups.changed(turn.counted(turn.status), memory)))
    return rated is not None


def _shown(rows: Sequence[Mapping[str, Any]]) -> list[ExposureRow]:
    return [as_value(ExposureRow, {**row, "memory_id": UUID(row["memory_id"])}) for row in rows]


def _counted(shown: Sequence[ExposureRow], judged: Sequence[Judgement]) -> list[rollups.CountedMemory]:
    verdicts = {judgement.memory_id: judgement for judgement in judged}
    return [
        rollups.CountedMemory(memory.type, memory.tokens, memory.counts_as_used(verdicts[memory.memory_id]))
        for memory in shown
        if memory.memory_id in verdicts
    ]


def _added(agent_id: str, at: datetime, rows: Mapping[rollups.Key, rollups.RollupCounts]) -> Bound:
    """Return the statement that adds a turn's counts to those of its hour and day."""
    values = [
        {"dimension": by, "value": value, **{name: getattr(numbers, name) for name in rollups.COLUMNS}}
        for (by, value), numbers in rows.items()  # not `asdict`, which copies deeply
    ]
    return SQL.add_to_rollups(agent_id=agent_id, at=at, rows=values)
