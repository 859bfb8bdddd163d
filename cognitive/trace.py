"""The trace of a turn: the decision about every candidate memory, with timings, token budgets and removed tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from brain.rollups import TurnMetrics
    from brain.search import Hit
    from brain.types import MemoryType
    from cognitive.tool import Trim

_DECOYS = 5  # maximum number of decoys that are judged with the shown memories of a turn
ELAPSED = "pre_turn"  # the name of the total among the timings of the stages

Disposition = Literal[
    "shown",  # in the block of this turn
    "pinned",  # in the prefix, so the block does not repeat it
    "restated",  # the conversation window contains it already
    "duplicate",  # another candidate says the same, and as much or more
    "superseded",  # a newer memory replaced it
    "distrusted",  # its source is not trusted enough for its type
    "source_cap",  # its source has more memories than a turn shows of one source
    "irrelevant",  # its evidence, or that of its type or of all candidates, is below the threshold
    "over_limit",  # its rank is below the plan's limit for its type or for all types
    "already_in_prompt",  # a block of an earlier turn, still in the conversation, shows it
    "over_budget",  # the tokens of its section or of the block do not suffice
    "displaced",  # exploration showed another candidate instead
]

# Dispositions of candidates that could not be shown, however relevant; relevance gaps are not measured against them.
NOT_ELIGIBLE = frozenset({"pinned", "superseded", "distrusted"})
# Dispositions of candidates that lacked rank or room, and were not dropped for their text. Decoys are drawn from them.
PASSED_OVER = frozenset({"irrelevant", "over_limit", "over_budget"})
# The counter of statistics that each disposition increases; the others increase only "found".
COUNTED: Mapping[Disposition, Literal["injected", "abstained", "deduped", "trimmed"]] = {
    "shown": "injected",
    "irrelevant": "abstained",
    "restated": "deduped",
    "duplicate": "deduped",
    "already_in_prompt": "deduped",
    "over_limit": "trimmed",
    "over_budget": "trimmed",
    "displaced": "trimmed",
    "distrusted": "trimmed",
    "source_cap": "trimmed",
}


@dataclass(frozen=True, slots=True)
class Boost:
    """The effect of a memory's past use on its score.

    Attributes:
        factor: the boost, from 0.5 to 1.5; 1.0 for a memory that was never shown.
        shown: the number of turns that showed it, older turns counting less.
        used: the number of turns that used it, older turns counting less.
        past: how often it was used, as a sentence; empty if it was never shown.
        specificity: the share of the memory's uses that happened in turns similar to this one.
        lift: the amount added to the memory's relevance because of similar turns.
    """

    factor: float = 1.0
    shown: float = 0.0
    used: float = 0.0
    past: str = ""
    specificity: float = 1.0
    lift: float = 0.0

    @property
    def reason(self) -> str:
        """The boost's factor and the counts of past use that it comes from, as a sentence."""
        return f"{self.factor:.2f}: {self.past}" if self.past else "never shown"

    def as_json(self) -> dict[str, Any]:
        """Return the boost as JSON, for explanations of a turn."""
        return {
            "factor": self.factor,
            "shown": self.shown,
            "used": self.used,
            "reason": self.reason,
            "specificity": self.specificity,
            "lift": self.lift,
        }


@dataclass(frozen=True, slots=True)
class WindowSimilarity:
    """The similarity of a memory to the statements in the conversation window, to find memories that it restates.

    Statements that contradict the memory by a simple rule, such as "different numbers", do not count.

    Attributes:
        cosine: the highest cosine, or None if the memory or all statements have no vector.
        containment: the highest share of the memory's word stems that a statement has.
        agreement: the highest mean of cosine and containment for one statement, or None if there is no cosine.
        parts: the containment of each of the memory's sentences; empty if it was not computed.
    """

    cosine: float | None
    containment: float
    agreement: float | None = None
    parts: tuple[float, ...] = ()


