"""The language of an agent is recognised again as it grows."""

from __future__ import annotations

import pytest

from brain.agent_rows import AgentState


def state(memories: int, pending: str | None = None, *, chosen: bool = False) -> AgentState:
    return AgentState(memories + 1, 1, "english", pending, chosen)


@pytest.mark.parametrize(
    ("memories", "new", "pending", "due"),
    [
        (0, 1, None, True),
        (100, 1, None, False),
        (127, 1, None, True),
        (129, 5, "german", False),
        (190, 2, "german", True),
        (190, 2, None, False),
    ],
)
def test_recognition_is_due_at_doublings_and_for_unfinished_changes(memories, new, pending, due):
    assert state(memories, pending).outgrown(new) == due
    assert not state(memories, pending, chosen=True).outgrown(new)
