"""Tables of a policy: their rows, the defaults with reasons, and tables that name only changed rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import re2
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from brain.memory_types import TYPE_ROWS
from brain.types import InputModel, Label
from cognitive.errors import InvalidInput
from cognitive.plan import CATEGORIES, Frame, Thinking
from cognitive.policy.annotations import Count, LiveRange, Positive, Tokens

Placement = Literal["user_tail", "journaled", "system"]
ToolOutputKind = Literal["terminal", "search", "file", "web", "data", "default"]

_MAX_TOKENS = 32_000  # of a turn's memory at run time; more is a document, and the operator's to decide
SectionTokens = Annotated[
    Tokens,
    LiveRange("{}s", 0, _MAX_TOKENS, 50, "tokens"),
    Field(description="Tokens planned for this memory type; other types use the rest."),
]
_PLAIN_NAME = re.compile(r"\w[\w -]{0,63}")
MAX_PATTERN_LENGTH = 1_000  # characters of an operator's pattern; a list of words that is longer is two patterns
MAX_PATTERN_MEMORY = 1 << 20  # bytes of its automaton: a thousand nested repetitions are refused, not compiled


class FrameBudget(InputModel):
    """Tokens of memory in total and per type, and turns of the conversation to compare memories with."""

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


# The seed's table (smart context preparation, D7), with room for episodes in a conversation: without it "continue what
# we were doing" finds nothing.
FRAMES: Mapping[Frame, FrameBudget] = {
    "conversation": _budget("conversation", total=3000, window=3),
    "question": _budget("question", total=6000, window=5),
    "task": _budget("task", total=8000, window=5),
    "decision": _budget("decision", total=12000, window=8),
    "creative": _budget("creative", total=6000, window=4),
    "debug": _budget("debug", total=10000, window=6),
}


class CategoryChange(InputModel):
    """Changes of a category, or a whole new category. Names may be in snake case or camel case.

    Patterns are regular expressions in RE2's syntax, matched anywhere in the lower-case message. One match activates
    the category; with a `weight`, each match counts that, and the category is active from its threshold on. Fields that
    are unset keep the category's values. A new category keeps every tool unless it names `extra_tools`, and does not
    limit memory by default.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, use_attribute_docstrings=True)

    extra_patterns: tuple[str, ...] = ()
    """Further regular expressions of the category."""

    extra_tools: tuple[Label, ...] = ()
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
    """Return a validator that names the row in an error of a table's row."""

    def check(given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        checked = {}
        for name, value in given.items():
            try:
                checked[name] = row.model_validate(value)
            except InvalidInput as error:
                raise InvalidInput(f"{table}.{name}: {error}") from error
        return checked

    return BeforeValidator(check)


def check_categories(changes: Mapping[str, CategoryChange]) -> Mapping[str, CategoryChange]:
    """Return the changes of categories.

    Raises:
        ValueError: a pattern does not compile or matches every message, or a new category has no pattern or no plain
            name. The name appears in prompts and records.
    """
    for name, change in changes.items():
        if not _PLAIN_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a category: letters, digits, blanks and hyphens, at most 64")
        if not change.extra_patterns and name not in CATEGORIES:
            raise ValueError(f"{name!r} is none of {', '.join(CATEGORIES)}, and a new category needs extra_patterns")
        for pattern in change.extra_patterns:
            fault = _fault(pattern)
            if fault:
                raise ValueError(f"category {name!r}, pattern {pattern!r}: {fault}")
    return changes


def _fault(pattern: str) -> str | None:
    """Return the error of an operator's pattern, or None."""
    options = re2.Options()
    options.log_errors, options.max_mem = False, MAX_PATTERN_MEMORY
    if len(pattern) > MAX_PATTERN_LENGTH:
        return f"longer than {MAX_PATTERN_LENGTH} characters"
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        return f"not a linear-time regular expression ({error})"
    return "matches any message" if compiled.search("") else None


# A threshold belongs to its measure: one without the other means nothing.
ATTRIBUTION_THRESHOLDS: Mapping[str, float] = {"relative": 0.29, "windowed": 0.15, "jaccard": 0.15}

# Weights of the relevance factors (cognitive/context/ranking.py), divided by their sum: relevance is at most 1.
# Chosen on three data sets together and rounded; the comment is what recall@10 loses without the factor, in points on
# two-person chats / real people's chats / user-assistant chats (docs/benchmarks.md).
_WEIGHTS: Mapping[str, float] = {
    "lexical": 2.5,  # .4 / 1.6 / .1
    "lexical_context": 3.0,  # .9 / 1.7 / 1.4, and 8.9 where a question names the wrong speaker
    "semantic": 4.0,  # 1.0 / 1.7 / 5.7
    "semantic_context": 2.4,  # .7 / 1.0 / -.8
    "session": 2.5,  # 1.0 / 1.0 / 1.2
    "neighbor": 1.6,  # 1.0 / -.3 / 1.7
    "speaker": 1.2,  # 1.1 / 2.5 / 0; more would cost where a question names the wrong speaker
    "first_person": 1.5,  # 0 / 2.7 / .8
    "answer_type": 1.4,  # .6 / .3 / .6
    "user_turn": 2.2,  # 0 / 0 / 9.4
    "instruction": 1.6,  # 0 / 0 / 5.3
    "date": 1.6,  # 0 on all questions; nDCG +1.7 on those that name a date
    "recency": 1.0,  # not measured: only where the message asks for what is recent
    "content_length": 2.4,  # .2 / 1.0 / .3
}
_TOTAL = sum(_WEIGHTS.values())
RELEVANCE: Mapping[str, float] = {name: weight / _TOTAL for name, weight in _WEIGHTS.items()}


# Shares of a model's tokens that the window may not use: they are set aside for the system prompt, for the answer
# (upstream's 20 %), for results still to come (its 10 %), and for this turn's memories, which may not take more.
RESERVES: Mapping[str, float] = {"system": 0.1, "response": 0.2, "tools": 0.1, "memory": 0.15}

# Characters of a tool's output by its kind (cognitive/window/output/normalise.py says which tools are of which): 8,000
# are some 2,000 tokens, a sixth of what a small model reads. A file that is cut is only read again, in pieces; a
# hundredth match or a page's second half is rarely what was looked for.
TOOL_OUTPUTS: Mapping[str, int] = {
    "terminal": 8_000,
    "search": 6_000,
    "file": 16_000,
    "web": 6_000,
    "data": 8_000,
    "default": 8_000,
}


def with_default_rows(defaults: Mapping[str, Any]) -> BeforeValidator:
    """Return a validator that fills a table with its default rows; an unknown row is an error."""

    def merge(given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        unknown = sorted(set(map(str, given)) - set(defaults))
        if unknown:
            raise ValueError(f"unknown rows {', '.join(unknown)}; known are {', '.join(defaults)}")
        return {name: _row(default, given.get(name)) for name, default in defaults.items()}

    return BeforeValidator(merge)


def _row(default: Any, given: Any) -> Any:
    if isinstance(default, FrameBudget) and isinstance(given, Mapping):
        return default.model_dump() | dict(given)
    return default if given is None else given
