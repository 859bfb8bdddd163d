"""A degradation is a sentence for people and a code for programs."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from cognitive.degradation import DEGRADATION_CODES, Degradation, codes, read


@pytest.mark.parametrize("code", DEGRADATION_CODES)
def test_degradation_is_a_sentence_with_a_code_and_a_detail(code):
    degradation = Degradation(code, "no answer: gone")
    assert degradation == f"{degradation.part}: no answer: gone"
    assert (degradation.code, degradation.detail) == (code, "no answer: gone")
    assert json.dumps([degradation]) == json.dumps([str(degradation)])


def test_degradation_survives_copy_pickle_and_a_pair_of_lists():
    late = Degradation("embedding_late", "no vector in time")
    for again in (copy.deepcopy(late), pickle.loads(pickle.dumps(late)), *read([str(late)], codes([late]))):
        assert (again, again.code, again.detail) == (late, late.code, late.detail)


def test_timeout_is_late_and_any_other_error_has_failed():
    late = Degradation.from_error("session", TimeoutError(), "no answer in time", "; no summary")
    failed = Degradation.from_error("session", OSError("gone"), "no answer in time")
    assert (late, late.code) == ("session: no answer in time; no summary", "session_late")
    assert (failed, failed.code) == ("session: gone", "session_failed")


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("embedding: no answer: gone", "embedding_failed"),
        ("directive: too long", "directive_refused"),
        ("something else", "memory_failed"),
    ],
)
def test_sentence_without_a_code_gets_the_code_of_its_part(sentence, code):
    [degradation] = read([sentence], [])
    assert degradation.code == code
    assert degradation.endswith(sentence)


def test_more_codes_than_sentences_are_left_out():
    assert read(["record: late"], ["record_late", "memory_failed"]) == (Degradation("record_late", "late"),)