# The relevance factors that depend on the query; the others (length, first person, ...) are the same for all queries.
MATCH_FACTORS = ("lexical", "lexical_context", "semantic", "semantic_context", "date")


class Candidate(NamedTuple):
    """A memory that the search found, on its way through the stages that decide if it is shown.

    Attributes:
        hit: its best passage, as the search returned it.
        relevance: how well it matches the query.
        factors: the weighted parts of the relevance, by name.
        boost: the effect of its past use.
        score: the number by which it is ranked.
        rank_before: its rank by relevance alone, from 1.
        rank: its rank by score after the rules of `precedence` and `duplicates`, from 1.
        tokens: its size in the prompt, 0 before it is counted.
        similarity: its similarity to the conversation window, or None if it was not compared.
        propensity: the probability with which it could be shown.
        excerpt: the character offsets of the shown parts of a shortened memory; empty if it is not shortened.
        note: why it may be shown although its evidence is low or it was replaced; empty if neither is so.
        lowered: the factor on its score and its cause, if the factor is below 1; else empty.
        moved: the rules that changed its rank after that, with the number that decided; else empty.
    """

    hit: Hit
    relevance: float = 0.0
    factors: Mapping[str, float] = MappingProxyType({})
    boost: Boost = Boost()
    score: float = 0.0
    rank_before: int = 0
    rank: int = 0
    tokens: int = 0
    similarity: WindowSimilarity | None = None
    propensity: float = 1.0
    excerpt: tuple[tuple[int, int], ...] = ()
    note: str = ""
    lowered: str = ""
    moved: str = ""

    @property
    def match(self) -> float:
        """The match of the memory with the query, on the scale on which abstention compares candidates.

        It is the sum of the relevance factors that depend on the query, plus the lift learned from similar past turns.
        """
        return sum([self.factors.get(name, 0.0) for name in MATCH_FACTORS]) + self.boost.lift


class CandidateResult(NamedTuple):
    """The decision about a candidate memory: its disposition (shown, or why not), with a number and a reason.

    `value` is the number on which the decision rests, for example a similarity or a rank. `threshold` is the match that
    the memory needed, if it was dropped because its own match is too low.
    """

    candidate: Candidate
    disposition: Disposition
    value: float
    reason: str
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class SectionBudgets:
    """The maximum tokens of a turn's memories, by type and in total.

    `reasons` say why these budgets differ from the plan. `best` is the maximum for the best match alone, if it exceeds
    `total` because the category of the message lowered the total.
    """

    budgets: Mapping[MemoryType, int]
    total: int
    reasons: tuple[str, ...] = ()
    best: int = 0


NO_SECTION_BUDGETS = SectionBudgets({}, 0)


