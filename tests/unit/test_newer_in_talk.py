"""The user's captured lines and formed memories give way to a newer value of the same attribute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from brain.claims import claim_key
from cognitive.context.superseded import drop_superseded
from tests.unit.making import candidate, ids

FORMED = {"formed_by": "mine_is/1"}
OLD = "The garage code is 5521."
CHANGED = "The garage code was changed to 8830."


def said(n: int, text: str, *, formed: bool = False, **fields):
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n)
    given = {"speaker": "ada", "trust": "talk", "occurred_at": at, "attributes": FORMED if formed else {}, **fields}
    return candidate(n, text, type="fact" if formed else "episode", claim=claim_key(text), rank=n, **given)


def kept(*candidates, history: bool = False) -> list[int]:
    return ids(drop_superseded(candidates, history=history).kept)


@pytest.mark.parametrize("formed", [(False, False), (False, True), (True, False)])
def test_line_and_formed_memory_give_way_to_a_newer_value(formed):
    assert kept(said(1, OLD, formed=formed[0]), said(2, CHANGED, formed=formed[1])) == [2]


def test_dropped_line_says_which_memory_has_the_newer_value():
    new = said(2, CHANGED)
    [dropped] = drop_superseded([said(1, OLD), new], history=False).dropped
    assert dropped.disposition == "superseded"
    assert str(new.hit.memory_id) in dropped.reason


def test_newer_line_that_announces_no_change_stays_beside_the_older_one():
    assert kept(said(1, OLD), said(2, "The garage code is 8830.")) == [1, 2]
    assert kept(said(1, OLD), said(2, "The garage code is 8830.", formed=True)) == [2]
    assert kept(said(1, OLD), said(2, CHANGED), said(3, "The garage code is 9412.")) == [2, 3]


@pytest.mark.parametrize(
    "other",
    [{"speaker": "bob"}, {"user_id": "bob"}, {"trust": "host"}, {"speaker": "assistant"}, {"partial": True}],
)
def test_memories_of_other_origin_stay(other):
    assert kept(said(1, OLD), said(2, OLD, **other), said(3, CHANGED)) == [2, 3]


def test_same_value_and_another_attribute_stay():
    others = said(2, "Our code of the garage is now 8830."), said(3, "The cellar code is 5521.")
    assert kept(said(1, OLD), *others, said(4, CHANGED)) == [2, 3, 4]


def test_what_there_may_be_several_of_stays_unless_a_change_is_announced():
    first = said(1, "My favourite dish is ramen.")
    assert kept(first, said(2, "My favourite dish is pho.", formed=True)) == [1, 2]
    assert kept(first, said(2, "My favourite dish is now pho.", formed=True)) == [2]


def test_question_about_the_past_keeps_the_older_line():
    assert kept(said(1, OLD), said(2, CHANGED)) == [2]
    assert kept(said(1, OLD), said(2, CHANGED), history=True) == [1, 2]
