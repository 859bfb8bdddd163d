"""A method of the layer, seen from outside: its span, how long it took, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec, TypeAlias, TypeVar

from cognitive.telemetry.instruments import ERRORS, Observation, Observations
from cognitive.telemetry.metrics import Metrics
from cognitive.telemetry.spans import Attributes, Span, quietly

P = ParamSpec("P")
R = TypeVar("R")
Method: TypeAlias = Callable[P, Coroutine[Any, Any, R]]


def _nothing(*_: object, **__: object) -> Attributes:
    return {}


@dataclass(frozen=True, slots=True)
class Operation:
    """What is told of a method: its span's name and attributes, and what is counted.

    `given` takes the method's arguments; `counted` its result, the seconds it took, and its arguments; `told` its
    result; `content`, where the host opted in to content, its result and arguments.
    """

    span: str
    given: Callable[..., Attributes]
    counted: Callable[..., Observations]
    told: Callable[[Any], Attributes] = _nothing
    content: Callable[..., Attributes] = _nothing


def observed(operation: Operation) -> Callable[[Method[P, R]], Method[P, R]]:
    """A method of a layer as it was, with a span around it, and counted when it has ended; for rows of `operations`."""

    def seen(method: Method[P, R]) -> Method[P, R]:
        @wraps(method)
        async def call(*args: P.args, **named: P.kwargs) -> R:
            layer: Any = args[0]
            metrics: Metrics = layer._parts.metrics
            given = args[1:]
            started = perf_counter()
            with Span(operation.span, lambda: operation.given(*given, **named)) as span:
                try:
                    result = await method(*args, **named)
                except Exception as error:
                    raised = Observation(ERRORS, (1,), (method.__name__, type(error).__name__))
                    quietly(lambda: metrics.observe([raised]))
                    raise
                span.tell(lambda: operation.told(result), lambda: operation.content(result, *given, **named))
            seconds = perf_counter() - started
            quietly(lambda: metrics.observe(operation.counted(result, seconds, *given, **named)))
            return result

        return call

    return seen
