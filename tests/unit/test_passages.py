"""Passages contain whole sentences within the limit and all of the text, and are embedded and indexed."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.indexing import PASSAGE_CHARS, cut, passages, texts, vectors
from brain.text import lexemes

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
CONTENT = st.lists(
    st.sampled_from(
        ["Caroline ", "paints. ", "Why? ", '"Go." ', "(So!) ", "x" * 23, "\n", "\t", "  ", "今日は。", "👍", "é"]
    ),
    min_size=1,
    max_size=60,
).map("".join)


@given(CONTENT | st.text(max_size=200), st.integers(min_value=1, max_value=60))
def test_passages_are_ordered_limited_and_contain_all_visible_characters(content, limit):
    spans = cut(content, limit)
    assert all(0 <= start <= end <= len(content) and end - start <= limit for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = "".join(content[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(content.split())


@given(CONTENT)
def test_content_within_the_limit_is_one_passage(content):
    assert cut(content, len(content)) == [(0, len(content))]


def test_passages_are_filled_with_whole_sentences():
    content = "One two three. " * 10
    texts = [content[start:end] for start, end in cut(content, 50)]
    assert texts[:3] == ["One two three. One two three. One two three."] * 3


@pytest.mark.parametrize("gap", [" ", "\t", "\n"])
def test_long_sentence_is_cut_between_words(gap):
    content = gap.join(["painting"] * 40)
    pieces = [content[start:end] for start, end in cut(content, 50)]
    assert {word for piece in pieces for word in piece.split()} == {"painting"}
    assert max(map(len, pieces)) <= 50


def test_word_longer_than_the_limit_is_cut_at_the_limit():
    assert cut("x" * 25, 10) == [(0, 10), (10, 20), (20, 25)]


def test_default_limit_holds_for_a_long_text():
    content = "Caroline painted the lake at dawn and showed it to Ines. " * 2_000
    spans = cut(content)
    assert max(end - start for start, end in spans) <= PASSAGE_CHARS
    assert len(spans) <= len(content) / (PASSAGE_CHARS / 2)


# --- indexed words ---


def test_passage_indexes_speaker_and_date_and_embeds_no_date():
    [passage] = passages("I paint lakes.", "Caroline", "", AT)
    assert passage.content_text == "Caroline: I paint lakes."
    assert set(passage.live.content) == set(lexemes("8 May 2023 Caroline paint lakes"))
    assert passage.live.content_length == 6


def test_context_vector_is_the_weighted_mean_of_two_vectors():
    [passage] = passages("Yes.", None, "Do you paint?", AT)
    embedded = {"Yes.": np.array([1, 0], dtype=np.float32), "Do you paint?": np.array([0, 1], dtype=np.float32)}
    (_, _, content), (_, field, context) = vectors([passage], embedded)
    assert (field, list(content)) == ("context", [1, 0])
    assert context == pytest.approx(np.array([3, 7]) / 58**0.5)


def test_context_is_indexed_apart_from_the_content():
    [passage] = passages("Yes, at dawn.", "Caroline", "Do you paint outdoors?", AT)
    assert passage.surrounding == "Do you paint outdoors?"
    assert "outdoor" in passage.live.context
    assert "outdoor" not in passage.live.content
    assert set(passage.live.content) <= set(passage.live.context)


def test_passage_without_context_is_embedded_once():
    [passage] = passages("I paint lakes.", None, "  ", AT)
    assert texts([passage]) == ["I paint lakes."]
    assert passage.live.context == passage.live.content


def test_each_passage_is_context_of_the_next():
    content = "Alpha is the first word here. " * 40 + "Omega is the last word of all. " * 40
    parts = passages(content, None, "Prologue.", AT)
    assert [passage.ordinal for passage in parts] == list(range(len(parts)))
    assert [passage.surrounding for passage in parts] == ["Prologue.", *(each.content_text for each in parts[:-1])]
    assert len(texts(parts)) == len(parts) + 1
    turning = next(n for n, passage in enumerate(parts) if "alpha" not in passage.live.content)
    assert "omega" in parts[turning].live.context
    assert "prologu" not in parts[1].live.context


def test_context_is_indexed_whole_in_parts_of_a_passage():
    context = "beginning " + "middle " * 200 + "ending"
    passage, *further = passages("Yes.", None, context, AT)
    assert "begin" not in passage.live.context
    assert "end" in passage.live.context
    assert {each.content_text for each in further} == {"Yes."}
    assert sum(each.live.context.get("begin", 0) for each in further) == 1
    assert [each.ordinal for each in (passage, *further)] == [0, 1]


@pytest.mark.parametrize("word", ["buffalo", "水"])
def test_count_of_a_frequent_word_fits_in_16_bits(word):
    counts = [
        count for passage in passages(f"{word} " * 40_000, None, "", AT) for count in passage.live.content.values()
    ]
    assert max(counts) <= 32_767


def test_earliest_and_latest_dates_can_be_indexed():
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)):
        assert str(at.day) in passages("Tea.", None, "", at)[0].live.content


@pytest.mark.parametrize(
    ("speaker", "embedded"), [("user", "I paint."), ("assistant", "I paint."), ("Ana", "Ana: I paint.")]
)
def test_speaker_is_indexed_and_embedded_if_it_is_a_name(speaker, embedded):
    [passage] = passages("I paint.", speaker, "", AT)
    assert passage.content_text == embedded
    assert set(lexemes(speaker)) <= passage.live.content.keys()
