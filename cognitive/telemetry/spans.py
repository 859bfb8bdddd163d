"""Spans around the steps of a turn, where the host traces; where it does not, next to nothing.

OpenTelemetry is no dependency and is never imported from here: a process that traces has loaded its API to say where
spans go, so a look at what is loaded tells. Whatever a tracer, a sampler or a processor of the host raises is logged,
and costs the span and never the turn.
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
    """One step, from entering to leaving. What it is told is computed only where somebody records it."""

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
        """Adds attributes, computed now if the span is recorded and else never; `content` if the host opted in, too."""
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
            return  # nobody has said where spans go
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
        """The kind of an error and not its message, which may quote what the user wrote."""
        if self._span is not None:
            self._span.set_attribute(ERROR_TYPE, kind.__name__)
            self._span.set_status(sys.modules["opentelemetry.trace"].StatusCode.ERROR)


@lru_cache(maxsize=1)
def _tracer(provider: Any) -> Any:
    """A provider's tracer, which takes longer to make than a span."""
    return provider.get_tracer("cognitive")


def captures_content() -> bool:
    """Whether the host has opted in to content in spans; asked of the environment, as the host's tracing is set up."""
    return os.environ.get(CAPTURE_CONTENT, "").strip().lower() in CAPTURE_VALUES


def quietly(work: Callable[[], T]) -> T | None:
    """What `work` returns; None, and a line in the log, if it raises: telemetry fails nobody's turn."""
    try:
        return work()
    except Exception as error:  # of a host's exporter, of anything
        log.warning("telemetry goes without: %s: %s", type(error).__name__, error)
        return None


def _without_none(attributes: Attributes) -> dict[str, Attribute]:
    return {name: value for name, value in attributes.items() if value is not None}


class TracedEmbedder(CachedEmbedder):
    """A cached embedder that tells how long its model takes."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `CachedEmbedder.embed`."""
        unknown = sum(self.known(text) is None for text in dict.fromkeys(texts))
        if not unknown:
            return await super().embed(texts)
        with Span(f"{EMBEDDINGS} {self.model}", lambda: attributes.embeddings(self.model, self.dimension, unknown)):
            return await super().embed(texts)
