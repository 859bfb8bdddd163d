"""Settings that are tables: their rows, the defaults with reasons, and validators that complete partial tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import re2
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from brain.input_model import InputModel
from brain.memory_types import TYPE_ROWS
from brain.types import Label, Several
from cognitive.errors import InvalidInput
from cognitive.plan import CATEGORIES, Frame, Thinking
from cognitive.policy.annotations import Count, LiveRange, Positive, Tokens

Placement = Literal["user_tail", "journaled", "system"]
ToolOutputKind = Literal["terminal", "search", "file", "web", "data", "default"]

_MAX_TOKENS = 32_000  # maximum at run time; only the host's policy may set more
SectionTokens = Annotated[
    Tokens,
    LiveRange("{}s", 0, _MAX_TOKENS, 50, "tokens"),
    Field(description="Tokens planned for this memory type; other types use the rest."),
]
_PLAIN_NAME = re.compile(r"\w[\w -]{0,63}")
MAX_PATTERN_LENGTH = 1_000  # characters of an operator's pattern; split a longer list of words into two patterns
MAX_PATTERN_MEMORY = 1 << 20  # bytes of a compiled pattern, so that nested repetitions are refused


class FrameBudget(InputModel):
    """The budget for memories in turns of one kind: tokens in total and by memory type.

    `window` is the number of the conversation's latest turns with which memories are compared, to leave out
    repetitions.
    """

    total: Annotated[
        Tokens,
        LiveRange("in all", 0, _MAX_TOKENS, 250, "tokens"),
        Field(description="Tokens of memory in a turn of this frame."),
    ]
    decision: SectionTokens
    fact: SectionTokens
    procedure: SectionTokens
    episode: SectionTokens
    window: Annotated[
        Count, Field(description="Turns of the conversation, besides the message, that memories are compared with.")
    ]


def _budget(frame: Frame, total: int, window: int) -> FrameBudget:
    return FrameBudget(total=total, window=window, **{row.name: row.tokens[frame] for row in TYPE_ROWS})


# From the original design (smart context preparation), with added tokens for episodes in a conversation: without them
# "continue what we were doing" finds nothing.
FRAMES: Mapping[Frame, FrameBudget] = {
    "conversation": _budget("conversation", total=3000, window=3),
    "question": _budget("question", total=6000, window=5),
    "task": _budget("task", total=8000, window=5),
    "decision": _budget("decision", total=12000, window=8),
    "creative": _budget("creative", total=6000, window=4),
    "debug": _budget("debug", total=10000, window=6),
}


class CategoryChange(InputModel):
    """Changes of a built-in category of messages, or a new category. Names may be in snake case or camel case.

    Patterns are regular expressions in RE2's syntax, matched anywhere in the lower-case message. Without a `weight`,
    one match activates the category. With a `weight`, each match adds this number of points, and the category is active
    from `threshold` points on. Fields that are unset keep the category's values. A new category keeps every tool unless
    it names `extra_tools`, and does not limit memory by default.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    extra_patterns: Several[str] = ()
    """Further regular expressions of the category."""

    extra_tools: Several[Label] = ()
    """Names of further tools that the category keeps."""

    weight: Positive | None = None
    """Points per match of a pattern. Without it, one match of a further pattern suffices."""

    threshold: Positive | None = None
    """Points at which the category is active."""

    facts: Count | None = None
    """Maximum number of memories in a turn of the category, unless the message asks for more; 0 searches none."""

    tokens: Tokens | None = None
    """Maximum number of tokens of memory in a turn of the category, unless the message asks for more."""

    thinking_level: Thinking | None = None
    """Thinking level that the plan proposes."""

    model: Label | None = None
    """Model that the plan proposes to the host."""

    disabled: bool = False
    """Remove the category."""


