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


@pytest.mark.parametrize(("said", "memory"), [example for row in ENDINGS for example in row.counterexamples])
def test_counterexample_stays(said: str, memory: str):
    assert not is_taken_back(said, memory)
