"""The languages of the word index: one index for all, with separate lexemes per language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.errors import UnknownLanguage
from brain.indexing import passages
from brain.languages import COMMON_WORDS, DEFAULT_LANGUAGES, MONTHS, NAMES, AgentLanguages, IndexLanguages, require
from brain.text import language_of, lexemes, words

AT = datetime(2026, 10, 3, tzinfo=UTC)


def test_unknown_language_error_lists_the_known_languages():
    with pytest.raises(UnknownLanguage, match=r"'klingon'.*german.*simple"):
        require("klingon")
    assert [require(name) for name in NAMES] == list(NAMES)
    assert {*COMMON_WORDS, *MONTHS} <= set(NAMES)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("german", "Die Häuser standen am Hang.", "ein Haus, das am Hang stand"),
        ("spanish", "Cancelaron las reuniones.", "una reunión cancelada"),
        ("french", "Les chevaux de l'écurie", "un cheval, l’écurie"),
        ("russian", "новые книги", "новая книга"),
    ],
)
def test_inflected_forms_share_lexemes_in_their_language(language, one, other):
    def common(name: str) -> int:
        return len(set(lexemes(one, name)) & set(lexemes(other, name)))

    assert common(language) > common("english")


@given(st.text(max_size=80), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_lexemes_of_two_languages_are_disjoint(text, one, other):
    assert one == other or not set(lexemes(text, one)) & set(lexemes(text, other))
    assert not any(" " in lexeme for lexeme in lexemes(text, one))  # a space separates lexemes in SQL
    assert {language_of(lexeme) for lexeme in lexemes(text, one)} <= {one}


def test_simple_keeps_every_word_unchanged():
    assert lexemes("The Houses, and THE house", "simple") == [
        f"simple/{word}" for word in ("the", "houses", "and", "the", "house")
    ]


@pytest.mark.parametrize("language", COMMON_WORDS)
def test_common_words_are_single_words_without_lexemes(language):
    for word in COMMON_WORDS[language]:
        assert words(word) == [word]
        assert lexemes(word, language) == []


@pytest.mark.parametrize(("language", "month"), [("german", "Oktober"), ("polish", "October"), ("english", "October")])
def test_date_is_indexed_with_the_month_names_of_the_language(language, month):
    [passage] = passages("7", None, "", AT, (language,))
    assert set(passage.live.content) == set(lexemes(f"3 {month} 2026 7", language))
    assert len(MONTHS.get(language, MONTHS["english"])) == 12


def test_passage_in_two_languages_is_read_in_the_first():
    [passage] = passages("Zwei Häuser.", None, "Und?", AT, ("german", "english"))
    assert list(passage.posted) == ["german", "english"]
    assert passage.live == passages("Zwei Häuser.", None, "Und?", AT, ("german",))[0].live
    assert passage.posted["english"] == passages("Zwei Häuser.", None, "Und?", AT)[0].live


def test_languages_of_an_agent_are_remembered_until_replaced():
    known = AgentLanguages()
    assert known.of("a") == DEFAULT_LANGUAGES
    known.remember("a", IndexLanguages("english", "german"))
    assert known.of("a").written == ("english", "german")
    known.remember("a", IndexLanguages("german"))
    assert known.of("a").written == ("german",)
    assert known.of("b") == DEFAULT_LANGUAGES
    known.remember("a", DEFAULT_LANGUAGES)
    assert known.of("a").written == ("english",)
