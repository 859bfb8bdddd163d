"""The recall tool as a model sees it, whatever the framework: its name, what is said of it, and its answer as data."""

from __future__ import annotations

from collections.abc import Sequence

from brain.types import MEMORY_TYPES
from cognitive.context.render import NOTICE
from cognitive.markup import CLOSING, OPENING, RECORD, sealed
from cognitive.quoting import quote
from cognitive.turn import RecallHit

NAME = "recall_context"
DESCRIPTION = (
    "Searches your long-term memory in your own words, deeper than what the prompt shows. "
    f"memory_type narrows it to one of {', '.join(MEMORY_TYPES)}; leave it out to search all."
)
NOTHING = "Nothing more is remembered about that."
AWAY = "Memory cannot be searched at the moment; go on without it."


def answer(hits: Sequence[RecallHit]) -> str:
    """The hits as a sealed block, best first."""
    if not hits:
        return NOTHING
    return sealed(OPENING, [NOTICE, *map(_line, hits)], CLOSING)


def _line(hit: RecallHit) -> str:
    said = f"{hit.speaker}: {hit.content}" if hit.speaker else hit.content
    date = f"{hit.occurred_at.date().isoformat()} " if hit.occurred_at is not None else ""
    provenance = f" from {quote(hit.source)}" if hit.source else ""
    return f"{RECORD}{date}({hit.type}) {quote(said)}{provenance}"
