"""Create OpenTelemetry spans around the steps of a turn, if the host uses OpenTelemetry for tracing.

OpenTelemetry is not a dependency and is not imported here. A process that uses OpenTelemetry has already imported it,
so it is looked up in `sys.modules`. If a tracer, sampler or processor of the host raises an error, the error is logged
and the span is lost. The turn goes on.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from types import TracebackType
from typing import Any, Self, TypeVar

from brain.embedding.embedders import CachedEmbedder
from brain.types import Vectors
from cognitive.telemetry import attributes
from cognitive.telemetry.attributes import (
    CAPTURE_CONTENT,
    CAPTURE_VALUES,
    EMBEDDINGS,
    ERROR_TYPE,
    Attribute,
    Attributes,
)

T = TypeVar("T")

log = logging.getLogger(__name__)


class Span:
    """An OpenTelemetry span around a block; without OpenTelemetry it does nothing.

    Its attributes are computed only if the span is recorded.
    """

    def __init__(self, name: str, arguments: Callable[[], Attributes]) -> None:
        self._name = name
        self._arguments = arguments
        self._entered: AbstractContextManager[Any] | None = None
        self._span: Any = None

    def __enter__(self) -> Self:
        quietly(self._start)
        return self

    def add_attributes(
        self, attributes: Callable[[], Attributes], content: Callable[[], Attributes] | None = None
    ) -> None:
        """Add attributes to the span; they are computed only if the span is recorded.

        `content` computes attributes that contain texts. It is called only if the host also allows texts in spans.
        """
        if self._span is None:
            return
        quietly(lambda: self._span.set_attributes(_without_none(attributes())))
        if content is not None and captures_content():
            quietly(lambda: self._span.set_attributes(_without_none(content())))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._entered is None:
            return
        if kind is not None:
            quietly(lambda: self._set_error(kind))
        quietly(lambda: self._entered.__exit__(None, None, None))  # type: ignore[union-attr]

    def _start(self) -> None:
        api = sys.modules.get("opentelemetry.trace")
        if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
            return  # no tracer provider is configured
        started = _tracer(api.get_tracer_provider()).start_as_current_span(
            self._name,
            attributes=_without_none(self._arguments()),
            record_exception=False,
            set_status_on_exception=False,
        )
        span = started.__enter__()
        self._entered = started
        self._span = span if span.is_recording() else None

    def _set_error(self, kind: type[BaseException]) -> None:
        """Record the type of an error in the span, without its message, which may quote the user."""
        if self._span is not None:
            self._span.set_attribute(ERROR_TYPE, kind.__name__)
            self._span.set_status(sys.modules["opentelemetry.trace"].StatusCode.ERROR)


@lru_cache(maxsize=1)
def _tracer(provider: Any) -> Any:
    """Return the tracer of an OpenTelemetry provider.

    It is cached, because creating a tracer takes longer than a span.
    """
    return provider.get_tracer("cognitive")


def captures_content() -> bool:
    """Return True if the host allows texts in spans.

    The host does so by the environment variable that OpenTelemetry defines for this.
    """
    return os.environ.get(CAPTURE_CONTENT, "").strip().lower() in CAPTURE_VALUES


def quietly(work: Callable[[], T]) -> T | None:
    """Call `work` and return its result, or log its error and return None, so that telemetry never fails a turn."""
    try:
        return work()
    except Exception as error:  # code of the host, such as an exporter, may raise anything
        log.warning("telemetry failed: %s: %s", type(error).__name__, error)
        return None


def _without_none(attributes: Attributes) -> dict[str, Attribute]:
    return {name: value for name, value in attributes.items() if value is not None}


class TracedEmbedder(CachedEmbedder):
    """A cached embedder with a span around every call of its model."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, with a span if the model is called; see `CachedEmbedder.embed`."""
        unknown = sum(self.known(text) is None for text in dict.fromkeys(texts))
        if not unknown:
            return await super().embed(texts)
        with Span(f"{EMBEDDINGS} {self.model}", lambda: attributes.embeddings(self.model, self.dimension, unknown)):
            return await super().embed(texts)
