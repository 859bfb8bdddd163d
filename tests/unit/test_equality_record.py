"""A recording identifies each memory, so that a wrong memory in its place is a difference."""

from __future__ import annotations

from uuid import uuid4

from benchmarks.equality.record import Recorder
from cognitive.recall_hits import RecallHit
from tests.conftest import NOW


class Captured:
    """A layer that returns captured memories, which the recorder did not add."""

    async def recall(self, agent, query, **_):
        return tuple(RecallHit(uuid4(), "fact", content, None, 1.0) for content in ("The key is blue.", "It rains."))


async def test_captured_memories_are_recorded_by_content():
    recorder = Recorder(Captured())
    await recorder.recall("a", "Which key?", 0, NOW)
    assert [hit[0] for hit in recorder.records["a-0 recall"]] == ["The key is blue.", "It rains."]
