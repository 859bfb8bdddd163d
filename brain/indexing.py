"""What of a memory is indexed: its passages, and for each the texts that are embedded and the lexemes that are posted.

Two fields, not one. *said* is what the memory says, with who said it and when; *around* is that and what surrounds it.
They are scored apart and added: one merged field finds more in the top ten and ruins the top rank. The date is indexed
as words and not embedded, where it was measured to cost half a point of recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain.languages import ENGLISH, MONTHS
from brain.text import lexemes, sentence_spans

PASSAGE_CHARS = 800  # about 200 word pieces, safely inside the 256 that small sentence encoders read
_MAX_SURROUNDING = 150  # characters before the passage: the end of a message is what the next one answers
_MAX_COUNTED = 30_000  # a term frequency is kept in 16 bits


@dataclass(frozen=True, slots=True)
class LexemeCounts:
    """The lexemes of a passage's two fields in one language, with how often each is there."""

    content: Mapping[str, int]
    context: Mapping[str, int]

    @property
    def content_length(self) -> int:
        """Lexemes in the field `content`."""
        return sum(self.content.values())

    @property
    def context_length(self) -> int:
        """Lexemes in the field `context`."""
        return sum(self.context.values())


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage as the indexes see it. `context_text` is None where nothing surrounds the passage; `posted` is by
    language, that of the agent's reads first.
    """

    ordinal: int
    start: int
    stop: int
    content_text: str
    context_text: str | None
    posted: Mapping[str, LexemeCounts]

    @property
    def live(self) -> LexemeCounts:
        """The lexemes in the language of the agent's reads."""
        return next(iter(self.posted.values()))


def passages(
    content: str,
    speaker: str | None,
    context: str,
    occurred_at: datetime,
    languages: Sequence[str] = (ENGLISH,),
) -> list[IndexedPassage]:
    """The passages of a memory's content, in order. The context surrounds the first one, each passage the next."""
    who = f"{speaker}: " if speaker else ""
    found = []
    surrounding = _tail(context.strip())
    for ordinal, (start, stop) in enumerate(cut(content)):
        text = f"{who}{content[start:stop]}"
        posted = {name: _posted(f"{_date(occurred_at, name)} {text}", surrounding, name) for name in languages}
        context_text = f"{surrounding}\n{text}" if surrounding else None
        found.append(IndexedPassage(ordinal, start, stop, text, context_text, posted))
        surrounding = _tail(content[start:stop])
    return found


def _posted(text: str, surrounding: str, language: str) -> LexemeCounts:
    content = Counter(lexemes(text, language))
    return LexemeCounts(_bounded(content), _bounded(content + Counter(lexemes(surrounding, language))))


def _date(at: datetime, language: str) -> str:
    return f"{at.day} {MONTHS.get(language, MONTHS[ENGLISH])[at.month - 1]} {at:%Y}"


def texts(pieces: Iterable[IndexedPassage]) -> list[tuple[int, str, str]]:
    """What of these passages is embedded: ordinal, field, text."""
    found = []
    for piece in pieces:
        found.append((piece.ordinal, "content", piece.content_text))
        if piece.context_text is not None:
            found.append((piece.ordinal, "context", piece.context_text))
    return found


def _tail(context: str) -> str:
    if len(context) <= _MAX_SURROUNDING:
        return context
    tail = context[-_MAX_SURROUNDING:]
    return tail.split(" ", 1)[-1]


def _bounded(counts: Counter[str]) -> Mapping[str, int]:
    return {lexeme: min(count, _MAX_COUNTED) for lexeme, count in counts.items()}


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
