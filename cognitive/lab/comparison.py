"""Compare two embedding models on past turns, before one replaces the other.

The texts that an agent's latest completed turns searched for are searched for again with both models; nothing is
recorded. Overlap is the share of the first ten memories that both models find. Recall is the share of the memories used
in the turn that are among the first ten. The used memories were found by the old model, so recall favours the old
model. The new model's true loss is therefore smaller than the difference in recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from uuid import UUID

from brain.changes.reembedding import PastRequest, Reembedding
from brain.filters import NO_FILTER
from brain.types import MEMORY_TYPES
from brain.users import Scope
from cognitive.context.engine import ContextEngine
from cognitive.context.retrieve import searched
from cognitive.errors import InvalidInput
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.recording.recorded import decode
from cognitive.trace import Candidate

FIRST = 10


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The result of comparing two embedding models, `old` and `new`, on past turns.

    Attributes:
        turns: number of turns compared.
        judged: number of these turns whose response used a memory.
        overlap: mean share of the first ten memories that both models find; None without turns.
        old_recall, new_recall: mean share of the used memories among the first ten; None if `judged` is 0.
        old_cosine, new_cosine: mean cosine between the searched text and its nearest memory. If the two differ, the
            policy's cosine thresholds have another meaning with the new model.
    """

    old: str
    new: str
    turns: int
    judged: int
    overlap: float | None
    old_recall: float | None
    new_recall: float | None
    old_cosine: float | None
    new_cosine: float | None


@dataclass(frozen=True, slots=True)
class _NearestMemories:
    first: tuple[UUID, ...]
    cosine: float

    def recall(self, used: Sequence[UUID]) -> float:
        return len(set(self.first) & set(used)) / len(used)


def searched_text(message: str, record: str | None) -> str:
    """Return the text that a recorded turn searched for.

    If the message is incomplete by itself ("and for staging?"), the text includes earlier messages of the conversation.
    """
    try:
        inputs = decode(record).inputs if record else None
    except InvalidInput:  # a record of another version
        inputs = None
    return searched(inputs.signals.text if inputs is not None else message)


async def compare(
    agent_id: str,
    new: str,
    *,
    reembedding: Reembedding,
    engine: ContextEngine,
    policy: Policy,
    now: datetime,
    latest: int = 200,
) -> ModelComparison:
    """Compare an agent's live embedding model with the model `new`, before `new` replaces it.

    Both models search for what the agent's latest completed turns (at most `latest`) searched for, and the memories
    that they find are compared. The vectors of both models must be stored.

    Raises:
        EmbeddingError: this process lacks one of the models.
        InvalidInput: the agent has no vectors.
        StoreUnavailable: Postgres did not answer in time.
    """
    old = await reembedding.live(agent_id)
    if old is None:
        raise InvalidInput(f"agent {agent_id!r} has no memories")
    pairs: list[tuple[PastRequest, _NearestMemories, _NearestMemories]] = []
    for turn in await reembedding.past_requests(agent_id, latest):
        text = searched_text(turn.message, turn.record)
        scope = Scope(agent_id, turn.user_id)
        by_old, by_new = [await _search(scope, text, model, engine, policy, now) for model in (old, new)]
        pairs.append((turn, by_old, by_new))
    judged = [(turn.used, by_old, by_new) for turn, by_old, by_new in pairs if turn.used]
    return ModelComparison(
        old,
        new,
        len(pairs),
        len(judged),
        _mean([_overlap(by_old, by_new) for _, by_old, by_new in pairs]),
        _mean([by_old.recall(used) for used, by_old, _ in judged]),
        _mean([by_new.recall(used) for used, _, by_new in judged]),
        _mean([by_old.cosine for _, by_old, _ in pairs]),
        _mean([by_new.cosine for _, _, by_new in pairs]),
    )


async def _search(
    scope: Scope, text: str, model: str, engine: ContextEngine, policy: Policy, now: datetime
) -> _NearestMemories:
    """Search for a text with one embedding model, and rank the memories found by relevance alone.

    The use of memories in past turns does not change their rank, because it favours those that the old model found.
    """
    queries = [RetrievalQuery(type_, text, FIRST) for type_ in MEMORY_TYPES]
    found = await engine.recall(scope, queries, NO_FILTER, now, policy, model)
    best = sorted(found, key=lambda candidate: (-candidate.relevance, candidate.hit.memory_id))
    cosine = max((each.hit.scores.get("content_cosine", 0.0) for each in found), default=0.0)
    return _NearestMemories(_distinct(best), cosine)


def _distinct(candidates: Sequence[Candidate]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(candidate.hit.memory_id for candidate in candidates))[:FIRST]


def _overlap(one: _NearestMemories, other: _NearestMemories) -> float:
    longest = max(len(one.first), len(other.first))
    return len(set(one.first) & set(other.first)) / longest if longest else 1.0


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
