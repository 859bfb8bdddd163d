"""Groups keep each call with its results, each once, and report repairs."""

from __future__ import annotations

from hypothesis import given, settings
from provider_rules import violations
from talking import CONVERSATIONS, calls, result, says, user

from cognitive import Message, ToolCall
from cognitive.window import engine_messages
from cognitive.window.groups import EMPTY, INTERRUPTED, digest, find, group, mark, named


def repaired(*messages):
    """Return the messages of the groups and the kinds of repairs."""
    grouped = group(messages)
    groups, renamed = named(grouped.groups)
    flat = [message for each in groups for message in each.messages]
    return flat, [each.what for each in (*grouped.repairs, *renamed)]


def texts(messages):
    return [message.content for message in messages]


@given(CONVERSATIONS)
@settings(max_examples=300)
def test_groups_of_any_conversation_are_valid(conversation):
    flat, _ = repaired(user(), *conversation)
    assert violations(flat) == ()


@given(CONVERSATIONS)
@settings(max_examples=200)
def test_valid_conversation_is_unchanged(conversation):
    valid, _ = repaired(user(), *conversation)
    again, repairs = repaired(*valid)
    assert again == valid
    assert repairs == []


@given(CONVERSATIONS)
@settings(max_examples=100)
def test_every_tool_result_is_in_a_group_or_an_orphan(conversation):
    grouped = group(conversation)
    kept = {message.content for each in (*grouped.groups, *grouped.orphans) for message in each.messages}
    assert {m.content for m in conversation if m.role == "tool" and m.content.strip()} <= kept


def test_call_without_result_gets_an_interrupted_result():
    flat, repairs = repaired(user(), calls("a", "b"), result("b", "B"), user("Stop."))
    assert texts(flat[2:4]) == [INTERRUPTED, "B"]
    assert repairs == ["interrupted"]


def test_late_result_is_moved_to_its_call():
    flat, repairs = repaired(user(), calls("a"), user("Well?"), result("a", "A"))
    assert texts(flat) == ["Go on.", "", "A", "Well?"]
    assert repairs == ["regrouped"]
    flat, _ = repaired(user(), calls("a"), result("a", INTERRUPTED), user("Well?"), result("a", "A"))
    assert texts(flat) == ["Go on.", "", "A", "Well?"]


def test_interleaved_parallel_calls_are_regrouped():
    flat, repairs = repaired(user(), calls("a"), calls("b"), result("a", "A"), result("b", "B"))
    assert [(m.tool_call_id, m.content) for m in flat if m.role == "tool"] == [("a", "A"), ("b", "B")]
    assert violations(flat) == ()
    assert repairs == ["regrouped"]


def test_duplicate_and_unmatched_results_become_orphans():
    grouped = group([user(), calls("a"), result("a", "first"), result("a", "second"), result("z", "unmatched")])
    assert texts(grouped.groups[1].messages[1:]) == ["first"]
    assert [each.messages[0].content for each in grouped.orphans] == ["second", "unmatched"]
    assert [repair.what for repair in grouped.repairs] == ["duplicate", "orphan"]


def test_repeated_call_ids_are_renamed():
    flat, repairs = repaired(user(), calls("a"), result("a", "1"), calls("a"), result("a", "2"), calls("a"))
    results = [message for message in flat if message.role == "tool"]
    assert [m.tool_call_id for m in results] == ["a", "a-2", "a-3"]
    assert texts(results) == ["1", "2", INTERRUPTED]
    assert repairs == ["interrupted", "renamed", "renamed"]


def test_missing_or_invalid_ids_are_derived_from_the_call():
    first, _ = repaired(user(), calls(None, "functions.bash:0", "x" * 41))
    second, _ = repaired(user("Something else."), says(), calls(None, "functions.bash:0", "x" * 41))
    assert violations(first) == ()
    assert [call.id for call in first[1].tool_calls] == [call.id for call in second[2].tool_calls]


def test_results_without_ids_are_matched_to_calls_in_order():
    flat, _ = repaired(user(), calls("a", "b"), result(None, "A"), result(None, "B"))
    assert [(m.tool_call_id, m.content) for m in flat[2:]] == [("a", "A"), ("b", "B")]
    flat, _ = repaired(user(), calls(None, None), result("x", "A"), result("y", "B"))
    assert texts(flat[2:]) == ["A", "B"]


def test_inline_result_becomes_a_separate_message():
    call = ToolCall(name="sql", id="a", result={"rows": [2, 1], "n": 2})
    flat, repairs = repaired(user(), Message(role="assistant", tool_calls=(call,)))
    assert texts(flat) == ["Go on.", "", '{"n": 2, "rows": [2, 1]}']
    assert flat[1].tool_calls[0].result is None
    assert repairs == ["inline"]
    flat, _ = repaired(user(), Message(role="assistant", tool_calls=(call,)), result("a", "the message"))
    assert texts(flat[2:]) == ["the message"]


def test_blank_messages_are_removed_or_filled():
    flat, repairs = repaired(user(), says(" "), calls("a", content="\n"), result("a", " "), says("Done. \n"))
    assert texts(flat) == ["Go on.", "", EMPTY, "Done."]
    assert repairs == ["blank"]


def test_system_message_inside_a_group_is_moved_behind_it():
    flat, _ = repaired(user(), calls("a"), Message(role="system", content="Note."), result("a", "A"))
    assert texts(flat) == ["Go on.", "", "A", "Note."]


def test_engine_messages_are_left_out():
    own = [engine_messages.summary("Once."), engine_messages.directive("Look", 1, 2), engine_messages.action_prompt()]
    assert texts(repaired(*own, user(), *own)[0]) == ["Go on."]


def test_mark_is_found_in_a_longer_conversation():
    conversation = [user("continue"), says("ok"), user("continue"), says("well"), user("continue")]
    longer = [*conversation, says("ok"), user("continue"), says("hm")]
    for place in range(len(conversation)):
        assert find(longer, mark(conversation, place)) == place
    assert find(longer, mark(conversation, 2) + "+7") == 2
    assert find(longer, mark([user("other")], 0)) is None
    assert find([user(str(n)) for n in range(50)], mark([user(str(n)) for n in range(50)], 3), back=20) is None


def test_digest_depends_on_role_text_calls_and_ids():
    messages = [
        user("a"),
        says("a"),
        user("b"),
        calls("a"),
        calls("b"),
        calls("a", "b"),
        result("a", ""),
        result("b", ""),
    ]
    assert len({digest(message) for message in messages}) == len(messages)
    assert digest(user("a", kind="x")) == digest(user("a"))
    assert digest(user("Tea.")) == "5c6cfdeb4a01ef76"
