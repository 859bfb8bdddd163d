"""The table of the formats of other systems. The first format that recognises a record reads it."""

from __future__ import annotations

from cognitive.formats import conversations, hindsight, langgraph, letta, mem0, zep
from cognitive.formats.format import Format
from cognitive.formats.records import Record

FORMATS: tuple[Format, ...] = (
    *conversations.FORMATS,
    *letta.FORMATS,
    *zep.FORMATS,
    *mem0.FORMATS,
    *langgraph.FORMATS,
    *hindsight.FORMATS,
)
FIRST_KEYS = frozenset().union(*(each.first_keys for each in FORMATS))


def format_of(record: Record) -> Format | None:
    """Return the format of a record, or None if it has none of the known formats."""
    return next((each for each in FORMATS if each.matches(record)), None)
