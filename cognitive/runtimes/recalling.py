"""The recall tool as a model sees it, whatever the framework: its name, what is said of it, and its answer as data."""

from __future__ import annotations

from collections.abc import Sequence

from brain.types import MEMORY_TYPES
from cognitive.context.render import NOTICE, line
from cognitive.policy import Policy
from cognitive.prompt import CLOSING, OPENING, sealed
from cognitive.turn import RecallHit

NAME = "recall_context"
DESCRIPTION = (
    "Searches your long-term memory in your own words, deeper than what the prompt shows. "
    f"memory_type narrows it to one of {', '.join(MEMORY_TYPES)}; leave it out to search all."
)
NOTHING = "Nothing more is remembered about that."
AWAY = "Memory cannot be searched at the moment; go on without it."


def answer(hits: Sequence[RecallHit], policy: Policy) -> str:
    """The hits as a sealed block of records like those of the prompt, best first."""
    if not hits:
        return NOTHING
    return sealed(OPENING, [NOTICE, *(line(hit, policy) for hit in hits)], CLOSING)
