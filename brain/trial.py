"""Try a database out: store, find, show and erase memories of an agent that exists only for this.

`cognitive doctor` runs it, because each part may fail alone, as on a cluster that refuses a statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID, uuid4

import numpy as np

from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.erasure import purge_derived
from brain.erasure.erasing import Eraser
from brain.errors import StoreError
from brain.judgements import Decoy, ExposureRow, Judgement, PlannedTurn, TurnJudgement, UsageWeights
from brain.postgres.database import Database
from brain.search import MemorySearch, Query
from brain.store import MemoryStore
from brain.turn_outcomes import ReportedOutcome
from brain.turn_records import Exposure, OpenTurn
from brain.turns import TurnLog
from brain.types import NewMemory, Vectors
from brain.users import Scope

_WORD = "kettle"
_MODEL = "trial"


class _OneVector:
    """An embedding model that returns the same vector for every text: the trial is not about embedding."""

    model = _MODEL
    dimension = 4

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), self.dimension), 0.5, dtype=np.float32)


async def run_trial(database: Database) -> None:
    """Store, find, show and erase a shared and a private memory of a throw-away agent, of which nothing remains.

    Raises:
        StoreError: the database refused a part, or a memory was not found; the message says which part.
    """
    agent_id, embedders = f"trial-{uuid4().hex}", Embedders([CachedEmbedder(_OneVector())])
    store = MemoryStore(database, embedders)
    eraser = Eraser(database, store, embedders)
    part = "store"
    try:
        for scope in (Scope(agent_id), Scope(agent_id, "user")):
            part = "store"
            memory = NewMemory(type="fact", content=f"The {_WORD} of {agent_id} leaks.", user_id=scope.user_id or None)
            [memory_id] = await store.remember(agent_id, [memory], now=datetime.now(UTC))
            part = "find"
            await _found(database, scope, memory_id)
            part = "record a turn that shows"
            await _shown(TurnLog(database), scope, memory_id)
            part = "forget"
            await eraser.memories(scope, [memory_id])
        part = "erase the agent of"
        await _leave_nothing(database, eraser, agent_id)
    except StoreError as error:
        with suppress(StoreError):  # the first error says more
            await _leave_nothing(database, eraser, agent_id)
        raise StoreError(f"cannot {part} a memory: {error.problem}", remedy=error.remedy) from error
    finally:
        embedders.close()


async def _leave_nothing(database: Database, eraser: Eraser, agent_id: str) -> None:
    await eraser.agent(agent_id)
    log = purge_derived.SQL.forget_erasures(agent_id=agent_id)
    await database.run(Scope.all_users(agent_id), lambda c: c.execute(*log))


async def _found(database: Database, scope: Scope, memory_id: UUID) -> None:
    vector = _OneVector().embed([""])[0]
    result = await MemorySearch(database).find(scope, Query({"fact": 4}, _WORD, vector, _MODEL))
    if memory_id not in {hit.memory_id for hit in result.hits}:
        raise StoreError("it was stored, and the search does not find it")


async def _shown(turns: TurnLog, scope: Scope, memory_id: UUID) -> None:
    turn_id, now = uuid4().hex, datetime.now(UTC)
    shown = (Exposure(memory_id, "fact", 0),)
    opened = OpenTurn(turn_id, "trial", None, now, f"Which {_WORD} leaks?", "trial", "trial", (), {}, shown)
    await turns.open(scope, opened, abandon_after_minutes=60)
    if await turns.close(scope, turn_id, ReportedOutcome("completed"), _used) is None:
        raise StoreError("the turn was recorded, and is not there")


async def _used(shown: Sequence[ExposureRow], decoys: Sequence[Decoy], planned: PlannedTurn) -> TurnJudgement:
    return TurnJudgement(
        [Judgement(each.memory_id, 1.0, True, type=each.type) for each in shown], UsageWeights(7.0, 1.0)
    )
