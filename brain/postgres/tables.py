"""The schema as SQLAlchemy tables, for `alembic check` and for the list of tables that `distribute` distributes."""

from __future__ import annotations

from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, REAL

from brain.memory_types import MEMORY_TYPES

metadata = MetaData(schema="cognitive")

# fmt: off


AT = DateTime(timezone=True)
NOW = text("now()")
ZERO = text("0")
EMPTY = text("''")
NONE = text("'{}'")
_MEMORY_TYPES = ", ".join(f"'{name}'" for name in MEMORY_TYPES)
_COUNTS = (
    "turns", "completed", "failed", "abandoned", "degraded", "abstained", "found", "shown", "used", "tokens",
    "used_tokens", "deduped", "trimmed", "pinned_tokens",
)


def _column(name: str, type_: Any, *, nullable: bool = False, default: Any = None) -> Column[Any]:
    return Column(name, type_, nullable=nullable, server_default=default)


def _agent() -> Column[Any]:
    return _column("agent_id", Text)


def _scope() -> tuple[Column[Any], Column[Any]]:
    return _agent(), _column("user_id", Text, default=EMPTY)


def _key(table: str, *columns: str) -> PrimaryKeyConstraint:
    return PrimaryKeyConstraint("agent_id", "user_id", *columns, name=f"{table}_user_pkey")


agent_state = Table(
    "agent_state", metadata, _agent(),
    _column("next_seq", BigInteger, default=text("1")), _column("next_session", Integer, default=text("1")),
    _column("model", Text, nullable=True),
    _column("language", Text, default=text("'english'")), _column("pending_language", Text, nullable=True),
    _column("language_chosen", Boolean),
    _column("model_day", Date, nullable=True), _column("model_tokens", BigInteger, default=ZERO),
    PrimaryKeyConstraint("agent_id"),
)

corpus = Table(
    "corpus", metadata, *_scope(), _column("memories", BigInteger, default=ZERO),
    _column("passages", BigInteger, default=ZERO), _column("sessions", BigInteger, default=ZERO),
    _column("content_lexemes", BigInteger, default=ZERO), _column("context_lexemes", BigInteger, default=ZERO),
    PrimaryKeyConstraint("agent_id", "user_id"),
)

memory = Table(
    "memory", metadata, *_scope(), _column("id", Uuid), _column("seq", BigInteger), _column("identity", LargeBinary),
    _column("type", Text), _column("content", Text), _column("speaker", Text, nullable=True),
    _column("context", Text, default=EMPTY), _column("occurred_at", AT), _column("session_id", Text, nullable=True),
    _column("session_number", Integer, nullable=True), _column("source", Text, nullable=True),
    _column("tags", ARRAY(Text), default=NONE),
    _column("entities", ARRAY(Text), default=NONE), _column("confidence", REAL, default=text("1")),
    _column("pinned", Boolean, default=text("false")), _column("supersedes", Uuid, nullable=True),
    _column("replaced_by", Uuid, nullable=True), _column("attributes", JSONB, default=NONE),
    _column("created_at", AT, default=NOW), _column("updated_at", AT, default=NOW),
    _column("trust", Text, default=text("'host'")), _column("expires_at", AT, nullable=True),
    _column("hidden_at", AT, nullable=True), _column("hidden_reason", Text, nullable=True),
    _column("metadata", JSONB, default=NONE), _column("claim", Text, nullable=True),
    _key("memory", "id"), UniqueConstraint("agent_id", "user_id", "identity", name="memory_user_identity"),
    CheckConstraint("trust IN ('foreign', 'talk', 'agent', 'host')"),
    CheckConstraint(f"type IN ({_MEMORY_TYPES})"),
    CheckConstraint("confidence BETWEEN 0 AND 1"),
    CheckConstraint("hidden_reason IN ('superseded', 'retired', 'expired', 'merged')"),
    CheckConstraint("(hidden_at IS NULL) = (hidden_reason IS NULL)", name="memory_hidden_with_reason"),
    Index("memory_by_id", "agent_id", "id", unique=True, postgresql_include=["user_id"]),
    Index("memory_user_session", "agent_id", "user_id", "session_id", "occurred_at", "seq", postgresql_include=["id"]),
    Index("memory_user_time", "agent_id", "user_id", "type", "occurred_at", "seq", postgresql_include=["id"]),
    Index("memory_user_pinned", "agent_id", "user_id", "seq", postgresql_where=text("pinned")),
    Index(
        "memory_user_wishes", "agent_id", "user_id", "occurred_at", "seq",
        postgresql_where=text("attributes ->> 'kind' IN ('preference', 'instruction') AND NOT pinned"),
    ),
    Index("memory_supersedes", "agent_id", "supersedes", postgresql_where=text("supersedes IS NOT NULL")),
    Index("memory_replaced_by", "agent_id", "replaced_by", postgresql_where=text("replaced_by IS NOT NULL")),
    Index(
        "memory_user_hidden", "agent_id", "user_id", "occurred_at", "seq",
        postgresql_include=["id", "hidden_at", "hidden_reason"], postgresql_where=text("hidden_at IS NOT NULL"),
    ),
    Index(
        "memory_user_claim", "agent_id", "user_id", "claim", "occurred_at", postgresql_include=["id"],
        postgresql_where=text("claim IS NOT NULL"),
    ),
)

