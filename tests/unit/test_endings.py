"""What a statement takes back: each example of a row is meant by what is said, and no counterexample is."""

from __future__ import annotations

import pytest

from cognitive.formation.endings import taken_back
from cognitive.formation.rules.endings import ENDINGS


def is_taken_back(said: str, memory: str) -> bool:
    return any(ended.is_in(memory) for ended in taken_back(said))


@pytest.mark.parametrize(("said", "memory"), [example for row in ENDINGS for example in row.examples])
def test_example_is_taken_back(said: str, memory: str):
    assert is_taken_back(said, memory)


@pytest.mark.parametrize(
    "behind",
    [
        "Let me know, if you need anything.",
        "Wait, no need to reply.",
        "Turn the light back on.",
        "The sale is back on.",
        "Is it worth it, I think?",
    ],
)
def test_later_sentence_about_something_else_does_not_matter(behind):
    assert is_taken_back(f"I quit Acme. {behind}", "i work at acme")


@pytest.mark.parametrize(
    "said",
    ["The Rome trip is off, no it's on", "The Rome trip is off. No wait, it's on", "The Rome trip is off, I think"],
)
def test_ending_that_is_taken_back_or_unsure_does_not_count(said):
    assert taken_back(said) == []


@pytest.mark.parametrize(("said", "memory"), [example for row in ENDINGS for example in row.counterexamples])
def test_counterexample_stays(said: str, memory: str):
    assert not is_taken_back(said, memory)
