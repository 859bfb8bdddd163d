"""Settings of retrieval, deduplication, scoring and trust."""

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
    """Return True if ranking under a policy depends on past turns: on similar turns, or on the memories' own usage."""
    return bool(policy.association.weight > 0 or policy.usage.boost != "rate")


def _wider(new: Any, old: Any) -> bool:
    """Return True if the new policy admits past turns of lower similarity than the old one, which recorded the turn.

    The record then lacks memories that the new policy would find, so a replay cannot show the change. If the old policy
    used no past turns at all (weight 0), return False: the annotation of `association.weight` covers that change.
    """
    wanted, known = new.association.min_similarity, old.association.min_similarity
    return old.association.weight > 0 and CONSTANTS.association_cosine(wanted) < CONSTANTS.association_cosine(known)


class RetrievalSettings(SettingsGroup):
    """Search for memories, and the weights of the parts of their relevance."""

    candidates_per_channel: Annotated[int, Field(ge=1, le=1000), BEFORE_RECORD] = 80
    """Passages that each channel (words, meaning) returns per memory type. Raise it for stores of long documents."""

    relevance: Annotated[
        Mapping[str, Weight], with_default_rows(RELEVANCE), LiveRange("Relevance: {}", 0, 1, 0.005), REPLAYABLE
    ] = Field(default_factory=lambda: dict(RELEVANCE))
    """Weight of each part of the relevance; 0 disables a part. `lexical` and `semantic` compare the memory with the
    message, `lexical_context` and `semantic_context` its context; `session` and `neighbor` score its conversation and
    neighbours; `speaker`, `date` and `recency` apply if the message asks for them; `user_turn`, `first_person`,
    `instruction` and `content_length` are traits of the memory. `cognitive recall --scores` shows the
    parts. Change a weight if replayed turns show that it misleads."""


class DedupSettings(SettingsGroup):
    """Removal of memories that repeat the conversation or another memory."""

    enabled: Annotated[bool, REPLAYABLE] = True
    """Compare memories with the conversation and with each other. Switch it off to see every match."""

    threshold: Annotated[Share, LiveRange("Said already, by meaning", 0.5, 1, 0.01), REPLAYABLE] = 0.85
    """Cosine to a sentence of the conversation above which a memory is a repetition. Raise it if new information is
    left out."""

    mode: Annotated[
        Literal["drop", "shorten"],
        BeforeRecord(lambda new, old: new.dedup.mode == "shorten" and old.dedup.mode == "drop"),
    ] = "drop"
    """Treatment of a partly repeated memory: leave it out ("drop") or show the new part ("shorten"). An excerpt may
    lose what "it" refers to."""

    containment_threshold: Annotated[Share, LiveRange("Said already, by words", 0, 1, 0.01), REPLAYABLE] = 0.7
    """Share of a memory's words in up to three sentences of the conversation at which it is a repetition. Raise it if
    short memories are left out wrongly."""

    agreement_threshold: Annotated[Share, LiveRange("Said already, by both", 0, 1, 0.01), REPLAYABLE] = 0.62
    """Mean of cosine and containment at which a memory is a repetition. Raise it if paraphrases are left out
    wrongly."""


class UsageSettings(SettingsGroup):
    """Effect of a memory's past use on its score."""

    boost: Annotated[
        Literal["posterior", "rate"], BeforeRecord(lambda new, old: not _learns(old) and new.usage.boost != "rate")
    ] = "posterior"
    """Measure of usefulness: uses against the agent's base rates ("posterior") or used / shown ("rate"). Choose "rate"
    only for comparison."""

    combine: Annotated[Literal["add", "multiply"], REPLAYABLE] = "add"
    """Add the boost to the relevance or multiply by it. Multiplying lets popularity beat relevance; choose it only for
    comparison."""

    weight: Annotated[Share, LiveRange("Weight of use", 0, 0.1, 0.0005), REPLAYABLE] = 0.005
    """Weight of log2(boost) in a memory's score. The default only breaks ties; more harms new questions. Raise it if
    the same questions come back."""

    half_life_days: Annotated[Positive, LiveRange("Half-life of use", 0.5, 90, 0.5, "days"), REPLAYABLE] = 7.0
    """Half-life of showings and uses, in days. Raise it for an agent that is asked rarely."""

    explore_every: Annotated[Turns, LiveRange("Try something new every", 0, 1000, 1, "turns"), REPLAYABLE] = 0
    """Turns per trial, in which a memory from below the cut replaces the last one; 0 disables trials, 1 is invalid. Set
    it to gather evidence for `cognitive tune`."""


class AssociationSettings(SettingsGroup):
    """Effect of similar past turns, and of the memories used in them, on a memory's score."""

    weight: Annotated[
        float,
        Field(ge=0, le=2),
        LiveRange("Weight of similar turns", 0, 2, 0.05),
        BeforeRecord(lambda new, old: old.association.weight == 0 < new.association.weight),
    ] = 0.8
    """Weight of memories that similar past turns used; 0 ignores past turns. Lower it if earlier uses mislead now."""

    min_similarity: Annotated[Share, LiveRange("Similar turns from", 0, 1, 0.01), BeforeRecord(_wider)] = 0.55
    """Similarity of messages at which a past turn counts; unrelated messages reach 0.55. Raise it if different
    questions share most words."""

    half_life_days: Annotated[Positive, LiveRange("Half-life of similar turns", 1, 365, 1, "days"), REPLAYABLE] = 28.0
    """Half-life of past turns, in days. Raise it for yearly work."""


class EvidenceSettings(SettingsGroup):
    """Minimum evidence that memories match the message, below which none is shown while `abstention` is on."""

    threshold: Annotated[Share, LiveRange("Evidence threshold", 0, 1, 0.01), REPLAYABLE] = 0.45
    """Evidence that a turn needs to show any memory. Evidence is the estimated probability, from 0 to 1, that memories
    are about the message; it comes from cosines, shared words, past use and the kind of message. Raise it if unrelated
    memories are shown, lower it if known answers are not."""

    frame_thresholds: Annotated[Mapping[Frame, Share], REPLAYABLE] = Field(default_factory=dict)
    """Evidence thresholds of single frames, which replace `evidence.threshold`. Set one if, for example, debugging may
    show weaker matches."""

    min_item_share: Annotated[Share, LiveRange("Share of a memory", 0, 1, 0.01), REPLAYABLE] = 0.5
    """Share of the turn's best match that each memory must reach: a short memory 0.8 times that, an assistant's line
    1.6 times. Raise it if the last memories shown are useless."""


class TrustSettings(SettingsGroup):
    """Minimum trust in a memory's author for the memory to be shown.

    docs/security.md describes the effect of each setting on attacks.
    """

    min_level: Annotated[Mapping[MemoryType, Trust], REPLAYABLE] = Field(default_factory=dict)
    """Trust that memories of a type need to be shown. Set it if strangers' words are captured."""

    max_per_source: Annotated[Count, REPLAYABLE] = 5
    """Memories of one speaker or session per turn; 0 sets no limit. Lower it if one source crowds out others."""

    max_source_chars: Annotated[Count, REPLAYABLE] = 40
    """Characters of a memory's source shown with it; 0 shows none. Raise it if the ends of long paths matter."""

    recall_disabled_frames: Annotated[tuple[Frame, ...], OUTSIDE] = ()
    """Frames in which the recall tool returns nothing. Add a frame in which the agent must see only what the turn
    shows."""
