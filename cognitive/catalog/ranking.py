"""Rank tools by their relevance to a message: shared words, embedding similarity, and calls in similar past turns.

relevance = cosine + LEXICAL_WEIGHT · words + HISTORY_WEIGHT · calls, with each of the three in [0, 1]. A shared word is
weighted by its rarity among the tools (the idf of BM25) and counts twice in a tool's name; the sum is divided by that
of the best tool. Without vectors the cosine is left out.
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
from cognitive.tool import Tool

Scores = NDArray[np.float64]  # shape (tools,)

# Number of most relevant tools that keep their parameters in a cut. A tool is hard to call without parameters, but each
# of these tools takes the room of two others; with ten, the share of needed tools that are kept falls by one point.
TOOLS_WITH_FULL_SCHEMA = 4
# The cosine has weight 1. From 0.1 to 0.5, the share of needed tools that are kept varies by half a percentage point.
LEXICAL_WEIGHT = 0.2
HISTORY_WEIGHT = 0.3  # from 0.2 to 0.4, the result differs in one or two requests
MIN_HISTORY_COSINE = 0.3  # between messages, above which the calls of a past turn count
FULL_HISTORY_COSINE = 0.9  # between messages, from which the calls of a past turn count fully
MIN_CONFIDENCE = 0.33  # match of the best tool below which a cut removes a needed tool three times as often


@dataclass(frozen=True, slots=True)
class ToolEvidence:
    """Data from which a turn's need for each tool is estimated.

    `message` is the turn's message or query, `vector` its embedding, and `past` are similar past turns. `recent` are
    the tools that the conversation called lately, and `wanted` those that the plan's categories name. `always` are the
    tools that are cut last.
    """

    message: str
    vector: Vector | None = None
    past: tuple[PastTurn, ...] = ()
    recent: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()

    @property
    def preferred(self) -> frozenset[str]:
        """The names of tools that the conversation called lately or that the plan names.

        They are kept while there is room, whatever their relevance.
        """
        return self.recent | self.wanted


@dataclass(frozen=True, slots=True)
class ToolVectors:
    """The embeddings of those tools of a catalog that are embedded already, shape (len(places), dimension).

    `places` are the indexes of these tools in the catalog.
    """

    vectors: Vectors
    places: tuple[int, ...]

    @classmethod
    def of(cls, vectors: Sequence[Vector | None]) -> ToolVectors | None:
        """Create an instance from the embeddings of all tools of a catalog, with None for a tool that has none yet.

        Return None if no tool has an embedding.
        """
        known = [vector for vector in vectors if vector is not None]
        places = tuple(n for n, vector in enumerate(vectors) if vector is not None)
        return cls(np.stack(known), places) if known else None


@dataclass(frozen=True, slots=True)
class ToolRanking:
    """The tools of a catalog ranked by relevance to a message.

    `order` has the indexes of the tools in the catalog, the best first. `by` names the evidence used: "words",
    "meaning", "calls", or "names" alone. `confidence`, from 0 to 1, says how well the best tool matches the message.
    """

    order: tuple[int, ...]
    by: tuple[str, ...]
    confidence: float

    @property
    def low(self) -> bool:
        """True if the best tool matches the message so weakly that the needed tool may have any rank."""
        return self.confidence < MIN_CONFIDENCE


def rank(catalog: ToolCatalog, tool_vectors: ToolVectors | None, evidence: ToolEvidence) -> ToolRanking:
    """Rank all tools of a catalog by relevance to a message, those of equal relevance in catalog order."""
    tools = catalog.tools
    shared, coverage = _by_words(catalog, evidence.message)
    cosines = _by_meaning(tool_vectors, evidence.vector, len(tools))
    called = _by_calls(tools, evidence)
    relevance = LEXICAL_WEIGHT * shared + HISTORY_WEIGHT * called
    if cosines is not None:
        relevance = relevance + cosines
    sure = np.maximum(coverage if cosines is None else cosines, called)
    first = np.array([tool.name in evidence.always for tool in tools], dtype=bool)
    # The last key of lexsort decides first. Rounding keeps tools in catalog order that differ by rounding errors only.
    order = np.lexsort((np.arange(len(tools)), -np.round(relevance, 6), ~first)).tolist()
    by = ("words",) + ("meaning",) * (cosines is not None) + ("calls",) * bool(called.any())
    return ToolRanking(_with_preferred(order, tools, evidence), by, float(np.clip(sure.max(initial=0.0), 0.0, 1.0)))


def rank_by_name(catalog: ToolCatalog, evidence: ToolEvidence) -> ToolRanking:
    """Rank all tools by the words that their names and first words share with the message; used after the deadline.

    The tools in `evidence.always` come first, then those in `evidence.preferred`. Rare words weigh more. The confidence
    is 0.
    """
    shared, heads = np.zeros(len(catalog)), catalog.heads
    for needle in needles(evidence.message):
        matches = heads.holding(needle)
        shared += math.log(1 + len(catalog) / (1 + int(matches.sum()))) * matches
    first = [(tool.name not in evidence.always, tool.name not in evidence.preferred) for tool in catalog.tools]
    order = sorted(range(len(catalog)), key=lambda n: (*first[n], -shared[n], n))
    return ToolRanking(tuple(order), ("names",), 0.0)


def calls(past: Sequence[PastTurn]) -> Mapping[str, float]:
    """Return a score from 0 to 1 for each tool that similar past turns called.

    The score is the cosine between the message and that of the nearest turn that called the tool, scaled:
    `MIN_HISTORY_COSINE` becomes 0, `FULL_HISTORY_COSINE` becomes 1.
    """
    span = max(1e-6, FULL_HISTORY_COSINE - MIN_HISTORY_COSINE)
    similarities: dict[str, float] = {}
    for turn in past:
        similarity = min(1.0, max(0.0, (turn.cosine - MIN_HISTORY_COSINE) / span))
        for name in turn.tools_called if similarity else ():
            similarities[name] = max(similarity, similarities.get(name, 0.0))
    return similarities


def _with_preferred(order: Sequence[int], tools: Sequence[Tool], evidence: ToolEvidence) -> tuple[int, ...]:
    """Move the preferred tools of a ranking up, directly behind the first tools, which keep their full schema.

    If the conversation has a call of a tool that the model is not given, the model may invent the tool, and some
    providers reject the prompt.
    """
    full, others = order[:TOOLS_WITH_FULL_SCHEMA], order[TOOLS_WITH_FULL_SCHEMA:]
    return (*full, *sorted(others, key=lambda n: tools[n].name not in evidence.preferred))


def _by_calls(tools: Sequence[Tool], evidence: ToolEvidence) -> Scores:
    called = {**calls(evidence.past), **dict.fromkeys(evidence.recent, 1.0)}
    return np.array([called.get(tool.name, 0.0) for tool in tools])


def _by_meaning(tool_vectors: ToolVectors | None, query: Vector | None, tools: int) -> Scores | None:
    """Return the cosine of each tool with the query, clipped to [0, 1], or None without vectors.

    `tools` is the number of tools. A tool without a vector gets the average of the others.
    """
    if tool_vectors is None or query is None:
        return None
    cosines = (tool_vectors.vectors @ query).astype(np.float64)
    scores = np.full(tools, float(cosines.mean()))
    scores[list(tool_vectors.places)] = cosines
    clipped: Scores = np.clip(scores, 0.0, 1.0)
    return clipped


def _by_words(catalog: ToolCatalog, message: str) -> tuple[Scores, Scores]:
    """Score each tool by the words that it shares with the message, as two arrays with values in [0, 1].

    The first array is relative to the best tool, the second to the weight of all words in the message. A word that n of
    N tools have is weighted by the idf of BM25 in Lucene's form, log(1 + (N - n + 0.5) / (n + 0.5)) (after Robertson
    and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond"). In the first array, a word in a tool's
    name counts twice.
    """
    tools = len(catalog.tools)
    shared, covered, mass = np.zeros(tools), np.zeros(tools), 0.0
    for needle in needles(message):
        named, described = catalog.names.holding(needle), catalog.words.holding(needle)
        holding = int((named | described).sum())
        rarity = math.log(1 + (tools - holding + 0.5) / (holding + 0.5))
        mass += rarity
        shared += rarity * np.where(named, 2.0, described)
        covered += rarity * (named | described)
    best = shared.max(initial=0.0)
    return (shared / best if best else shared), (covered / mass if mass else covered)
