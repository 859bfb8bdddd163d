"""Metrics for Prometheus, in a registry of their own: whoever embeds the layer has theirs, and names do not clash."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from cognitive.telemetry.instruments import INSTRUMENTS, Instrument, Observations

if TYPE_CHECKING:  # of an extra
    from prometheus_client import CollectorRegistry

log = logging.getLogger(__name__)


class PrometheusMetrics:
    """Keeps every instrument, for one process.

    Raises:
        ImportError: `prometheus_client` is not installed; it comes with the extra `server`.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        import prometheus_client as client

        made = {"counter": client.Counter, "histogram": client.Histogram, "gauge": client.Gauge}
        self.registry = registry or client.CollectorRegistry()
        self._collectors: dict[str, Any] = {}
        for each in INSTRUMENTS:
            buckets = {"buckets": each.buckets} if each.kind == "histogram" else {}
            self._collectors[each.name] = made[each.kind](
                each.name, each.help, each.labels, registry=self.registry, **buckets
            )
        self._adding: dict[tuple[str, tuple[str, ...]], Callable[[float], None]] = {}

    @classmethod
    def if_installed(cls) -> Self | None:
        """Metrics, or None where the extra is not installed: then nothing is counted."""
        try:
            return cls()
        except ImportError:
            return None

    def observe(self, observations: Observations) -> None:
        """See `Metrics.observe`."""
        for each in observations:
            key = each.instrument.name, each.labels
            add = self._adding.get(key)
            if add is None:  # looking labels up takes most of an observation's time
                add = self._adding[key] = self._added(each.instrument, each.labels)
            add(each.value)

    def watch(self, gauge: Instrument, labels: tuple[str, ...], read: Callable[[], float]) -> None:
        """See `Metrics.watch`. Of a reader that raises the gauge is not a number, and the log says why."""

        def value() -> float:
            try:
                return read()
            except Exception as error:  # the other metrics are still worth having
                log.warning("%s cannot be read: %s", gauge.name, error)
                return math.nan

        self._series(gauge, labels).set_function(value)

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """What a scrape is answered with, and its content type, as the Accept header asks. Blocks: gauges are read."""
        from prometheus_client.exposition import choose_encoder

        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    def _added(self, instrument: Instrument, labels: tuple[str, ...]) -> Callable[[float], None]:
        series = self._series(instrument, labels)
        add: Callable[[float], None] = series.inc if instrument.kind == "counter" else series.observe
        return add

    def _series(self, instrument: Instrument, labels: tuple[str, ...]) -> Any:
        collector = self._collectors[instrument.name]
        return collector.labels(*labels) if labels else collector
