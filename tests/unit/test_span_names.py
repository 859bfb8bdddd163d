"""Attribute names equal those of OpenTelemetry's conventions for memory, which no package provides yet."""

from __future__ import annotations

from cognitive.telemetry import attributes

PINNED = {
    "SEARCH_MEMORY": "search_memory",
    "CREATE_MEMORY": "create_memory",
    "UPDATE_MEMORY": "update_memory",
    "DELETE_MEMORY": "delete_memory",
    "DELETE_MEMORY_STORE": "delete_memory_store",
    "EMBEDDINGS": "embeddings",
    "OPERATION": "gen_ai.operation.name",
    "AGENT_ID": "gen_ai.agent.id",
    "CONVERSATION_ID": "gen_ai.conversation.id",
    "REQUEST_MODEL": "gen_ai.request.model",
    "DIMENSIONS": "gen_ai.embeddings.dimension.count",
    "STORE_ID": "gen_ai.memory.store.id",
    "RECORD_ID": "gen_ai.memory.record.id",
    "RECORD_COUNT": "gen_ai.memory.record.count",
    "QUERY_TEXT": "gen_ai.memory.query.text",
    "RECORDS": "gen_ai.memory.records",
    "ERROR_TYPE": "error.type",
    "CAPTURE_CONTENT": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
}
NAMES = {name: value for name, value in vars(attributes).items() if isinstance(value, str) and name.isupper()}


def test_convention_names_equal_the_published_names():
    assert {name: NAMES[name] for name in PINNED} == PINNED


def test_other_names_have_the_cognitive_prefix():
    own = {value for name, value in NAMES.items() if name not in PINNED}
    assert all(value.startswith("cognitive.") for value in own)


def test_names_are_unique():
    assert len(set(NAMES.values())) == len(NAMES)
