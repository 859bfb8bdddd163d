"""Long content is found and shown by passages: runs of whole sentences short enough for the embedding model."""

from __future__ import annotations

from brain.text import sentence_spans

PASSAGE_CHARS = 800  # about 200 word pieces, safely inside the 256 that small sentence encoders read


def cut(content: str, limit: int = PASSAGE_CHARS) -> list[tuple[int, int]]:
    """Offsets [start, end) of the passages of a content: whole sentences up to `limit` characters each.

    Content within the limit is one passage. A sentence longer than the limit is cut at white space where there is
    any, so that every passage is within the limit and together they hold all that is not white space.
    """
    if len(content) <= limit:
        return [(0, len(content))]
    passages: list[tuple[int, int]] = []
    for start, end in _pieces(content, limit):
        if passages and end - passages[-1][0] <= limit:
            passages[-1] = (passages[-1][0], end)
        else:
            passages.append((start, end))
    return passages or [(0, limit)]


def _pieces(content: str, limit: int) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    for start, end in sentence_spans(content):
        while end - start > limit:
            stop = _last_space(content, start + max(1, limit // 2), start + limit)
            pieces.append((start, stop))
            start = stop
        pieces.append((start, end))
    return pieces


def _last_space(content: str, low: int, high: int) -> int:
    """The last white space in [low, high), or `high` where there is none."""
    return next((place for place in range(high - 1, low - 1, -1) if content[place].isspace()), high)
