"""What is counted and measured, one row each, and the port that takes it, with nobody behind it by default.

Labels are few, of few values, and never an id or a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias, get_args

from brain.journal import Journal
from brain.postgres.breaker import Breaker
from brain.types import MEMORY_TYPES
from cognitive.degradation import Degradation
from cognitive.plan import CATEGORIES, Frame

# Seconds. A turn's preparation takes milliseconds and is due in 250 of them; an outcome may take its 5 s deadline.
_PREPARING = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0)
_SETTLING = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_RECALLING = (*_SETTLING, 15.0)
_TOKENS = (0.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0)
# Shares. They are dense where thresholds stand: dedup at 0.62, 0.7 and 0.85, attribution at 0.15 and 0.29.
_LIKENESS = (0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9, 0.95, 1.0)
_OVERLAP = (0.0, 0.05, 0.1, 0.13, 0.15, 0.17, 0.2, 0.25, 0.29, 0.33, 0.4, 0.5, 0.7, 1.0)
_BOOST = (0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5)  # the unknown stand at 1.0 exactly

# The parts of a turn that a degradation may be about; what is not known here is "other".
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
    """A counter that only grows, a histogram with upper bounds of its buckets, or a gauge that is read when asked.

    `labels` are names with the values that are known beforehand: these series begin at zero, so that the first of its
    kind is seen to be one more. None are named where a host's own rows, or kinds of errors, may bring any.
    """

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    help: str
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buckets: tuple[float, ...] = ()


class Observation(NamedTuple):
    """Something happened: a counter grows by the values, or a histogram has each of them once more."""

    instrument: Instrument
    values: Sequence[float]
    labels: tuple[str, ...] = ()


Observations: TypeAlias = Iterable[Observation]


def _counter(name: str, help: str, **labels: tuple[str, ...]) -> Instrument:
    return Instrument(f"cognitive_{name}_total", "counter", help, labels)


def _histogram(name: str, help: str, buckets: tuple[float, ...], **labels: tuple[str, ...]) -> Instrument:
    return Instrument(f"cognitive_{name}", "histogram", help, labels, buckets)


# --- how long ---
PRE_TURN_SECONDS = _histogram("pre_turn_seconds", "How long a user's turn took to prepare.", _PREPARING)
STAGE_SECONDS = _histogram("stage_seconds", "How long a stage of it took.", _PREPARING, stage=())
POST_TURN_SECONDS = _histogram("post_turn_seconds", "How long an outcome took until it was safe.", _SETTLING)
RECALL_SECONDS = _histogram("recall_seconds", "How long a recall took.", _RECALLING)

# --- turns ---
PREPARED = _counter(
    "turns_prepared", "Users' turns, by whether anything was missing.", frame=get_args(Frame), degraded=("yes", "no")
)
SETTLED = _counter(
    "turns_settled",
    "Outcomes by status, repeated ones apart, and by where they went.",
    outcome=("completed", "failed", "abandoned", "duplicate"),
    kept=("postgres", "journal"),
)
INTENTS = _counter("intents", "Categories that turns were taken for.", intent=CATEGORIES)
RECALLS = _counter("recall_calls", "Recalls by whether they found anything.", outcome=("found", "empty"))

# --- memories ---
RETRIEVED = _counter("memories_retrieved", "Memories that a turn's search brought.", **_BY_TYPE)
ABSTAINED = _counter("memories_abstained", "Of these, not worth showing.", **_BY_TYPE)
DEDUPED = _counter("memories_deduped", "Of these, said already.", **_BY_TYPE)
TRIMMED = _counter("memories_trimmed", "Of these, beyond a limit, a budget or trust.", **_BY_TYPE)
INJECTED = _counter("memories_injected", "Of these, shown.", **_BY_TYPE)
REFERENCED = _counter("memories_referenced", "Shown memories that responses used.", **_BY_TYPE)
WRITTEN = _counter(
    "memories_written",
    "Memories stored, changed and erased.",
    operation=("create_memory", "update_memory", "delete_memory"),
)
CONTEXT_TOKENS = _histogram(
    "context_tokens", "Tokens that a turn's memories took, by section.", _TOKENS, section=MEMORY_TYPES
)
DEDUP_SIMILARITY = _histogram(
    "dedup_similarity", "How nearly the conversation says a candidate.", _LIKENESS, measure=("cosine", "containment")
)
OVERLAP = _histogram("overlap", "How much of a shown memory the response holds.", _OVERLAP)
BOOST = _histogram("boost_factor", "What usage made of the relevance of shown memories.", _BOOST)

# --- trouble ---
DEGRADED = _counter("degraded", "What turns had to do without, by part.", stage=STAGES)
FAIL_OPEN = _counter(
    "fail_open", "Parts of a turn that raised, while the turn went on.", stage=("memory", "tools", "window")
)
ERRORS = _counter("errors", "Calls that raised, by the kind of error.", operation=(), error=())
JOURNAL = Instrument(
    "cognitive_journal_entries",
    "gauge",
    "Turns in the journal of this machine: waiting for Postgres, or set aside.",
    {"state": ("waiting", "aside")},
)
BREAKER = Instrument(
    "cognitive_breaker_open", "gauge", "1 while Postgres is not asked, since it did not answer so many times in a row."
)

INSTRUMENTS = tuple(each for each in list(globals().values()) if isinstance(each, Instrument))


def degraded(reasons: Sequence[Degradation]) -> tuple[str, ...]:
    """The parts that reasons are of, each once, in order; "other" for a part that is not known here."""
    parts = (reason.part for reason in reasons)
    return tuple(dict.fromkeys(part if part in STAGES else "other" for part in parts))


# --- the port ---


class Metrics(Protocol):
    """What counts and measures. It is called on the event loop, after the work, and should not wait for anything."""

    def observe(self, observations: Observations) -> None:
        """Counts what happened."""

    def watch(self, gauge: Instrument, labels: tuple[str, ...], read: Callable[[], float]) -> None:
        """Has a gauge read whenever somebody looks, off the event loop: reading may block. The latest reader counts."""


class _NoMetrics:
    def observe(self, observations: Observations) -> None:
        pass

    def watch(self, gauge: Instrument, labels: tuple[str, ...], read: Callable[[], float]) -> None:
        pass


NO_METRICS: Metrics = _NoMetrics()


def watch_journal(metrics: Metrics, journal: Journal) -> None:
    """Has the journal's turns counted: those that wait for Postgres, and those set aside, which nobody drains."""
    metrics.watch(JOURNAL, ("waiting",), journal.count)
    metrics.watch(JOURNAL, ("aside",), lambda: journal.count(parked=True))


def watch_breaker(metrics: Metrics, breaker: Breaker) -> None:
    """Has it shown whether Postgres is asked at all."""
    metrics.watch(BREAKER, (), lambda: float(breaker.state == "open"))
