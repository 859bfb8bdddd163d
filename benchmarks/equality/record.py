"""Record the results of a layer's turns as JSON, without values that differ between runs: ids of memories and times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Turn
from cognitive.turn import TurnContext

_DIGITS = 6


class Recorder:
    """Calls the methods of a layer and records their results by turn."""

    def __init__(self, layer: CognitiveLayer) -> None:
        self._layer = layer
        self._names: dict[UUID, str] = {}
        self.records: dict[str, Any] = {}

    async def remember(self, agent: str, memories: Sequence[NewMemory]) -> list[UUID]:
        """Store memories of an agent. In recordings, each is named by its source, or by its content if it has none."""
        ids = await self._layer.remember(agent, memories)
        self._names |= {id: memory.source or memory.content for id, memory in zip(ids, memories, strict=True)}
        return ids

    async def pre_turn(self, turn: Turn) -> TurnContext:
        """Prepare a turn and record its text, prefix, plan, candidates, tools and window."""
        context = await self._layer.pre_turn(turn)
        self.records[f"{turn.turn_id} pre_turn"] = {
            "text": context.text,
            "prefix": context.prefix,
            "plan": repr(context.plan),
            "shown": [
                [self._name(each.memory_id, each.content), each.content, _round(each.score), each.tokens]
                for each in context.shown
            ],
            "candidates": sorted(map(self._candidate, context.trace.candidates)),
            "sections": repr(context.trace.sections),
            "tools": [dict(tool) for tool in context.tools],
            "trim": repr(context.trim),
            "messages": [message.model_dump(mode="json") for message in context.prompt("You are helpful.")],
            "degraded": [str(reason) for reason in context.degraded],
        }
        return context

    async def recall(self, agent: str, query: str, n: int, now: datetime, turn_id: str | None = None) -> None:
        """Search an agent's memories, and record those found with their scores."""
        hits = await self._layer.recall(agent, query, limit=20, now=now, turn_id=turn_id)
        self.records[f"{agent}-{n} recall"] = [
            [self._name(hit.memory_id, hit.content), hit.content, _round(hit.score), _rounded(hit.scores), hit.partial]
            for hit in hits
        ]

    async def fit(self, context: TurnContext, conversation: Sequence[Message], n: int) -> None:
        """Shorten the conversation of a running turn to fit the token budget, and record the remaining messages."""
        window = await self._layer.fit(context, conversation, iteration=n)
        self.records[f"{context.turn_id} fit"] = [message.model_dump(mode="json") for message in window.messages]

    async def post_turn(self, context: TurnContext, outcome: Outcome) -> None:
        """Post the outcome of a turn, and record which memories it used (the attributions)."""
        report = await self._layer.post_turn(context, outcome)
        self.records[f"{context.turn_id} post_turn"] = [
            [self._names[each.memory_id], _round(each.overlap), each.referenced] for each in report.attributions
        ]

    def _candidate(self, result: Any) -> list[Any]:
        candidate = result.candidate
        hit = candidate.hit
        return [
            candidate.rank,
            self._name(hit.memory_id, hit.content),
            hit.ordinal,
            result.disposition,
            _round(result.value),
            result.reason,
            candidate.rank_before,
            _round(candidate.score),
            _round(candidate.relevance),
            sorted(_rounded(candidate.factors).items()),
            _round(candidate.boost.factor),
        ]

    def _name(self, id: UUID, content: str) -> str:
        """Return the name of a memory in recordings. Memories captured from turns are named by their content."""
        return self._names.setdefault(id, content)


def _round(value: float) -> float:
    return round(float(value), _DIGITS)


def _rounded(values: Any) -> dict[str, float]:
    return {name: _round(value) for name, value in values.items()}
