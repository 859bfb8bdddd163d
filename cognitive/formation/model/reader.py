"""Ask the model about captured lines and the memories near them, within the daily budget, and make memories of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain.deadline import AttemptFailure, attempt
from brain.model_readings import ModelReadings
from brain.store import MemoryStore
from brain.text import stem_counts
from brain.types import Memory, NewMemory
from brain.users import Scope
from cognitive.formation.essentials import is_essential
from cognitive.formation.lines import formed_earlier
from cognitive.formation.memories import TAG, is_personal, is_wanted, memory_type
from cognitive.formation.model.checks import FormedByModel
from cognitive.formation.model.extractor import ModelExtractor
from cognitive.formation.model.prompt import Exchange, Nearby, request
from cognitive.policy import Policy
from cognitive.policy.outcomes import FormationSettings
from cognitive.telemetry.metrics import NOT_FORMED, Metrics, Observation
from cognitive.telemetry.spans import quietly
from cognitive.tokens import count

_MAX_NEARBY = 8  # memories that the model is shown


@dataclass(frozen=True, slots=True)
class CapturedLines:
    """The captured lines of an exchange: the user's and, if it was captured, the assistant's."""

    said: NewMemory | Memory
    answer: NewMemory | Memory | None

    def exchange(self) -> Exchange:
        """Return the texts of the lines and their day."""
        return Exchange(self.said.content, self.answer.content if self.answer else "", f"{_at(self.said):%Y-%m-%d}")


@dataclass(frozen=True, slots=True)
class NotRead:
    """The reason why exchanges were not read: the daily budget is spent, or the request failed as `detail` says."""

    reason: Literal["budget", "failed"]
    detail: str


class ModelReader:
    """Reads exchanges with a model and returns the memories that it forms, as the policy allows."""

    def __init__(
        self, model: ModelExtractor, store: MemoryStore, readings: ModelReadings, policy: Policy, metrics: Metrics
    ) -> None:
        self.model = model
        self._store = store
        self._readings = readings
        self._policy = policy
        self._metrics = metrics

    async def read(self, scope: Scope, exchanges: Sequence[CapturedLines]) -> list[list[NewMemory]] | NotRead:
        """Return the memories that each exchange forms, or why the model did not read them."""
        policy, agent_id = self._policy.for_agent(scope.agent_id), scope.agent_id
        settings = policy.formation
        near = await self._nearby(scope, exchanges)
        nearby = [Nearby(each.id, each.type, each.content) for each in near]
        asked = [each.exchange() for each in exchanges]
        prompt = request(asked, nearby, kinds=settings.kinds, instructions=settings.instructions)
        spent, tokens = await self._readings.spent(agent_id), count(prompt)
        if spent + tokens > self.model.tokens_per_day:
            return NotRead("budget", f"{spent} of {self.model.tokens_per_day} tokens of today are spent")
        reply = await attempt(
            self.model.read(asked, nearby, kinds=settings.kinds, instructions=settings.instructions), self.model.timeout
        )
        await self._readings.spend(agent_id, tokens if isinstance(reply, AttemptFailure) else reply.tokens)
        if isinstance(reply, AttemptFailure):
            return NotRead("failed", f"{reply.reason}: {reply.detail}")
        rejected = Counter(f"model:{reason}" for reason in reply.rejected)
        quietly(lambda: self._metrics.observe([Observation(NOT_FORMED, (n,), (why,)) for why, n in rejected.items()]))
        users = {each.id: each.user_id for each in near}
        return [
            [
                _replacing_own(memory, users, scope, policy)
                for memory in self._memories([each for each in reply.formed if each.exchange == n], lines, settings)
            ]
            for n, lines in enumerate(exchanges)
        ]

    async def _nearby(self, scope: Scope, exchanges: Sequence[CapturedLines]) -> list[Memory]:
        """Return eight formed memories of the speaker: those with most words of the exchanges, then the newest."""
        words = set[str]()
        for each in exchanges:
            words |= stem_counts(each.said.content).keys() | stem_counts(each.answer.content if each.answer else "")
        earlier = await formed_earlier(self._store, scope, exchanges[-1].said)
        newest = sorted(earlier, key=lambda each: each.occurred_at, reverse=True)
        return sorted(newest, key=lambda each: -_closeness(each, words))[:_MAX_NEARBY]

    def _memories(
        self, formed: Sequence[FormedByModel], lines: CapturedLines, settings: FormationSettings
    ) -> list[NewMemory]:
        return [
            _memory(each, lines, f"{self.model.name}/{n}")
            for n, each in enumerate(formed, 1)
            if is_wanted(each.text, settings) and is_wanted(each.quote, FormationSettings())
        ]


def _memory(formed: FormedByModel, lines: CapturedLines, formed_by: str) -> NewMemory:
    """Return the memory of an entry: the model's wording, with the words that state it as evidence."""
    line = lines.said if formed.line == "user" or lines.answer is None else lines.answer
    type_, attributes = memory_type(formed.kind), {"formed_by": formed_by, "evidence": formed.quote}
    if type_ != formed.kind:
        attributes["kind"] = formed.kind
    if formed.kind == "plan" and formed.day is not None and formed.day >= _at(line).date():
        attributes["date"] = formed.day.isoformat()
    return NewMemory(
        type=type_,
        content=formed.text,
        speaker=line.speaker,
        occurred_at=line.occurred_at,
        session_id=line.session_id,
        source=line.source,
        tags=(TAG,),
        attributes=attributes,
        trust="talk",
        pinned=formed.kind == "fact" and line is lines.said and is_essential(formed.text),
        supersedes=formed.replaces,
    )


def _replacing_own(memory: NewMemory, users: Mapping[UUID, str | None], scope: Scope, policy: Policy) -> NewMemory:
    """Return a memory that replaces none of another user than the one whose it will be."""
    shared = policy.capture_scope == "agent" and not is_personal(memory)
    if memory.supersedes is None or users[memory.supersedes] == (None if shared else scope.user):
        return memory
    return memory.model_copy(update={"supersedes": None})


def _closeness(memory: Memory, words: set[str]) -> float:
    """Return the share of a memory's words that are in a text, with more weight for more words."""
    own = stem_counts(memory.content).keys()
    return len(own & words) / math.sqrt(len(own)) if own else 0.0


def _at(line: NewMemory | Memory) -> datetime:
    assert line.occurred_at is not None
    return line.occurred_at
