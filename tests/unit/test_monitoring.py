"""The dashboard and the alerts use existing metrics, labels and buckets, and cover all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from cognitive.degradation import DEGRADATION_CODES, part
from cognitive.telemetry.metrics import DEGRADED, INSTRUMENTS, STAGES, Instrument
from cognitive.telemetry.prometheus import PrometheusMetrics

BY_NAME = {each.name: each for each in INSTRUMENTS}
OF_ANY_TARGET = {"instance", "job"}  # labels that Prometheus adds
METRIC = re.compile(r"\bcognitive_\w+")
SELECTOR = re.compile(r"\b(cognitive_\w+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on)\s*\(([^)]*)\)")
LEGEND = re.compile(r"\{\{(\w+)\}\}")


@pytest.fixture(scope="module")
def dashboard(root: Path) -> dict:
    return json.loads((root / "monitoring/grafana/cognitive.json").read_text())


@pytest.fixture(scope="module")
def rules(root: Path) -> str:
    text = (root / "monitoring/prometheus/rules.yml").read_text()
    return re.sub(r"^\s*(#|summary:|description:).*$", "", text, flags=re.MULTILINE)


def queries(dashboard: dict) -> Iterator[tuple[str, dict]]:
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target


def instrument(metric: str) -> Instrument:
    """Return the instrument of a sample name; a histogram has three sample names."""
    result = BY_NAME.get(metric) or BY_NAME.get(re.sub(r"_(bucket|sum|count)$", "", metric))
    assert result is not None, f"metric {metric} does not exist"
    assert (result.name == metric) == (result.kind != "histogram"), f"{metric} is no sample of {result.name}"
    return result


def check(expression: str) -> None:
    metrics = [instrument(each) for each in METRIC.findall(expression)]
    assert metrics, f"the expression uses no metric: {expression}"
    for metric, matchers in SELECTOR.findall(expression):
        have = instrument(metric)
        for label, _, value in MATCHER.findall(matchers):
            if label == "le":
                assert value in map(str, have.buckets), f"{metric} has no bucket {value}"
            elif label not in OF_ANY_TARGET:
                assert label in have.labels, f"{metric} has no label {label}"
                assert not have.labels[label] or value in have.labels[label], (
                    f"label {label} of {metric} has no value {value}"
                )
    known = OF_ANY_TARGET | {"le"} | {label for each in metrics for label in each.labels}
    grouped = {label.strip() for labels in GROUPED.findall(expression) for label in labels.split(",")}
    assert grouped <= known, f"grouped by an unknown label: {expression}"


def test_dashboard_queries_use_existing_metrics_and_labels(dashboard):
    expressions = [target["expr"] for _, target in queries(dashboard)]
    assert len(expressions) > 20
    for expression in expressions:
        check(expression)


def test_alerts_use_existing_metrics_and_labels(rules):
    expressions = re.split(r"^\s*- alert: ", rules, flags=re.MULTILINE)[1:]
    assert len(expressions) >= 5
    for expression in expressions:
        check(expression)


def test_every_degradation_code_maps_to_a_counted_stage():
    # a client whose server is away runs in a process without metrics; a prober has to alert on that
    assert {part(code) for code in DEGRADATION_CODES} == (set(STAGES) - {"other"}) | {"server"}


def test_every_degradation_code_is_used_in_the_code(root: Path):
    sources = [path.read_text() for path in (root / "cognitive").rglob("*.py") if path.name != "degradation.py"]
    codes = {code for text in sources for code in re.findall(r'Degradation\(\s*"(\w+)"', text)}
    components = {name for text in sources for name in re.findall(r'from_error\(\s*"(\w+)"', text)}
    assert codes | {f"{name}_{suffix}" for name in components for suffix in ("late", "failed")} == set(
        DEGRADATION_CODES
    )


def test_every_stage_has_an_alert_and_a_panel(rules, dashboard):
    alerts = re.split(r"^\s*- alert: ", rules, flags=re.MULTILINE)[1:]
    alerted = {stage for each in alerts for stage in re.findall(rf'{DEGRADED.name}{{stage="(\w+)"}}', each)}
    assert alerted == set(STAGES)
    [shown] = [target for _, target in queries(dashboard) if DEGRADED.name in target["expr"]]
    assert "by (stage)" in shown["expr"]  # one line for each stage
    assert "stage=" not in shown["expr"]


def test_dashboard_shows_every_metric(dashboard):
    shown = {instrument(name) for _, target in queries(dashboard) for name in METRIC.findall(target["expr"])}
    assert shown == set(INSTRUMENTS)


def test_legends_name_labels_that_their_query_groups_by(dashboard):
    for title, target in queries(dashboard):
        grouped = {label.strip() for labels in GROUPED.findall(target["expr"]) for label in labels.split(",")}
        assert set(LEGEND.findall(target["legendFormat"])) <= grouped, title


def test_panels_do_not_overlap(dashboard):
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    places = [(panel["title"], panel["gridPos"]) for panel in dashboard["panels"]]
    for (name, one), (other, two) in combinations(places, 2):
        separate = (
            one["x"] + one["w"] <= two["x"]
            or two["x"] + two["w"] <= one["x"]
            or one["y"] + one["h"] <= two["y"]
            or two["y"] + two["h"] <= one["y"]
        )
        assert separate, f"panels {name} and {other} overlap"
    assert all(place["x"] + place["w"] <= 24 for _, place in places)


def test_every_panel_has_a_description_and_the_selected_data_source(dashboard):
    shown = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert all(panel["title"] and panel["description"] for panel in shown)
    assert {panel["datasource"]["uid"] for panel in shown} == {"${datasource}"}


def test_telemetry_page_names_every_metric(root: Path):
    page = (root / "docs/telemetry.md").read_text()
    assert [each.name for each in INSTRUMENTS if f"`{each.name}`" not in page] == []


def test_exposed_metric_names_equal_the_instruments():
    exposed = {family.name for family in PrometheusMetrics().registry.collect()}
    assert exposed == {each.name.removesuffix("_total") for each in INSTRUMENTS}
