"""What is remembered of long texts: made once, bounded by weight, forgotten in the order of use."""

from __future__ import annotations

from cognitive.window.memo import Memo, key


def test_a_value_is_made_once_and_what_was_used_least_lately_is_forgotten():
    memo, made = Memo(10, len), []

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
