"""Every tunable of the turn, frozen, with the reason for its value; loadable from TOML; hashed into a version."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from brain.erasure.retention import Retained
from brain.types import Edge, Label, MemoryType, Trust
from cognitive.errors import InvalidInput, PolicyError
from cognitive.plan import Frame
from cognitive.policy.defaults import (
    ATTRIBUTION_THRESHOLDS,
    FRAMES,
    RELEVANCE,
    RESERVES,
    TOOL_OUTPUTS,
    AtLeastOne,
    CategoryChange,
    Count,
    FrameBudget,
    Placement,
    Positive,
    Share,
    Tokens,
    ToolOutputKind,
    Turns,
    Weight,
    each,
    over,
    sound,
)
from cognitive.policy.models import ModelRow

Candidates = Annotated[int, Field(ge=1, le=1000)]
CategoryChanges = Annotated[Mapping[str, CategoryChange], each("categories", CategoryChange), AfterValidator(sound)]
LowWater = Annotated[float, Field(gt=0, lt=1)]
Models = Annotated[Mapping[Label, ModelRow], each("models", ModelRow)]


def _laidover(own: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with some of its rows changed, tables within it likewise."""
    within = {
        name: _laidover(own[name], change)
        for name, change in changes.items()
        if isinstance(change, Mapping) and isinstance(own.get(name), Mapping)
    }
    return {**own, **changes, **within}


