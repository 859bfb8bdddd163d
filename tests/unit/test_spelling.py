"""Numbers in words: read as far as they are numbers, and never an error, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognitive.context.numbers import spelled
from cognitive.feedback.spelling import parse

WORDS = [
    "one",
    "two",
    "nine",
    "twenty",
    "hundred",
    "dozen",
    "thousand",
    "million",
    "and",
    "9" * 4400,
    "٣",
    "sıx",
    "week",
]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("six thousand two hundred and fifty", ["6250"]),
        ("two million three hundred thousand", ["2300000"]),
        ("two hundred dozen", ["200", "12"]),
        ("two dozen", ["24"]),
    ],
)
def test_numbers_in_words_are_figures(said, expected):
    assert list(spelled(said.split())) == expected


@given(st.lists(st.sampled_from(WORDS), max_size=30))
@settings(max_examples=200)
def test_any_words_are_parsed(words):
    assert parse(" ".join(words)) is not None


def test_many_multipliers_are_parsed():
    assert parse("two " + "hundred " * 2300) is not None


@pytest.mark.parametrize("text", ["It starts at sıx o'clock.", "ſix weeks", "9" * 4400 + " weeks"])
def test_look_alike_letters_and_long_numbers_are_no_values(text):
    assert parse(text) is not None