@dataclass(frozen=True, slots=True)
class StageResult:
    """The result of one filter stage: the candidates that pass, in order, and the decisions about the others."""

    kept: tuple[Candidate, ...]
    dropped: tuple[CandidateResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """The data that explain a turn: the decision about every candidate memory, timings, budgets and removed tools.

    Attributes:
        query: the text that was searched for.
        policy: the version of the policy.
        now: the turn's time.
        channels: the parts of the search ("dense", "lexical", "temporal") that answered in time.
        candidates: the decision about every candidate memory, by rank.
        timings: milliseconds by stage, and in total as "pre_turn".
        record: the recorded inputs and results, for replay (`cognitive.recording`), or None if no stage ran.
        sections: the token budgets that applied.
        trim: the changes to the tools, or None if all fit.
        window: the measurements of the conversation's window.
        pinned: number of pinned memories in the prompt.
        pinned_tokens: tokens of the block with the pinned memories.
    """

    query: str
    policy: str
    now: datetime
    channels: tuple[str, ...] = ()
    candidates: tuple[CandidateResult, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    record: str | None = None
    sections: SectionBudgets = NO_SECTION_BUDGETS
    trim: Trim | None = None
    window: Mapping[str, Any] = field(default_factory=dict)
    pinned: int = 0
    pinned_tokens: int = 0

    def of(self, memory_id: UUID) -> CandidateResult | None:
        """Return the decision about a memory, or None if it was no candidate in this turn."""
        return next((result for result in self.candidates if result.candidate.hit.memory_id == memory_id), None)

    @property
    def stages(self) -> dict[str, float]:
        """The milliseconds of each stage, by its name, without the total."""
        return {name: ms for name, ms in self.timings.items() if name != ELAPSED}

    def measures(self, model: str | None) -> TurnMetrics:
        """Return the turn's measurements for statistics over many turns.

        `elapsed` and `stages` are milliseconds. `types` has, for each memory type, how many memories were `found`, how
        many were left out as repetitions (`deduped`), and how many because of a limit, such as the room in the prompt
        (`trimmed`). `pinned` and `pinned_tokens` are of the pinned memories. `abstained` is True if the turn showed no
        memory and at least one was irrelevant. `model` is the language model of the turn.
        """
        by_type: dict[str, Counter[str]] = {}
        for result in self.candidates:
            counts = by_type.setdefault(result.candidate.hit.type, Counter())
            counts["found"] += 1
            counts["deduped"] += COUNTED.get(result.disposition) == "deduped"
            counts["trimmed"] += COUNTED.get(result.disposition) == "trimmed"
        ended = Counter(result.disposition for result in self.candidates)
        measures: TurnMetrics = {
            "elapsed": round(self.timings[ELAPSED], 3) if ELAPSED in self.timings else None,
            "stages": {name: round(ms, 3) for name, ms in self.stages.items()},
            "types": {type_: dict(counts) for type_, counts in by_type.items()},
            "pinned": self.pinned,
            "pinned_tokens": self.pinned_tokens,
            "abstained": not ended["shown"] and ended["irrelevant"] > 0,
            "tools_cut": len(self.trim.cut) if self.trim is not None else 0,
        }
        if model is not None:
            measures["model"] = model
        return measures

    def as_json(self) -> dict[str, Any]:
        """Return the trace as JSON to store.

        It contains ids and numbers but no text of a memory, so that an erased memory leaves no text in stored traces.
        """
        return {
            "query": self.query,
            "policy": self.policy,
            "now": self.now.isoformat(),
            "channels": list(self.channels),
            "timings": {name: round(value, 3) for name, value in self.timings.items()},
            "decoys": [str(id) for id in decoys(self.candidates)],
            "sections": {
                "budgets": dict(self.sections.budgets),
                "total": self.sections.total,
                "reasons": list(self.sections.reasons),
            },
            "excerpts": {str(id): spans for id, spans in excerpts(self.candidates).items()},
            "record": self.record,
            **({"trim": self.trim.as_json()} if self.trim is not None else {}),
            **({"window": dict(self.window)} if self.window else {}),
        }


def decoys(results: Sequence[CandidateResult]) -> list[UUID]:
    """Return the ids of a few candidates that were not shown because their evidence, rank or room did not suffice.

    After the turn it is measured whether the response used such a decoy, just as for a shown memory. The result shows
    how often "used" is chance.
    """
    return [result.candidate.hit.memory_id for result in results if result.disposition in PASSED_OVER][:_DECOYS]


def excerpts(results: Sequence[CandidateResult]) -> Mapping[UUID, tuple[tuple[int, int], ...]]:
    """Return the shown parts of shortened memories, by memory, as [start, end) character offsets in their text."""
    shown = [result.candidate for result in results if result.disposition == "shown"]
    return {candidate.hit.memory_id: candidate.excerpt for candidate in shown if candidate.excerpt}


def window_similarities(results: Sequence[CandidateResult]) -> Mapping[tuple[UUID, int], WindowSimilarity]:
    """Return the similarity of candidates to the conversation window, by memory and passage number.

    Candidates that were not compared with the window are left out.
    """
    candidates = [result.candidate for result in results]
    return {(c.hit.memory_id, c.hit.ordinal): c.similarity for c in candidates if c.similarity is not None}
