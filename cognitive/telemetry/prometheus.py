"""Metrics for Prometheus, in a registry of their own: whoever embeds the layer has theirs, and names do not clash.

The numbers are kept here and handed over when they are scraped. The client's own instruments take a lock and a look-up
per value, which for the two hundred values of a turn is more than a turn may spend on being counted.
"""

from __future__ import annotations

import logging
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate, product
from threading import Lock
from typing import TYPE_CHECKING, Self

from cognitive.telemetry.metrics import INSTRUMENTS, Instrument, Observations

if TYPE_CHECKING:  # of an extra
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

Labels = tuple[str, ...]

log = logging.getLogger(__name__)


class PrometheusMetrics:
    """Keeps every instrument, for one process.

    Raises:
        ImportError: `prometheus_client` is not installed; it comes with the extra `server`.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        import prometheus_client

        self._numbers: dict[Instrument, dict[Labels, list[float]]] = {each: _zero(each) for each in INSTRUMENTS}
        self._readers: dict[Instrument, dict[Labels, Callable[[], float]]] = {}
        self._lock = Lock()  # a scrape comes from another thread
        self.registry = registry or prometheus_client.CollectorRegistry()
        self.registry.register(self)

    @classmethod
    def if_installed(cls) -> Self | None:
        """Metrics, or None where the extra is not installed: then nothing is counted."""
        try:
            return cls()
        except ImportError:
            return None

    def observe(self, observations: Observations) -> None:
        """See `Metrics.observe`."""
        with self._lock:
            for instrument, values, labels in observations:
                series = self._numbers[instrument]
                numbers = series.get(labels)
                if numbers is None:
                    numbers = series[labels] = _nothing(instrument)
                if instrument.kind == "histogram":
                    for value in values:
                        numbers[bisect_left(instrument.buckets, value)] += 1
                numbers[-1] += sum(values)

    def watch(self, gauge: Instrument, labels: Labels, read: Callable[[], float]) -> None:
        """See `Metrics.watch`. Of a reader that raises the gauge is not a number, and the log says why."""
        with self._lock:
            self._readers.setdefault(gauge, {})[labels] = read

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """What a scrape is answered with, and its content type, as the Accept header asks. Blocks: gauges are read."""
        from prometheus_client.exposition import choose_encoder

        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    def collect(self) -> Iterator[Metric]:
        """The numbers as `prometheus_client` has them: it calls this when it is scraped."""
        with self._lock:
            kept = {
                each: {labels: list(numbers) for labels, numbers in series.items()}
                for each, series in self._numbers.items()
            }
            readers = {each: dict(of_each) for each, of_each in self._readers.items()}
        for instrument, series in kept.items():
            read = {labels: [_read(instrument, reader)] for labels, reader in readers.get(instrument, {}).items()}
            yield _family(instrument, series | read)


def _zero(instrument: Instrument) -> dict[Labels, list[float]]:
    """The series that are known beforehand; of a gauge those that are read, and no others."""
    if instrument.kind == "gauge":
        return {}
    return {labels: _nothing(instrument) for labels in product(*instrument.labels.values())}


def _nothing(instrument: Instrument) -> list[float]:
    """Counts per bucket, one more for what is beyond the last, and the sum; of a counter the sum."""
    return [0.0] * (len(instrument.buckets) + 2 if instrument.kind == "histogram" else 1)


def _read(gauge: Instrument, reader: Callable[[], float]) -> float:
    try:
        return reader()
    except Exception as error:  # the other metrics are still worth having
        log.warning("%s cannot be read: %s", gauge.name, error)
        return math.nan


def _family(instrument: Instrument, series: dict[Labels, list[float]]) -> Metric:
    from prometheus_client import metrics_core as core

    if instrument.kind == "histogram":
        histogram = core.HistogramMetricFamily(instrument.name, instrument.help, labels=tuple(instrument.labels))
        bounds = [*map(str, instrument.buckets), "+Inf"]
        for labels, numbers in series.items():
            buckets = list(zip(bounds, accumulate(numbers[:-1]), strict=True))
            histogram.add_metric(labels, buckets, sum_value=numbers[-1])
        return histogram
    made = core.CounterMetricFamily if instrument.kind == "counter" else core.GaugeMetricFamily
    family = made(instrument.name, instrument.help, labels=tuple(instrument.labels))
    for labels, numbers in series.items():
        family.add_metric(labels, numbers[0])
    return family
