"""Cut a memory into passages, and compute for each the texts to embed and the lexemes to index.

A passage is indexed in two fields: `content` is its text with the speaker, and `context` also has the text that
surrounds it: the end of the passage before, or the memory's own context, names and attributes. The scores of the two
fields are computed separately and added. With one merged field instead, a search found more in the top ten, but ranked
the best passage first less often. The words of the memory's date are in the lexical index, but are not embedded,
because that reduced recall by half a percentage point when measured. The speaker is embedded only if it is a name;
without "user: ", the vector of a user's line is that of the turn's query, which is cached.

The vector of `context` is a weighted mean of two vectors: that of `content` and that of the surrounding text, which is
mostly embedded already: it is the line before, or the question that the turn searched for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from brain.languages import ENGLISH, MONTHS
from brain.memory_types import TYPE_ROWS, MemoryType
from brain.text import lexemes, sentence_spans
from brain.types import Vector

PASSAGE_CHARS = 800  # about 200 word pieces, safely inside the 256 that small sentence encoders read
_MAX_SURROUNDING = 150  # characters of the passage before that surround a passage
_CONTENT_SHARE = 0.3  # weight of a passage's own vector in that of `context`; more lost recall on conversations
_ROLES = frozenset({"user", "assistant"})  # speakers that are no names
_MAX_COUNTED = 30_000  # a term frequency is stored in 16 bits
_ATTRIBUTES = {row.name: row.attributes for row in TYPE_ROWS}

PassageVector = tuple[int, str, Vector]  # the passage's ordinal, the field, the vector


@dataclass(frozen=True, slots=True)
class LexemeCounts:
    """The lexemes of a passage's two fields in one language, with their numbers of occurrences."""

    content: Mapping[str, int]
    context: Mapping[str, int]

    @property
    def content_length(self) -> int:
        """The number of lexemes in the field `content`, repetitions included."""
        return sum(self.content.values())

    @property
    def context_length(self) -> int:
        """The number of lexemes in the field `context`, repetitions included."""
        return sum(self.context.values())


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage of a memory, as it is stored in the indexes.

    `start` and `stop` are offsets in the memory's content. `content_text` and `surrounding` are the texts to embed;
    `surrounding` is empty if nothing surrounds the passage. `posted` has the lexemes by language, with the language of
    the agent's searches first.
    """

    ordinal: int
    start: int
    stop: int
    content_text: str
    surrounding: str
    posted: Mapping[str, LexemeCounts]

    @property
    def live(self) -> LexemeCounts:
        """The passage's lexemes in the language that the agent's searches use."""
        return next(iter(self.posted.values()))


def passages(
    content: str,
    speaker: str | None,
    surrounding: str,
    occurred_at: datetime,
    languages: Sequence[str] = (ENGLISH,),
) -> list[IndexedPassage]:
    """Return the passages of a memory's content, in order, with the texts to embed and the lexemes to index.

    The first passage is surrounded by the end of `surrounding` (see `surroundings`), each other one by the end of the
    passage before, which is embedded whole. If `surrounding` is long, the first passage is indexed once more with each
    earlier part of it. These entries come last.
    """
    spans = cut(content)
    *earlier, last = [surrounding[start:stop].strip() for start, stop in cut(surrounding)]
    around = [last, *(_tail(content[start:stop]) for start, stop in spans[:-1]), *earlier]
    prefix = f"{speaker}: " if speaker else ""
    result: list[IndexedPassage] = []
    for ordinal, ((start, stop), beside) in enumerate(zip([*spans, *spans[:1] * len(earlier)], around, strict=True)):
        text = content[start:stop]
        named = f"{prefix}{text}"
        posted = {name: _posted(f"{_date(occurred_at, name)} {named}", beside, name) for name in languages}
        embedded = text if speaker in _ROLES else named
        surrounding_text = result[-1].content_text if 0 < ordinal < len(spans) else beside
        result.append(IndexedPassage(ordinal, start, stop, embedded, surrounding_text, posted))
    return result


def surroundings(type_: MemoryType, context: str, entities: Iterable[str], attributes: Mapping[str, Any]) -> str:
    """Return the text that surrounds a memory: its entities, the names and texts of its attributes, its context.

    Attributes with fixed words, such as the outcome of a decision, and ids are left out.
    """
    named = (attributes.get(name, "") for name, kind in _ATTRIBUTES[type_].items() if kind in ("label", "text"))
    return "\n".join(text for each in (", ".join(entities), *named, context) if (text := each.strip()))


def _posted(text: str, surrounding: str, language: str) -> LexemeCounts:
    content = Counter(lexemes(text, language))
    return LexemeCounts(_bounded(content), _bounded(content + Counter(lexemes(surrounding, language))))


def _date(at: datetime, language: str) -> str:
    return f"{at.day} {MONTHS.get(language, MONTHS[ENGLISH])[at.month - 1]} {at:%Y}"


def texts(pieces: Iterable[IndexedPassage]) -> list[str]:
    """Return the texts of passages to embed, each once."""
    return list(dict.fromkeys(text for piece in pieces for text in (piece.content_text, piece.surrounding) if text))


def vectors(pieces: Iterable[IndexedPassage], embedded: Mapping[str, Vector]) -> list[PassageVector]:
    """Return the vectors of passages, given those of their texts."""
    result: list[PassageVector] = []
    for piece in pieces:
        content = embedded[piece.content_text]
        result.append((piece.ordinal, "content", content))
        if piece.surrounding:
            mean = _CONTENT_SHARE * content + (1 - _CONTENT_SHARE) * embedded[piece.surrounding]
            result.append((piece.ordinal, "context", mean / np.linalg.norm(mean)))
    return result


def _tail(passage: str) -> str:
    if len(passage) <= _MAX_SURROUNDING:
        return passage
    return passage[-_MAX_SURROUNDING:].split(" ", 1)[-1]


def _bounded(counts: Counter[str]) -> Mapping[str, int]:
    return {lexeme: min(count, _MAX_COUNTED) for lexeme, count in counts.items()}


def cut(content: str, limit: int = PASSAGE_CHARS) -> list[tuple[int, int]]:
    """Return the offsets [start, end) of the passages of a content, each with at most `limit` characters.

    Content within the limit is one passage. Longer content is cut between sentences. A sentence longer than the limit
    is cut at white space if possible. The passages together contain everything but white space.
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
    """Return the offset of the last white space in [low, high), or `high` if there is none."""
    return next((place for place in range(high - 1, low - 1, -1) if content[place].isspace()), high)