revision = Table(
    "revision", metadata, *_scope(), _column("memory_id", Uuid), _column("number", Integer), _column("previous", JSONB),
    _column("changed_at", AT, default=NOW),
    _key("revision", "memory_id", "number"), CheckConstraint("number > 0"),
)

passage = Table(
    "passage", metadata, *_scope(), _column("memory_id", Uuid), _column("ordinal", Integer),
    _column("start", Integer), _column("stop", Integer), _column("content_length", Integer),
    _column("context_length", Integer), _column("lexemes", ARRAY(Text)),
    _column("languages", ARRAY(Text), default=text("'{english}'")),
    _key("passage", "memory_id", "ordinal"),
    ForeignKeyConstraint(
        ["agent_id", "user_id", "memory_id"], ["memory.agent_id", "memory.user_id", "memory.id"], ondelete="CASCADE",
        name="passage_of_memory",
    ),
)

posting = Table(
    "posting", metadata, *_scope(), _column("lexeme", Text), _column("memory_id", Uuid), _column("ordinal", Integer),
    _column("type", Text), _column("session_number", Integer, nullable=True),
    _column("content_frequency", SmallInteger), _column("context_frequency", SmallInteger),
    _column("content_length", Integer), _column("context_length", Integer),
    Index(
        "posting_user_lexeme", "agent_id", "user_id", "lexeme", "memory_id", "ordinal", unique=True,
        postgresql_include=[
            "type", "session_number", "content_frequency", "context_frequency", "content_length", "context_length",
        ],
    ),
)

memory_value = Table(
    "memory_value", metadata, *_scope(), _column("type", Text), _column("path", Text(collation="C")),
    _column("value", Text(collation="C")), _column("memory_id", Uuid),
    _key("memory_value", "type", "path", "value", "memory_id"),
)

embedding = Table(
    "embedding", metadata, *_scope(), _column("memory_id", Uuid), _column("ordinal", Integer), _column("field", Text),
    _column("model", Text), _column("dimension", SmallInteger), _column("type", Text),
    _column("embedding", HALFVEC()), _column("cell", Integer, nullable=True),
    _key("embedding", "memory_id", "ordinal", "field", "model"),
    ForeignKeyConstraint(
        ["agent_id", "user_id", "memory_id"], ["memory.agent_id", "memory.user_id", "memory.id"], ondelete="CASCADE",
        name="embedding_of_memory",
    ),
    CheckConstraint("field IN ('content', 'context')"), CheckConstraint("vector_dims(embedding) = dimension"),
    Index(
        "embedding_user_cell", "agent_id", "user_id", "model", "field", "type", "cell",
        postgresql_include=["memory_id", "ordinal", "embedding"], postgresql_where=text("dimension <= 1200"),
    ),
    Index(
        "embedding_user_long_cell", "agent_id", "user_id", "model", "field", "type", "cell",
        postgresql_where=text("dimension > 1200"),
    ),
)

cell = Table(
    "cell", metadata, *_scope(), _column("model", Text), _column("field", Text), _column("type", Text),
    _column("number", Integer), _column("centre", HALFVEC()),
    _key("cell", "model", "field", "type", "number"),
    CheckConstraint("field IN ('content', 'context')"),
)

session = Table(
    "session", metadata, *_scope(), _column("session_id", Text), _column("number", Integer, nullable=True),
    _column("memories", BigInteger, default=ZERO), _column("lexemes", BigInteger, default=ZERO),
    _column("turns", BigInteger, default=ZERO), _column("summary", Text, default=EMPTY),
    _column("started_at", AT), _column("last_at", AT), _column("ended_at", AT, nullable=True),
    _column("summarized_until", Text, nullable=True), _column("plan", ARRAY(Text), default=NONE),
    _column("step", Integer, default=ZERO), _column("recent_messages", LargeBinary, nullable=True),
    _column("recent_turn_id", Text, nullable=True), _column("recent_turn_at", AT, nullable=True),
    _key("session", "session_id"), UniqueConstraint("agent_id", "user_id", "number", name="session_user_number"),
    CheckConstraint("step >= 0"),
)

