"""Work on short texts runs at once, and work on texts of any size beside the event loop."""

from __future__ import annotations

import threading

import pytest

from brain.users import Scope
from cognitive import threads
from cognitive.feedback.conversations import ConversationWriter


@pytest.mark.parametrize(
    ("texts", "calls", "apart"),
    [(["short"], (), False), (["x" * 5_000, "y" * 5_000], (), True), (["short"], ("a call with a result",), True)],
)
async def test_long_texts_and_tool_results_are_handled_in_a_thread(texts, calls, apart):
    thread = await threads.in_thread_if_long(threads.characters(texts, calls), threading.current_thread)
    assert (thread is not threading.current_thread()) == apart


class Asked(Exception):
    """Raised by a policy that is asked for an agent's; its argument is the thread that asks."""


class AskedPolicy:
    """A policy that reports the thread in which the lines of a conversation are prepared."""

    def for_agent(self, agent_id: str):
        raise Asked(threading.current_thread())


@pytest.mark.parametrize(("length", "apart"), [(100, False), (10_000, True)])
async def test_lines_of_a_long_conversation_are_prepared_in_a_thread(length, apart):
    writer = ConversationWriter(None, AskedPolicy(), None, None)
    with pytest.raises(Asked) as asked:
        await writer.remember(Scope("agent"), [{"role": "user", "content": "x" * length}], "session", None)
    assert (asked.value.args[0] is not threading.current_thread()) == apart
