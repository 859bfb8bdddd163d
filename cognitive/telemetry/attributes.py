"""What spans and their attributes are called, and what spans say of a step's arguments and result.

`gen_ai.*` follows the semantic conventions for generative AI of OpenTelemetry (semantic-conventions-genai,
model/gen-ai/spans.yaml, `gen_ai.memory.client`), which no released Python package holds yet; they are in development,
so a test pins the strings. What they have no name for is `cognitive.*`.

What functions named `content_…` return is what users and agents wrote: asked for only where the host opted in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias
from uuid import UUID

from brain.search import Hit
from brain.types import NewMemory, Receipt
from cognitive.plan import Plan
from cognitive.telemetry.metrics import degraded
from cognitive.turn import Outcome, RecallHit, Report, Shown, Turn, TurnContext, TurnRef

Attribute: TypeAlias = str | bool | int | float | Sequence[str]
Attributes: TypeAlias = Mapping[str, Attribute | None]  # None: it is not known, and is left out

# --- names of spans, which are the names of operations where the conventions know them ---
SEARCH_MEMORY = "search_memory"
CREATE_MEMORY = "create_memory"
UPDATE_MEMORY = "update_memory"
DELETE_MEMORY = "delete_memory"
DELETE_MEMORY_STORE = "delete_memory_store"
EMBEDDINGS = "embeddings"  # the span's name has the model behind it
PRE_TURN = "cognitive.pre_turn"
PLAN = "cognitive.plan"  # not `plan`: in the conventions that is the agent's own planning by a model
POST_TURN = "cognitive.post_turn"
RECALL = "cognitive.recall"

# --- attributes of the conventions ---
OPERATION = "gen_ai.operation.name"
AGENT_ID = "gen_ai.agent.id"
CONVERSATION_ID = "gen_ai.conversation.id"
REQUEST_MODEL = "gen_ai.request.model"
DIMENSIONS = "gen_ai.embeddings.dimension.count"
STORE_ID = "gen_ai.memory.store.id"  # the agent's: its memory is one store, searched and erased as one
RECORD_ID = "gen_ai.memory.record.id"
RECORD_COUNT = "gen_ai.memory.record.count"
QUERY_TEXT = "gen_ai.memory.query.text"  # content
RECORDS = "gen_ai.memory.records"  # content: JSON, [{content, id, score, metadata}]
ERROR_TYPE = "error.type"

# --- attributes of our own ---
TURN_ID = "cognitive.turn.id"
TURN_KIND = "cognitive.turn.kind"
FRAME = "cognitive.frame"
INTENT = "cognitive.intent"
EFFORT = "cognitive.effort"
POLICY = "cognitive.policy.version"
DEGRADED = "cognitive.degraded"  # which parts: the reasons stay in the turn's record
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

# Where the host opts in: the variable of OpenTelemetry's own instrumentations for generative AI, whose host has
# decided for all of them at once what its traces may hold. "true" is how it was spelled first.
CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
CAPTURE_VALUES = frozenset({"span_only", "span_and_event", "true"})


def turn(turn: Turn) -> Attributes:
    """A turn that is about to be prepared."""
    return {AGENT_ID: turn.agent_id, CONVERSATION_ID: turn.session_id, TURN_KIND: turn.kind}


def context(context: TurnContext) -> Attributes:
    """A turn that is prepared."""
    return {
        TURN_ID: context.turn_id,
        **plan(context.plan),
        POLICY: context.plan.policy,
        DEGRADED: degraded(context.degraded) or None,
        SHOWN: len(context.shown),
        TOKENS: sum(shown.tokens for shown in context.shown),
    }


def plan(plan: Plan) -> Attributes:
    """What was understood of a message."""
    return {
        FRAME: plan.frame,
        INTENT: plan.categories or None,
        EFFORT: plan.thinking,
        TYPES: tuple(query.type for query in plan.retrieval) or None,
        BUDGET: plan.total,
    }


def search(agent_id: str, types: Collection[str], channels: Sequence[str]) -> Attributes:
    """A search through an agent's memory."""
    return {**_memory(SEARCH_MEMORY, agent_id), TYPES: tuple(types), CHANNELS: channels}


