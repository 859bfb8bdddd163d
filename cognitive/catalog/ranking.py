"""Which tools a message is about: by the words they share, by what they mean, by what such messages led to.

relevance = cosine + words_weight · words + history_weight · calls, each in [0, 1]. Words count by how rare they are
among the tools (the idf of BM25), those of the name twice, and the best match of the catalog is 1. Without vectors
the words alone decide, and nobody claims to be sure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain.past_turns import PastTurn
from brain.types import Vector, Vectors
from cognitive.catalog.tool_variants import ToolCatalog, needles
from cognitive.turn import Tool

Scores = NDArray[np.float64]  # shape (tools,)

# So many of the most relevant tools of a cut keep their parameters: a tool is hard to call without them, but each takes
# the room of two others, and ten would cost a point of the tools that are needed.
TOOLS_WITH_FULL_SCHEMA = 4
LEXICAL_WEIGHT = 0.2  # beside a cosine; from 0.1 to 0.5 the needed tools kept differ by half a point
HISTORY_WEIGHT = 0.3  # of a call in a turn that asked the same; 0.2 to 0.4 differ by a request or two
MIN_HISTORY_COSINE = 0.3  # of messages, from which a past turn says anything of tools
FULL_HISTORY_COSINE = 0.9  # of messages, from which a past turn asked the same
MIN_CONFIDENCE = 0.33  # of the best tool's match: below, the cut takes a needed one three times as often


@dataclass(frozen=True, slots=True)
class ToolEvidence:
    """What a turn knows of which tools it needs: its message, the message's vector, and past turns like it.

    `recent` are the tools that this conversation called already, `wanted` those that the plan's categories name;
    `always` are never to be cut while others can be.
    """

    message: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    recent: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()

    @property
    def preferred(self) -> frozenset[str]:
        """The tools that stay as long as there is room, whatever they share with the message."""
        return self.recent | self.wanted


@dataclass(frozen=True, slots=True)
class ToolVectors:
    """The vectors of `ToolVariants.text`, shape (known, dimension), and the places of the tools that they are of."""

    vectors: Vectors
    places: tuple[int, ...]

    @classmethod
    def of(cls, vectors: Sequence[Vector | None]) -> ToolVectors | None:
        """Those that are known; None if none is."""
        known = [vector for vector in vectors if vector is not None]
        places = tuple(n for n, vector in enumerate(vectors) if vector is not None)
        return cls(np.stack(known), places) if known else None


@dataclass(frozen=True, slots=True)
class ToolRanking:
    """Places of the tools, the best first, by what, and how well the best matches, in [0, 1]."""

    order: tuple[int, ...]
    by: tuple[str, ...]
    confidence: float

    @property
    def low(self) -> bool:
        """Whether the best match is so weak that the right tool may stand anywhere."""
        return self.confidence < MIN_CONFIDENCE


def rank(catalog: ToolCatalog, tool_vectors: ToolVectors | None, evidence: ToolEvidence) -> ToolRanking:
    """All tools by relevance, equal ones in the order given."""
    tools = catalog.tools
    shared, coverage = _by_words(catalog, evidence.message)
    cosines = _by_meaning(tool_vectors, evidence.vector, len(tools))
    called = _by_calls(tools, evidence)
    relevance = LEXICAL_WEIGHT * shared + HISTORY_WEIGHT * called
    if cosines is not None:
        relevance = relevance + cosines
    sure = np.maximum(coverage if cosines is None else cosines, called)
    first = np.array([tool.name in evidence.always for tool in tools], dtype=bool)
    # lexsort's last key decides first; rounding keeps what differs by the order of a sum in the order given
    order = np.lexsort((np.arange(len(tools)), -np.round(relevance, 6), ~first)).tolist()
    by = ("words",) + ("meaning",) * (cosines is not None) + ("calls",) * bool(called.any())
    return ToolRanking(_with_preferred(order, tools, evidence), by, float(np.clip(sure.max(initial=0.0), 0.0, 1.0)))


def rank_by_name(catalog: ToolCatalog, evidence: ToolEvidence) -> ToolRanking:
    """All tools by how many of the message's rarest words stand in their names and first words: for when there is no
    time.

    Tools that must stay come first, then those at hand. The confidence is 0.
    """
    shared, heads = np.zeros(len(catalog)), catalog.heads
    for needle in needles(evidence.message):
        held = heads.holding(needle)
        shared += math.log(1 + len(catalog) / (1 + int(held.sum()))) * held
    first = [(tool.name not in evidence.always, tool.name not in evidence.preferred) for tool in catalog.tools]
    order = sorted(range(len(catalog)), key=lambda n: (*first[n], -shared[n], n))
    return ToolRanking(tuple(order), ("names",), 0.0)


def calls(past: Sequence[PastTurn]) -> Mapping[str, float]:
    """By name, how like this message the nearest past turn was that called the tool: 0 at the floor, 1 when full."""
    span = max(1e-6, FULL_HISTORY_COSINE - MIN_HISTORY_COSINE)
    found: dict[str, float] = {}
    for turn in past:
        near = min(1.0, max(0.0, (turn.cosine - MIN_HISTORY_COSINE) / span))
        for name in turn.tools_called if near else ():
            found[name] = max(near, found.get(name, 0.0))
    return found


def _with_preferred(order: Sequence[int], tools: Sequence[Tool], evidence: ToolEvidence) -> tuple[int, ...]:
    """What the plan wants and the conversation called, behind the tools that are told whole.

    A model that reads of a call without finding its tool makes it up, and some providers refuse the prompt.
    """
    told, others = order[:TOOLS_WITH_FULL_SCHEMA], order[TOOLS_WITH_FULL_SCHEMA:]
    return (*told, *sorted(others, key=lambda n: tools[n].name not in evidence.preferred))


def _by_calls(tools: Sequence[Tool], evidence: ToolEvidence) -> Scores:
    called = {**calls(evidence.past), **dict.fromkeys(evidence.recent, 1.0)}
    return np.array([called.get(tool.name, 0.0) for tool in tools])


def _by_meaning(tool_vectors: ToolVectors | None, query: Vector | None, tools: int) -> Scores | None:
    """Cosines, never negative; a tool without a vector yet gets the average of the others."""
    if tool_vectors is None or query is None:
        return None
    cosines = (tool_vectors.vectors @ query).astype(np.float64)
    scores = np.full(tools, float(cosines.mean()))
    scores[list(tool_vectors.places)] = cosines
    clipped: Scores = np.clip(scores, 0.0, 1.0)
    return clipped


def _by_words(catalog: ToolCatalog, message: str) -> tuple[Scores, Scores]:
    """How much of the rarest of the message's words each tool has, and what share of all of them."""
    tools = len(catalog.tools)
    shared, covered, mass = np.zeros(tools), np.zeros(tools), 0.0
    for needle in needles(message):
        named, said = catalog.names.holding(needle), catalog.words.holding(needle)
        holding = int((named | said).sum())
        rarity = math.log(1 + (tools - holding + 0.5) / (holding + 0.5))
        mass += rarity
        shared += rarity * np.where(named, 2.0, said)
        covered += rarity * (named | said)
    best = shared.max(initial=0.0)
    return (shared / best if best else shared), (covered / mass if mass else covered)
