"""Settings of what happens before memories are fetched: time, tokens, limits, categories and tools."""

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
    """Time that each call besides `pre_turn` may take."""

    recall_ms: Annotated[Positive, BEFORE_RECORD] = 15_000.0
    """Time for `recall`, in milliseconds, above 0. The model asked and waits, so that a late answer beats none. Lower
    it where the model's tool calls have a shorter timeout."""

    fit_ms: Annotated[Positive, OUTSIDE] = 2_000.0
    """Time for `fit`, in milliseconds, above 0; the window of `pre_turn` has `deadline_ms`. When it ends, the
    conversation is cut by the plain rules. Raise it for very long conversations on slow machines."""

    post_turn_ms: Annotated[Positive, OUTSIDE] = 5_000.0
    """Time for `post_turn`, in milliseconds, above 0. When it ends, the outcome goes to the journal and is recorded
    later. Raise it where Postgres is slow to commit."""


class BudgetSettings(SettingsGroup):
    """Tokens that memories may take, and what each model can carry."""

    frames: Annotated[
        Mapping[Frame, Annotated[FrameBudget, NESTED]],
        with_default_rows(FRAMES),
        BeforeRecord(
            lambda new, old: any(
                new.budgets.frames[name].window != row.window for name, row in old.budgets.frames.items()
            )
        ),
    ] = Field(default_factory=lambda: dict(FRAMES))
    """Budget of each frame: tokens of memory in total and per memory type, from 0, and how many turns of the
    conversation memories are compared with. Lower it where prompts are too long, raise it where memories are left out
    for want of room."""

    overrides: Annotated[
        Mapping[MemoryType, Tokens],
        BeforeRecord(
            lambda new, old: any(
                tokens == 0 and new.budgets.overrides.get(type_) != 0 for type_, tokens in old.budgets.overrides.items()
            )
        ),
    ] = Field(default_factory=dict)
    """Tokens of a memory type in every frame, from 0; they replace the frame's and win over anything learned. 0 shows
    none of the type. Set it where one type must have a fixed share."""

    learned: Annotated[bool, REPLAYABLE] = False
    """Whether the sections of the memory types move by how often each type is used when shown. Switch it on where an
    agent uses some types far more than others; off, every section has its planned tokens."""

    models: Annotated[Mapping[Label, ModelRow], check_rows("budgets.models", ModelRow), BEFORE_RECORD] = Field(
        default_factory=dict
    )
    """Further rows for the table of models, by model id or prefix; a row of the same name replaces the built-in one.
    Add a row for a model that the table does not know or judges wrongly."""


class LimitSettings(SettingsGroup):
    """Number of memories that a turn looks for."""

    default: Annotated[
        Count,
        LiveRange("Memories per type", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.default > old.limits.default),
    ] = 5
    """Memories per type where the message asks for no type, from 0. Raise it where answers need more facts at once."""

    hinted_type: Annotated[
        Count,
        LiveRange("Of the type asked for", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.hinted_type > old.limits.hinted_type),
    ] = 8
    """Memories of the type that the message asks for, from 0. Raise it where questions like "what did we decide" have
    long answers."""

    other_types: Annotated[
        Count,
        LiveRange("Of the other types", 0, 20, 1),
        BeforeRecord(lambda new, old: new.limits.other_types > old.limits.other_types),
    ] = 3
    """Memories of each other type where the message asks for one type, from 0. Lower it where they only distract."""


class CategorySettings(SettingsGroup):
    """Categories of messages, and what they change in a turn."""

    enabled: Annotated[bool, BEFORE_RECORD] = True
    """Whether messages are put into categories at all. Off, every turn has all its tools and its own thinking level.
    Switch it off for an agent with few tools whose messages fit no category."""

    tool_filtering: Annotated[bool, OUTSIDE] = True
    """Whether tools are left out that no matched category uses. Switch it off where an agent needs every tool in every
    turn."""

    memory_tuning: Annotated[bool, BEFORE_RECORD] = True
    """Whether the categories' caps narrow the memory of the frame. Switch it off where small talk
    still needs memory."""

    thinking_tuning: Annotated[bool, OUTSIDE] = True
    """Whether the categories choose how hard the model thinks. Switch it off where the host chooses."""

    prompt_annotation: Annotated[bool, OUTSIDE] = True
    """Whether the plan of a turn with a category comes with one line for the model, such as
    `[Context: research task | tools: web_search | thinking: low]`. Switch it off where the model repeats that line, or
    where its tokens matter."""

    always_include: Annotated[tuple[Label, ...], OUTSIDE] = ("message",)
    """Names of tools that always stay. Add the tools by which the agent speaks or ends its work."""

    complex_threshold: Annotated[Count, BEFORE_RECORD] = 300
    """Characters, from 0; a shorter message needs more signs to count as complex. Raise it where users write long
    messages about simple things."""

    fallback_to_full: Annotated[bool, OUTSIDE] = True
    """Whether a message that no rule knows keeps all tools; off, it keeps `categories.always_include` alone. Switch it
    off where an unexpected tool call costs more than a missing tool."""

    rules: Annotated[
        Mapping[str, CategoryChange],
        check_rows("categories.rules", CategoryChange),
        AfterValidator(check_categories),
        BEFORE_RECORD,
    ] = Field(default_factory=dict)
    """Categories that are changed or added, by name. Add one for a kind of work that the built-in rules do not know,
    or add tools to a built-in one."""

    session_awareness: Annotated[bool, BEFORE_RECORD] = True
    """Whether a message such as "and for staging?" has the category of the message that it refers to. Switch it off
    where each message stands alone."""

    learned_weights: Annotated[bool, BEFORE_RECORD] = True
    """Whether an agent's last 500 turns refine its categories: a tool that at least three turns of a category called
    stays in that category's turns, and a category whose tools are nearly always called needs up to a third less to
    match. It never removes a tool. Switch it off where the same message must always have the same tools."""

    exemplar_fallback: Annotated[bool, BEFORE_RECORD] = False
    """Whether labelled sentences guess the category of a message that no rule knows. Switch it on for messages in
    other words than the rules expect; docs/benchmarks.md has the cost."""

    user_profiles: Annotated[bool, BEFORE_RECORD] = False
    """Whether the categories that a user had before weigh on the next message. Switch it on where each user does one
    kind of work."""


class ToolSettings(SettingsGroup):
    """Fitting the tools to the model."""

    fit_to_model: Annotated[bool, OUTSIDE] = True
    """Whether tools are compacted and selected until they fit what the model can carry. Switch it off where the host
    selects tools itself."""

    refine_deadline_ms: Annotated[Positive, OUTSIDE] = 15_000.0
    """Time for `refine_tools`, in milliseconds, above 0: the host waits for a model's answer. Lower it where the small
    model answers fast or not at all."""
