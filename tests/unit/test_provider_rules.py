"""The message rules of both APIs: each has a violating conversation, and a valid conversation violates none."""

from __future__ import annotations

import pytest
from provider_rules import anthropic, openai, violations
from talking import calls, result, says, user

from cognitive import Message


def rules(*messages):
    return {each.rule for each in violations(messages)}


def test_valid_conversation_has_no_violations():
    assert rules() == set()
    assert (
        rules(
            Message(role="system", content="Be brief."),
            user(),
            calls("a", "b"),
            result("b"),
            result("a"),
            says(),
            user("Thanks."),
            user("And one more."),
            calls("c", content="Reading."),
            result("c"),
            says("Here."),
        )
        == set()
    )


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user(), calls("a")], "unanswered"),
        ([user(), calls("a", "b"), result("a"), says()], "unanswered"),
        ([user(), calls("a"), user(), result("a")], "unanswered"),
        ([user(), calls("a"), Message(role="system", content="x"), result("a")], "unanswered"),
        ([user(), calls("a"), result("a"), result("a")], "answered_twice"),
        ([user(), result("a")], "unasked"),
        ([user(), calls("a"), result("a"), says(), result("a")], "unasked"),
        ([user(), calls("a"), calls("b"), result("a"), result("b")], "unasked"),
        ([user(), calls("a", "a"), result("a"), result("a")], "id_repeated"),
        ([user(), calls("a"), result("a"), calls("a"), result("a")], "id_repeated"),
        ([user(), calls(None), result(None)], "id_missing"),
        ([user(), calls("x" * 41), result("x" * 41)], "id_form"),
        ([user(), calls("a.b:0"), result("a.b:0")], "id_form"),
        ([user(), says("")], "empty_text"),
        ([user(" \n"), says()], "empty_text"),
        ([user(), calls("a", content=" "), result("a")], "empty_text"),
        ([user(), calls("a"), result("a", "\n")], "empty_text"),
        ([Message(role="system", content=""), user()], "empty_text"),
        ([says(), user()], "first_not_user"),
        ([Message(role="system", content="x"), calls("a"), result("a")], "first_not_user"),
        ([user(), says("So: ")], "trailing_space"),
        ([user(tool_call_id="a")], "misplaced_calls"),
    ],
)
def test_invalid_conversation_violates_the_expected_rule(messages, rule):
    assert rule in rules(*messages)


def test_result_after_a_user_message_is_split_from_its_call():
    assert {each.rule for each in anthropic([user(), calls("a"), user("Wait."), result("a")])} == {
        "calls_split",
        "unanswered",
    }


def test_violation_names_the_message_index_and_the_call_id():
    [violation] = openai([user(), calls("a", "b"), result("a"), says()])
    assert (violation.rule, violation.index, violation.detail) == ("unanswered", 1, "b")
