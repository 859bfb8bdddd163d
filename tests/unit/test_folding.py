"""Folding of recalled memories: only lines with the same text are one hit."""

from __future__ import annotations

import pytest

from cognitive.context.folding import fold
from tests.unit.making import candidate


def counts(*contents: str, **fields) -> list[int]:
    return [len(each.group) for each in fold([candidate(n, text, **fields) for n, text in enumerate(contents, 1)])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM b", "SELECT b FROM a"),
        ("cp src dst", "cp dst src"),
        ("rm -rf ./build", "rm -rf /build"),
        ("cd ..", "cd ."),
        ("10 > 5", "10 < 5"),
        ("C is fast", "C++ is fast"),
        ("Ann should call Bob", "Ann called Bob"),
        ("Can Ann sign?", "Ann can sign."),
        ("Ann signs?", "Ann signs."),
        ("same for staging", "and for staging?"),
        ("The masse is known.", "The maße is known."),
        ("Thanks.", "Thanks, Rita."),
        ("so", "now"),
        ("Note: sorry.", "Note: no."),
    ],
)
def test_lines_with_another_text_are_not_folded(one, other):
    assert counts(one, other) == [1, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The boat leaves at noon.", "the boat  leaves\nat NOON"),
        ("Ok, so thanks - the boat left!", "The boat left…"),
        ("Thanks!", "thanks"),
        ("Who signs?", "And who signs?"),
        ("He said “go”.", "he said “go”"),
    ],
)
def test_lines_with_other_case_space_fillers_and_final_marks_fold(one, other):
    assert counts(one, other) == [2]


def test_same_words_of_two_users_are_not_folded():
    of_ann, of_bob = candidate(1, "I like tea.", user_id="ann"), candidate(2, "I like tea.", user_id="bob")
    assert [each.best.hit.user_id for each in fold([of_ann, of_bob])] == ["ann", "bob"]


def test_group_has_the_place_and_the_text_of_its_best_candidate():
    found = fold([candidate(1, "Tea is hot."), candidate(2, "Milk is cold."), candidate(3, "tea is hot!")])
    assert [(each.best.hit.content, len(each.group)) for each in found] == [("Tea is hot.", 2), ("Milk is cold.", 1)]
