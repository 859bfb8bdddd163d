"""Recorded turns to try a policy on: read once, and kept for a minute for somebody who moves sliders.

They hold memories' words, and so they go with the agent, with any of its memories that is erased, and after a minute.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic, thread_time
from uuid import UUID

from brain.passage_texts import Key, PassageText, PassageTexts
from brain.policies import PolicyStore, SampledTurn
from brain.store import MemoryStore
from brain.turn_records import Verdict
from brain.types import Memory
from cognitive.errors import InvalidInput, PolicyError
from cognitive.lab.evidence import EvaluationCase, evaluation_case, restored_evaluation_case
from cognitive.lab.what_if import Sample, WhatIf, needs_history, what_if
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.live import check_changes
from cognitive.privacy.erasure_listeners import IsErased
from cognitive.recording.record import NOTHING, Recording, decode
from cognitive.tokens import TokenCounter

MAX_TURNS = 40  # looked at for an answer within about a second: each takes some 20 to 40 ms
MAX_WHOLE = 200  # for a caller that waits
MAX_BEFORE = 500  # turns whose verdicts are counted again, under another half-life or threshold
_SECONDS = 60.0  # a sample is kept after it was last asked for
_ANSWER_SECONDS = 1.0  # of a core; then the turns that are left are left out, and the answer says so
_WHOLE_SECONDS = 20.0  # for a caller that asks for all turns
_BUSY = 4  # times as long by the clock, at most
_PROVEN = 2  # of the latest and of the earliest turns of a sample, run again under their own policy
_MAX_KEPT = 4  # samples; each is some ten megabytes

_SampleKey = tuple[str, str, int]  # an agent, what the caller calls the stretch of time, how many turns


@dataclass(frozen=True, slots=True)
class _CachedSample:
    until: float
    sample: Sample
    memory_ids: tuple[UUID, ...]


class _TimeLimit:
    """So many seconds of a thread's own work, from when it first asks; by the clock they may take longer on a busy
    machine, within a bound.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began: tuple[float, float] | None = None

    def is_left(self) -> bool:
        """Whether there is anything left."""
        now = (thread_time(), monotonic())
        own, clock = self._began = self._began or now
        return now[0] - own < self._seconds and now[1] - clock < _BUSY * self._seconds


