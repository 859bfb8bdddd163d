"""Add telemetry to the methods of the memory layer from outside: spans, durations, and observations for counters.

The observations depend only on a call's arguments, its result and its duration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec, TypeAlias, TypeVar
from uuid import UUID

from brain.receipts import Receipt
from cognitive.recall_hits import RecallHit
from cognitive.telemetry import attributes
from cognitive.telemetry.attributes import Attributes
from cognitive.telemetry.metrics import (
    ABSTAINED,
    BOOST,
    CONTEXT_TOKENS,
    DEDUP_SIMILARITY,
    DEDUPED,
    DEGRADED,
    ERRORS,
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
    TRIMMED,
    WRITTEN,
    Instrument,
    Metrics,
    Observation,
    Observations,
    degraded,
)
from cognitive.telemetry.spans import Span, quietly
from cognitive.trace import COUNTED, CandidateResult
from cognitive.turn import Outcome, Report, Turn, TurnContext

P = ParamSpec("P")
R = TypeVar("R")
Method: TypeAlias = Callable[P, Coroutine[Any, Any, R]]


def _no_attributes(*_: object, **__: object) -> Attributes:
    return {}


@dataclass(frozen=True, slots=True)
class Operation:
    """The telemetry of one method of the memory layer: the name and attributes of its span, and its metrics.

    Attributes:
        span: the name of the span.
        arguments: a function that returns span attributes from the method's arguments.
        observations: a function that returns metrics from the method's result, its duration in seconds and its
            arguments.
        result_attributes: a function that returns span attributes from the result.
        content_attributes: a function that returns texts from the result and the arguments. It is called only if the
            host allows texts in spans.
    """

    span: str
    arguments: Callable[..., Attributes]
    observations: Callable[..., Observations]
    result_attributes: Callable[[Any], Attributes] = _no_attributes
    content_attributes: Callable[..., Attributes] = _no_attributes


def instrument(operation: Operation) -> Callable[[Method[P, R]], Method[P, R]]:
    """Return a decorator that runs a method of the memory layer in a span and reports metrics when the method ends."""

    def decorate(method: Method[P, R]) -> Method[P, R]:
        @wraps(method)
        async def call(*args: P.args, **named: P.kwargs) -> R:
            layer: Any = args[0]
            metrics: Metrics = layer._metrics
            arguments = args[1:]
            started = perf_counter()
            with Span(operation.span, lambda: operation.arguments(*arguments, **named)) as span:
                try:
                    result = await method(*args, **named)
                except Exception as error:
                    raised = Observation(ERRORS, (1,), (method.__name__, type(error).__name__))
                    quietly(lambda: metrics.observe([raised]))
                    raise
                span.add_attributes(
                    lambda: operation.result_attributes(result),
                    lambda: operation.content_attributes(result, *arguments, **named),
                )
            seconds = perf_counter() - started
            quietly(lambda: metrics.observe(operation.observations(result, seconds, *arguments, **named)))
            return result

        return call

    return decorate


# --- events ---


MEMORY_INSTRUMENTS: Mapping[str, Instrument] = {
    "injected": INJECTED,
    "abstained": ABSTAINED,
    "deduped": DEDUPED,
    "trimmed": TRIMMED,
}  # by the disposition group of `cognitive.trace.COUNTED`
_FAILED_OPEN = ("memory_failed", "tools_failed", "window_failed")


def pre_turn_observations(context: TurnContext, seconds: float) -> Iterator[Observation]:
    """Yield the metrics of a user's turn that was prepared in `seconds`."""
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
    yield from _memories(trace.candidates)
    yield from _tokens(context)


def post_turn_observations(outcome: Outcome, report: Report, seconds: float) -> Iterator[Observation]:
    """Yield the metrics of a turn's outcome that was recorded in `seconds`.

    An outcome that was already recorded by an earlier call counts as "duplicate". Then only this count and the duration
    are reported.
    """
    yield Observation(POST_TURN_SECONDS, (seconds,))
    status = "duplicate" if report.duplicate else outcome.status
    yield Observation(SETTLED, (1,), (status, "postgres" if report.recorded else "journal"))
    if report.duplicate:
        return
    yield Observation(OVERLAP, [each.overlap for each in report.attributions])
    used = Counter(each.type or "unknown" for each in report.attributions if each.referenced)
    yield from (Observation(REFERENCED, (number,), (type_,)) for type_, number in used.items())


