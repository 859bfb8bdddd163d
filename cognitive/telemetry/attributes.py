"""Names of OpenTelemetry spans and attributes, and functions that return the attributes of each operation's span.

`gen_ai.*` follows OpenTelemetry's semantic conventions for generative AI (semantic-conventions-genai,
model/gen-ai/spans.yaml, `gen_ai.memory.client`). The conventions are in development and no released Python package
contains these names, so a test pins the strings. Names that the conventions lack are `cognitive.*`.

Functions whose name ends in `_content` return text by users and agents. They are called only if the host opted in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from cognitive.telemetry.metrics import degraded
from cognitive.turn import TurnContext

if TYPE_CHECKING:
    from brain.receipts import Receipt
    from brain.search import Hit
    from brain.types import NewMemory
    from cognitive.plan import Plan
    from cognitive.recall_hits import RecallHit
    from cognitive.turn import Outcome, Report, Shown, Turn, TurnRef

Attribute: TypeAlias = str | bool | int | float | Sequence[str]
Attributes: TypeAlias = Mapping[str, Attribute | None]  # None: the value is unknown, and the attribute is left out

# --- names of spans: those of the conventions' operations, where they exist ---
SEARCH_MEMORY = "search_memory"
CREATE_MEMORY = "create_memory"
UPDATE_MEMORY = "update_memory"
DELETE_MEMORY = "delete_memory"
DELETE_MEMORY_STORE = "delete_memory_store"
EMBEDDINGS = "embeddings"  # followed by the model in the span's name
PRE_TURN = "cognitive.pre_turn"
PLAN = "cognitive.plan"  # not `plan`, which in the conventions is planning by an agent's model
POST_TURN = "cognitive.post_turn"
RECALL = "cognitive.recall"

# --- attributes of the conventions ---
OPERATION = "gen_ai.operation.name"
AGENT_ID = "gen_ai.agent.id"
CONVERSATION_ID = "gen_ai.conversation.id"
REQUEST_MODEL = "gen_ai.request.model"
DIMENSIONS = "gen_ai.embeddings.dimension.count"
STORE_ID = "gen_ai.memory.store.id"  # the agent's id, since an agent's memory is searched and erased as one store
RECORD_ID = "gen_ai.memory.record.id"
RECORD_COUNT = "gen_ai.memory.record.count"
QUERY_TEXT = "gen_ai.memory.query.text"  # content, only if the host opted in
RECORDS = "gen_ai.memory.records"  # content, only if the host opted in: JSON, [{content, id, score, metadata}]
ERROR_TYPE = "error.type"

# --- attributes that the conventions lack ---
TURN_ID = "cognitive.turn.id"
TURN_KIND = "cognitive.turn.kind"
FRAME = "cognitive.frame"
INTENT = "cognitive.intent"
EFFORT = "cognitive.effort"
POLICY = "cognitive.policy.version"
DEGRADED = "cognitive.degraded"  # the parts; the reasons are in the turn's record only
SHOWN = "cognitive.memory.shown"
TOKENS = "cognitive.context.tokens"
TYPES = "cognitive.memory.types"
CHANNELS = "cognitive.search.channels"
BUDGET = "cognitive.plan.tokens"
TEXTS = "cognitive.embeddings.texts"
STATUS = "cognitive.turn.status"
REFERENCED = "cognitive.memory.referenced"
RECORDED = "cognitive.turn.recorded"
DUPLICATE = "cognitive.turn.duplicate"

# The variable by which a host opts in to content. OpenTelemetry's instrumentations for generative AI use the same, so
# that a host decides for all of them at once. "true" is its older value.
CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
CAPTURE_VALUES = frozenset({"span_only", "span_and_event", "true"})


def turn(turn: Turn) -> Attributes:
    """Return the attributes of a turn's span that are known before the turn is prepared."""
    return {AGENT_ID: turn.agent_id, CONVERSATION_ID: turn.session_id, TURN_KIND: turn.kind}


def context(context: TurnContext) -> Attributes:
    """Return the attributes of a turn's span that are known once the turn is prepared."""
    return {
        TURN_ID: context.turn_id,
        **plan(context.plan),
        POLICY: context.plan.policy,
        DEGRADED: degraded(context.degraded) or None,
        SHOWN: len(context.shown),
        TOKENS: sum(shown.tokens for shown in context.shown),
    }


def plan(plan: Plan) -> Attributes:
    """Return the span attributes of a turn's plan."""
    return {
        FRAME: plan.frame,
        INTENT: plan.categories or None,
        EFFORT: plan.thinking,
        TYPES: tuple(query.type for query in plan.retrieval) or None,
        BUDGET: plan.total,
    }


def search(agent_id: str, types: Collection[str]) -> Attributes:
    """Return the span attributes of a search in an agent's memory."""
    return {**_memory(SEARCH_MEMORY, agent_id), TYPES: tuple(types)}


