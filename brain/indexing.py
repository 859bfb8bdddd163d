"""What of a memory is indexed: its passages, and for each the texts that are embedded and the lexemes that are posted.

Two fields, not one. *said* is what the memory says, with who said it and when; *around* is that and what surrounds it.
They are scored apart and added: one merged field finds more in the top ten and ruins the top rank. The date is a
word to be found by, but no part of what is embedded: there it was measured to cost half a point of recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from brain.passages import cut
from brain.text import lexemes

_MOST_SURROUNDING = 150  # characters before the passage: the end of a message is what the next one answers
_MOST_COUNTED = 30_000  # a term frequency is kept in 16 bits


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage as the indexes see it. `around_text` is None where nothing surrounds the passage."""

    ordinal: int
    start: int
    stop: int
    said_text: str
    around_text: str | None
    said: Mapping[str, int]
    around: Mapping[str, int]

    @property
    def said_length(self) -> int:
        """Lexemes in the field `said`."""
        return sum(self.said.values())

    @property
    def around_length(self) -> int:
        """Lexemes in the field `around`."""
        return sum(self.around.values())


def passages(content: str, speaker: str | None, context: str, occurred_at: datetime) -> list[IndexedPassage]:
    """The passages of a memory's content, in order. The context surrounds the first one, each passage the next."""
    date = f"{occurred_at.day} {occurred_at:%B %Y}"
    who = f"{speaker}: " if speaker else ""
    found = []
    surrounding = _tail(context.strip())
    for ordinal, (start, stop) in enumerate(cut(content)):
        text = content[start:stop]
        said = Counter(lexemes(f"{date} {who}{text}"))
        around = said + Counter(lexemes(surrounding))
        around_text = f"{surrounding}\n{who}{text}" if surrounding else None
        found.append(
            IndexedPassage(ordinal, start, stop, f"{who}{text}", around_text, _bounded(said), _bounded(around))
        )
        surrounding = _tail(text)
    return found


def texts(pieces: Iterable[IndexedPassage]) -> list[tuple[int, str, str]]:
    """What of these passages is embedded: ordinal, field, text."""
    found = []
    for piece in pieces:
        found.append((piece.ordinal, "said", piece.said_text))
        if piece.around_text is not None:
            found.append((piece.ordinal, "around", piece.around_text))
    return found


def _tail(context: str) -> str:
    if len(context) <= _MOST_SURROUNDING:
        return context
    tail = context[-_MOST_SURROUNDING:]
    return tail.split(" ", 1)[-1]


def _bounded(counts: Counter[str]) -> Mapping[str, int]:
    return {lexeme: min(count, _MOST_COUNTED) for lexeme, count in counts.items()}
