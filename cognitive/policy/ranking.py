"""Settings of which memories are shown: how they are fetched, compared, scored and trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from brain.types import MemoryType, Trust
from cognitive.plan import Frame
from cognitive.policy.annotations import (
    BEFORE_RECORD,
    OUTSIDE,
    REPLAYABLE,
    BeforeRecord,
    Count,
    LiveRange,
    Positive,
    SettingsGroup,
    Share,
    Turns,
    Weight,
)
from cognitive.policy.constants import CONSTANTS
from cognitive.policy.tables import RELEVANCE, with_default_rows


def _learns(policy: Any) -> bool:
    """Return whether a policy compares its turns with past ones."""
    return bool(policy.association.weight > 0 or policy.usage.boost != "rate")


def _wider(new: Any, old: Any) -> bool:
    """Return whether the new policy's lower similarity would bring candidates that the old one's record lacks; what a
    higher one leaves out is known. With weight 0 no candidate was fetched at all, which `association.weight` tells.
    """
    wanted, known = new.association.min_similarity, old.association.min_similarity
    return old.association.weight > 0 and CONSTANTS.association_cosine(wanted) < CONSTANTS.association_cosine(known)


class RetrievalSettings(SettingsGroup):
    """Fetching candidates and weighing their relevance."""

    candidates_per_channel: Annotated[int, Field(ge=1, le=1000), BEFORE_RECORD] = 80
    """Passages that each channel (words, meaning) may find per memory type, from 1 to 1,000. Short memories need 60,
    long ones have several passages. Raise it for stores of long documents."""

    relevance: Annotated[
        Mapping[str, Weight], with_default_rows(RELEVANCE), LiveRange("Relevance: {}", 0, 1, 0.005), REPLAYABLE
    ] = Field(default_factory=lambda: dict(RELEVANCE))
    """Weight of each part of the relevance, from 0: a candidate's relevance is the sum of its parts, and by default the
    weights add up to 1. `lexical` and `semantic` compare the memory with the message, `lexical_context` and
    `semantic_context` what was said around it, `session` and `neighbor` its conversation and its neighbours there;
    `speaker`, `date` and `recency` count where the message names one or asks for it; `user_turn`, `first_person`,
    `instruction`, `answer_type` and `content_length` are traits of the memory. `cognitive recall --scores` shows the
    parts. 0 switches a part off. Change one where replayed turns show that it misleads."""


class DedupSettings(SettingsGroup):
    """Leaving out what the conversation or a better memory says already."""

    enabled: Annotated[bool, REPLAYABLE] = True
    """Whether memories are compared with the conversation and among themselves. Switch it off to see every match."""

    threshold: Annotated[Share, LiveRange("Said already, by meaning", 0.5, 1, 0.01), REPLAYABLE] = 0.85
    """Cosine to a sentence of the conversation above which a memory counts as said, from 0 to 1. Raise it where
    memories are left out that say something new."""

    mode: Annotated[
        Literal["drop", "shorten"],
        BeforeRecord(lambda new, old: new.dedup.mode == "shorten" and old.dedup.mode == "drop"),
    ] = "drop"
    """Whether a memory that is said in part is left out ("drop") or shown without what is said ("shorten"). An excerpt
    saves few tokens and may lose what "it" refers to."""

    containment_threshold: Annotated[Share, LiveRange("Said already, by words", 0, 1, 0.01), REPLAYABLE] = 0.7
    """Share of a memory's words in up to three sentences of the conversation from which it counts as said, from 0 to
    1. Raise it where short memories are left out wrongly; docs/benchmarks.md has the measurement."""

    agreement_threshold: Annotated[Share, LiveRange("Said already, by both", 0, 1, 0.01), REPLAYABLE] = 0.62
    """Mean of the cosine and the share of words from which a memory counts as said, from 0 to 1.
    docs/decisions/0012-precision.md has the curve. Raise it where paraphrases are left out wrongly."""


class UsageSettings(SettingsGroup):
    """What a memory's own past adds to its score."""

    boost: Annotated[
        Literal["posterior", "rate"], BeforeRecord(lambda new, old: not _learns(old) and new.usage.boost != "rate")
    ] = "posterior"
    """How usefulness is measured: "posterior" weighs uses against the agent's base rates, "rate" is the seed's plain
    used / shown. Choose "rate" only to compare with the seed."""

    combine: Annotated[Literal["add", "multiply"], REPLAYABLE] = "add"
    """Whether the boost is added to the relevance or multiplies it. Multiplying, as the seed does, lets popularity
    beat relevance. Choose it only to compare with the seed."""

    weight: Annotated[Share, LiveRange("Weight of use", 0, 0.1, 0.0005), REPLAYABLE] = 0.005
    """Weight of log2(boost) in a memory's score, from 0 to 1. The default breaks ties; more harms questions that were
    never asked before. Raise it where the same questions come back."""

    half_life_days: Annotated[Positive, LiveRange("Half-life of use", 0.5, 90, 0.5, "days"), REPLAYABLE] = 7.0
    """Days until a showing or a use counts half, above 0. Raise it for an agent that is asked rarely."""

    explore_every: Annotated[Turns, LiveRange("Try something new every", 0, 1000, 1, "turns"), REPLAYABLE] = 0
    """Every how many turns the last memory gives way to one from below the cut, 0 or from 2; 0 never does.
    docs/decisions/0008-off-policy.md has the cost. Set it to gather evidence for `cognitive tune`."""


