"""What is remembered of long texts: made once, bounded by weight, forgotten in the order of use."""

from __future__ import annotations

from brain.caches import TextCache, key
from cognitive import Message, Outcome, Policy, ToolCall
from cognitive.session.recent import answered
from cognitive.window import rendering
from cognitive.window.rendering import WindowCache


def test_cache_computes_once_and_evicts_the_least_recently_used():
    memo, made = TextCache(10, len), []

    def get(text):
        return memo.get(key(text), lambda: made.append(text) or text)

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert get(text) == text
    assert made == ["aaaa", "bbbb", "cccc", "bbbb"]
    assert len(memo) == 2
    assert get("x" * 50) == "x" * 50
    assert len(memo) == 1


def test_keys_of_different_texts_differ():
    assert len({key("a", "b"), key("ab"), key("a", "b", ""), key("", "ab"), key("\ud800")}) == 5


def test_tool_result_is_normalised_once_after_its_turn():
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
