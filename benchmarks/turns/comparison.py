"""Ask this layer and other memory systems (peers) the same questions, and compare their times and results."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.turns.data import KnownQuestion
from benchmarks.turns.peers import Peer
from brain.ports import Embedder
from cognitive.bench import databases
from cognitive.bench.figures import percentiles
from cognitive.bench.turns import TEN, ProgressReport, RoundResult, report_part, sums, timed
from cognitive.bench.workload import Question, Workload
from cognitive.turn import TurnContext


@dataclass(slots=True)
class RetrievalScores:
    """Collects at which rank each memory system found the answer, by system and kind of question.

    Rank 0 is first; None means that the answer was not found. For small talk, which needs no memory, the number of
    memories shown is collected instead.
    """

    places: dict[str, dict[str, list[int | None]]] = field(default_factory=dict)
    unwanted: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, asked: KnownQuestion, sources: Sequence[str | None]) -> None:
        """Add what the system `name` found for a question: the sources of its memories, best first."""
        if asked.source is None:
            self.unwanted.setdefault(name, []).append(len(sources))
        else:
            place = sources.index(asked.source) if asked.source in sources else None
            self.places.setdefault(name, {}).setdefault(asked.kind, []).append(place)

    def as_json(self) -> dict[str, Any]:
        """Return the share of questions whose answer was found, in all and by kind.

        Also return the share of small talk for which memories were shown.
        """
        kinds = list(dict.fromkeys(kind for by_kind in self.places.values() for kind in by_kind))
        return {
            "recall_at_10": {name: _share(_all(by_kind), TEN) for name, by_kind in self.places.items()},
            "recall_at_1": {name: _share(_all(by_kind), 1) for name, by_kind in self.places.items()},
            "kinds": {kind: self._kind(kind) for kind in kinds},
            "unwanted": {name: _unwanted(counts) for name, counts in self.unwanted.items()},
        }

    def _kind(self, kind: str) -> dict[str, Any]:
        found = {name: by_kind[kind] for name, by_kind in self.places.items()}
        return {
            "questions": max(len(places) for places in found.values()),
            "recall_at_10": {name: _share(places, TEN) for name, places in found.items()},
            "recall_at_1": {name: _share(places, 1) for name, places in found.items()},
        }


class PeerComparison:
    """Asks other memory systems (peers) the questions of a benchmark's rounds, and collects the results of all systems.

    The peers store the same memories in a temporary database.
    """

    def __init__(self, peers: Sequence[Peer], url: str) -> None:
        self._peers, self._url = peers, url
        self._found = RetrievalScores()
        self._searches: dict[str, list[float]] = {peer.name: [] for peer in peers}
        self._stores: dict[str, list[float]] = {peer.name: [] for peer in peers}

    async def store(
        self, agents: Sequence[str], workload: Workload, embedder: Embedder, report_progress: ProgressReport
    ) -> None:
        """Store the memories of all agents in each of the other memory systems."""
        for peer in self._peers:
            for n, agent in enumerate(agents):
                memories = workload.memories_of(n)
                moved = partial(
                    report_part, report_progress, f"{peer.name} stores", n * len(memories), len(memories) * len(agents)
                )
                await asyncio.to_thread(peer.fill, agent, memories, embedder, moved)
        await databases.execute(self._url, "VACUUM ANALYZE")

    def compare(self, question: Question, answer: RoundResult, embedder: Embedder, counted: bool) -> None:
        """Record this layer's result for a question, and ask the other memory systems the same question.

        Each of them also stores the exchange of messages, as a turn of this layer does. If `counted` is False, the
        results are not collected.
        """
        assert isinstance(question, KnownQuestion)
        found = self._found if counted else RetrievalScores()
        found.add("recall", question, [hit.source for hit in answer.hits])
        if question.source is not None:
            found.add("ranked", question, _ranked(answer.context))
        found.add("shown", question, [shown.source for shown in answer.context.shown])
        for peer in self._peers:
            with timed(self._searches[peer.name] if counted else []):
                sources = peer.search(answer.agent, question.with_context, embedder)
            found.add(peer.name, question, sources)
            with timed(self._stores[peer.name] if counted else []):
                peer.store(answer.agent, question.question, answer.response, embedder)

    def as_json(self) -> dict[str, Any]:
        """Return the times of the other memory systems, and the retrieval results of all systems."""
        peers = {
            name: {
                "search_ms": percentiles(searches),
                "store_ms": percentiles(self._stores[name]),
                "turn_ms": percentiles(sums(searches, self._stores[name])),
            }
            for name, searches in self._searches.items()
        }
        return {"peers": peers, "found": self._found.as_json()}


def _ranked(context: TurnContext) -> list[str | None]:
    """Return the sources of the ten candidates that rank first, including those that the token budget left out."""
    first = sorted(context.trace.candidates, key=lambda result: result.candidate.rank)[:TEN]
    return [result.candidate.hit.source for result in first]


def _all(by_kind: dict[str, list[int | None]]) -> list[int | None]:
    return [place for places in by_kind.values() for place in places]


def _share(places: Sequence[int | None], first: int) -> float:
    return round(sum(place is not None and place < first for place in places) / len(places), 3)


def _unwanted(counts: Sequence[int]) -> dict[str, float]:
    """Return the share of small-talk turns that showed memories, and the mean number shown in such a turn."""
    return {
        "turns": round(sum(count > 0 for count in counts) / len(counts), 3),
        "memories": round(statistics.mean(counts), 2),
    }
