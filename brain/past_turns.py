"""Past turns like the present one: what they showed and used, and how alike their messages are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.caches import cached
from brain.text import lexemes

_MAX_SPOKEN = 2_048  # messages of past turns whose words are kept: the same ones come near again and again
_MAX_NAMED = 16_384  # ids of memories that past turns showed, read from their text: 300 a turn, mostly the same ones


@dataclass(frozen=True, slots=True)
class PastTurns:
    """Which past turns to compare with: the `kept` most similar of the `latest` completed ones up to `now`.

    What those of at least `similarity` used is a candidate even if no other channel finds it.
    """

    now: datetime
    latest: int
    kept: int
    similarity: float


@dataclass(frozen=True, slots=True)
class PastShown:
    """What became of a memory in a past turn.

    `relevance_gap` is the distance of its relevance from the best of that turn, None where it is not known; `rated`
    marks an explicit rating.
    """

    memory_id: UUID
    used: bool
    relevance_gap: float | None
    rated: bool = False


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A completed turn like the query: cosine of their vectors, overlap of their words in [0, 1], what it showed, and
    the names of the tools it called.
    """

    turn_id: str
    at: datetime
    cosine: float
    words: float
    shown: tuple[PastShown, ...]
    tools_called: tuple[str, ...] = ()


def associated(rows: Sequence[Any], past: PastTurns | None) -> list[UUID]:
    """The memories that the similar ones among these turns used."""
    similar = [shown or [] for _, _, cosine, _, shown, _ in rows if past is not None and cosine >= past.similarity]
    return list(dict.fromkeys(_id(id) for shown in similar for id, used, *_ in shown if used))


def past_turn(row: Any, rarity: Mapping[str, float], language: str) -> PastTurn:
    """Return a past turn of a row of the search's facts, with the words that its message shares with the query."""
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
    """The idf mass of the words that a message shares with the query, over the geometric mean of their own masses.

    What words weigh that the query does not have is not looked up: each is taken for as rare as its rarest.
    """
    spoken = _spoken(message, language)
    mass = sum(rarity.values())
    if not spoken or not mass:
        return 0.0
    shared = sum(weight for lexeme, weight in rarity.items() if lexeme in spoken)
    own = shared + len(spoken - rarity.keys()) * max(rarity.values())
    return float(shared / math.sqrt(mass * own)) if own else 0.0


@cached(_MAX_NAMED)
def _id(written: str) -> UUID:
    return UUID(written)


@cached(_MAX_SPOKEN)
def _spoken(message: str, language: str) -> frozenset[str]:
    return frozenset(lexemes(message, language))
