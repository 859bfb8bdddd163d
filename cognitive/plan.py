"""The plan of a turn, as data: what was understood of the message, and what is therefore retrieved and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from brain.types import MemoryType

Frame = Literal["conversation", "question", "task", "decision", "creative", "debug"]
Category = Literal["casual", "research", "coding", "crypto", "media", "monitoring", "memory", "complex"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
Thinking = Literal["off", "minimal", "low", "medium", "high", "xhigh"]
THINKING: tuple[Thinking, ...] = get_args(Thinking)  # from the least to the most


@dataclass(frozen=True, slots=True)
class DateRange:
    """A stretch of time that a message names: half-open [start, end), aware."""

    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class Signals:
    """What the rules read in a message.

    `text` is the sentence that is embedded and searched: without its greeting, and with the previous user message
    before it if the message leans on that. `greeting` is True only if nothing else remains. `hints` are (memory type,
    weight) in the order of the types; `fired` are the ids of the rules that fired, in the order of their table.
    """

    text: str
    question: bool = False
    greeting: bool = False
    elliptic: bool = False
    recency: float = 0.0
    dates: DateRange | None = None
    hints: tuple[tuple[str, float], ...] = ()
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    fired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """What to look for in one memory type: at most `limit` memories are shown of it.

    `recency_weight` in [0, 1] is how much a young memory gains over an old one of equal relevance.
    """

    type: MemoryType
    text: str
    limit: int
    recency_weight: float = 0.0
    dates: DateRange | None = None


@dataclass(frozen=True, slots=True)
class Caps:
    """How much memory a message of some category is worth: memories of all types, and tokens."""

    memories: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What this message needs.

    `budgets` and `total` are tokens; `window` is how many turns of the conversation a memory is compared with;
    `max_memories` is how many memories are shown of all types together, None for no other bound than those of the
    types. `categories` are in the order of their table, none if no rule fired; `caps` are theirs. `tools` are the names
    to keep of those that the turn gave, `removed` the others; `thinking` and `model` are what the turn should run with,
    None where the caller's own setting stands; `hint` is a line for the model before the message.
    """

    signals: Signals
    frame: Frame
    retrieval: tuple[RetrievalQuery, ...]
    budgets: Mapping[MemoryType, int]
    total: int
    window: int
    dedup: bool
    reasons: tuple[str, ...]
    policy: str
    categories: tuple[str, ...] = ()
    caps: Caps | None = None
    max_memories: int | None = None
    tools: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    thinking: str | None = None
    model: str | None = None
    hint: str | None = None

    def as_json(self) -> dict[str, Any]:
        """What is recorded of the plan beside what a replay makes again: no words of the message."""
        return {
            "categories": list(self.categories),
            "memory": [self.caps.memories, self.caps.tokens] if self.caps else None,
            "max_memories": self.max_memories,
            "total": self.total,
            "tools": len(self.tools),
            "removed": list(self.removed),
            "thinking": self.thinking,
            "model": self.model,
            "hint": self.hint,
            "reasons": list(self.reasons),
        }
