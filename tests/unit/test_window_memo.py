"""Caches of long texts compute a value once, are bounded by weight, and evict the least recently used."""

from __future__ import annotations

from brain.caches import TextCache, key
from cognitive import Message, Outcome, Policy, ToolCall
from cognitive.session.recent import answered
from cognitive.window import rendering
from cognitive.window.rendering import WindowCache


def test_cache_computes_once_and_evicts_the_least_recently_used():
    cache, computed = TextCache(10, len), []

    def get(text):
        return cache.get(key(text), lambda: computed.append(text) or text)

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert get(text) == text
    assert computed == ["aaaa", "bbbb", "cccc", "bbbb"]
    assert len(cache) == 2
    assert get("x" * 50) == "x" * 50
    assert len(cache) == 1


def test_keys_of_different_texts_differ():
    assert len({key("a", "b"), key("ab"), key("a", "b", ""), key("", "ab"), key("\ud800")}) == 5


def test_tool_call_that_the_conversation_has_is_not_added_again():
    ls, cat = {"cmd": "ls"}, {"cmd": "cat"}
    known = [ToolCall(name="bash", arguments=ls, id="1"), ToolCall(name="bash", arguments=cat)]
    asked = [Message(role="user", content="Build it"), Message(role="assistant", tool_calls=known)]
    same = [
        ToolCall(name="bash", arguments=cat, id="1"),  # by its id
        ToolCall(name="bash", arguments=ls),  # by its content, since it has no id
        ToolCall(name="bash", arguments=cat, id="2"),  # by its content, since the known call has no id
    ]
    new = [ToolCall(name="bash", arguments=ls, id="2"), ToolCall(name="make", arguments=cat)]
    outcome, limits = Outcome(tool_calls=[*same, *new]), rendering.limits(Policy())
    messages, _ = answered(asked, outcome, session_id="s", limits=limits, cache=WindowCache())
    assert [(call.name, call.arguments) for call in messages[2].tool_calls] == [("bash", ls), ("make", cat)]


def test_tool_result_is_normalised_once_after_its_turn():
    output = "\n".join(f"line {n} of what the build of part {n % 7} says" for n in range(2_000))
    outcome = Outcome(response="Done.", tool_calls=(ToolCall(name="bash", arguments={"n": 1}, result=output),))
    limits, cache = rendering.limits(Policy()), WindowCache()
    messages = [Message(role="user", content="Build it")]
    _, [(tool, after)] = answered(messages, outcome, session_id="s", limits=limits, cache=cache)
    cached = cache.normalised(output, tool=tool, session_id="s", limits=limits)
    assert cached.text is after.text
    assert cached.whole == output
    other_session = cache.normalised(output, tool=tool, session_id="another", limits=limits)
    assert other_session.pointer != after.pointer