turn = Table(
    "turn", metadata, *_scope(), _column("turn_id", Text), _column("session_id", Text),
    _column("recorded_user", Text, nullable=True), _column("at", AT), _column("status", Text, default=text("'open'")),
    _column("message", Text), _column("policy", Text), _column("frame", Text),
    _column("degraded", ARRAY(Text), default=NONE), _column("model", Text, nullable=True),
    _column("query", HALFVEC(), nullable=True), _column("trace", JSONB), _column("closed_at", AT, nullable=True),
    _column("opened_at", AT, default=NOW), _column("expired", Boolean, default=text("false")),
    _column("tools_called", ARRAY(Text), default=NONE), _column("categories", ARRAY(Text), default=NONE),
    _column("runtime", Text, nullable=True), _column("measures", JSONB, default=text("'{}'")),
    _column("response", Text, nullable=True), _column("degraded_codes", ARRAY(Text), default=NONE),
    _column("forming", Boolean, default=text("false")), _column("model_state", Text, nullable=True),
    _column("model_failures", SmallInteger, default=ZERO), _column("model_due", AT, nullable=True),
    _key("turn", "turn_id"),
    CheckConstraint("status IN ('open', 'completed', 'failed', 'abandoned')"),
    CheckConstraint("model_state IN ('waiting', 'parked', 'read')"),
    Index("turn_user_session", "agent_id", "user_id", "session_id", "at"),
    Index("turn_user_time", "agent_id", "user_id", "at"),
    Index("turn_agent_time", "agent_id", "at", "turn_id"),
    Index("turn_user_forming", "agent_id", "user_id", "turn_id", postgresql_where=text("forming")),
    Index(
        "turn_user_reading", "agent_id", "user_id", "session_id", "at",
        postgresql_where=text("model_state IN ('waiting', 'parked')"),
    ),
    Index("turn_user_open", "agent_id", "user_id", "opened_at", postgresql_where=text("status = 'open'")),
    Index(
        "turn_user_model", "agent_id", "user_id", "model", text("at DESC"), "turn_id",
        postgresql_where=text("status = 'completed' AND query IS NOT NULL"),
    ),
)

embedding_model = Table(
    "embedding_model", metadata, _agent(), _column("model", Text), _column("dimension", SmallInteger),
    _column("last_memory_id", Uuid, default=text("'00000000-0000-0000-0000-000000000000'")),
    _column("started_at", AT, default=NOW), _column("completed_at", AT, nullable=True),
    _column("live_at", AT, nullable=True),
    PrimaryKeyConstraint("agent_id", "model"), CheckConstraint("dimension > 0"),
)

turn_embedding = Table(
    "turn_embedding", metadata, *_scope(), _column("turn_id", Text), _column("model", Text), _column("at", AT),
    _column("embedding", HALFVEC()),
    _key("turn_embedding", "turn_id", "model"),
    ForeignKeyConstraint(
        ["agent_id", "user_id", "turn_id"], ["turn.agent_id", "turn.user_id", "turn.turn_id"], ondelete="CASCADE",
        name="turn_embedding_of_turn",
    ),
    Index("turn_embedding_user_time", "agent_id", "user_id", "model", text("at DESC"), "turn_id"),
)

exposure = Table(
    "exposure", metadata, *_scope(), _column("turn_id", Text), _column("memory_id", Uuid), _column("type", Text),
    _column("via", Text), _column("slot", SmallInteger), _column("propensity", REAL), _column("at", AT),
    _column("overlap", REAL, nullable=True), _column("used", Boolean, nullable=True),
    _column("rating", Boolean, nullable=True), _column("relevance_gap", REAL, nullable=True),
    _column("tokens", Integer, default=ZERO),
    _key("exposure", "turn_id", "memory_id"),
    CheckConstraint("via IN ('prompt', 'recall')"), CheckConstraint("propensity > 0 AND propensity <= 1"),
    CheckConstraint("tokens >= 0"),
    Index("exposure_memory_user", "agent_id", "memory_id", "user_id", "at", "turn_id"),
)

rollup = Table(
    "rollup", metadata, _agent(), _column("span", Text), _column("dimension", Text), _column("at", AT),
    _column("value", Text),
    *(_column(name, BigInteger, default=ZERO) for name in _COUNTS), _column("milliseconds", Double, default=ZERO),
    _column("latency", ARRAY(Integer), default=NONE),
    PrimaryKeyConstraint("agent_id", "span", "dimension", "at", "value"), CheckConstraint("span IN ('hour', 'day')"),
    CheckConstraint("dimension IN ('all', 'type', 'frame', 'category', 'runtime', 'stage', 'tool', 'policy')"),
    Index("rollup_by_time", "span", "dimension", "at"),
)

