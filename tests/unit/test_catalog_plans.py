"""Past plans: similar turns form one group with the tools that they called, the most frequent first."""

from __future__ import annotations

from datetime import timedelta

from making import AT, beside, unit

from brain.turn_records import CalledTurn
from cognitive.catalog.plans import group


def turn(n, message, *called, query=None):
    """Return the n-th newest turn."""
    return CalledTurn(f"turn-{n}", AT - timedelta(hours=n), message, called, query)


def test_turns_with_equal_text_or_meaning_form_one_group():
    turns = [
        turn(1, "Weather in Rome?", "weather", query=unit(1, 0)),
        turn(2, "How is it outside", "weather", "map", query=beside(0.8)),
        turn(3, "weather  in ROME?", "weather"),
        turn(4, "Send a mail", "mail", query=unit(0, 1)),
    ]
    first, second = group(turns, 10)
    assert (first.message, first.turns, first.last_at) == ("Weather in Rome?", 3, turns[0].at)
    assert first.tools == (("weather", 3), ("map", 1))
    assert (second.message, second.turns, second.tools) == ("Send a mail", 1, (("mail", 1),))
    assert len(first.key) == 16
    assert first.key != second.key


def test_tool_counts_once_per_turn_and_at_most_five_are_listed():
    [plan] = group([turn(1, "all", "a", "b", "c", "d", "e", "f"), turn(2, "all", "f", "f")], 10)
    assert plan.tools == (("f", 2), ("a", 1), ("b", 1), ("c", 1), ("d", 1))


def test_filter_vector_keeps_only_similar_turns():
    turns = [turn(1, "x", "a", query=unit(1, 0)), turn(2, "y", "b", query=unit(0, 1)), turn(3, "z", "c")]
    assert [plan.message for plan in group(turns, 10, like=beside(0.9))] == ["x"]


def test_largest_groups_come_first_up_to_the_limit():
    turns = [turn(1, "once", "a"), turn(2, "twice", "b"), turn(3, "twice", "b"), turn(4, "old", "c")]
    assert [plan.message for plan in group(turns, 2)] == ["twice", "once"]
    assert group([], 5) == ()
    assert group(turns, 0) == ()


def test_long_message_is_shortened():
    [plan] = group([turn(1, "x" * 5000, "a")], 1)
    assert len(plan.message) == 200
