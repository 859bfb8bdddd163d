"""Compare past turns with the current one: the similarity of their messages, and what they showed and used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.caches import cached
from brain.text import lexemes

_MAX_CACHED_MESSAGES = 2_048  # of past turns, with their lexemes: the same messages are similar again and again
_MAX_CACHED_IDS = 16_384  # parsed ids of memories: a search returns about 300, mostly the same ones


@dataclass(frozen=True, slots=True)
class PastTurns:
    """Selects past turns to compare with a query: the `kept` most similar of the `latest` completed turns.

    Only turns up to the time `now` are compared. A memory that was used by a turn with a cosine of at least
    `similarity` becomes a candidate, even if no other channel of the search finds it.
    """

    now: datetime
    latest: int
    kept: int
    similarity: float


@dataclass(frozen=True, slots=True)
class PastShown:
    """A memory that a past turn showed, and whether the response used it.

    `relevance_gap` is the best relevance of that turn minus the memory's, None if unknown. `rated` is True if the user
    or the host rated the memory.
    """

    memory_id: UUID
    used: bool
    relevance_gap: float | None
    rated: bool = False


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A completed turn that is similar to the query.

    `cosine` is that of the two messages' vectors, `words` the overlap of their words in [0, 1], `shown` the memories
    that the turn showed, and `tools_called` the names of the tools that it called.
    """

    turn_id: str
    at: datetime
    cosine: float
    words: float
    shown: tuple[PastShown, ...]
    tools_called: tuple[str, ...] = ()


def associated(rows: Sequence[Any], past: PastTurns | None) -> list[UUID]:
    """Return the ids of the memories that similar past turns used, without repetition; `rows` are the past turns."""
    similar = [shown or [] for _, _, cosine, _, shown, _ in rows if past is not None and cosine >= past.similarity]
    return list(dict.fromkeys(_id(id) for shown in similar for id, used, *_ in shown if used))


def past_turn(row: Any, rarity: Mapping[str, float], language: str) -> PastTurn:
    """Return the past turn of a row of the statement `facts`, compared with the words of the query.

    `rarity` has the inverse document frequency of each lexeme of the query.
    """
    turn_id, at, cosine, message, shown, tools_called = row
    return PastTurn(
        turn_id,
        datetime.fromisoformat(at),
        round(cosine, 9),
        round(_common_words(message, rarity, language), 9),
        tuple([PastShown(_id(id), *verdict) for id, *verdict in shown or []]),
        tuple(tools_called),
    )


def _common_words(message: str, rarity: Mapping[str, float], language: str) -> float:
    """Return the overlap of a message's words with the query's, in [0, 1], each word weighted by its idf.

    The measure is the Ochiai coefficient: the weight of the shared words divided by the geometric mean of the weights
    of both texts. The idf of words that the query lacks is not looked up; each counts as the query's rarest word.
    """
    words = _lexemes(message, language)
    mass = sum(rarity.values())
    if not words or not mass:
        return 0.0
    shared = sum(weight for lexeme, weight in rarity.items() if lexeme in words)
    own = shared + len(words - rarity.keys()) * max(rarity.values())
    return float(shared / math.sqrt(mass * own)) if own else 0.0


@cached(_MAX_CACHED_IDS)
def _id(text: str) -> UUID:
    return UUID(text)


@cached(_MAX_CACHED_MESSAGES)
def _lexemes(message: str, language: str) -> frozenset[str]:
    return frozenset(lexemes(message, language))
