"""The errors that callers of the layer may catch; `brain.errors` shows how they derive from each other."""

from __future__ import annotations

from brain.errors import (
    CognitiveError,
    EmbeddedServerError,
    EmbeddingError,
    InvalidInput,
    JournalError,
    PolicyError,
    RecallClosed,
    SchemaError,
    StoreConflict,
    StoreError,
    StoreUnavailable,
    UnknownArtifact,
    UnknownLanguage,
    UnknownMemory,
    UnknownTurn,
    WrongEventLoop,
)

__all__ = [
    "CognitiveError",
    "EmbeddedServerError",
    "EmbeddingError",
    "InvalidInput",
    "JournalError",
    "PolicyError",
    "RecallClosed",
    "SchemaError",
    "StoreConflict",
    "StoreError",
    "StoreUnavailable",
    "UnknownArtifact",
    "UnknownLanguage",
    "UnknownMemory",
    "UnknownTurn",
    "WrongEventLoop",
]
