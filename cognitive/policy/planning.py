"""Settings that act before memories are fetched: deadlines, tokens, limits, categories and tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from brain.types import Label, MemoryType
from cognitive.plan import Frame
from cognitive.policy.annotations import (
    BEFORE_RECORD,
    NESTED,
    OUTSIDE,
    REPLAYABLE,
    BeforeRecord,
    Count,
    LiveRange,
    Positive,
    SettingsGroup,
    Tokens,
)
from cognitive.policy.models import ModelRow
from cognitive.policy.tables import FRAMES, CategoryChange, FrameBudget, check_categories, check_rows, with_default_rows


class DeadlineSettings(SettingsGroup):
    """Time limits of the layer's calls, except `pre_turn`."""

    recall_ms: Annotated[Positive, BEFORE_RECORD] = 15_000.0
    """Milliseconds that `recall` may take. Lower it if the model's tool calls time out earlier."""

    fit_ms: Annotated[Positive, OUTSIDE] = 2_000.0
    """Milliseconds that `fit` may take; then the newest messages are kept. Raise it for very long conversations."""

    post_turn_ms: Annotated[Positive, OUTSIDE] = 5_000.0
    """Milliseconds that `post_turn` may take; then the outcome goes to the journal. Raise it if Postgres is slow to
    commit."""


class BudgetSettings(SettingsGroup):
    """Token budgets for memories in the prompt, and limits of language models."""

    frames: Annotated[
        Mapping[Frame, Annotated[FrameBudget, NESTED]],
        with_default_rows(FRAMES),
        BeforeRecord(
            lambda new, old: any(
                new.budgets.frames[name].window != row.window for name, row in old.budgets.frames.items()
            )
        ),
    ] = Field(default_factory=lambda: dict(FRAMES))
    """Budget per frame, in tokens, and the number of turns that memories are compared with. Lower it if prompts are too
    long, raise it if memories are left out for lack of room."""

    overrides: Annotated[
        Mapping[MemoryType, Tokens],
        BeforeRecord(
            lambda new, old: any(
                tokens == 0 and new.budgets.overrides.get(type_) != 0 for type_, tokens in old.budgets.overrides.items()
            )
        ),
    ] = Field(default_factory=dict)
    """Tokens of a memory type in every frame; they replace the frame's and the learned ones. 0 hides the type. Set it
    to give a type a fixed share."""

    learned: Annotated[bool, REPLAYABLE] = False
    """Shift tokens between memory types by how often each type is used. Switch it on if an agent uses some types far
    more than others."""

    models: Annotated[Mapping[Label, ModelRow], check_rows("budgets.models", ModelRow), BEFORE_RECORD] = Field(
        default_factory=dict
    )
    """Further rows of model limits, by model id or prefix; a row with a built-in name replaces it. Add a row for a
    model that is missing or wrong."""


class LimitSettings(SettingsGroup):
    """Maximum number of memories of each type that a turn searches for."""

    default: Annotated[
        Count,
        LiveRange("Memories per type", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.default > old.limits.default),
    ] = 5
    """Memories per type if the message asks for no type. Raise it if answers need more facts at once."""

    hinted_type: Annotated[
        Count,
        LiveRange("Of the type asked for", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.hinted_type > old.limits.hinted_type),
    ] = 8
    """Memories of the type that the message asks for. Raise it if questions like "what did we decide" have long
    answers."""

    other_types: Annotated[
        Count,
        LiveRange("Of the other types", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.other_types > old.limits.other_types),
    ] = 3
    """Memories of each other type if the message asks for one type. Lower it if they only distract."""


class CategorySettings(SettingsGroup):
    """Categories of user messages, and their effect on tools, memory and thinking level."""

    enabled: Annotated[bool, BEFORE_RECORD] = True
    """Assign categories to messages. Off, each turn keeps all tools and its thinking level. Switch it off for an agent
    with few tools whose messages fit no category."""

    tool_filtering: Annotated[bool, OUTSIDE] = True
    """Leave out tools of other categories than the message's. Switch it off if an agent needs every tool each turn."""

    memory_tuning: Annotated[bool, BEFORE_RECORD] = True
    """Limit memory by category. Switch it off if small talk needs memory."""

    thinking_tuning: Annotated[bool, OUTSIDE] = True
    """Choose the thinking level by category. Switch it off if the host chooses."""

    prompt_annotation: Annotated[bool, OUTSIDE] = True
    """Add one line for the model, such as `[Context: research task | tools: web_search | thinking: low]`, if the plan
    removes tools or changes the turn's thinking level. Switch it off if the model repeats that line."""

    always_include: Annotated[tuple[Label, ...], OUTSIDE] = ("message",)
    """Names of tools that are never left out. Add the tools by which the agent speaks or ends its work."""

    complex_threshold: Annotated[Count, BEFORE_RECORD] = 300
    """Characters below which a message needs more signs to count as complex. Raise it if users write long messages
    about simple things."""

    fallback_to_full: Annotated[bool, OUTSIDE] = True
    """Keep all tools for a message that matches no rule. Off, only `categories.always_include` stays. Switch it off if
    an unexpected tool call costs more than a missing tool."""

    rules: Annotated[
        Mapping[str, CategoryChange],
        check_rows("categories.rules", CategoryChange),
        AfterValidator(check_categories),
        BEFORE_RECORD,
    ] = Field(default_factory=dict)
    """Changed or further categories, by name. Add one for work that the built-in rules do not cover, or add tools to a
    built-in one."""

    session_awareness: Annotated[bool, BEFORE_RECORD] = True
    """Give a follow-up such as "and for staging?" the category of the message before it. Switch it off if messages are
    independent."""

    learned_weights: Annotated[bool, BEFORE_RECORD] = True
    """Refine categories by the agent's last 500 turns: a tool called in at least three turns of a category stays in it,
    and a category whose tools are nearly always called needs up to a third less to match. No tool is removed. Switch it
    off if equal messages must have equal tools."""

    exemplar_fallback: Annotated[bool, BEFORE_RECORD] = False
    """Guess the category of an unmatched message from labelled sentences. Switch it on if messages use other words than
    the rules."""

    user_profiles: Annotated[bool, BEFORE_RECORD] = False
    """Weigh a user's earlier categories. Switch it on if each user does one kind of work."""


class ToolSettings(SettingsGroup):
    """Shortening of the list of tools, so that it fits the model."""

    fit_to_model: Annotated[bool, OUTSIDE] = True
    """Compact and select tools until the model can carry them. Switch it off if the host selects tools."""

    refine_deadline_ms: Annotated[Positive, OUTSIDE] = 15_000.0
    """Milliseconds that `refine_tools` may take. Lower it if the small model answers fast or not at all."""
