"""Compare past turns with the current one: how similar their messages are, and which memories they showed and used."""

from __future__ import annotations

import math
from collections.abc import Mapping
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

    Only turns up to the time `now` are compared, and those with a cosine of at least `min_cosine` are returned. If the
    cosine of a past turn's message and the query is at least `similarity`, the memories that the turn used become
    candidates, even if the search does not find them otherwise.
    """

    now: datetime
    latest: int
    kept: int
    similarity: float
    min_cosine: float


@dataclass(frozen=True, slots=True)
class PastShown:
    """A memory that a past turn showed, and whether the response used it.

    `relevance_gap` is the relevance of the turn's most relevant memory minus that of this memory, or None if unknown.
    `rated` is True if the user or the host rated the memory.
    """

    memory_id: UUID
    used: bool
    relevance_gap: float | None
    rated: bool = False


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A completed turn that is similar to the query.

    `cosine` compares the vectors of the turn's message and of the query, and `words` is the overlap of their words in
    [0, 1]. `shown` has the memories that the turn showed, and `tools_called` the names of the tools that it called.
    """

    turn_id: str
    at: datetime
    cosine: float
    words: float
    shown: tuple[PastShown, ...]
    tools_called: tuple[str, ...] = ()


def past_turn(row: Any, rarity: Mapping[str, float], language: str) -> PastTurn:
    """Make a `PastTurn` from a row of past turns, and compute the overlap of its message with the query.

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
    of both texts. Words that only the message has get the highest idf of the query's words, because theirs is not
    looked up.
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
