"""The plan of a turn: the signals that the rules read in the message, and what to retrieve and show, with reasons."""

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
THINKING: tuple[Thinking, ...] = get_args(Thinking)  # in order of effort


@dataclass(frozen=True, slots=True)
class DateRange:
    """A range of time that a message names by `phrase`, from `start` to before `end`, both with a time zone."""

    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals that the rules read in a message.

    Attributes:
        text: the text that is embedded and searched: the message without its greeting, after the previous user message
            if it is elliptic.
        question: True if the message is a question.
        greeting: True if the message is only a greeting.
        elliptic: True if the message depends on the one before it, as in "and the other one?".
        recency: the weight of young memories, from 0 to 1.
        dates: the range of time that the message names.
        hints: the memory types that the message asks for, as (type, weight) in the order of the types.
        entities: the names in the message.
        keywords: the other content words of the message.
        fired: the ids of the rules that fired, in the order of their table.
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
    """The query for one memory type, of which at most `limit` memories are shown.

    `recency_weight`, from 0 to 1, is the weight of the factor `recency`, which prefers young memories. `dates` is the
    range of time that the message names.
    """

    type: MemoryType
    text: str
    limit: int
    recency_weight: float = 0.0
    dates: DateRange | None = None


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits on memory of a category: the number of memories of all types together, and their tokens."""

    memories: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a turn: what to retrieve and show for its message, and how to run it.

    Attributes:
        signals: what the rules read in the message.
        frame: the kind of turn, which sets the token budgets.
        retrieval: one query for each memory type to retrieve; empty retrieves nothing.
        budgets: the tokens of each memory type's section.
        total: the tokens of the whole memory block.
        window: the number of turns of the conversation that a memory is compared with.
        dedup: True if memories that the conversation contains are dropped.
        reasons: why the plan is as it is, as sentences.
        policy: the version of the policy.
        categories: the kinds of work that the message asks for, in the order of their table.
        caps: the limits on memory of the categories; None if no category sets any.
        max_memories: the maximum number of memories of all types together; None leaves the limits by type.
        tools: the names of the turn's tools to keep.
        removed: the names of the turn's other tools.
        thinking: the thinking effort; None leaves the caller's setting.
        model: the language model; None leaves the caller's setting.
        hint: a line for the model before the message.
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
        """Return the fields of the plan that a turn's trace stores. They contain no words of the message."""
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
