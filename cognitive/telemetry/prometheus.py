"""Collect metrics for Prometheus, in a separate registry so that their names do not clash with those of the host.

Values are kept here and converted when Prometheus scrapes them. The client library's own instruments take a lock and a
lookup per value, which is too slow for the two hundred values of a turn.
"""

from __future__ import annotations

import logging
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate, product
from threading import Lock
from typing import TYPE_CHECKING

from cognitive.extras import extra
from cognitive.telemetry.metrics import INSTRUMENTS, Instrument, Observations

if TYPE_CHECKING:  # of an extra
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

Labels = tuple[str, ...]

log = logging.getLogger(__name__)


class PrometheusMetrics:
    """Collects all metrics of one process and serves them to Prometheus.

    Raises:
        ImportError: `prometheus_client` is not installed; it comes with the extra `server`.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        with extra("server"):
            import prometheus_client

        self._values: dict[Instrument, dict[Labels, list[float]]] = {each: _known_series(each) for each in INSTRUMENTS}
        self._readers: dict[Instrument, dict[Labels, Callable[[], float]]] = {}
        self._lock = Lock()  # a scrape comes from another thread
        self.registry = registry or prometheus_client.CollectorRegistry()
        self.registry.register(self)

    def observe(self, observations: Observations) -> None:
        """Add observations to their counters and histograms; see `Metrics.observe`."""
        with self._lock:
            for instrument, values, labels in observations:
                series = self._values[instrument]
                numbers = series.get(labels)
                if numbers is None:
                    numbers = series[labels] = _new_series(instrument)
                if instrument.kind == "histogram":
                    for value in values:
                        numbers[bisect_left(instrument.buckets, value)] += 1
                numbers[-1] += sum(values)

    def watch(self, gauge: Instrument, labels: Labels, read: Callable[[], float]) -> None:
        """Register a function that returns a gauge's value and is called at every scrape; see `Metrics.watch`.

        If the function raises an error, the error is logged and the gauge is NaN.
        """
        with self._lock:
            self._readers.setdefault(gauge, {})[labels] = read

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return the body and content type of the response to a scrape; `accept` is the request's Accept header.

        Blocks while gauges are read.
        """
        from prometheus_client.exposition import choose_encoder

        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics in the form of `prometheus_client`, which calls this method at every scrape."""
        with self._lock:
            values = {
                each: {labels: list(numbers) for labels, numbers in series.items()}
                for each, series in self._values.items()
            }
            readers = {each: dict(series) for each, series in self._readers.items()}
        for instrument, series in values.items():
            read = {labels: [_read(instrument, reader)] for labels, reader in readers.get(instrument, {}).items()}
            yield _family(instrument, series | read)


def _known_series(instrument: Instrument) -> dict[Labels, list[float]]:
    """Return the series of an instrument whose label values are known in advance, with all values at zero.

    A gauge has no stored series, because functions return its values.
    """
    if instrument.kind == "gauge":
        return {}
    return {labels: _new_series(instrument) for labels in product(*instrument.labels.values())}


def _new_series(instrument: Instrument) -> list[float]:
    """Return the zeros with which a new series starts.

    A histogram has a count for each bucket, a count above the last bucket, and the sum. A counter has the sum only.
    """
    return [0.0] * (len(instrument.buckets) + 2 if instrument.kind == "histogram" else 1)


def _read(gauge: Instrument, reader: Callable[[], float]) -> float:
    try:
        return reader()
    except Exception as error:  # one failing gauge must not fail the scrape
        log.warning("cannot read the gauge %s: %s", gauge.name, error)
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
    kind = core.CounterMetricFamily if instrument.kind == "counter" else core.GaugeMetricFamily
    family = kind(instrument.name, instrument.help, labels=tuple(instrument.labels))
    for labels, numbers in series.items():
        family.add_metric(labels, numbers[0])
    return family
