"""What is counted and measured: one row each, with few labels of few values, and never an id or a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

# Seconds. A turn's preparation takes milliseconds and is due in 250 of them; an outcome may take its 5 s deadline.
_PREPARING = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0)
_SETTLING = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_RECALLING = (*_SETTLING, 15.0)
_TOKENS = (0.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0)
# Shares. They are dense where thresholds stand: dedup at 0.62, 0.7 and 0.85, attribution at 0.15 and 0.29.
_LIKENESS = (0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9, 0.95, 1.0)
_OVERLAP = (0.0, 0.05, 0.1, 0.13, 0.15, 0.17, 0.2, 0.25, 0.29, 0.33, 0.4, 0.5, 0.7, 1.0)
_BOOST = (0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5)  # the unknown stand at 1.0 exactly


@dataclass(frozen=True, slots=True)
class Instrument:
    """A counter that only grows, a histogram with upper bounds of its buckets, or a gauge that is read when asked."""

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


PRE_TURN_SECONDS = Instrument(
    "cognitive_pre_turn_seconds", "histogram", "How long a user's turn took to prepare.", (), _PREPARING
)
STAGE_SECONDS = Instrument(
    "cognitive_stage_seconds", "histogram", "How long a stage of it took.", ("stage",), _PREPARING
)
POST_TURN_SECONDS = Instrument(
    "cognitive_post_turn_seconds", "histogram", "How long an outcome took until it was safe.", (), _SETTLING
)
RECALL_SECONDS = Instrument("cognitive_recall_seconds", "histogram", "How long a recall took.", (), _RECALLING)

PREPARED = Instrument(
    "cognitive_turns_prepared_total", "counter", "Turns of users, by whether anything was missing.",
    ("frame", "degraded"),
)  # fmt: skip
SETTLED = Instrument(
    "cognitive_turns_settled_total", "counter", "Outcomes by status and by where they went; repeated ones apart.",
    ("outcome", "kept"),
)  # fmt: skip
INTENTS = Instrument("cognitive_intents_total", "counter", "Categories that turns were taken for.", ("intent",))
DEGRADED = Instrument(
    "cognitive_degraded_total", "counter", "What turns had to do without, by part.", ("stage",)
)  # fmt: skip
FAIL_OPEN = Instrument(
    "cognitive_fail_open_total", "counter", "Parts of a turn that raised, while the turn went on.", ("stage",)
)
ERRORS = Instrument(
    "cognitive_errors_total", "counter", "Calls that raised, by the kind of error.", ("operation", "error")
)

RETRIEVED = Instrument(
    "cognitive_memories_retrieved_total", "counter", "Memories that a search brought.", ("memory_type",)
)
ABSTAINED = Instrument(
    "cognitive_memories_abstained_total", "counter", "Of these, not worth showing.", ("memory_type",)
)
DEDUPED = Instrument(
    "cognitive_memories_deduped_total", "counter", "Of these, said already.", ("memory_type",)
)  # fmt: skip
TRIMMED = Instrument(
    "cognitive_memories_trimmed_total", "counter", "Of these, beyond a limit or a budget.", ("memory_type",)
)
INJECTED = Instrument("cognitive_memories_injected_total", "counter", "Of these, shown.", ("memory_type",))
REFERENCED = Instrument(
    "cognitive_memories_referenced_total", "counter", "Shown memories that responses used.", ("memory_type",)
)
WRITTEN = Instrument(
    "cognitive_memories_written_total", "counter", "Memories stored, changed and erased.", ("operation",)
)
RECALLS = Instrument("cognitive_recall_calls_total", "counter", "Recalls by whether they found anything.", ("outcome",))

CONTEXT_TOKENS = Instrument(
    "cognitive_context_tokens", "histogram", "Tokens that a turn's memories took, by section.", ("section",), _TOKENS
)
DEDUP_SIMILARITY = Instrument(
    "cognitive_dedup_similarity", "histogram", "How nearly the conversation says a candidate.", ("measure",), _LIKENESS
)
OVERLAP = Instrument(
    "cognitive_overlap", "histogram", "How much of a shown memory the response holds.", (), _OVERLAP
)  # fmt: skip
BOOST = Instrument(
    "cognitive_boost_factor", "histogram", "What usage made of the relevance of shown memories.", (), _BOOST
)

JOURNAL = Instrument(
    "cognitive_journal_entries", "gauge", "Turns in the journal of this machine, waiting or set aside.", ("state",)
)

INSTRUMENTS = (
    PRE_TURN_SECONDS, STAGE_SECONDS, POST_TURN_SECONDS, RECALL_SECONDS, PREPARED, SETTLED, INTENTS, DEGRADED,
    FAIL_OPEN, ERRORS, RETRIEVED, ABSTAINED, DEDUPED, TRIMMED, INJECTED, REFERENCED, WRITTEN, RECALLS, CONTEXT_TOKENS,
    DEDUP_SIMILARITY, OVERLAP, BOOST, JOURNAL,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Observation:
    """Something happened: a counter grows by `value`, a histogram has `times` more observations of it."""

    instrument: Instrument
    value: float
    labels: tuple[str, ...] = ()


Observations: TypeAlias = Iterable[Observation]
