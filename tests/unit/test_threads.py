"""Work on short texts runs at once, and work on texts of any size beside the event loop."""

from __future__ import annotations

import threading

import pytest

from cognitive import threads


@pytest.mark.parametrize(
    ("texts", "calls", "apart"),
    [(["short"], (), False), (["x" * 5_000, "y" * 5_000], (), True), (["short"], ("a call with a result",), True)],
)
async def test_long_texts_and_tool_results_are_handled_in_a_thread(texts, calls, apart):
    thread = await threads.in_thread_if_long(threads.characters(texts, calls), threading.current_thread)
    assert (thread is not threading.current_thread()) == apart
