"""What spans say: pure functions from what a step was given, and from what came of it, to attributes.

What functions named `content_…` return is what users and agents wrote: asked for only where the host opted in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from uuid import UUID

from brain.search import Hit
from brain.types import NewMemory, Receipt
from cognitive.plan import Plan
from cognitive.telemetry import conventions as name
from cognitive.telemetry.observations import degraded
from cognitive.telemetry.spans import Attributes
from cognitive.turn import Outcome, RecallHit, Report, Shown, Turn, TurnContext, TurnRef


def turn(turn: Turn) -> Attributes:
    """A turn that is about to be prepared."""
    return {name.AGENT_ID: turn.agent_id, name.CONVERSATION_ID: turn.session_id, name.TURN_KIND: turn.kind}


def context(context: TurnContext) -> Attributes:
    """A turn that is prepared."""
    return {
        name.TURN_ID: context.turn_id,
        **plan(context.plan),
        name.POLICY: context.plan.policy,
        name.DEGRADED: degraded(context.degraded) or None,
        name.SHOWN: len(context.shown),
        name.TOKENS: sum(shown.tokens for shown in context.shown),
    }


def plan(plan: Plan) -> Attributes:
    """What was understood of a message."""
    return {
        name.FRAME: plan.frame,
        name.INTENT: plan.categories or None,
        name.EFFORT: plan.thinking,
        name.TYPES: tuple(query.type for query in plan.retrieval) or None,
        name.BUDGET: plan.total,
    }


def search(agent_id: str, types: Collection[str], channels: Sequence[str]) -> Attributes:
    """A search through an agent's memory."""
    return {**_memory(name.SEARCH_MEMORY, agent_id), name.TYPES: tuple(types), name.CHANNELS: channels}


def found(hits: Sequence[Hit]) -> Attributes:
    """What a search brought: so many memories, by however many of their passages."""
    return {name.RECORD_COUNT: len({hit.memory_id.int for hit in hits})}  # hashed in a tenth of the time


def content_found(text: str, hits: Sequence[Hit]) -> Attributes:
    """What was searched for and what was found; the scores of its channels are not weighed yet."""
    records = [
        {"id": str(hit.memory_id), "content": hit.content, "metadata": {"type": hit.type, "scores": dict(hit.scores)}}
        for hit in hits
    ]
    return {name.QUERY_TEXT: text, name.RECORDS: json.dumps(records, ensure_ascii=False)}


def content_shown(context: TurnContext, *_: object) -> Attributes:
    """What the turn asked its memory, and what the prompt shows of it, in that order."""
    return {name.QUERY_TEXT: context.trace.query, name.RECORDS: _records(context.shown)}


def embeddings(model: str, dimension: int, texts: int) -> Attributes:
    """Texts that are made into vectors."""
    return {
        name.OPERATION: name.EMBEDDINGS, name.REQUEST_MODEL: model, name.DIMENSIONS: dimension, name.TEXTS: texts,
    }  # fmt: skip


def ended(context: TurnContext | TurnRef, outcome: Outcome) -> Attributes:
    """A turn whose outcome came."""
    session = context.session_id if isinstance(context, TurnContext) else None
    return {
        name.AGENT_ID: context.agent_id, name.CONVERSATION_ID: session, name.TURN_ID: context.turn_id,
        name.STATUS: outcome.status,
    }  # fmt: skip


def report(report: Report) -> Attributes:
    """What a turn taught."""
    return {
        name.REFERENCED: sum(each.referenced for each in report.attributions),
        name.RECORDED: report.recorded,
        name.DUPLICATE: report.duplicate,
    }


def recall(
    agent_id: str, query: str, memory_type: str | None = None, limit: int = 10, turn_id: str | None = None,
    *_: object, **__: object,
) -> Attributes:  # fmt: skip
    """A query of the model's own."""
    return {name.AGENT_ID: agent_id, name.TURN_ID: turn_id}


def hits(hits: Sequence[RecallHit]) -> Attributes:
    """What a recall answered."""
    return {name.RECORD_COUNT: len(hits)}


def content_hits(hits: Sequence[RecallHit], agent_id: str, query: str, *_: object, **__: object) -> Attributes:
    """A recall's query and its answer."""
    return {name.QUERY_TEXT: query, name.RECORDS: _records(hits)}


def remember(agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """Memories that are to be stored. One that exists is left as it is: nothing is updated."""
    return {**_memory(name.CREATE_MEMORY, agent_id), name.RECORD_COUNT: len(memories)}


def remembered(ids: Sequence[UUID]) -> Attributes:
    """The id of a memory that was stored, where it is one."""
    return {name.RECORD_ID: _only(ids)}


def content_remembered(ids: Sequence[UUID], agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """What was stored."""
    records = [
        {"id": str(id), "content": each.content, "metadata": {"type": each.type}}
        for id, each in zip(ids, memories, strict=True)
    ]
    return {name.RECORDS: json.dumps(records, ensure_ascii=False)}


def update(agent_id: str, id: UUID, **_: object) -> Attributes:
    """A memory that is to be changed."""
    return {**_memory(name.UPDATE_MEMORY, agent_id), name.RECORD_ID: str(id), name.RECORD_COUNT: 1}


def forget(agent_id: str, ids: Sequence[UUID]) -> Attributes:
    """Memories that are to be erased: these, and not the whole store, however many they are."""
    return {**_memory(name.DELETE_MEMORY, agent_id), name.RECORD_ID: _only(ids), name.RECORD_COUNT: len(ids)}


def erase(agent_id: str) -> Attributes:
    """An agent whose memory is to be erased as a whole."""
    return _memory(name.DELETE_MEMORY_STORE, agent_id)


def erased(receipt: Receipt) -> Attributes:
    """How many memories an erasure removed."""
    return {name.RECORD_COUNT: receipt.memories}


def _memory(operation: str, agent_id: str) -> Attributes:
    return {name.OPERATION: operation, name.AGENT_ID: agent_id, name.STORE_ID: agent_id}


def _only(ids: Sequence[UUID]) -> str | None:
    return str(ids[0]) if len(ids) == 1 else None


def _records(found: Sequence[Shown | RecallHit]) -> str:
    return json.dumps(
        [
            {"id": str(each.memory_id), "content": each.content, "score": each.score, "metadata": {"type": each.type}}
            for each in found
        ],
        ensure_ascii=False,
    )
