"""Highlights of a response: the complete text, each passage with the number of its memory, used memories only."""

from __future__ import annotations

from making import uid

from brain.judgements import ExposureRow
from cognitive.dashboard.highlight import highlight

TEA = "Tea is served at noon in the garden."
BOAT = "The boat was painted green last spring."


def shown(n: int, content: str | None, *, used: bool | None = True) -> ExposureRow:
    return ExposureRow(uid(n), "fact", "prompt", n, 1.0, 0.9, used, None, content, None, None)


def highlighted(response: str, *memories: ExposureRow, **excerpts):
    return highlight(response, memories, excerpts, "relative")


def marked(response: str, *memories: ExposureRow) -> list[tuple[str, tuple[int, ...]]]:
    return [(piece.text, piece.of) for piece in highlighted(response, *memories).spans if piece.of]


def test_passages_have_the_number_of_their_memory_and_no_text_is_lost():
    response = f"Well then. {TEA} Moss grows. Rain falls. {BOAT} That is all."

    result = highlighted(response, shown(1, TEA), shown(2, BOAT))

    assert "".join(piece.text for piece in result.spans) == response
    assert [(piece.text, piece.of, piece.ends) for piece in result.spans if piece.of] == [
        (TEA, (1,), (1,)),
        (BOAT, (2,), (2,)),
    ]


def test_passage_can_belong_to_two_memories():
    assert marked(TEA, shown(1, TEA), shown(2, f"{TEA} Always.")) == [(TEA, (1, 2))]


def test_space_after_a_nested_passage_is_not_marked():
    assert marked(f"{TEA} {BOAT}", shown(1, TEA), shown(2, f"{TEA} {BOAT}")) == [(TEA, (1, 2)), (BOAT, (2,))]


def test_unused_or_erased_memory_is_not_marked():
    assert marked(TEA, shown(1, TEA, used=False), shown(2, None), shown(3, TEA, used=None)) == []


def test_used_memory_without_a_passage_is_listed_as_unlocated():
    assert highlighted("Moss grows.", shown(1, TEA)).unlocated == (1,)


def test_only_the_shown_excerpt_of_a_memory_is_marked():
    memory, response = shown(1, f"{TEA} {BOAT}"), f"{BOAT} Moss grows. Rain falls. {TEA}"

    pieces = highlight(response, [memory], {str(uid(1)): [[0, len(TEA)]]}, "relative").spans

    assert [piece.text for piece in pieces if piece.of] == [TEA]


def test_missing_response_gives_no_highlight():
    assert highlight(None, [shown(1, TEA)], {}, "relative") is None
