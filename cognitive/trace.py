"""What became of every candidate, and why: the record that explains a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain.rollups import TurnMetrics
from brain.search import Hit
from brain.types import MemoryType

_DECOYS = 5  # judged with each turn beside what was shown
ELAPSED = "pre_turn"  # the whole, among the timings of the stages
_MAX_CUT = 50  # names of tools that were cut are stored with a turn, and how many there were

Disposition = Literal[
    "shown",  # it is in the prompt
    "pinned",  # it stands in the prefix, so the block does not repeat it
    "restated",  # the conversation window says it already
    "duplicate",  # another candidate says it better
    "superseded",  # a newer memory replaced it
    "distrusted",  # its source is not trusted enough for its type
    "source_cap",  # more of one source than a turn shows
    "irrelevant",  # the floor: nothing, or not this, is worth showing
    "over_limit",  # more of this type than the plan asks for
    "already_in_prompt",  # the conversation still shows it, as an earlier turn put it there
    "over_budget",  # its section or the total had no room
    "displaced",  # exploration tried another in its place
]

# Dispositions of candidates that could not be chosen, however relevant: nothing is measured against them.
NOT_ELIGIBLE = frozenset({"pinned", "superseded", "distrusted"})
# Dispositions of candidates that were left out for want of rank or room, and not for what they say.
PASSED_OVER = frozenset({"irrelevant", "over_limit", "over_budget"})
# What a memory that was found counts as, by where it ended; the others count as found and no more.
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
    """What usage says of a memory: a factor in [0.5, 1.5], 1.0 for the unknown, and the masses it comes from.

    `past` says how often it was shown and used, in words, and is empty if it never was shown; `specificity` is the
    share of its use that was in turns like this one; `lift` is what those add to its relevance.
    """

    factor: float = 1.0
    shown: float = 0.0
    used: float = 0.0
    past: str = ""
    specificity: float = 1.0
    lift: float = 0.0

    @property
    def reason(self) -> str:
        """The factor and what it comes from, in words."""
        return f"{self.factor:.2f}: {self.past}" if self.past else "never shown"

    def as_json(self) -> dict[str, Any]:
        """Return the boost as explanations of a turn print it."""
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
    """How nearly the window says what a memory says: the highest cosine and the highest share of the memory's stems
    among the statements that nothing speaks against, and the highest mean of the two. Cosine and mean are None where
    there were no two vectors to compare. `parts` is the containment of each of its sentences, where that was taken.
    """

    cosine: float | None
    containment: float
    agreement: float | None = None
    parts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory on its way through the stages, by its best passage; each stage returns a new one.

    `factors` are the weighted parts of `relevance` by name; `rank` counts from 1, `rank_before` is by relevance alone.
    `similarity` is None if it was not compared with the window; `propensity` is the chance it had of being shown.
    `excerpt` are the offsets of what is shown of a shortened memory, empty where it is shown as it was found.
    """

    hit: Hit
    relevance: float = 0.0
    factors: Mapping[str, float] = field(default_factory=dict)
    boost: Boost = field(default_factory=Boost)
    score: float = 0.0
    rank_before: int = 0
    rank: int = 0
    tokens: int = 0
    similarity: WindowSimilarity | None = None
    propensity: float = 1.0
    excerpt: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """Where a candidate ended: one disposition, the number that decided it, and what that number means."""

    candidate: Candidate
    disposition: Disposition
    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class SectionBudgets:
    """The tokens that a turn's memories may take, by type and in total, and why they are other than planned, if so."""

    budgets: Mapping[MemoryType, int]
    total: int
    reasons: tuple[str, ...] = ()


NO_SECTION_BUDGETS = SectionBudgets({}, 0)


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage kept, in order, and what it dropped, with the number that decided."""

    kept: tuple[Candidate, ...]
    dropped: tuple[CandidateResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Trim:
    """What a catalog lost so that it fits a model's budget, and by what.

    Bytes are those of the tools as JSON in UTF-8 without spaces. `dropped` says what went, in order; `cut` are the
    names of the tools that went whole, the most relevant first. `ranked_by` names what told their relevance, nothing
    where compaction sufficed. `confidence` in [0, 1] is how well the best tool matches the message; `low_confidence`
    that the cut may have taken what the message needs; `gap` says so if no tool seems to be for it. `late` says that
    there was no time to read the tools: they were cut by their names, and `before_bytes` is what they took at least.
    """

    limit: int
    before_bytes: int
    after_bytes: int
    dropped: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    ranked_by: tuple[str, ...] = ()
    confidence: float = 1.0
    low_confidence: bool = False
    gap: str | None = None
    late: bool = False

    @property
    def fits(self) -> bool:
        """Whether what is left is within the limit: not, if a single tool is larger."""
        return self.after_bytes <= self.limit

    @property
    def share(self) -> float:
        """The share of the bytes that went."""
        return 1 - self.after_bytes / self.before_bytes

    def as_json(self) -> dict[str, Any]:
        """What is stored of it: of a long list of tools that were cut, the most relevant ones."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **told,
            "confidence": round(self.confidence, 6),
            "cut": self.cut[:_MAX_CUT],
            "cut_count": len(self.cut),
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """A turn explained: the query, the channels that arrived, every candidate's result, and milliseconds by stage.

    `record` is what its stages were given and what became of the candidates, as it is stored (`cognitive.recording`);
    `sections` are the budgets that held; `trim` is what the tools lost, None if nothing; `window` holds the numbers of
    the conversation's window.
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

    def of(self, memory_id: UUID) -> CandidateResult | None:
        """The result of one memory, or None if it was no candidate."""
        return next((result for result in self.candidates if result.candidate.hit.memory_id == memory_id), None)

    @property
    def stages(self) -> dict[str, float]:
        """Milliseconds by stage, without the whole."""
        return {name: ms for name, ms in self.timings.items() if name != ELAPSED}

    def measures(self, model: str | None = None) -> TurnMetrics:
        """Return the numbers that are added up over many turns.

        `elapsed` and `stages` are milliseconds. `types` counts what was `found`, `deduped` and `trimmed` of each type.
        A turn `abstained` if it found memories and showed none of them for want of evidence. `model` is the language
        model it was for.
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
            "abstained": not ended["shown"] and ended["irrelevant"] > 0,
            "tools_cut": len(self.trim.cut) if self.trim is not None else 0,
        }
        if model is not None:
            measures["model"] = model
        return measures

    def as_json(self) -> dict[str, Any]:
        """What is stored: ids and numbers, no memory's text, so that erasing a memory erases its words here too."""
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
    """The first few by rank that were found and not shown, for no reason that lies in what they say."""
    return [result.candidate.hit.memory_id for result in results if result.disposition in PASSED_OVER][:_DECOYS]


def excerpts(results: Sequence[CandidateResult]) -> Mapping[UUID, tuple[tuple[int, int], ...]]:
    """What is shown of the memories that were shortened, as offsets into what they say."""
    shown = [result.candidate for result in results if result.disposition == "shown"]
    return {candidate.hit.memory_id: candidate.excerpt for candidate in shown if candidate.excerpt}


def window_similarities(results: Sequence[CandidateResult]) -> Mapping[tuple[UUID, int], WindowSimilarity]:
    """The likenesses of all candidates that were compared with the window, by memory and ordinal."""
    candidates = [result.candidate for result in results]
    return {(c.hit.memory_id, c.hit.ordinal): c.similarity for c in candidates if c.similarity is not None}
