"""Settings of completed turns: which memories count as used, and how long data is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from brain.memory_types import Retained
from cognitive.policy.annotations import BEFORE_RECORD, OUTSIDE, REPLAYABLE, LiveRange, Positive, SettingsGroup, Share
from cognitive.policy.tables import ATTRIBUTION_THRESHOLDS, with_default_rows


class FeedbackSettings(SettingsGroup):
    """Rules that decide which of the shown memories a response used, and limits of what `capture` stores."""

    attribution: Annotated[Literal["relative", "windowed", "jaccard"], BEFORE_RECORD] = "relative"
    """Measure of which shown memories a response used: rarely shared words ("relative"), up to three sentences at a
    time ("windowed"), or the whole response ("jaccard"). Choose another than the default only for comparison."""

    attribution_thresholds: Annotated[
        Mapping[str, Share],
        with_default_rows(ATTRIBUTION_THRESHOLDS),
        LiveRange("Attribution threshold ({})", 0, 1, 0.01),
        REPLAYABLE,
    ] = Field(default_factory=lambda: dict(ATTRIBUTION_THRESHOLDS))
    """Overlap at which a shown memory counts as used, by measure. Raise it if memories get credit for words that the
    response would have had anyway."""

    rating_weight: Annotated[Positive, LiveRange("Weight of a rating", 1, 20, 0.5), REPLAYABLE] = 3.0
    """Showings that one rating counts for. Raise it if ratings are rare and careful."""

    abandon_after_minutes: Annotated[Positive, OUTSIDE] = 60.0
    """Minutes after which a turn without an outcome is abandoned, when the same user's next turn is recorded or by
    `layer.admin.expire_turns`; a late outcome still counts. Raise it for longer turns."""

    max_capture_chars: Annotated[int, Field(ge=100), OUTSIDE] = 8_000
    """Characters of each message that `capture` stores. Raise it if users dictate long reports."""


FormationKind = Literal["decision", "fact", "preference", "instruction", "procedure", "plan"]


class FormationSettings(SettingsGroup):
    """Memories that are formed from the lines that `capture` stores. With `capture` off, nothing is formed."""

    kinds: Annotated[tuple[FormationKind, ...], OUTSIDE] = (
        "decision",
        "fact",
        "preference",
        "instruction",
        "procedure",
        "plan",
    )
    """Kinds of memories that are formed. Take out those that the agent has no use for."""

    topics: Annotated[tuple[str, ...], OUTSIDE] = ()
    """Words of which a statement must have one to be formed; without any, all statements are formed. Set it for an
    agent with a narrow task."""

    never_topics: Annotated[tuple[str, ...], OUTSIDE] = ()
    """Words of which a statement with one is never formed. Set it for what the agent should not learn."""

    instructions: Annotated[str, OUTSIDE] = ""
    """Instructions to a model that forms memories, in plain words. Rules don't read it."""


class RetentionSettings(SettingsGroup):
    """Time until stored data is deleted."""

    days: Annotated[Mapping[Retained, Positive], OUTSIDE] = Field(default_factory=dict)
    """Days until data is deleted, by memory type or kind (hidden, turns, artifacts, subtasks, sessions, erasures);
    other data is kept. "hidden" counts from when a memory was superseded, retired, merged or expired. Set it if law or
    contract limits storage."""

    keep_responses: Annotated[bool, OUTSIDE] = True
    """Keep the response in a turn's record, which shows the passage that earned a memory its credit. Switch it off if
    answers must not outlive their conversation."""

    max_response_chars: Annotated[int, Field(ge=100), OUTSIDE] = 16_000
    """Characters of each response that are kept. Raise it to keep more."""
