"""Define all metric instruments, and the protocol of a receiver of metrics. The default receiver discards metrics.

Labels are few and have few values; they never contain an id or a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, get_args

from brain.types import MEMORY_TYPES
from cognitive.plan import CATEGORIES, Frame

if TYPE_CHECKING:
    from brain.journal import Journal
    from brain.postgres.breaker import Breaker
    from cognitive.degradation import Degradation

# Buckets in seconds. By default `pre_turn` has 250 ms and `post_turn` 5 s.
_PREPARING = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0)
_SETTLING = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_RECALLING = (*_SETTLING, 15.0)
_TOKENS = (0.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0)
# Buckets of shares, dense around the thresholds: dedup at 0.62, 0.7 and 0.85, attribution at 0.15 and 0.29.
_SIMILARITY = (0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9, 0.95, 1.0)
_OVERLAP = (0.0, 0.05, 0.1, 0.13, 0.15, 0.17, 0.2, 0.25, 0.29, 0.33, 0.4, 0.5, 0.7, 1.0)
_BOOST = (0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5)  # exactly 1.0 without evidence

# The parts of a turn that a degradation may be about; "other" is any further part.
STAGES = (
    "redaction",
    "prefix",
    "retrieval",
    "embedding",
    "dedup",
    "memory",
    "tools",
    "window",
    "session",
    "artifacts",
    "directive",
    "record",
    "other",
)

_BY_TYPE = {"memory_type": MEMORY_TYPES}


@dataclass(frozen=True, slots=True, eq=False)
class Instrument:
    """A metric instrument: a counter, a histogram with the upper bounds of its buckets, or a gauge.

    The value of a gauge is read whenever metrics are collected. `labels` maps each label's name to the values that are
    known in advance. The series of these values start at zero, so that a query sees the first event as an increase. A
    label whose values depend on the host is mapped to no values.
    """

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    help: str
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buckets: tuple[float, ...] = ()


class Observation(NamedTuple):
    """Values to add to an instrument: a counter grows by their sum, and a histogram counts each of them."""

    instrument: Instrument
    values: Sequence[float]
    labels: tuple[str, ...] = ()


Observations: TypeAlias = Iterable[Observation]


def _counter(name: str, help: str, **labels: tuple[str, ...]) -> Instrument:
    return Instrument(f"cognitive_{name}_total", "counter", help, labels)


def _histogram(name: str, help: str, buckets: tuple[float, ...], **labels: tuple[str, ...]) -> Instrument:
    return Instrument(f"cognitive_{name}", "histogram", help, labels, buckets)


# --- durations ---
PRE_TURN_SECONDS = _histogram("pre_turn_seconds", "Duration of pre_turn for users' turns.", _PREPARING)
STAGE_SECONDS = _histogram("stage_seconds", "Duration of a stage of pre_turn.", _PREPARING, stage=())
POST_TURN_SECONDS = _histogram("post_turn_seconds", "Duration of post_turn.", _SETTLING)
RECALL_SECONDS = _histogram("recall_seconds", "Duration of recall.", _RECALLING)

# --- turns ---
PREPARED = _counter(
    "turns_prepared", "Users' turns, by frame and degradation.", frame=get_args(Frame), degraded=("yes", "no")
)
SETTLED = _counter(
    "turns_settled",
    "Outcomes, by status or as duplicates, and by the place that stores them.",
    outcome=("completed", "failed", "abandoned", "duplicate"),
    kept=("postgres", "journal"),
)
INTENTS = _counter("intents", "Categories assigned to turns.", intent=CATEGORIES)
RECALLS = _counter("recall_calls", "Recalls, by result.", outcome=("found", "empty"))

# --- memories ---
RETRIEVED = _counter("memories_retrieved", "Candidates found by turns' searches.", **_BY_TYPE)
ABSTAINED = _counter("memories_abstained", "Candidates left out for too little evidence.", **_BY_TYPE)
DEDUPED = _counter("memories_deduped", "Candidates that repeat the conversation or another memory.", **_BY_TYPE)
TRIMMED = _counter("memories_trimmed", "Candidates beyond a limit, a budget or the required trust.", **_BY_TYPE)
INJECTED = _counter("memories_injected", "Memories shown.", **_BY_TYPE)
REFERENCED = _counter("memories_referenced", "Shown memories that responses used.", **_BY_TYPE)
WRITTEN = _counter(
    "memories_written",
    "Memories stored, changed and erased.",
    operation=("create_memory", "update_memory", "delete_memory"),
)
FORMED = _counter("memories_formed", "Memories formed from completed turns, by rule.", rule=())
NOT_FORMED = _counter(
    "statements_not_formed", "Statements that formed no memory, by the rule that stopped them.", rule=()
)
CONTEXT_TOKENS = _histogram("context_tokens", "Tokens of a turn's memories, by section.", _TOKENS, section=MEMORY_TYPES)
DEDUP_SIMILARITY = _histogram(
    "dedup_similarity", "Similarity of candidates to the conversation.", _SIMILARITY, measure=("cosine", "containment")
)
OVERLAP = _histogram("overlap", "Overlap of shown memories with the response.", _OVERLAP)
BOOST = _histogram("boost_factor", "Boost of shown memories by usage; 1 is neutral.", _BOOST)

# --- failures ---
DEGRADED = _counter("degraded", "Degraded turns, by the missing part.", stage=STAGES)
FAIL_OPEN = _counter(
    "fail_open",
    "Parts of a turn that raised, so that the turn continued without them.",
    stage=("memory", "tools", "window"),
)
ERRORS = _counter("errors", "Calls that raised, by the type of the error.", operation=(), error=())
JOURNAL = Instrument(
    "cognitive_journal_entries",
    "gauge",
    "Turns in the journal of this machine: waiting for Postgres, or parked (aside).",
    {"state": ("waiting", "aside")},
)
BREAKER = Instrument(
    "cognitive_breaker_open", "gauge", "1 while the circuit breaker is open and no call is sent to Postgres."
)

INSTRUMENTS = tuple(each for each in list(globals().values()) if isinstance(each, Instrument))


def degraded(reasons: Sequence[Degradation]) -> tuple[str, ...]:
    """Return which parts of a turn were degraded (failed or were late), each part once, as label values.

    A part that is not in `STAGES` becomes "other".
    """
    parts = (reason.part for reason in reasons)
    return tuple(dict.fromkeys(part if part in STAGES else "other" for part in parts))


# --- the port ---


class Metrics(Protocol):
    """Interface of a receiver of metrics.

    The memory layer calls its methods on the event loop, after an operation, so they should not block.
    """

    def observe(self, observations: Observations) -> None:
        """Add observations to the counters and histograms that they name."""

    def watch(self, gauge: Instrument, labels: tuple[str, ...], read: Callable[[], float]) -> None:
        """Register a gauge, whose value is the result of `read` at every collection of metrics.

        `read` is called outside the event loop, so it may block. A second call for a gauge with equal labels replaces
        the first.
        """


class _NoMetrics:
    def observe(self, observations: Observations) -> None:
        pass

    def watch(self, gauge: Instrument, labels: tuple[str, ...], read: Callable[[], float]) -> None:
        pass


NO_METRICS: Metrics = _NoMetrics()


def watch_journal(metrics: Metrics, journal: Journal) -> None:
    """Register gauges for the number of turns in the local journal.

    Turns that wait for Postgres (pending) and turns that Postgres refused (parked) are counted separately.
    """
    metrics.watch(JOURNAL, ("waiting",), journal.count)
    metrics.watch(JOURNAL, ("aside",), lambda: journal.count(parked=True))


def watch_breaker(metrics: Metrics, breaker: Breaker) -> None:
    """Register a gauge for the state of the circuit breaker."""
    metrics.watch(BREAKER, (), lambda: float(breaker.state == "open"))
