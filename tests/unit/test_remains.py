"""Residue of an erased text is found in any spelling and cut; other text is unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.erasure.residue import MARK, Residue

KEY = "The spare key of the boat house hangs behind the barometer. Ask Ada for the ladder first."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"You said: {KEY}", id="the whole text"),
        pytest.param("THE SPARE KEY of the\nboat-house hangs, behind the barometer!", id="case, breaks, punctuation"),
        pytest.param("I think that key of the boat house hangs behind the barometer, no?", id="eight words of it"),
        pytest.param("Remember to ask Ada for the ladder first, please.", id="a sentence of it"),
    ],
)
def test_erased_text_is_detected_and_cut(text):
    residue = Residue([KEY])
    assert residue.contains_any(text)
    remaining = residue.cut(text)
    assert MARK in remaining
    assert "barometer" not in remaining.lower()
    assert "ladder" not in remaining.lower()
    assert not residue.contains_any(remaining)


@pytest.mark.parametrize("text", ["The key of the boat house is lost.", "Ask Ada.", "behind the barometer", ""])
def test_text_on_the_same_subject_is_unchanged(text):
    residue = Residue([KEY])
    assert not residue.contains_any(text)
    assert residue.cut(text) == text


def test_single_word_is_not_residue_but_a_number_is():
    assert not Residue(["Fixed."]).contains_any("It is fixed now.")
    assert Residue(["4711"]).cut("The code is 4711.") == f"The code is {MARK}."


def test_summary_loses_only_the_lines_from_the_erased_text():
    lines = ['- user: "spare key boat house hangs barometer, ladder from Ada"', '- user: "The crane was inspected."']
    assert Residue([KEY]).without_lines("\n".join(lines)) == lines[1]


def test_copy_that_json_escapes_is_cut():
    said = "Мой пароль:\nсемнадцать слонов"
    for copy in (json.dumps({"note": said}), json.dumps([json.dumps(said)]), json.dumps({"note": f"{said}\tи ещё"})):
        remaining = Residue([said]).cut(copy)
        assert (MARK in remaining, json.loads(remaining) != json.loads(copy)) == (True, True)
        assert json.dumps("слонов")[1:-1] not in remaining
    assert Residue([r"The log is in C:\new\files now"]).cut(r'"The log is in C:\\new\\files now"') == f'"{MARK}"'
    assert Residue([said]).cut(r"C:\new\users \u0041") == r"C:\new\users \u0041"


def test_json_strings_are_cut_and_the_result_is_valid_json():
    document = json.dumps({"message": KEY, "n": [1, {"said": "nothing"}]})
    assert json.loads(Residue([KEY]).cut_json(document)) == {
        "message": f"{MARK}.",
        "n": [1, {"said": "nothing"}],
    }
    assert Residue([KEY]).cut_json('{"a":"b"}') == '{"a":"b"}'


@given(st.text(max_size=60), st.text(min_size=1, max_size=80), st.text(max_size=60))
def test_cut_text_contains_no_residue_and_has_search_probes(before, erased, after):
    residue = Residue([erased])
    text = f"{before} {erased} {after}"
    remaining = residue.cut(text)
    if residue.contains_any(text):
        assert not residue.contains_any(remaining.replace(MARK, "\n"))
        assert residue.probes
    else:
        assert remaining == text
