"""The token estimate, which needs no tokeniser, is compared with recorded counts of tokenisers."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.tokens import TokenCounter, count

TEXTS = json.loads((Path(__file__).parents[1] / "data" / "token_counts.json").read_text(encoding="utf-8"))["texts"]
BY_KIND: dict[str, list] = defaultdict(list)
for row in TEXTS:
    BY_KIND[row["kind"]].append(row)


def error(rows) -> float:
    """Return the relative error of the estimate; positive if it is too high."""
    return sum(count(row["text"]) for row in rows) / sum(row["o200k_base"] for row in rows) - 1


@pytest.mark.parametrize("kind", BY_KIND)
def test_estimate_per_kind_of_text_is_within_its_error_limit(kind):
    assert abs(error(BY_KIND[kind])) <= (0.15 if kind == "emoji" else 0.10)


@pytest.mark.parametrize("half", ["tuning", "test"])
def test_estimate_of_each_text_and_half_is_within_its_error_limit(half):
    own = [row for row in TEXTS if row["half"] == half]
    assert {row["kind"]: error([row]) for row in own if abs(error([row])) > 1 / 7} == {}
    assert 0 <= error(own) <= 0.05


def test_table_has_every_kind_of_text_in_both_halves():
    assert len(TEXTS) >= 40
    assert all({row["half"] for row in rows} == {"tuning", "test"} for rows in BY_KIND.values())


def test_estimate_is_better_than_a_quarter_of_the_characters():
    def naive(row):
        return abs(len(row["text"]) / 4 / row["o200k_base"] - 1)

    assert sum(abs(error([row])) for row in TEXTS) < 0.25 * sum(map(naive, TEXTS))


def test_only_empty_text_has_no_tokens():
    assert count("") == 0
    assert all(count(text) >= 1 for text in ("a", "  ", "\n", ".", "中", "👍", "\u200b", "\ud800"))


def test_counter_name_is_the_recorded_name():
    counter: TokenCounter = count
    assert counter.name == "estimate-2"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_estimate_is_bounded_by_the_number_of_characters(text):
    assert 0 <= count(text) <= 3.5 * len(text) + 1


@given(st.text(max_size=100), st.text(max_size=100))
def test_estimate_of_joined_texts_is_about_their_sum(one, other):
    together = count(f"{one}\n{other}")
    assert together >= 0.8 * max(count(one), count(other)) - 2  # the boundary may merge two pieces
    assert together <= 1.1 * (count(one) + count(other)) + 3


@given(st.sampled_from([row["text"] for row in TEXTS]), st.integers(2, 20))
def test_repeated_text_costs_a_proportional_number_of_tokens(text, times):
    once = count(text + "\n")
    assert count((text + "\n") * times) == pytest.approx(times * once, rel=0.02, abs=times)


@given(st.sampled_from([row["text"] for row in TEXTS]))
def test_estimate_is_a_deterministic_integer(text):
    assert isinstance(count(text), int)
    assert count(text) == count(text)


@pytest.mark.parametrize("piece", ["a", "A", "aB", "aA1", " ", " \n", "=", "'", "a'", "/", "中", "ไ", "👍", "\u200d"])
def test_estimate_of_a_long_run_is_linear(piece):
    """A regular expression that is not linear would not end here."""
    assert count(piece * 200_000) <= 10 * count(piece * 20_000) + 10