def search_result(hits: Sequence[Hit]) -> Attributes:
    """What a search brought: so many memories, by however many of their passages."""
    return {RECORD_COUNT: len({hit.memory_id.int for hit in hits})}  # hashed in a tenth of the time


def search_content(text: str, hits: Sequence[Hit]) -> Attributes:
    """What was searched for and what was found; the scores of its channels are not weighed yet."""
    records = [
        {"id": str(hit.memory_id), "content": hit.content, "metadata": {"type": hit.type, "scores": dict(hit.scores)}}
        for hit in hits
    ]
    return {QUERY_TEXT: text, RECORDS: json.dumps(records, ensure_ascii=False)}


def context_content(context: TurnContext, *_: object) -> Attributes:
    """What the turn asked its memory, and what the prompt shows of it, in that order."""
    return {QUERY_TEXT: context.trace.query, RECORDS: _records(context.shown)}


def embeddings(model: str, dimension: int, texts: int) -> Attributes:
    """Texts that are made into vectors."""
    return {
        OPERATION: EMBEDDINGS,
        REQUEST_MODEL: model,
        DIMENSIONS: dimension,
        TEXTS: texts,
    }


def outcome(context: TurnContext | TurnRef, outcome: Outcome) -> Attributes:
    """A turn whose outcome came."""
    session = context.session_id if isinstance(context, TurnContext) else None
    return {
        AGENT_ID: context.agent_id,
        CONVERSATION_ID: session,
        TURN_ID: context.turn_id,
        STATUS: outcome.status,
    }


def report(report: Report) -> Attributes:
    """What a turn taught."""
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
    """A query of the model's own."""
    return {AGENT_ID: agent_id, TURN_ID: turn_id}


def recall_result(hits: Sequence[RecallHit]) -> Attributes:
    """What a recall answered."""
    return {RECORD_COUNT: len(hits)}


def recall_content(hits: Sequence[RecallHit], agent_id: str, query: str, *_: object, **__: object) -> Attributes:
    """A recall's query and its answer."""
    return {QUERY_TEXT: query, RECORDS: _records(hits)}


def remember(agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """Memories that are to be stored. One that exists is left as it is: nothing is updated."""
    return {**_memory(CREATE_MEMORY, agent_id), RECORD_COUNT: len(memories)}


def remember_result(ids: Sequence[UUID]) -> Attributes:
    """The id of a memory that was stored, where it is one."""
    return {RECORD_ID: _only(ids)}


def remember_content(ids: Sequence[UUID], agent_id: str, memories: Sequence[NewMemory], **_: object) -> Attributes:
    """What was stored."""
    records = [
        {"id": str(id), "content": each.content, "metadata": {"type": each.type}}
        for id, each in zip(ids, memories, strict=True)
    ]
    return {RECORDS: json.dumps(records, ensure_ascii=False)}


def update(agent_id: str, id: UUID, **_: object) -> Attributes:
    """A memory that is to be changed."""
    return {**_memory(UPDATE_MEMORY, agent_id), RECORD_ID: str(id), RECORD_COUNT: 1}


def forget(agent_id: str, ids: Sequence[UUID]) -> Attributes:
    """Memories that are to be erased: these, and not the whole store, however many they are."""
    return {**_memory(DELETE_MEMORY, agent_id), RECORD_ID: _only(ids), RECORD_COUNT: len(ids)}


def erase(agent_id: str) -> Attributes:
    """An agent whose memory is to be erased as a whole."""
    return _memory(DELETE_MEMORY_STORE, agent_id)


def erase_result(receipt: Receipt) -> Attributes:
    """How many memories an erasure removed."""
    return {RECORD_COUNT: receipt.memories}


def _memory(operation: str, agent_id: str) -> Attributes:
    return {OPERATION: operation, AGENT_ID: agent_id, STORE_ID: agent_id}


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
