"""What is remembered of long texts: made once, bounded by weight, forgotten in the order of use."""

from __future__ import annotations

from brain.caches import TextCache, key
from cognitive import Message, Outcome, Policy, ToolCall
from cognitive.session.recent import answered
from cognitive.window import rendering
from cognitive.window.rendering import WindowCache


def test_a_value_is_made_once_and_what_was_used_least_lately_is_forgotten():
    memo, made = TextCache(10, len), []

    def get(text):
        return memo.get(key(text), lambda: made.append(text) or text)

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert get(text) == text
    assert made == ["aaaa", "bbbb", "cccc", "bbbb"]
    assert len(memo) == 2
    assert get("x" * 50) == "x" * 50
    assert len(memo) == 1


def test_keys_tell_texts_apart_whatever_is_in_them():
    assert len({key("a", "b"), key("ab"), key("a", "b", ""), key("", "ab"), key("\ud800")}) == 5


def test_what_a_tool_returned_is_normalised_once_when_the_turn_is_over():
    returned = "\n".join(f"line {n} of what the build of part {n % 7} says" for n in range(2_000))
    outcome = Outcome(response="Done.", tool_calls=(ToolCall(name="bash", arguments={"n": 1}, result=returned),))
    limits, cache = rendering.limits(Policy()), WindowCache()
    said = [Message(role="user", content="Build it")]
    _, [(tool, after)] = answered(said, outcome, session_id="s", limits=limits, cache=cache)
    before_the_next = cache.normalised(returned, tool=tool, session_id="s", limits=limits)
    assert before_the_next.text is after.text
    assert before_the_next.whole == returned
    of_another = cache.normalised(returned, tool=tool, session_id="another", limits=limits)
    assert of_another.pointer != after.pointer
