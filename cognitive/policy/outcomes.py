"""Settings of what a finished turn leaves: credit for memories, its story, and how long things are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from brain.erasure.retention import Retained
from cognitive.policy.annotations import BEFORE_RECORD, OUTSIDE, REPLAYABLE, LiveRange, Positive, SettingsGroup, Share
from cognitive.policy.tables import ATTRIBUTION_THRESHOLDS, with_default_rows


class FeedbackSettings(SettingsGroup):
    """Learning from responses: which memories were used, and what is captured."""

    attribution: Annotated[Literal["relative", "windowed", "jaccard"], BEFORE_RECORD] = "relative"
    """How a turn measures which of the memories that it showed its response used; that raises or lowers them in later
    turns. "relative" counts a word the more, the fewer of the shown memories have it; "windowed" compares up to three
    sentences at a time; "jaccard" compares the whole response, as the seed does. Choose another one only to compare."""

    attribution_thresholds: Annotated[
        Mapping[str, Share],
        with_default_rows(ATTRIBUTION_THRESHOLDS),
        LiveRange("Attribution threshold ({})", 0, 1, 0.01),
        REPLAYABLE,
    ] = Field(default_factory=lambda: dict(ATTRIBUTION_THRESHOLDS))
    """Overlap from which a shown memory counts as used, from 0 to 1, for each measure. Raise it where memories get
    credit for words that the response would have had anyway."""

    rating_weight: Annotated[Positive, LiveRange("Weight of a rating", 1, 20, 0.5), REPLAYABLE] = 3.0
    """Showings that one rating counts for, above 0: a person's word outweighs a measured overlap. Raise it where
    ratings are rare and careful."""

    abandon_after_minutes: Annotated[Positive, OUTSIDE] = 60.0
    """Minutes after which a turn without an outcome counts as abandoned, above 0; its outcome may still come. Raise it
    for turns that run longer."""

    max_capture_chars: Annotated[int, Field(ge=100), OUTSIDE] = 8_000
    """Characters of each message that `capture` stores, from 100; what is longer is a file, not talk. Raise it where
    users dictate long reports."""


class RetentionSettings(SettingsGroup):
    """How long things are kept."""

    days: Annotated[Mapping[Retained, Positive], OUTSIDE] = Field(default_factory=dict)
    """Days until each kind of data is deleted, above 0; a kind that is not named is kept for good. Set it where the
    law or a contract limits how long data may be kept."""

    keep_responses: Annotated[bool, OUTSIDE] = True
    """Whether a turn's record keeps the response. Without it nobody can see which passage earned a memory its credit.
    Switch it off where an answer must not outlive its conversation."""

    max_response_chars: Annotated[int, Field(ge=100), OUTSIDE] = 16_000
    """Characters of each response that are kept, from 100; longer answers hold files. Raise it to keep more."""
