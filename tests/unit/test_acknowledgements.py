"""Acknowledgements: lines that only confirm, thank or promise, which capture leaves out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cognitive import Policy
from cognitive.feedback.capture import CapturedExchange, episodes
from cognitive.preflight.rules.acknowledgements import ACKNOWLEDGEMENTS
from cognitive.preflight.smalltalk import acknowledges

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def captured(message: str, response: str) -> list[str]:
    exchange = CapturedExchange("agent", "session", "turn", AT, message, response)
    return [memory.content for memory in episodes(exchange, Policy(capture="exchange"))]


@pytest.mark.parametrize("rule", ACKNOWLEDGEMENTS, ids=lambda rule: rule.id)
def test_rule_covers_its_examples_and_no_counterexample(rule):
    assert rule.examples
    assert rule.counterexamples
    for example in rule.examples:
        assert acknowledges(example), example
    for example in rule.counterexamples:
        assert not acknowledges(example), example


@pytest.mark.parametrize(
    "text", ["ok thanks", "Done.", "Got it!", "sure, will do", "Saved. Let me know if you need anything else!", "👍"]
)
def test_acknowledgement_of_several_clauses_is_recognised(text):
    assert acknowledges(text)


@pytest.mark.parametrize(
    "text", ["Yes, the blue one", "Done: moved the deadline to Friday", "Three.", "The second one.", "Sure, 40 euros."]
)
def test_line_with_content_is_no_acknowledgement(text):
    assert not acknowledges(text)


@pytest.mark.parametrize(
    ("message", "response", "kept"),
    [
        ("The gate code is 4471.", "Got it, noted!", ["The gate code is 4471."]),
        ("yes please", "The table is booked for eight.", ["The table is booked for eight."]),
        ("sure, will do", "Great!", []),
        ("thanks, great!", "The ferry awaits.", []),
        ("Which paint?", "Yes, the blue one", ["Which paint?", "Yes, the blue one"]),
        ("Move it.", "Done: moved the deadline to Friday", ["Move it.", "Done: moved the deadline to Friday"]),
    ],
)
def test_capture_keeps_the_lines_with_content(message, response, kept):
    assert captured(message, response) == kept
