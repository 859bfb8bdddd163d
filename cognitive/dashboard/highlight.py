"""A response with its passages marked, each with the numbers of the memories that earned their credit there. Pure."""

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
    """Some text of a response. `of` are the numbers of the memories whose passages it is part of, `ends` of those whose
    passage ends with it; numbers are places in the list of what was shown, from 1.
    """

    text: str
    of: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HighlightedResponse:
    """A response in pieces; `elsewhere` are the numbers of used memories of which no passage holds a word: somebody
    said that they were used.
    """

    spans: tuple[ResponseSpan, ...]
    unlocated: tuple[int, ...]

    @property
    def marked(self) -> bool:
        """Whether any passage is."""
        return any(span.of for span in self.spans)

    @property
    def length(self) -> int:
        """Characters of the response that are kept."""
        return sum(len(span.text) for span in self.spans)


def highlight(
    response: str | None, shown: Sequence[ExposureRow], excerpts: Mapping[str, Any], strategy: str
) -> HighlightedResponse | None:
    """The response with what each used memory is found by, measured as its overlap was; None where it is not kept.

    Memories are compared as the prompt showed them, in `excerpts` of offsets, with the words that they have today.
    """
    if response is None:
        return None
    there = [(number, each) for number, each in enumerate(shown, 1) if each.content is not None]
    found = passages([_spoken(each, excerpts) for _, each in there], response, strategy=strategy)
    spans = {
        number: _without_space(response, span)
        for (number, each), span in zip(there, found, strict=True)
        if each.used and span is not None
    }
    used = (number for number, each in there if each.used)
    return HighlightedResponse(_cut(response, spans), tuple(number for number in used if number not in spans))


def _without_space(response: str, span: tuple[int, int]) -> tuple[int, int]:
    """A passage without the space around its words: a mark of that alone would be a stray line."""
    start, end = span
    words = response[start:end].strip()
    start = response.index(words, start)
    return start, start + len(words)


def _cut(response: str, spans: Mapping[int, tuple[int, int]]) -> tuple[ResponseSpan, ...]:
    """The response cut wherever a passage begins or ends, or words do behind that: space alone is of no memory."""
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


def _spoken(memory: ExposureRow, excerpts: Mapping[str, Any]) -> str:
    content = memory.content or ""
    parts = excerpts.get(str(memory.memory_id)) if memory.via == "prompt" else None
    said = excerpt(content, parts) if parts else content
    return f"{memory.speaker}: {said}" if memory.speaker else said
