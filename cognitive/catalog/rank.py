"""Which tools a message is about: by the words they share, by what they mean, by what such messages led to.

relevance = cosine + words_weight · words + history_weight · calls, each in [0, 1]. Words count by how rare they are
among the tools (the idf of BM25), those of the name twice, and the best match of the catalogue is 1. Without vectors
the words alone decide, and nobody claims to be sure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain.search import PastTurn
from brain.text import as_lexeme, words
from brain.types import Vector
from cognitive.catalog.entry import Offered
from cognitive.policy import Policy

Scores = NDArray[np.float64]  # shape (tools,)

_MOST_WORDS = 32  # of a message
_LEAST_PREFIX = 4  # letters; what is shorter must be the whole word: "art" is not in "article"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a turn knows of which tools it needs: its message, the message's vector, and past turns like it.

    `recent` are the tools that this conversation called already; `always` are never to be cut while others can be.
    """

    message: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    recent: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Places of the tools, the best first, by what, and how well the best matches, in [0, 1]."""

    order: tuple[int, ...]
    by: tuple[str, ...]
    confidence: float

    def low(self, policy: Policy) -> bool:
        """Whether the best match is so weak that the right tool may stand anywhere."""
        return self.confidence < policy.catalog_confidence


def rank(tools: Sequence[Offered], vectors: Sequence[Vector | None], evidence: Evidence, policy: Policy) -> Ranking:
    """All tools by relevance, equal ones in the order given. `vectors` are those of `Offered.text`, as far as known."""
    shared, coverage = _by_words(tools, evidence.message)
    meaning = _by_meaning(vectors, evidence.vector)
    called = _by_calls(tools, evidence, policy)
    relevance = policy.catalog_words * shared + policy.catalog_history * called
    if meaning is not None:
        relevance = relevance + meaning
    sure = np.maximum(coverage if meaning is None else meaning, called)
    first = np.array([tool.name in evidence.always for tool in tools], dtype=bool)
    # lexsort's last key decides first; rounding keeps what differs by the order of a sum in the order given
    order = np.lexsort((np.arange(len(tools)), -np.round(relevance, 9), ~first))
    by = ("words",) + ("meaning",) * (meaning is not None) + ("calls",) * bool(called.any())
    return Ranking(tuple(order.tolist()), by, float(np.clip(sure.max(initial=0.0), 0.0, 1.0)))


def calls(past: Sequence[PastTurn], policy: Policy) -> Mapping[str, float]:
    """By name, how like this message the nearest past turn was that called the tool: 0 at the floor, 1 when full."""
    span = max(1e-6, policy.catalog_history_full - policy.catalog_history_floor)
    found: dict[str, float] = {}
    for turn in past:
        near = min(1.0, max(0.0, (turn.cosine - policy.catalog_history_floor) / span))
        for name in turn.called if near else ():
            found[name] = max(near, found.get(name, 0.0))
    return found


def _by_calls(tools: Sequence[Offered], evidence: Evidence, policy: Policy) -> Scores:
    called = {**calls(evidence.past, policy), **dict.fromkeys(evidence.recent, 1.0)}
    return np.array([called.get(tool.name, 0.0) for tool in tools])


def _by_meaning(vectors: Sequence[Vector | None], query: Vector | None) -> Scores | None:
    """Cosines, never negative; whose vector is not known yet stands where the average of the others does."""
    known = [n for n, vector in enumerate(vectors) if vector is not None]
    if query is None or not known:
        return None
    cosines = np.stack([vector for vector in vectors if vector is not None]).astype(np.float64) @ query
    scores = np.full(len(vectors), float(cosines.mean()))
    scores[known] = cosines
    clipped: Scores = np.clip(scores, 0.0, 1.0)
    return clipped


def _by_words(tools: Sequence[Offered], message: str) -> tuple[Scores, Scores]:
    """How much of the rarest of the message's words each tool has, and what share of all of them."""
    shared, covered, mass = np.zeros(len(tools)), np.zeros(len(tools)), 0.0
    for needle in _needles(message):
        named = np.array([needle in tool.names for tool in tools], dtype=bool)
        said = np.array([needle in tool.words for tool in tools], dtype=bool)
        holding = int((named | said).sum())
        rarity = math.log(1 + (len(tools) - holding + 0.5) / (holding + 0.5))
        mass += rarity
        shared += rarity * np.where(named, 2.0, said)
        covered += rarity * (named | said)
    best = shared.max(initial=0.0)
    return (shared / best if best else shared), (covered / mass if mass else covered)


def _needles(message: str) -> list[str]:
    """The message's words as they begin in any of their forms; in scripts without spaces, as they stand."""
    found = list[str]()
    for word in dict.fromkeys(words(message)):
        lexeme = as_lexeme(word)
        if not lexeme or len(found) == _MOST_WORDS:
            continue
        stem = _common_start(lexeme, word) or word
        if not word[0].isascii():
            found.append(stem)
        else:
            found.append(f" {stem}" if len(stem) >= _LEAST_PREFIX else f" {word} ")
    return found


def _common_start(one: str, other: str) -> str:
    """The letters in which two words begin alike: "happi", the stem, and "happy"."""
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]
