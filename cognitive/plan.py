"""The plan of a turn: what rules read in the user's message, and which memories and tools the turn needs."""

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
    """A range of time that a message names with the words `phrase`.

    The range includes `start` and ends just before `end`; both have a time zone.
    """

    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A request for a list of memories, such as "What have we decided so far?", which names no single fact.

    Attributes:
        types: groups of memory types in order of preference. A group is listed if the earlier ones have nothing.
        topic: the words that the listed memories are about; empty for every memory of the types and dates.
        own: True if the topic is the user's own ("my allergies"), which the user expects in memory.
        broad: True if memories are listed even if none seems to be about the topic.
        about_user: True if the list is about the user: memories that speak of the user come first.
    """

    types: tuple[tuple[MemoryType, ...], ...]
    topic: tuple[str, ...] = ()
    own: bool = False
    broad: bool = False
    about_user: bool = False

    @property
    def long(self) -> bool:
        """True if the list may be longer than the answer to a question: it has no topic, or is of the user's own."""
        return not self.topic or self.own or self.broad


@dataclass(frozen=True, slots=True)
class Signals:
    """Properties of a message that rules read in it, from which the turn is planned.

    Attributes:
        text: the text that is embedded and searched for: the message without its greeting. If the message is elliptic,
            the user's previous request comes first, then what the message refers to in the answers since then.
        question: True if the message is a question.
        greeting: True if the message is only small talk, such as a greeting.
        elliptic: True if the message depends on what was said before, as in "and the other one?".
        recency: how strongly the message asks for recent memories, from 0 to 1.
        dates: the range of time that the message names.
        hints: the memory types that the message asks for, as (type, weight) in the order of the types.
        entities: the names in the message.
        keywords: the other content words of the message.
        fired: the ids of the rules that matched, in the order of their table.
        listing: the list of memories that the message asks for, or None.
        history: True if the message asks about an earlier state, as in "What did we use before?".
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
    listing: Listing | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """A search query for memories of one type, of which at most `limit` are shown.

    `recency_weight`, from 0 to 1, is the weight of the relevance factor `recency`, which prefers young memories.
    `dates` is the range of time that the message names. With `newest`, the newest memories are retrieved too, whatever
    they say.
    """

    type: MemoryType
    text: str
    limit: int
    recency_weight: float = 0.0
    dates: DateRange | None = None
    newest: bool = False


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits that a category of work, such as research, sets on a turn's memories: their number and tokens.

    They apply to the memories of all types together.
    """

    memories: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a turn: which memories to retrieve and show, which tools to keep, and which model settings to use.

    Attributes:
        signals: the properties of the message that rules read in it.
        frame: the kind of turn (question, task, ...), which sets the token budgets.
        retrieval: one query for each memory type to retrieve; empty retrieves nothing.
        budgets: the tokens of each memory type's section.
        total: the tokens of the whole memory block.
        window: the number of the conversation's latest turns with which memories are compared, to find repetitions.
        dedup: True if memories that repeat the conversation are left out.
        reasons: the ids of the rules and decisions that led to the plan.
        policy: the version of the policy.
        categories: the kinds of work that the message asks for, in the order of their table.
        caps: the limits that these categories set on memory, or None if no category sets any.
        max_memories: the maximum number of memories of all types together, or None for no limit besides those by type.
        tools: the names of the turn's tools to keep.
        removed: the names of the turn's other tools, which the model does not get.
        thinking: the thinking effort, or None to leave the caller's setting.
        model: the language model, or None to leave the caller's setting.
        hint: a line that summarises the plan for the model, before the memory block.
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
        """Return the fields of the plan that are stored with the turn. None of them contains words of the message."""
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
