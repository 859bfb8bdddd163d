"""Where observations go: a port of two methods, and nobody behind it unless a host says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from brain.journal import Journal
from brain.postgres.breaker import Breaker
from cognitive.telemetry.instruments import BREAKER, JOURNAL, Instrument, Observations


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
