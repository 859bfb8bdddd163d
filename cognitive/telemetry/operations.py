"""The methods of a layer that are observed, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from brain.types import Receipt
from cognitive.telemetry import attributes, conventions
from cognitive.telemetry.instruments import WRITTEN, Observation, Observations
from cognitive.telemetry.observations import prepared, recalled, settled
from cognitive.telemetry.observed import Operation
from cognitive.turn import Outcome, RecallHit, Report, Turn, TurnContext


def _prepared(context: TurnContext, seconds: float, turn: Turn) -> Observations:
    """Only users' turns are planned; the others would make the latencies look better than they are."""
    return prepared(context, seconds) if turn.kind == "user" else ()


def _settled(report: Report, seconds: float, context: object, outcome: Outcome) -> Observations:
    return settled(outcome, report, seconds)


def _recalled(hits: Sequence[RecallHit], seconds: float, *_: object, **__: object) -> Observations:
    return recalled(hits, seconds)


def _remembered(ids: Sequence[UUID], *_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (len(ids),), (conventions.CREATE_MEMORY,)),)


def _updated(*_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (1,), (conventions.UPDATE_MEMORY,)),)


def _erased(receipt: Receipt, *_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (receipt.memories,), (conventions.DELETE_MEMORY,)),)


PRE_TURN = Operation(conventions.PRE_TURN, attributes.turn, _prepared, attributes.context, attributes.content_shown)
POST_TURN = Operation(conventions.POST_TURN, attributes.ended, _settled, attributes.report)
RECALL = Operation(conventions.RECALL, attributes.recall, _recalled, attributes.hits, attributes.content_hits)
REMEMBER = Operation(
    conventions.CREATE_MEMORY, attributes.remember, _remembered, attributes.remembered, attributes.content_remembered
)
UPDATE = Operation(conventions.UPDATE_MEMORY, attributes.update, _updated)
FORGET = Operation(conventions.DELETE_MEMORY, attributes.forget, _erased, attributes.erased)
ERASE = Operation(conventions.DELETE_MEMORY_STORE, attributes.erase, _erased, attributes.erased)