class AssociationSettings(SettingsGroup):
    """What past turns that asked alike add to a memory's score."""

    weight: Annotated[
        float,
        Field(ge=0, le=2),
        LiveRange("Weight of similar turns", 0, 2, 0.05),
        BeforeRecord(lambda new, old: old.association.weight == 0 < new.association.weight),
    ] = 0.8
    """Weight of what similar past turns used but lacked in relevance, from 0 to 2; 0 ignores past turns. Lower it
    where what helped before misleads now."""

    min_similarity: Annotated[Share, LiveRange("Similar turns from", 0, 1, 0.01), BeforeRecord(_wider)] = 0.58
    """Similarity of messages from which a past turn counts, from 0 to 1; unrelated messages reach 0.55. Raise it where
    unlike questions share most of their words."""

    half_life_days: Annotated[Positive, LiveRange("Half-life of similar turns", 1, 365, 1, "days"), REPLAYABLE] = 28.0
    """Days until a past turn counts half, above 0. Questions come back after longer than uses stay fresh. Raise it for
    yearly work."""


class EvidenceSettings(SettingsGroup):
    """How much evidence a turn needs to show anything; in effect while `abstention` is on."""

    threshold: Annotated[Weight, LiveRange("Evidence threshold", 0, 2, 0.01), REPLAYABLE] = 0.85
    """Evidence from which a turn shows anything at all, from 0. The evidence is the best cosine (0 to 1), plus about
    0.2 each for rare words that a memory shares with the message, for their share of the message and for past use,
    plus up to 0.15 each for a speaker, a date or a decision asked for, plus what similar turns add; it rarely exceeds
    2. In a store of fewer than 100 passages and without vectors less suffices. The default is the middle of what two
    data sets allow (docs/benchmarks.md). Raise it where unrelated memories are shown, lower it where known answers are
    not."""

    frame_thresholds: Annotated[Mapping[Frame, Weight], REPLAYABLE] = Field(default_factory=dict)
    """Evidence from which a turn of a frame shows anything, from 0, for frames that need another threshold. Set one
    where, for example, debugging may show weaker matches."""

    min_type_share: Annotated[Share, LiveRange("Share of a type", 0, 1, 0.01), REPLAYABLE] = 0.9
    """Share of the threshold that each memory type must reach by itself, from 0 to 1. Raise it where one type brings
    unrelated memories."""

    min_item_share: Annotated[Share, LiveRange("Share of a memory", 0, 1, 0.01), REPLAYABLE] = 0.5
    """Share of the turn's best match that each memory must reach, from 0 to 1. From 0.4 on a tenth of the tokens is
    spent without evidence. Raise it where the last memories shown are useless."""


class TrustSettings(SettingsGroup):
    """Whose memories are shown; docs/security.md has what each setting did against the attacks."""

    min_level: Annotated[Mapping[MemoryType, Trust], REPLAYABLE] = Field(default_factory=dict)
    """Trust that a memory of a type needs to be shown. Empty asks for none, since an agent may have one way in only.
    Set it where strangers' words are captured."""

    max_per_source: Annotated[Count, REPLAYABLE] = 5
    """Memories of one speaker or session that a turn may show, from 0; 0 sets no bound. The default is the limit of a
    type, so that one conversation can fill its own section and no other one."""

    max_source_chars: Annotated[Count, REPLAYABLE] = 40
    """Characters of a memory's source that are shown beside it, from 0; 0 shows none. Raise it where sources are long
    paths whose end matters."""

    recall_disabled_frames: Annotated[tuple[Frame, ...], OUTSIDE] = ()
    """Frames in which the recall tool answers nothing. Add a frame in which the agent must not look for more than the
    turn shows."""
