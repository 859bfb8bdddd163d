"""A degradation is a sentence for people and a code for programs."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from brain.deadline import Deadline
from cognitive.degradation import DEGRADATION_CODES, Degradation, DegradationLog, codes, read


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
    deadline = Deadline(250).leaving(0.1)
    late = Degradation.from_error("session", TimeoutError(), deadline, "; no summary")
    failed = Degradation.from_error("session", OSError("gone"), deadline)
    assert (late, late.code) == ("session: late: no answer from Postgres within 250 ms; no summary", "session_late")
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


def test_each_reason_of_degraded_turns_is_logged_once_a_minute(caplog):
    seconds = [1_000.0]
    log = DegradationLog(lambda: seconds[0])
    late, failed = Degradation("retrieval_late", "late"), Degradation("session_failed", "gone")
    for _ in range(3):
        log.add([late])
    log.add([failed])
    seconds[0] += 60
    log.add([late])
    log.add([])
    assert [record.getMessage() for record in caplog.records] == [
        "retrieval_late: 1 turns since the last such line: retrieval: late",
        "session_failed: 1 turns since the last such line: session: gone",
        "retrieval_late: 3 turns since the last such line: retrieval: late",
    ]