def search_result(hits: Sequence[Hit], channels: Sequence[str]) -> Attributes:
    """Return the channels of a search and the number of memories that it found, as span attributes.

    Several passages of one memory count once.
    """
    found = {hit.memory_id.int for hit in hits}  # an int is hashed ten times as fast as a UUID
    return {CHANNELS: channels, RECORD_COUNT: len(found)}


def search_content(text: str, hits: Sequence[Hit]) -> Attributes:
    """Return the text of a search's query and hits as span attributes.

    The scores of the hits are those of the search channels that found them.
    """
    records = [
        {"id": str(hit.memory_id), "content": hit.content, "metadata": {"type": hit.type, "scores": dict(hit.scores)}}
        for hit in hits
    ]
    return {QUERY_TEXT: text, RECORDS: json.dumps(records, ensure_ascii=False)}


def context_content(context: TurnContext, *_: object) -> Attributes:
    """Return the text of a turn's query and of the memories shown, as span attributes."""
    return {QUERY_TEXT: context.trace.query, RECORDS: _records(context.shown)}


def embeddings(model: str, dimension: int, texts: int) -> Attributes:
    """Return the attributes of the span around an embedding call: model, dimension, and number of texts."""
    return {
        OPERATION: EMBEDDINGS,
        REQUEST_MODEL: model,
        DIMENSIONS: dimension,
        TEXTS: texts,
    }


def outcome(context: TurnContext | TurnRef, outcome: Outcome) -> Attributes:
    """Return the span attributes of a turn's outcome, when it is posted."""
    session = context.session_id if isinstance(context, TurnContext) else None
    return {
        AGENT_ID: context.agent_id,
        CONVERSATION_ID: session,
        TURN_ID: context.turn_id,
        STATUS: outcome.status,
    }


def report(report: Report) -> Attributes:
    """Return the span attributes of the report that posting an outcome returns."""
    return {
        REFERENCED: sum(each.referenced for each in report.attributions),
        RECORDED: report.recorded,
        DUPLICATE: report.duplicate,
    }


def recall(
    agent_id: str,
    query: str,
    memory_type: str | None = None,
    limit: int = 10,
    turn_id: str | None = None,
    *_: object,
    **__: object,
) -> Attributes:
    """Return the span attributes of a call of the recall tool."""
    return {AGENT_ID: agent_id, TURN_ID: turn_id}


def recall_result(hits: Sequence[RecallHit]) -> Attributes:
    """Return the number of memories that a call of the recall tool returned, as a span attribute."""
    return {RECORD_COUNT: len(hits)}


def recall_content(hits: Sequence[RecallHit], agent_id: str, query: str, *_: object, **__: object) -> Attributes:
    """Return the text of a recall's query and hits as span attributes."""
    return {QUERY_TEXT: query, RECORDS: _records(hits)}


def remember(agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """Return the span attributes of a call that stores memories."""
    return {**_memory(CREATE_MEMORY, agent_id), RECORD_COUNT: len(memories)}


def remember_result(ids: Sequence[UUID]) -> Attributes:
    """Return the id of the stored memory as a span attribute, if the call stored a single one."""
    return {RECORD_ID: _only(ids)}


def remember_content(ids: Sequence[UUID], agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """Return the text of the stored memories as span attributes."""
    records = [
        {"id": str(id), "content": each.content, "metadata": {"type": each.type}}
        for id, each in zip(ids, memories, strict=True)
    ]
    return {RECORDS: json.dumps(records, ensure_ascii=False)}


def update(agent_id: str, id: UUID, **_: object) -> Attributes:
    """Return the span attributes of a call that changes a memory."""
    return {**_memory(UPDATE_MEMORY, agent_id), RECORD_ID: str(id), RECORD_COUNT: 1}


def forget(agent_id: str, ids: Sequence[UUID], **_: object) -> Attributes:
    """Return the span attributes of a call that erases single memories."""
    return {**_memory(DELETE_MEMORY, agent_id), RECORD_ID: _only(ids), RECORD_COUNT: len(ids)}


def erase(agent_id: str, *_: object) -> Attributes:
    """Return the span attributes of a call that erases an agent, or a user of an agent."""
    return _memory(DELETE_MEMORY_STORE, agent_id)


def erase_result(receipt: Receipt) -> Attributes:
    """Return the number of memories that an erasure removed, as a span attribute."""
    return {RECORD_COUNT: receipt.memories}


def _memory(operation: str, agent_id: str) -> Attributes:
    return {OPERATION: operation, AGENT_ID: agent_id, STORE_ID: agent_id}


def _only(ids: Sequence[UUID]) -> str | None:
    return str(ids[0]) if len(ids) == 1 else None


def _records(memories: Sequence[Shown | RecallHit]) -> str:
    return json.dumps(
        [
            {"id": str(each.memory_id), "content": each.content, "score": each.score, "metadata": {"type": each.type}}
            for each in memories
        ],
        ensure_ascii=False,
    )
