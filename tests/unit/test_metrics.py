"""Prometheus metrics expose the observed values, and a failing gauge does not affect the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families

from brain.errors import JournalError
from brain.journal import Journal
from brain.users import Scope
from cognitive.telemetry.metrics import (
    FAIL_OPEN,
    INSTRUMENTS,
    INTENTS,
    JOURNAL,
    OVERLAP,
    PRE_TURN_SECONDS,
    RETRIEVED,
    Observation,
    watch_journal,
)
from cognitive.telemetry.prometheus import PrometheusMetrics


@pytest.fixture
def metrics() -> PrometheusMetrics:
    return PrometheusMetrics()


def value(metrics: PrometheusMetrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_counters_and_histograms_expose_the_observed_values(metrics):
    metrics.observe(
        [
            Observation(RETRIEVED, (3,), ("fact",)),
            Observation(RETRIEVED, (2,), ("fact",)),
            Observation(PRE_TURN_SECONDS, (0.004, 0.25, 7.0)),
        ]
    )
    assert value(metrics, "cognitive_memories_retrieved_total", memory_type="fact") == 5
    assert value(metrics, "cognitive_pre_turn_seconds_count") == 3
    assert value(metrics, "cognitive_pre_turn_seconds_sum") == pytest.approx(7.254)
    by_bucket = {le: value(metrics, "cognitive_pre_turn_seconds_bucket", le=le) for le in ("0.001", "0.25", "+Inf")}
    assert by_bucket == {"0.001": 0, "0.25": 2, "+Inf": 3}


@given(st.lists(st.floats(0, 2), max_size=30))
def test_bucket_counts_values_up_to_its_bound(values):
    metrics = PrometheusMetrics()
    metrics.observe([Observation(OVERLAP, values)])
    for bound in OVERLAP.buckets:
        assert value(metrics, "cognitive_overlap_bucket", le=str(bound)) == sum(each <= bound for each in values)
    assert value(metrics, "cognitive_overlap_count") == len(values)


def test_series_with_known_labels_start_at_zero(metrics):
    assert value(metrics, "cognitive_fail_open_total", stage="memory") == 0
    metrics.observe([Observation(FAIL_OPEN, (1,), ("memory",)), Observation(INTENTS, (1,), ("a host's own",))])
    assert value(metrics, "cognitive_fail_open_total", stage="memory") == 1
    assert value(metrics, "cognitive_intents_total", intent="a host's own") == 1


def test_exposition_is_parsed_by_the_prometheus_client(metrics):
    text, content_type = metrics.exposition()
    assert content_type.startswith("text/plain")
    families = {family.name for family in text_string_to_metric_families(text.decode())}
    assert families == {each.name.removesuffix("_total") for each in INSTRUMENTS}


def test_openmetrics_format_is_returned_on_request(metrics):
    text, content_type = metrics.exposition("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


def test_metrics_can_use_the_registry_of_the_host():
    registry = CollectorRegistry()
    Counter("orders", "The host's own.", registry=registry)
    metrics = PrometheusMetrics(registry)
    assert b"orders_total" in metrics.exposition()[0]
    assert b"cognitive_pre_turn_seconds" in metrics.exposition()[0]


def test_two_layers_in_a_process_have_separate_metrics():
    PrometheusMetrics().observe([Observation(RETRIEVED, (1,), ("fact",))])
    assert value(PrometheusMetrics(), "cognitive_memories_retrieved_total", memory_type="fact") == 0


def test_journal_gauge_is_read_at_exposition(metrics, tmp_path):
    journal = Journal(tmp_path / "journal.sqlite")
    watch_journal(metrics, journal)
    assert value(metrics, "cognitive_journal_entries", state="waiting") == 0
    for turn in ("one", "two"):
        journal.put(Scope("a"), turn, outcome="{}")
    journal.park(journal.find(Scope("a"), "two"), "unreadable")
    assert value(metrics, "cognitive_journal_entries", state="waiting") == 1
    assert value(metrics, "cognitive_journal_entries", state="aside") == 1


def test_unreadable_gauge_is_nan_and_other_gauges_keep_their_values(metrics, caplog):
    def broken() -> float:
        raise JournalError("the disk is gone")

    metrics.watch(JOURNAL, ("waiting",), broken)
    metrics.watch(JOURNAL, ("aside",), lambda: 2.0)
    text = metrics.exposition()[0].decode()
    assert 'cognitive_journal_entries{state="waiting"} NaN' in text
    assert 'cognitive_journal_entries{state="aside"} 2.0' in text
    assert "the disk is gone" in caplog.text