class Policy(Edge):
    """How turns are planned, ranked, fitted and learnt from. Keyword-only; unknown names are errors.

    Raises:
        PolicyError: from `load` and `from_record`, when what is read is no policy. InvalidInput when constructed
            wrongly.
    """

    # --- the deadline ---
    deadline_ms: Positive = 250.0  # what an agent's user does not notice
    recall_deadline_ms: Positive = 15_000.0  # the model asked and waits; an honest late answer beats none
    fit_deadline_ms: Positive = 2_000.0  # within a turn the next call takes seconds; what is cut in haste is gone
    post_turn_deadline_ms: Positive = 5_000.0  # then the outcome goes to the journal: the host has its answer already
    embed_share: Share = 0.6  # of the deadline at most goes to the query's vector; the lexical channel needs the rest
    weigh_share: Share = 0.1  # of what is left when the search begins: to weigh, render and record takes some 25 ms

    # --- preflight ---
    frames: Annotated[Mapping[Frame, FrameBudget], over(FRAMES)] = Field(default_factory=lambda: dict(FRAMES))
    budget_overrides: Mapping[MemoryType, Tokens] = Field(default_factory=dict)  # the operator's word, last and final
    default_limit: Count = 5  # memories per type (the seed's)
    hinted_limit: Count = 8  # of the type that the message asks for
    other_limit: Count = 3  # of each other type, where the message asks for one

    # --- preflight: categories, the seed's switches by their names ---
    categories_enabled: bool = True  # the master switch: off, every turn has all its tools and its own thinking level
    tool_filtering: bool = True  # take away the tools that no matched category uses
    memory_tuning: bool = True  # let the categories' caps narrow the frame's memory
    thinking_tuning: bool = True  # let the categories choose how hard the model thinks
    prompt_annotation: bool = True  # tell the model in one line what was planned
    always_include: tuple[Label, ...] = ("message",)  # the seed's: an agent can always speak
    complex_threshold: Count = 300  # characters; a shorter message needs more to be complex
    fallback_to_full: bool = True  # a message that no rule knows keeps all tools; off, it keeps always_include
    categories: CategoryChanges = Field(default_factory=dict)  # what an operator changes, or adds
    session_awareness: bool = True  # "and for staging?" is of the category of what it leans on
    learned_weights: bool = True  # keep what past turns of a category called: it can only add, docs/benchmarks.md
    learned_turns: Count = 500  # the latest completed ones are learnt from
    learned_calls: AtLeastOne = 3  # of a tool, until a category gains it: once may be an accident
    learned_share: Share = 0.05  # of a category's turns that called it; rarer is noise
    exemplar_fallback: bool = False  # guess the category of what no rule knows; docs/benchmarks.md says what it costs
    exemplar_floor: Share = 0.4  # cosine below which a labelled sentence says nothing of a message
    user_profiles: bool = False  # let a user's own categories weigh; not measured on people
    profile_weight: Annotated[float, Field(ge=0, le=0.5)] = 0.25  # of the share that a category has of a user's turns

    # --- retrieve ---
    candidates_per_channel: Candidates = 80  # 60 memories suffice; long ones take several
    candidates_per_wanted: Candidates = 4  # looked at for each one wanted; 8 find less
    relevance: Annotated[Mapping[str, Weight], over(RELEVANCE)] = Field(default_factory=lambda: dict(RELEVANCE))

    # --- dedup ---
    dedup: bool = True  # compare with the window and among candidates at all
    dedup_threshold: Share = 0.85  # cosine to a sentence of the window; binding default
    dedup_mode: Literal["drop", "shorten"] = "drop"  # an excerpt saves few tokens and may lose what "it" refers to
    containment_threshold: Share = 0.7  # of a memory's stems in up to three sentences; docs/benchmarks.md
    agreement_threshold: Share = 0.62  # mean of cosine and containment: 0012-precision.md has the curve
    unembedded_threshold: Share = 0.5  # containment that suffices where there are no vectors (the seed's fallback)
    window_sentences: Count = 24  # embedded per turn at most; the rest is compared by its stems

    # --- rank ---
    boost: Literal["posterior", "rate"] = "posterior"  # context/usage.py says what they measure; "rate" is the seed's
    combine: Literal["add", "multiply"] = "add"  # multiplying lets popularity beat relevance; it is the seed's
    usage_weight: Share = 0.005  # of log2(boost): breaks ties; more harms unseen questions
    least_boost: Annotated[float, Field(gt=0, le=1)] = 0.5
    most_boost: Annotated[float, Field(ge=1, le=2)] = 1.5
    half_life_days: Positive = 7.0  # binding default
    association_weight: Annotated[float, Field(ge=0, le=2)] = 0.8  # of what similar past turns lacked; 0: none
    association_turns: Count = 2_000  # the latest completed ones are compared: 4 to 15 ms
    association_kept: Annotated[int, Field(ge=0, le=1000)] = 32  # most similar of them
    association_floor: Share = 0.58  # similarity from which a past turn says anything: unrelated ones reach 0.55
    association_full: Share = 0.78  # similarity from which it asks the same
    association_words: Annotated[float, Field(ge=0, lt=1)] = 0.2  # of a similarity; the rest is the cosine
    association_half_life_days: Positive = 28.0  # questions come back after longer than uses stay fresh
    version_threshold: Share = 0.7  # of their stems: two texts that share these are versions of one; the newer is first
    superseded_factor: Share = 0.5  # a replaced memory can still be found, below what replaced it

    # --- catalogue ---
    models: Models = Field(default_factory=dict)  # further rows for the table of cognitive/policy/models.py
    catalog: bool = True  # fit the tools to the model at all
    # So many of the most relevant tools of a cut keep their parameters: a tool is hard to call without them, but each
    # takes the room of two others, and ten would cost a point of the tools that are needed
    catalog_telling: Count = 4
    catalog_words: Weight = 0.2  # beside a cosine; from 0.1 to 0.5 the needed tools kept differ by half a point
    catalog_history: Weight = 0.3  # of a call in a turn that asked the same; 0.2 to 0.4 differ by a request or two
    catalog_history_floor: Share = 0.3  # cosine of messages from which a past turn says anything of tools
    catalog_history_full: Share = 0.9  # and from which it asked the same
    catalog_confidence: Share = 0.33  # of the best tool's match: below, the cut takes a needed one three times as often
    catalog_gap: Share = 0.22  # below, no tool is for this: 2 % of requests that have one, and one in six of small talk
    catalog_deadline_ms: Positive = 60.0  # a large catalogue may take, even after a search that took all there was
    refine_deadline_ms: Positive = 15_000.0  # the host waits for a model's answer, and knows what it asked for
    refine_listed: AtLeastOne = 200  # most relevant tools that the small model chooses from
    refine_ranked: Count = 12  # most relevant tools that stay beside what it chose (upstream's)

    # --- retention ---
    retention_days: Mapping[Retained, Positive] = Field(default_factory=dict)  # none: what is kept is the host's to say

    # --- trust ---
    # docs/security.md: what each did against the attacks that it is for
    min_trust: Mapping[MemoryType, Trust] = Field(default_factory=dict)  # none: an agent may have one way in only
    # Memories of one speaker or session that a turn may show: the limit of a type, so that a talk may fill its own
    # section and no other one; 0: no bound
    source_cap: Count = 5
    closed_recall: tuple[Frame, ...] = ()  # frames in which the recall tool is closed; none: an agent asks on purpose

    # --- abstain ---
    abstention: bool = True
    evidence_floor: Weight = 0.85  # context/abstention.py: the middle of what two data sets allow, docs/benchmarks.md
    evidence_floors: Mapping[Frame, Weight] = Field(default_factory=dict)  # of frames that deserve another one
    type_floor: Share = 0.9  # of the floor: what each type must reach by itself; 1 shows as much on what was measured
    item_floor: Share = 0.5  # of the best match in the turn: from 0.4 on a tenth of the tokens goes for no evidence

    # --- budgets ---
    score_steepness: Positive = 6.0  # of a score: twice the relevance is far more than twice the chance of evidence
    redundancy: Share = 0.5  # of a memory's worth goes with the words that chosen ones say; only where not all fit
    thrift: Share = 0.0  # power of the tokens that a worth is divided by; at 0.5 and 1 up to 3 points of evidence go
    learned_budgets: bool = False  # off: what is planned holds; on, sections move by how often their type is used
    least_learned: Share = 0.5  # of the planned tokens: no type is unlearnt for good
    most_learned: Annotated[float, Field(ge=1, le=2)] = 1.5  # no type crowds out the others
    learned_showings: Positive = 20.0  # of a type count as much as what is known of all: a day's turns move little

    # --- render ---
    # docs/decisions/0013-placement.md: what each costs in bytes that a prompt cache loses
    placement: Placement = "user_tail"  # ephemeral; "journaled": the host keeps it; "system": the seed's, breaks caches
    longest_source: Count = 40  # characters of a source that is shown; 0: none; render.origin

    # --- sessions ---
    summary_seconds: Positive = 60.0  # a host's summarizer may take, after a turn; then it is extracted

    # --- work ---
    work_facts: Annotated[int, Field(ge=0, le=200)] = 5  # recalled for a new subtask (the seed's)
    work_related: Annotated[int, Field(ge=0, le=200)] = 3  # finished subtasks found for it
    work_result_characters: Annotated[int, Field(ge=100)] = 2_000  # of each result: a page; the whole is read by its id

    # --- explore ---
    explore_every: Turns = 0  # off: a trial costs a turn its last memory; docs/decisions/0008-off-policy.md

    # --- feedback ---
    rating_weight: Positive = 3.0  # showings that a rated one counts for: somebody's word beats a measured overlap
    abandon_after_minutes: Positive = 60.0  # a turn that stays open for longer was lost; its outcome may still come
    attribution: Literal["relative", "windowed", "jaccard"] = "relative"  # feedback/attribute.py says what they measure
    attribution_thresholds: Annotated[Mapping[str, Share], over(ATTRIBUTION_THRESHOLDS)] = Field(
        default_factory=lambda: dict(ATTRIBUTION_THRESHOLDS)
    )

    # --- a turn's story ---
    # What was asked is kept of every turn anyhow; without the answer nobody sees which of its passages a memory earned
    # its credit by. Off where an answer must not outlive its conversation
    keep_responses: bool = True
    response_characters: Annotated[int, Field(ge=100)] = 16_000  # of each: longer answers hold files, which say less

    # --- capture ---
    # What a completed turn leaves as episodes: somebody's words are stored when an operator says so, and not before
    capture: Literal["off", "user", "exchange"] = "off"
    capture_characters: Annotated[int, Field(ge=100)] = 8_000  # of each: what is longer is a file, not talk
    extract_seconds: Positive = 120.0  # a host's extractor may take, beside the turns; then nothing is extracted

    # --- window ---
    window_messages: AtLeastOne = 40  # shown at most, the engine's own included
    window_characters: AtLeastOne = 80_000  # of all of them; some 20,000 tokens
    window_low_water: LowWater = 0.4  # of each bound is left by a step: fewer, longer strides
    context_threshold: Annotated[float, Field(gt=0, le=1)] = 0.7  # of the model's tokens: what its reserves leave
    summarize_after_iterations: Count = 5  # of calls in a row; 0: never for that
    reserves: Annotated[Mapping[str, Share], over(RESERVES)] = Field(default_factory=lambda: dict(RESERVES))
    keep_last_messages: Count = 10  # are never pruned, whatever their age (the seed's)
    # The seed keeps what is younger than 5 min and prunes results older than 1 min, so the 1 min never decides. Here
    # the age that prunes is the greater (5 min is also how long providers keep a cached prompt), and what is younger
    # than half a minute is spared even when room is short.
    keep_recent_ms: Count = 30_000
    prune_tool_results_after_ms: AtLeastOne = 300_000
    always_keep: tuple[str, ...] = ("plan", "error", "human_input")  # kinds; a failed call is an error (the seed's)
    summarize_before_prune: bool = True  # what is pruned leaves its gist; False: a pointer alone, and no summary
    pruned_characters: Annotated[int, Field(ge=200)] = 400  # of a pruned result: its first line and the pointer
    message_characters: Annotated[int, Field(ge=1_000)] = 20_000  # of any other message: a pasted file, not an answer
    tool_output_characters: Annotated[Mapping[str, Annotated[int, Field(ge=500)]], over(TOOL_OUTPUTS)] = Field(
        default_factory=lambda: dict(TOOL_OUTPUTS)
    )
    tool_output_kinds: Mapping[str, ToolOutputKind] = Field(default_factory=dict)  # of tools whose names do not say it
    summary_characters: Count = 4_000  # the whole summary; upstream's
    summarized_messages: AtLeastOne = 40  # at most go into it at once: a window full

    # --- recall from outside ---
    tie_minutes: Positive = 10.0  # an open turn may wait for its model so long; an older one was likelier lost

    # --- agents ---
    agents: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)  # by agent: the tunables that differ for it

    @model_validator(mode="after")
    def _checked(self) -> Self:
        """Derives every agent's policy now, so that a wrong one is an error of whoever wrote it and not of a turn."""
        self.for_agent("")
        return self

    @cached_property
    def _common(self) -> Self:
        """The policy of every agent that `agents` does not name: without `agents`, so that their records do not hold
        the others' names.
        """
        return type(self)(**self.model_dump(exclude={"agents"}))

    @cached_property
    def _own(self) -> Mapping[str, Self]:
        return {agent_id: self._common._changed(agent_id, changes) for agent_id, changes in self.agents.items()}

    def _changed(self, agent_id: str, changes: Mapping[str, Any]) -> Self:
        tunables = self.model_dump(exclude={"agents"})
        unknown = sorted(set(changes) - set(tunables))
        if unknown:
            raise PolicyError(f"agents.{agent_id}: no tunable is called {', '.join(unknown)}")
        try:
            return type(self)(**_laidover(tunables, changes))
        except InvalidInput as error:
            raise PolicyError(f"agents.{agent_id}: {error}") from error

    def for_agent(self, agent_id: str) -> Self:
        """The policy of an agent's turns: this one, unless `agents` says otherwise; then one with its own version.

        A table (frames, relevance) changes in the rows that are named. A policy so derived has no `agents`.
        """
        return self._own.get(agent_id, self._common) if self.agents else self

    @property
    def variants(self) -> tuple[Self, ...]:
        """The policies under which turns are planned: that of most agents, and those of the agents that differ."""
        return (self._common, *self._own.values()) if self.agents else (self,)

    def floor(self, frame: Frame) -> float:
        """The evidence from which a turn of this frame shows anything."""
        return self.evidence_floors.get(frame, self.evidence_floor)

    @property
    def attribution_threshold(self) -> float:
        """The overlap from which a shown memory counts as used, of this policy's strategy."""
        return self.attribution_thresholds[self.attribution]

    @property
    def association_cosine(self) -> float:
        """The cosine below which no past turn can reach the floor, whatever words it shares with the message."""
        return max(0.0, (self.association_floor - self.association_words) / (1 - self.association_words))

    @classmethod
    def seed(cls, **changes: Any) -> Self:
        """The rules of the seed, exactly: whole-response Jaccard at 0.15, 0.5 + used ÷ shown, multiplied."""
        rules = {"attribution": "jaccard", "boost": "rate", "combine": "multiply", "association_weight": 0.0}
        return cls(**{**rules, **changes})

    @cached_property
    def version(self) -> str:
        """Twelve hexadecimal digits that change whenever a tunable does; recorded with every turn."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    @classmethod
    def from_record(cls, content: Mapping[str, Any]) -> Self:
        """A policy as it was recorded with a turn; a tunable that is newer than the record has its default."""
        try:
            return cls(**content)
        except InvalidInput as error:
            raise PolicyError(f"a recorded policy is not one of this version: {error}") from error

    @classmethod
    def load(cls, path: Path) -> Self:
        """A policy from a TOML file; what the file leaves out keeps its default."""
        try:
            return cls(**tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise PolicyError(f"cannot read the policy file {str(path)!r}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PolicyError(f"{str(path)!r} is not TOML: {error}") from error
        except InvalidInput as error:
            raise PolicyError(f"{str(path)!r}: {error}") from error