usage = Table(
    "usage", metadata, *_scope(), _column("memory_id", Uuid), _column("shown", Double), _column("used", Double),
    _column("times_shown", BigInteger), _column("times_used", BigInteger), _column("last_at", AT),
    _key("usage", "memory_id"),
)

usage_base = Table(
    "usage_base", metadata, *_scope(), _column("type", Text), _column("shown", Double), _column("used", Double),
    _column("last_at", AT), _column("decoys", Double, default=ZERO), _column("decoys_used", Double, default=ZERO),
    _key("usage_base", "type"),
)

policy = Table(
    "policy", metadata, _agent(), _column("version", Text), _column("content", JSONB),
    _column("first_used_at", AT, default=NOW),
    PrimaryKeyConstraint("agent_id", "version"),
)

shadow = Table(
    "shadow", metadata, *_scope(), _column("turn_id", Text), _column("policy", Text), _column("shown", ARRAY(Uuid)),
    _column("tokens", Integer), _column("at", AT),
    _key("shadow", "turn_id", "policy"),
    Index("shadow_user_time", "agent_id", "user_id", "policy", text("at DESC"), "turn_id"),
)

policy_version = Table(
    "policy_version", metadata, _agent(), _column("version", Text), _column("base", Text), _column("changes", JSONB),
    _column("created_at", AT, default=NOW), _column("author", Text), _column("note", Text, default=EMPTY),
    PrimaryKeyConstraint("agent_id", "version"), CheckConstraint("jsonb_typeof(changes) = 'object'"),
)

policy_activation = Table(
    "policy_activation", metadata, _agent(), _column("role", Text), _column("number", BigInteger),
    _column("version", Text, nullable=True), _column("activated_at", AT, default=NOW), _column("author", Text),
    _column("note", Text, default=EMPTY),
    PrimaryKeyConstraint("agent_id", "role", "number"), CheckConstraint("role IN ('live', 'shadow')"),
    CheckConstraint("number > 0"),
    ForeignKeyConstraint(["agent_id", "version"], ["policy_version.agent_id", "policy_version.version"]),
)

artifact = Table(
    "artifact", metadata, *_scope(), _column("id", Uuid), _column("session_id", Text),
    _column("turn_id", Text, nullable=True), _column("kind", Text), _column("name", Text),
    _column("created_at", AT, default=NOW), _column("tool", Text, nullable=True),
    _column("subtask_id", Uuid, nullable=True), _column("characters", BigInteger, default=ZERO),
    _column("replacements", ARRAY(Integer), default=NONE),
    _key("artifact", "id"), Index("artifact_user_session", "agent_id", "user_id", "session_id", "created_at"),
)

artifact_chunk = Table(
    "artifact_chunk", metadata, *_scope(), _column("artifact_id", Uuid), _column("ordinal", Integer),
    _column("start", BigInteger), _column("line", BigInteger), _column("content", Text),
    _key("artifact_chunk", "artifact_id", "ordinal"),
    ForeignKeyConstraint(
        ["agent_id", "user_id", "artifact_id"], ["artifact.agent_id", "artifact.user_id", "artifact.id"],
        ondelete="CASCADE", name="artifact_chunk_of_artifact",
    ),
)

subtask = Table(
    "subtask", metadata, *_scope(), _column("id", Uuid), _column("session_id", Text), _column("title", Text),
    _column("status", Text, default=text("'open'")), _column("depends_on", ARRAY(Uuid), default=NONE),
    _column("artifacts", ARRAY(Uuid), default=NONE), _column("result", Text, default=EMPTY),
    _column("created_at", AT, default=NOW), _column("completed_at", AT, nullable=True),
    _column("facts", ARRAY(Uuid), default=NONE), _column("lexemes", ARRAY(Text), default=NONE),
    _key("subtask", "id"), CheckConstraint("status IN ('open', 'completed', 'abandoned')"),
    Index("subtask_user_session", "agent_id", "user_id", "session_id", "created_at"),
)

erasure = Table(
    "erasure", metadata, *_scope(), _column("at", AT, default=text("clock_timestamp()")), _column("what", Text),
    _column("counts", JSONB, default=text("'{}'")),
    _key("erasure", "at", "what"), CheckConstraint("what IN ('agent', 'user', 'memories', 'retention')"),
)