class SampleCache:
    """Samples of agents' latest completed turns."""

    def __init__(
        self,
        policies: PolicyStore,
        store: MemoryStore,
        contents: PassageTexts,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._policies = policies
        self._store = store
        self._contents = contents
        self._counter = counter
        self._constants = constants
        self._kept: OrderedDict[_SampleKey, _CachedSample] = OrderedDict()
        self._asked: dict[str, object] = {}  # by agent, who asked last
        self._one = asyncio.Lock()  # reading takes memory and a core: one after the other
        self._erased = 0  # erasures: what was read across one may hold what is gone, and is not kept

    async def what_if(
        self,
        agent_id: str,
        name: str,
        since: datetime,
        until: datetime,
        moved: Mapping[str, float | int],
        live: Policy,
        *,
        whole: bool = False,
    ) -> WhatIf:
        """What rows would have changed in a sample, off the event loop, within about a second; `whole`, in a larger
        one, for as long as it takes. Who asks again of the same agent ends what was asked before: a slider moved on.
        """
        rows = check_changes(moved)
        mine = self._asked[agent_id] = object()
        most = MAX_WHOLE if whole else MAX_TURNS
        sample = await self.of(agent_id, name, since, until, most, history=needs_history(rows))
        async with self._one:
            spent = _TimeLimit(_WHOLE_SECONDS if whole else _ANSWER_SECONDS)
            try:
                return await asyncio.to_thread(
                    what_if, sample, rows, live, lambda: spent.is_left() and self._asked.get(agent_id) is mine
                )
            finally:
                if self._asked.get(agent_id) is mine:
                    del self._asked[agent_id]

    async def of(
        self, agent_id: str, name: str, since: datetime, until: datetime, most: int, *, history: bool
    ) -> Sample:
        """The latest turns of [since, until), as they were a minute ago at most; `name` says which stretch that is.

        With `history`, also what was judged before them, as far as it is read.
        """
        async with self._one:
            erased, kept = self._erased, self._kept.pop((agent_id, name, most), None)
            if kept is None or kept.until < monotonic() or not await self._still(agent_id, kept):
                kept = await self._read(agent_id, since, until, most)
            if history and not kept.sample.history:
                kept = replace(kept, sample=await self._with_history(agent_id, kept.sample))
            if self._erased == erased:
                self._kept[agent_id, name, most] = replace(kept, until=monotonic() + _SECONDS)
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
            return kept.sample

    def let_go(self, agent_id: str, _: IsErased) -> None:
        """Lets go of an agent's turns: it, or something of it, was erased."""
        self._erased += 1
        for key in [key for key in self._kept if key[0] == agent_id]:
            del self._kept[key]

    async def _still(self, agent_id: str, kept: _CachedSample) -> bool:
        """Whether all its turns and memories are still there: another process may have erased some."""
        return await self._policies.still(agent_id, [case.turn_id for case in kept.sample.cases], kept.memory_ids)

    async def _read(self, agent_id: str, since: datetime, until: datetime, most: int) -> _CachedSample:
        rows = await self._policies.sample(agent_id, since, until, most)
        recorded = await self._policies.completed(agent_id, since, until)
        records = await asyncio.to_thread(_decoded, rows)
        verdicts: dict[str, dict[UUID, Verdict]] = {}
        for verdict in await self._policies.verdicts(agent_id, list(records)):
            if verdict.via == "prompt":
                verdicts.setdefault(verdict.turn_id, {})[verdict.memory_id] = verdict
        policies = await self._planned_under(agent_id, {row.policy for row in rows if row.turn_id in records})
        words, pinned = await self._words(agent_id, list(records.values()))
        own = [row for row in rows if row.turn_id in records and row.policy in policies]
        cases = await asyncio.to_thread(self._cases, own, records, policies, verdicts, words, pinned)
        told = {row.turn_id: (row.at, row.message) for row in own}
        ids = {hit.memory_id for case in cases for hit in case.inputs.found.hits}
        ids |= {memory.id for case in cases for memory in case.inputs.pinned}
        return _CachedSample(0.0, Sample(tuple(cases), told, len(rows), max(recorded, len(rows))), tuple(ids))

    def _cases(
        self,
        rows: Sequence[SampledTurn],
        records: Mapping[str, Recording],
        policies: Mapping[str, Policy],
        verdicts: Mapping[str, Mapping[UUID, Verdict]],
        words: Mapping[str, Mapping[Key, PassageText]],
        pinned: Mapping[UUID, Memory],
    ) -> list[EvaluationCase]:
        """The turns that still come out as they were: all their memories are there, unchanged. A few of them are run
        again; if one comes out otherwise, since another release recorded it, all are run.
        """

        def made(row: SampledTurn, make: Callable[..., EvaluationCase | None]) -> EvaluationCase | None:
            record = records[row.turn_id]
            return make(
                row.turn_id,
                record,
                words[record.model],
                pinned,
                policies[row.policy],
                verdicts.get(row.turn_id, {}),
                self._counter,
                self._constants,
            )

        cases = [(row, case) for row in rows if (case := made(row, restored_evaluation_case)) is not None]
        if all(made(row, evaluation_case) is not None for row, _ in (*cases[:_PROVEN], *cases[-_PROVEN:])):
            return [case for _, case in cases]
        return [case for row in rows if (case := made(row, evaluation_case)) is not None]

    async def _words(
        self, agent_id: str, records: Sequence[Recording]
    ) -> tuple[Mapping[str, Mapping[Key, PassageText]], Mapping[UUID, Memory]]:
        """What the memories of all records say now, read once for each embedding model."""
        keys: dict[str, dict[Key, None]] = {}
        for record in records:
            keys.setdefault(record.model, {}).update(dict.fromkeys(record.keys))
        words = {model: await self._contents.read(agent_id, list(own), model) for model, own in keys.items()}
        pinned = await self._store.get(agent_id, list({id for record in records for id, _ in record.pinned}))
        return words, {memory.id: memory for memory in pinned}

    async def _planned_under(self, agent_id: str, versions: set[str]) -> dict[str, Policy]:
        """The policies of these versions; one that this version of ours cannot read is left out with its turns."""
        found: dict[str, Policy] = {}
        for version in sorted(versions):
            content = await self._policies.content(agent_id, version)
            try:
                if content is not None:
                    found[version] = Policy.from_record(content)
            except PolicyError:
                continue
        return found

    async def _with_history(self, agent_id: str, sample: Sample) -> Sample:
        if not sample.cases:
            return sample
        newest = max(at for at, _ in sample.messages.values())
        history = await self._policies.verdicts_before(agent_id, newest, MAX_BEFORE)
        turns = {verdict.turn_id for verdict in history}
        return replace(sample, history=tuple(history), since=history[0].at if len(turns) >= MAX_BEFORE else None)


def _decoded(rows: Sequence[SampledTurn]) -> dict[str, Recording]:
    """The records by turn; a turn in which no stage ran, or that another version wrote, is none."""
    found: dict[str, Recording] = {}
    for row in rows:
        try:
            record = decode(row.record)
        except InvalidInput:
            continue
        if record is not NOTHING:
            found[row.turn_id] = record
    return found