def check_rows(table: str, row: type[InputModel]) -> BeforeValidator:
    """Return a validator of a table's rows, whose error messages name the table and the row."""

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        checked = {}
        for name, cells in value.items():
            try:
                checked[name] = row.model_validate(cells)
            except InvalidInput as error:
                raise InvalidInput(f"{table}.{name}: {error}") from error
        return checked

    return BeforeValidator(check)


def check_categories(changes: Mapping[str, CategoryChange]) -> Mapping[str, CategoryChange]:
    """Check the names and patterns of changed categories, and return the changes.

    Raises:
        ValueError: a pattern does not compile or matches every message; or a new category has no pattern, or a name
            with characters other than letters, digits, blanks and hyphens, because names appear in prompts.
    """
    for name, change in changes.items():
        if not _PLAIN_NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid category name: expected at most 64 letters, digits, spaces and hyphens"
            )
        if not change.extra_patterns and name not in CATEGORIES:
            raise ValueError(f"{name!r} is not one of {', '.join(CATEGORIES)}; a new category needs extra_patterns")
        for pattern in change.extra_patterns:
            error = _pattern_error(pattern)
            if error:
                raise ValueError(f"category {name!r}, pattern {pattern!r}: {error}")
    return changes


def _pattern_error(pattern: str) -> str | None:
    """Return the reason why a category's pattern is invalid, or None if it is valid."""
    options = re2.Options()
    options.log_errors, options.max_mem = False, MAX_PATTERN_MEMORY
    if len(pattern) > MAX_PATTERN_LENGTH:
        return f"longer than {MAX_PATTERN_LENGTH} characters"
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        return f"not a linear-time regular expression ({error})"
    return "matches any message" if compiled.search("") else None


# Overlap at which a memory counts as used, by measure: the measures have different scales.
ATTRIBUTION_THRESHOLDS: Mapping[str, float] = {"relative": 0.29, "windowed": 0.15, "jaccard": 0.15}

# Weights of the parts of relevance, fitted on conversations and typed stores together by
# `python -m benchmarks.ranking fit`; docs/ablations.md has the effect of each on every set. They add up to 1.
RELEVANCE: Mapping[str, float] = {
    "lexical": 0.0814,
    "lexical_context": 0.0327,
    "semantic": 0.174,
    "semantic_context": 0.1045,
    "session": 0.0849,
    "neighbor": 0.0762,
    "speaker": 0.0735,
    "first_person": 0.0572,
    "user_turn": 0.0718,
    "instruction": 0.0326,
    "date": 0.0654,
    "recency": 0.0544,
    "content_length": 0.0914,
}


# Shares of a model's tokens that the window may not use: for the system prompt, for the response and for further tool
# results (20 % and 10 % as in the original design), and for this turn's memories, which may not take more.
RESERVES: Mapping[str, float] = {"system": 0.1, "response": 0.2, "tools": 0.1, "memory": 0.15}

# Characters of a tool's output by its kind (cognitive/window/output/normalise.py assigns kinds to tools): 8,000 are
# about 2,000 tokens, a sixth of a small model's input. A shortened file would only be read again, in pieces; the
# hundredth search match or the second half of a web page is rarely needed.
TOOL_OUTPUTS: Mapping[str, int] = {
    "terminal": 8_000,
    "search": 6_000,
    "file": 16_000,
    "web": 6_000,
    "data": 8_000,
    "default": 8_000,
}


def with_default_rows(defaults: Mapping[str, Any]) -> BeforeValidator:
    """Return a validator that adds missing rows to a table from its defaults, and refuses rows without a default."""

    def merge(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        unknown = sorted(set(map(str, value)) - set(defaults))
        if unknown:
            raise ValueError(f"unknown rows {', '.join(unknown)}; expected {', '.join(defaults)}")
        return {name: _row(default, value.get(name)) for name, default in defaults.items()}

    return BeforeValidator(merge)


def _row(default: Any, value: Any) -> Any:
    if isinstance(default, FrameBudget) and isinstance(value, Mapping):
        return default.model_dump() | dict(value)
    return default if value is None else value
