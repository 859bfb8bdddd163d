"""The result of `recall`: a tuple that knows how many further memories there are, also when it is sliced."""

from __future__ import annotations

import pickle
from uuid import UUID

from cognitive.policy import Policy
from cognitive.recall_hits import RecallHit, RecallHits
from cognitive.runtimes.tools import recall_answer

HITS = RecallHits([RecallHit(UUID(int=n), "fact", f"Tea {n} is hot.", None, 1.0) for n in range(4)], more=6)


def test_slice_counts_the_memories_that_it_leaves_out():
    assert [HITS[:n].more for n in (0, 1, 4, 9)] == [10, 9, 6, 6]
    assert HITS[:2] == tuple(HITS)[:2]
    assert (HITS[1:][0], HITS[-1]) == (HITS[1], tuple(HITS)[3])


def test_count_survives_a_copy():
    assert pickle.loads(pickle.dumps(HITS)).more == 6


def test_answer_of_a_slice_says_how_many_more_there_are():
    answer = recall_answer(HITS[:1], Policy())
    assert "Tea 0" in answer
    assert "Tea 1" not in answer
    assert "At least 9 more were found" in answer
