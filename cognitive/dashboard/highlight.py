"""A response whose passages that match used memories are marked, with the numbers of these memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from brain.turn_records import ExposureRow
from cognitive.context.dedup import excerpt
from cognitive.feedback.attribute import passages


@dataclass(frozen=True, slots=True)
class ResponseSpan:
    """A part of a response, with the numbers of memories: their positions in the list of shown memories, from 1.

    `of` are the memories whose passage contains the part, `ends` those whose passage ends with it.
    """

    text: str
    of: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HighlightedResponse:
    """A response in parts. `unlocated` are the numbers of used memories without a matching passage.

    A memory can be used without a match if a citation or a rating says so.
    """

    spans: tuple[ResponseSpan, ...]
    unlocated: tuple[int, ...]

    @property
    def marked(self) -> bool:
        """True if any passage is marked."""
        return any(span.of for span in self.spans)

    @property
    def length(self) -> int:
        """The length of the stored response in characters."""
        return sum(len(span.text) for span in self.spans)


def highlight(
    response: str | None, shown: Sequence[ExposureRow], excerpts: Mapping[str, Any], strategy: str
) -> HighlightedResponse | None:
    """Return the response with the matching passage of each used memory marked; None if no response is stored.

    `strategy` is the attribution strategy that measured the overlaps. `excerpts` gives, by memory id, the offsets of
    the text that the prompt showed. The current texts of the memories are used, which may have been edited since.
    """
    if response is None:
        return None
    stored = [(number, each) for number, each in enumerate(shown, 1) if each.content is not None]
    matches = passages([_shown_text(each, excerpts) for _, each in stored], response, strategy=strategy)
    spans = {
        number: _without_space(response, span)
        for (number, each), span in zip(stored, matches, strict=True)
        if each.used and span is not None
    }
    used = (number for number, each in stored if each.used)
    return HighlightedResponse(_split(response, spans), tuple(number for number in used if number not in spans))


def _without_space(response: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return a passage without surrounding whitespace, which would be marked as an empty line."""
    start, end = span
    words = response[start:end].strip()
    start = response.index(words, start)
    return start, start + len(words)


def _split(response: str, spans: Mapping[int, tuple[int, int]]) -> tuple[ResponseSpan, ...]:
    """Split the response where passages begin and end. Whitespace between two passages belongs to no memory."""
    ends = {0, *(place for span in spans.values() for place in span)}
    words = {len(response) - len(response[place:].lstrip()) for place in ends}
    return tuple(
        ResponseSpan(
            response[start:end],
            tuple(number for number, span in spans.items() if span[0] <= start and end <= span[1] and start in words),
            tuple(number for number, span in spans.items() if span[1] == end),
        )
        for start, end in pairwise(sorted({*ends, *words, len(response)}))
    )


def _shown_text(memory: ExposureRow, excerpts: Mapping[str, Any]) -> str:
    """Return the text of a memory as the prompt showed it: its excerpt, after the speaker's name."""
    content = memory.content or ""
    parts = excerpts.get(str(memory.memory_id)) if memory.via == "prompt" else None
    text = excerpt(content, parts) if parts else content
    return f"{memory.speaker}: {text}" if memory.speaker else text
