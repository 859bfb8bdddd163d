"""Store evaluation sets in Postgres, search for their questions, and write the candidates to files."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

from benchmarks.ranking.sets import EvaluationQuestion, EvaluationSet, Store, read_sets
from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.languages import AgentLanguages
from brain.opening import open_database
from brain.search import Hit, MemorySearch, SearchResult
from brain.settings import from_environment
from brain.store import MemoryStore
from brain.turns import TurnLog
from brain.types import MEMORY_TYPES, NewMemory, Vector
from brain.users import Scope
from cognitive import Message, Policy, Turn
from cognitive.admin import embedders_of
from cognitive.context import dedup
from cognitive.context.retrieve import run_queries
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy.constants import CONSTANTS
from cognitive.preflight import signals
from cognitive.preflight.category_learning import CategoryLearner
from cognitive.preflight.planner import Planner
from cognitive.recording.record import TurnInputs

RECALL_LIMIT = 20
BATCH = 256
_PATIENT = 60_000.0  # milliseconds

Passages = Mapping[tuple[UUID, int], Hit]  # the fields of a hit that are the same for every question


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A question with what retrieval found for it.

    `plan` and `turn` are those of a turn, `queries` and `recall` those of the recall tool with a limit of 20. `stated`
    are the sentences of the conversation, with their vectors. The hits lack texts and vectors, which the store has.
    """

    question: EvaluationQuestion
    plan: Plan
    turn: TurnInputs
    queries: Sequence[RetrievalQuery]
    recall: SearchResult
    stated: Sequence[str]
    vectors: Mapping[str, Vector]

    def with_passages(self, passages: Passages) -> RecordedQuestion:
        """Return the question with the texts and vectors of its hits."""
        turn = replace(self.turn, found=_filled(self.turn.found, passages))
        return replace(self, turn=turn, recall=_filled(self.recall, passages))


@dataclass(frozen=True, slots=True)
class RecordedStore:
    """The questions of a store, and the texts and vectors of the passages that they found."""

    name: str
    passages: Passages
    questions: Sequence[RecordedQuestion]


@dataclass(frozen=True, slots=True)
class RecordedSet:
    """A recorded evaluation set."""

    name: str
    typed: bool
    stores: Sequence[RecordedStore]


def _filled(found: SearchResult, passages: Passages) -> SearchResult:
    hits = []
    for hit in found.hits:
        kept = passages[hit.memory_id, hit.ordinal]
        hits.append(hit._replace(content=kept.content, vector=kept.vector))
    return replace(found, hits=tuple(hits))


def load(folder: Path, names: Sequence[str] = ()) -> list[RecordedSet]:
    """Return the recorded sets of a folder, or those of these names."""
    paths = [path for path in sorted(folder.glob("*.pickle")) if not names or path.stem in names]
    found = []
    for path in paths:
        recorded: RecordedSet = pickle.loads(path.read_bytes())
        stores = [
            replace(store, questions=[each.with_passages(store.passages) for each in store.questions])
            for store in recorded.stores
        ]
        found.append(replace(recorded, stores=stores))
    return found