def recall_observations(hits: Sequence[RecallHit], seconds: float) -> Iterator[Observation]:
    """Yield the metrics of a call of the recall tool that took `seconds`."""
    yield Observation(RECALL_SECONDS, (seconds,))
    yield Observation(RECALLS, (1,), ("found" if hits else "empty",))


def _memories(results: Sequence[CandidateResult]) -> Iterator[Observation]:
    for (type_, disposition), number in Counter(
        (result.candidate.hit.type, result.disposition) for result in results
    ).items():
        yield Observation(RETRIEVED, (number,), (type_,))
        if disposition in COUNTED:
            yield Observation(MEMORY_INSTRUMENTS[COUNTED[disposition]], (number,), (type_,))
    yield Observation(BOOST, [result.candidate.boost.factor for result in results if result.disposition == "shown"])
    similarities = [each for result in results if (each := result.candidate.similarity) is not None]
    yield Observation(DEDUP_SIMILARITY, [each.containment for each in similarities], ("containment",))
    yield Observation(DEDUP_SIMILARITY, [each.cosine for each in similarities if each.cosine is not None], ("cosine",))


def _tokens(context: TurnContext) -> Iterator[Observation]:
    """Yield the tokens of every section of the context that had a token budget.

    A section that received no tokens is reported as 0, so that the mean is over all turns.
    """
    tokens = Counter[str]()
    for shown in context.shown:
        tokens[shown.type] += shown.tokens
    for section in sorted(context.trace.sections.budgets.keys() | tokens.keys()):
        yield Observation(CONTEXT_TOKENS, (tokens[section],), (section,))


# --- the operations, one row each ---


def _after_pre_turn(context: TurnContext, seconds: float, turn: Turn) -> Observations:
    """Return the metrics of a prepared turn if it is a turn of a user, else none.

    Other turns, such as heartbeats, are passed through without planning. Counting them would make the latencies look
    better than they are.
    """
    return pre_turn_observations(context, seconds) if turn.kind == "user" else ()


def _after_post_turn(report: Report, seconds: float, context: object, outcome: Outcome) -> Observations:
    return post_turn_observations(outcome, report, seconds)


def _after_recall(hits: Sequence[RecallHit], seconds: float, *_: object, **__: object) -> Observations:
    return recall_observations(hits, seconds)


def _after_remember(ids: Sequence[UUID], *_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (len(ids),), (attributes.CREATE_MEMORY,)),)


def _after_update(*_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (1,), (attributes.UPDATE_MEMORY,)),)


def _after_erasure(receipt: Receipt, *_: object, **__: object) -> Observations:
    return (Observation(WRITTEN, (receipt.memories,), (attributes.DELETE_MEMORY,)),)


PRE_TURN = Operation(
    attributes.PRE_TURN, attributes.turn, _after_pre_turn, attributes.context, attributes.context_content
)
POST_TURN = Operation(attributes.POST_TURN, attributes.outcome, _after_post_turn, attributes.report)
RECALL = Operation(
    attributes.RECALL, attributes.recall, _after_recall, attributes.recall_result, attributes.recall_content
)
REMEMBER = Operation(
    attributes.CREATE_MEMORY,
    attributes.remember,
    _after_remember,
    attributes.remember_result,
    attributes.remember_content,
)
UPDATE = Operation(attributes.UPDATE_MEMORY, attributes.update, _after_update)
FORGET = Operation(attributes.DELETE_MEMORY, attributes.forget, _after_erasure, attributes.erase_result)
ERASE = Operation(attributes.DELETE_MEMORY_STORE, attributes.erase, _after_erasure, attributes.erase_result)
