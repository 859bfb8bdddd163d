"""Mark the passages of a response that match used memories, with the numbers of these memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from brain.judgements import ExposureRow
from cognitive.context.dedup import excerpt
from cognitive.feedback.overlap import passages


@dataclass(frozen=True, slots=True)
class ResponseSpan:
    """A part of a response, with the memories that it matches.

    A memory's number is its position in the list of shown memories, from 1. `of` has the numbers of the memories whose
    matching passage contains this part. `ends` has the numbers of the memories whose matching passage ends where this
    part ends.
    """

    text: str
    of: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HighlightedResponse:
    """A response, split into parts that match used memories and parts that do not.

    `unlocated` has the numbers of used memories without a matching passage. A memory can be used without a match if a
    citation or a rating says so.
    """

    spans: tuple[ResponseSpan, ...]
    unlocated: tuple[int, ...]

    @property
    def marked(self) -> bool:
        """True if any part of the response matches a memory."""
        return any(span.of for span in self.spans)

    @property
    def length(self) -> int:
        """The length of the stored response in characters."""
        return sum(len(span.text) for span in self.spans)


def highlight(
    response: str | None, shown: Sequence[ExposureRow], excerpts: Mapping[str, Any], strategy: str
) -> HighlightedResponse | None:
    """Mark the passage of a response that matches each used memory; return None if no response is stored.

    `strategy` is the attribution strategy that measured the overlaps. `excerpts` has, by memory id, the offsets of the
    part of the memory that the prompt showed. The memories are compared by their current texts, which may have been
    edited since the turn.
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
    """Narrow a passage's (start, end) so that it has no whitespace at its ends.

    Such whitespace would be marked as an empty line.
    """
    start, end = span
    words = response[start:end].strip()
    start = response.index(words, start)
    return start, start + len(words)


def _split(response: str, spans: Mapping[int, tuple[int, int]]) -> tuple[ResponseSpan, ...]:
    """Split a response at the beginnings and ends of the passages in `spans`, given by memory number.

    Whitespace between two passages belongs to no memory.
    """
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
    """Return the text of a memory as the prompt showed it: the speaker's name, if any, and the excerpt."""
    content = memory.content or ""
    parts = excerpts.get(str(memory.memory_id)) if memory.via == "prompt" else None
    text = excerpt(content, parts) if parts else content
    return f"{memory.speaker}: {text}" if memory.speaker else text