class StoreRecorder:
    """Searches the agents of a layer as a turn and the recall tool do, and keeps what was found."""

    def __init__(
        self, memories: MemoryStore, search: MemorySearch, embedders: Embedders, planner: Planner, policy: Policy
    ) -> None:
        self._memories = memories
        self._search = search
        self._embedders = embedders
        self._planner = planner
        self._policy = policy

    async def store(self, store: Store) -> RecordedStore:
        """Store the memories of a store as a new agent, and record all its questions."""
        agent = f"{store.name}-{uuid4().hex[:8]}"
        ids: dict[str | None, UUID] = {}
        for wave in store.waves:
            for start in range(0, len(wave), BATCH):
                part = wave[start : start + BATCH]
                written = [_in(agent, memory, ids.get(replaced)) for memory, replaced in part]
                stored = await self._memories.remember(agent, written, now=datetime.now(UTC))
                ids.update({memory.source: id for (memory, _), id in zip(part, stored, strict=True)})
        passages: dict[tuple[UUID, int], Hit] = {}
        questions = [await self._question(agent, store, question, passages) for question in store.questions]
        return RecordedStore(store.name, passages, questions)

    async def _question(
        self, agent: str, store: Store, question: EvaluationQuestion, passages: dict[tuple[UUID, int], Hit]
    ) -> RecordedQuestion:
        now = store.asked(question)
        conversation = [Message(role=role, content=text) for role, text in question.conversation]
        turn = Turn(agent_id=agent, session_id="asked", text=question.text, now=now, conversation=conversation)
        plan = self._planner.plan(turn, now, self._policy)
        time = signals.read_time(question.text, now)
        queries = [RetrievalQuery(each, question.text, RECALL_LIMIT, *time) for each in MEMORY_TYPES]
        embedder = self._embedders.of(agent)
        results = []
        for wanted, recalled in ((plan.retrieval, False), (queries, True)):
            retrieved = await run_queries(
                Scope(agent),
                wanted,
                find=partial(self._search.find, Scope(agent)),
                embedder=embedder,
                policy=self._policy,
                constants=CONSTANTS,
                now=now,
                deadline=Deadline(_PATIENT),
                recalled=recalled,
            )
            if retrieved.degraded:
                raise RuntimeError(f"{question.text!r}: {retrieved.degraded}")
            results.append(_stripped(retrieved.found, passages))
        texts = [message.content for message in conversation if message.role in ("user", "assistant")]
        recent = texts[-2 * plan.window :] if plan.window else []
        stated = dedup.window_sentences([*recent, question.text])
        inputs = TurnInputs.from_plan(
            plan, now=now, model=embedder.model, found=results[0], agent_id=agent, turn_id="recorded"
        )
        vectors = dict(zip(stated, await embedder.embed(stated), strict=True)) if stated else {}
        return RecordedQuestion(question, plan, inputs, queries, results[1], stated, vectors)


def _in(agent: str, memory: NewMemory, replaced: UUID | None) -> NewMemory:
    session = memory.session_id and f"{agent}-{memory.session_id}"
    return memory.model_copy(update={"session_id": session, "supersedes": replaced})


def _stripped(found: SearchResult, passages: dict[tuple[UUID, int], Hit]) -> SearchResult:
    """Return the search result without texts and vectors, which are added to `passages`."""
    hits = []
    for hit in found.hits:
        passages.setdefault((hit.memory_id, hit.ordinal), hit)
        hits.append(hit._replace(content="", vector=None))
    return replace(found, hits=tuple(hits))


async def record(folder: Path, out: Path, names: Sequence[str]) -> None:
    """Record the sets of a folder, or those of these names, as one file each."""
    settings, policy, languages = from_environment(), Policy(), AgentLanguages()
    embedders = Embedders([CachedEmbedder(each) for each in embedders_of(None, settings)])
    async with open_database(settings.database_url, settings) as (database, _):
        memories = MemoryStore(database, embedders, languages=languages)
        search = MemorySearch(database, embedders.remember, languages)
        planner = Planner(policy, CategoryLearner(TurnLog(database), policy))
        recorder = StoreRecorder(memories, search, embedders, planner, policy)
        for each in read_sets(folder):
            if names and each.name not in names:
                continue
            await _record_set(recorder, each, out)


async def _record_set(recorder: StoreRecorder, each: EvaluationSet, out: Path) -> None:
    stores = []
    for store in each.stores:
        stores.append(await recorder.store(store))
        sys.stderr.write(f"{each.name}: {store.name}, {len(store.questions)} questions\n")
    (out / f"{each.name}.pickle").write_bytes(pickle.dumps(RecordedSet(each.name, each.typed, stores)))
