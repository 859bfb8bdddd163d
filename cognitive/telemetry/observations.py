"""What there is to count in what a turn says of itself: pure functions, from its two ends to observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from cognitive.degradation import Degradation
from cognitive.telemetry.instruments import (
    ABSTAINED,
    BOOST,
    CONTEXT_TOKENS,
    DEDUP_SIMILARITY,
    DEDUPED,
    DEGRADED,
    FAIL_OPEN,
    INJECTED,
    INTENTS,
    OVERLAP,
    POST_TURN_SECONDS,
    PRE_TURN_SECONDS,
    PREPARED,
    RECALL_SECONDS,
    RECALLS,
    REFERENCED,
    RETRIEVED,
    SETTLED,
    STAGE_SECONDS,
    STAGES,
    TRIMMED,
    Instrument,
    Observation,
)
from cognitive.trace import COUNTED, Fate
from cognitive.turn import Outcome, RecallHit, Report, TurnContext

INSTRUMENTS: Mapping[str, Instrument] = {
    "injected": INJECTED,
    "abstained": ABSTAINED,
    "deduped": DEDUPED,
    "trimmed": TRIMMED,
}  # of what a memory that was found counts as
_FAILED_OPEN = ("memory_failed", "tools_failed", "window_failed")


def prepared(context: TurnContext, seconds: float) -> Iterator[Observation]:
    """What a user's turn said when it was prepared, within so many seconds."""
    trace, frame = context.trace, context.plan.frame
    yield Observation(PRE_TURN_SECONDS, (seconds,))
    yield Observation(PREPARED, (1,), (frame, "yes" if context.degraded else "no"))
    for stage, milliseconds in trace.stages.items():
        yield Observation(STAGE_SECONDS, (milliseconds / 1000,), (stage,))
    for intent in context.plan.categories:
        yield Observation(INTENTS, (1,), (intent,))
    for stage in degraded(context.degraded):
        yield Observation(DEGRADED, (1,), (stage,))
    for reason in context.degraded:
        if reason.code in _FAILED_OPEN:
            yield Observation(FAIL_OPEN, (1,), (reason.part,))
    yield from _memories(trace.fates)
    yield from _tokens(context)


def settled(outcome: Outcome, report: Report, seconds: float) -> Iterator[Observation]:
    """What came of a turn. An outcome that was known before is counted as such, and nothing else of it again."""
    yield Observation(POST_TURN_SECONDS, (seconds,))
    status = "duplicate" if report.duplicate else outcome.status
    yield Observation(SETTLED, (1,), (status, "postgres" if report.recorded else "journal"))
    if report.duplicate:
        return
    yield Observation(OVERLAP, [each.overlap for each in report.attributions])
    used = Counter(each.type or "unknown" for each in report.attributions if each.referenced)
    yield from (Observation(REFERENCED, (number,), (type_,)) for type_, number in used.items())


def recalled(hits: Sequence[RecallHit], seconds: float) -> Iterator[Observation]:
    """What the recall tool brought."""
    yield Observation(RECALL_SECONDS, (seconds,))
    yield Observation(RECALLS, (1,), ("found" if hits else "empty",))


def degraded(reasons: Sequence[Degradation]) -> tuple[str, ...]:
    """The parts that reasons are of, each once, in order; "other" for a part that is not known here."""
    parts = (reason.part for reason in reasons)
    return tuple(dict.fromkeys(part if part in STAGES else "other" for part in parts))


def _memories(fates: Sequence[Fate]) -> Iterator[Observation]:
    for (type_, disposition), number in Counter((fate.candidate.hit.type, fate.disposition) for fate in fates).items():
        yield Observation(RETRIEVED, (number,), (type_,))
        if disposition in COUNTED:
            yield Observation(INSTRUMENTS[COUNTED[disposition]], (number,), (type_,))
    yield Observation(BOOST, [fate.candidate.boost.factor for fate in fates if fate.disposition == "shown"])
    likenesses = [like for fate in fates if (like := fate.candidate.likeness) is not None]
    yield Observation(DEDUP_SIMILARITY, [each.containment for each in likenesses], ("containment",))
    yield Observation(DEDUP_SIMILARITY, [each.cosine for each in likenesses if each.cosine is not None], ("cosine",))


def _tokens(context: TurnContext) -> Iterator[Observation]:
    """The tokens of every section that had a budget, none included: the mean is then that of a turn."""
    taken = Counter[str]()
    for shown in context.shown:
        taken[shown.type] += shown.tokens
    for section in sorted(context.trace.sections.budgets.keys() | taken.keys()):
        yield Observation(CONTEXT_TOKENS, (taken[section],), (section,))
