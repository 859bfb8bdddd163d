"""What spans and their attributes are called.

`gen_ai.*` follows the semantic conventions for generative AI of OpenTelemetry (semantic-conventions-genai,
model/gen-ai/spans.yaml, `gen_ai.memory.client`), which no released Python package holds yet; they are in development,
so a test pins the strings. What they have no name for is `cognitive.*`.
"""

from __future__ import annotations

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
CAPTURING = frozenset({"span_only", "span_and_event", "true"})
