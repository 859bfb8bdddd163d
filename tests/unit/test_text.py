"""Words, stems and sentences of any text in any script, without errors and deterministic."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.text import as_lexeme, lexemes, normalise, sentence_spans, sentences, stem, unstorable, word_spans, words

ANY_TEXT = st.text(alphabet=st.characters(), max_size=300)  # surrogates, controls, every script
PROSE = st.lists(
    st.sampled_from(
        ["Tea", "is 3.14", "cold", ".", "!", "?", "…", "。", " ", "\n", "\t", '"', "’", ")", "今日は", "e.g."]
    ),
    max_size=30,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Caroline painted two lakes.", ["caroline", "painted", "two", "lakes"], id="english"),
        pytest.param("Zoë trinkt Äpfelsaft", ["zoë", "trinkt", "äpfelsaft"], id="german"),
        pytest.param("Что мы решили?", ["что", "мы", "решили"], id="russian"),
        pytest.param("Πότε φεύγουμε;", ["πότε", "φεύγουμε"], id="greek"),
        pytest.param("متى نسافر", ["متى", "نسافر"], id="arabic"),
        pytest.param("언제 떠나요", ["언제", "떠나요"], id="korean"),
        pytest.param("我们决定", ["我们", "们决", "决定"], id="chinese in pairs"),
        pytest.param("猫", ["猫"], id="a single character"),
        pytest.param("用PostgreSQL吧", ["用", "postgresql", "吧"], id="latin inside chinese"),
        pytest.param("カフェ", ["カフ", "フェ"], id="japanese in pairs"),
        pytest.param("ＦＵＬＬ　ｗｉｄｔｈ", ["full", "width"], id="full width"),
        pytest.param("Straße", ["strasse"], id="casefold"),
        pytest.param("don’t", ["don't"], id="typographic apostrophe"),
        pytest.param("Python 3.11 and v17.2.1", ["python", "3.11", "and", "v17.2.1"], id="versions stay whole"),
        pytest.param("at 09:30", ["at", "09:30"], id="a time stays whole"),
        pytest.param("max_batch_size", ["max", "batch", "size"], id="snake case is cut"),
        pytest.param("", [], id="empty"),
        pytest.param("... --- !!! 👍", [], id="no words"),
    ],
)
def test_words_of_a_text(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Caroline's", "Caroline", id="possessive"),
        pytest.param("Caroline’s", "caroline", id="typographic possessive"),
        pytest.param("May 8th", "8 May", id="ordinal th"),
        pytest.param("the 1st", "1", id="ordinal st"),
        pytest.param("the 2nd", "2", id="ordinal nd"),
        pytest.param("the 23rd", "23", id="ordinal rd"),
        pytest.param("deploys", "deployed deploying", id="inflections"),
        pytest.param("Cafe\u0301", "Café", id="composed and decomposed"),
        pytest.param("ﬁle", "file", id="ligature"),
    ],
)
def test_spelling_variants_have_the_same_lexemes(one, other):
    assert set(lexemes(one)) == set(lexemes(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("port 5432", "port 5433", id="numbers"),
        pytest.param("Python 3.11", "Python 3.12", id="versions"),
        pytest.param("at 09:30", "at 09:45", id="times"),
        pytest.param("May 8th", "May 9th", id="days"),
    ],
)
def test_different_figures_have_different_lexemes(one, other):
    assert set(lexemes(one)) != set(lexemes(other))


def test_stop_words_have_no_lexemes():
    assert lexemes("The AND of what's Who's she'd it’s won’t") == ["she'd"]
    assert as_lexeme("the") == ""


def test_lexemes_keep_order_and_repetition():
    assert lexemes("lakes tea lakes") == ["lake", "tea", "lake"]


def test_very_long_word_becomes_a_short_lexeme():
    [lexeme] = lexemes("aGVsbG8" * 10_000)
    assert len(lexeme) <= 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"], id="marks"),
        pytest.param("Port 5432 at 3.14 stays. Yes.", ["Port 5432 at 3.14 stays.", "Yes."], id="decimals"),
        pytest.param('"Go." She went.', ['"Go."', "She went."], id="a closing quote stays with its sentence"),
        pytest.param(
            "It rained (a lot.) We left.",
            ["It rained (a lot.)", "We left."],
            id="a closing bracket stays with its sentence",
        ),
        pytest.param("今天很好。明天呢？走吧！", ["今天很好。", "明天呢？", "走吧！"], id="chinese without spaces"),
        pytest.param("- one\n- two\n\n\n- three", ["- one", "- two", "- three"], id="lines"),
        pytest.param("  \n\t ", [], id="white space"),
        pytest.param("", [], id="empty"),
        pytest.param("Wait… then go.", ["Wait…", "then go."], id="ellipsis"),
        pytest.param("crlf one.\r\ncrlf two.", ["crlf one.", "crlf two."], id="carriage returns"),
    ],
)
def test_sentences_of_a_text(text, expected):
    assert sentences(text) == expected


@given(ANY_TEXT | PROSE)
def test_any_text_gives_valid_and_deterministic_lexemes(text):
    assert lexemes(text) == lexemes(text)
    assert all(words(text))
    assert all(0 < len(lexeme) <= 64 for lexeme in lexemes(text))
    assert all(lexeme == lexeme.casefold() for lexeme in lexemes(text))
    assert isinstance(normalise(text), str)


@given(ANY_TEXT | PROSE)
def test_sentence_spans_are_ordered_trimmed_and_complete(text):
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert [text[start:end] for start, end in spans] == [text[start:end].strip() for start, end in spans]
    covered = {place for start, end in spans for place in range(start, end)}
    assert [text[place] for place in range(len(text)) if place not in covered and not text[place].isspace()] == []


def test_word_spans_are_the_positions_of_words():
    text = "Kept for 30 days, naïvely: 我们 run_all()."
    assert [text[start:end] for start, end in word_spans(text)] == [
        "Kept",
        "for",
        "30",
        "days",
        "naïvely",
        "我",
        "们",
        "run_all",
    ]


@given(ANY_TEXT)
def test_word_spans_are_ordered_and_contain_no_white_space(text):
    spans = list(word_spans(text))
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[start:end] and not any(map(str.isspace, text[start:end])) for start, end in spans)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=30))
def test_stem_is_never_longer_than_its_word(word):
    assert len(stem(word)) <= len(word)


def test_lexemes_do_not_depend_on_the_hash_seed(root):
    text = "Caroline’s 3 lakes, painted on May 8th 2023; 我们决定 PostgreSQL v17.2"
    program = f"from brain.text import lexemes; print(lexemes({text!r}))"
    outputs = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert outputs == {f"{lexemes(text)}\n"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a\x00b", "NUL character at position 1", id="nul"),
        pytest.param("ab\ud800", "lone surrogate at position 2", id="high surrogate"),
        pytest.param("\udfff", "lone surrogate at position 0", id="low surrogate"),
    ],
)
def test_unstorable_character_is_reported_with_its_position(text, message):
    assert message in (unstorable(text) or "")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=100))
def test_text_without_nul_and_surrogates_is_storable(text):
    assert unstorable(text) is None
