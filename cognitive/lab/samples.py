"""Read recorded turns for what-if questions, and cache them for a minute while a user moves sliders.

A sample is a set of recorded turns: the latest completed ones of a period. It contains text of memories, so it is
removed from the cache a minute after its last use, and when the agent or one of its memories is erased.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic, thread_time
from uuid import UUID

from brain.judgements import Verdict
from brain.passage_texts import Key, PassageText, PassageTexts
from brain.policies import PolicyStore, SampledTurn
from brain.store import MemoryStore
from brain.types import Memory
from brain.users import Scope
from cognitive.errors import InvalidInput, PolicyError
from cognitive.lab.cases import EvaluationCase, StoredTurn, evaluation_case, restored_evaluation_case
from cognitive.lab.what_if import Sample, WhatIf, needs_history, what_if
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.policy.live import check_changes
from cognitive.privacy.erasure_listeners import IsErased
from cognitive.recording.recorded import NOTHING, Recording, decode
from cognitive.tokens import TokenCounter

MAX_TURNS = 40  # turns in a sample: each takes 20 to 40 ms, and the answer about a second
MAX_WHOLE = 200  # turns in the larger sample of a caller that waits
MAX_BEFORE = 500  # turns whose judged memories are counted again with another half-life or threshold
_SECONDS = 60.0  # a sample stays cached after its last use
_ANSWER_SECONDS = 1.0  # processor time of an answer; turns that it does not reach are counted as not run
_WHOLE_SECONDS = 20.0  # processor time for the larger sample
_BUSY = 4  # maximum wall-clock time, as a multiple of the processor time
_PROVEN = 2  # this many of the latest and of the earliest turns are replayed to verify the sample
_MAX_KEPT = 4  # cached samples; each takes about ten megabytes

_SampleKey = tuple[Scope, str, int]  # agent and view, name of the period, number of turns


@dataclass(frozen=True, slots=True)
class _CachedSample:
    until: float
    sample: Sample
    memory_ids: tuple[UUID, ...]


class _TimeLimit:
    """A limit on the processor time of the current thread, and a limit four times as long on the wall-clock time.

    The time counts from the first call of `is_left`.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began: tuple[float, float] | None = None

    def is_left(self) -> bool:
        """Return True if time is left: neither of the two limits is reached."""
        now = (thread_time(), monotonic())
        own, clock = self._began = self._began or now
        return now[0] - own < self._seconds and now[1] - clock < _BUSY * self._seconds


class SampleCache:
    """Reads samples of an agent's latest completed turns, caches them, and answers what-if questions on them."""

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
        self._latest_call: dict[Scope, object] = {}
        self._lock = asyncio.Lock()  # reading takes memory and a core: one call at a time
        self._erasures = 0  # a sample that was being read during an erasure may contain erased text: not cached

    async def what_if(
        self,
        scope: Scope,
        name: str,
        since: datetime,
        until: datetime,
        moved: Mapping[str, float | int],
        live: Policy,
        *,
        whole: bool = False,
    ) -> WhatIf:
        """Compute, in a thread, how the turns of a sample would have differed with changed settings.

        `moved` has the changed settings by dotted name, and `name` identifies the period in the cache. The computation
        stops after about a second. If `whole` is True, the sample is larger and the limit is 20 seconds. A new call for
        the same agent stops the previous one, because the user has moved a slider in the meantime.
        """
        rows = check_changes(moved)
        mine = self._latest_call[scope] = object()
        max_turns = MAX_WHOLE if whole else MAX_TURNS
        sample = await self.of(scope, name, since, until, max_turns, history=needs_history(rows))
        async with self._lock:
            spent = _TimeLimit(_WHOLE_SECONDS if whole else _ANSWER_SECONDS)
            try:
                return await asyncio.to_thread(
                    what_if, sample, rows, live, lambda: spent.is_left() and self._latest_call.get(scope) is mine
                )
            finally:
                if self._latest_call.get(scope) is mine:
                    del self._latest_call[scope]

    async def of(
        self, scope: Scope, name: str, since: datetime, until: datetime, max_turns: int, *, history: bool
    ) -> Sample:
        """Return the latest `max_turns` completed turns of [since, until) as a sample, from the cache if possible.

        `name` identifies the period in the cache. If `history` is True, the sample includes the verdicts (used or not)
        on memories that were shown before the sample's latest turn.
        """
        async with self._lock:
            erasures, kept = self._erasures, self._kept.pop((scope, name, max_turns), None)
            if kept is None or kept.until < monotonic() or not await self._still(scope, kept):
                kept = await self._read(scope, since, until, max_turns)
            if history and not kept.sample.history:
                kept = replace(kept, sample=await self._with_history(scope, kept.sample))
            if self._erasures == erasures:
                self._kept[scope, name, max_turns] = replace(kept, until=monotonic() + _SECONDS)
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
            return kept.sample

    def forget(self, scope: Scope, _: IsErased) -> None:
        """Remove an agent's samples from the cache, because the agent or some of its text was erased."""
        self._erasures += 1
        for key in [key for key in self._kept if key[0].agent_id == scope.agent_id]:
            del self._kept[key]

    async def _still(self, scope: Scope, kept: _CachedSample) -> bool:
        """Return True if all turns and memories of a cached sample are still stored.

        Another process may have erased some.
        """
        return await self._policies.still_exist(scope, [case.turn_id for case in kept.sample.cases], kept.memory_ids)

    async def _read(self, scope: Scope, since: datetime, until: datetime, max_turns: int) -> _CachedSample:
        sampled = await self._policies.sample(scope, since, until, max_turns)
        rows = list({row.turn_id: row for row in reversed(sampled)}.values())[::-1]  # turn ids are unique per user only
        users = {row.turn_id: row.user_id for row in rows}
        recorded = await self._policies.completed(scope.agent_id, since, until)
        records = await asyncio.to_thread(_decoded, rows)
        verdicts: dict[str, dict[UUID, Verdict]] = {}
        for verdict in await self._policies.verdicts(scope, list(records)):
            if verdict.via == "prompt" and verdict.user_id == users[verdict.turn_id]:
                verdicts.setdefault(verdict.turn_id, {})[verdict.memory_id] = verdict
        policies = await self._planned_under(scope.agent_id, {row.policy for row in rows if row.turn_id in records})
        words, pinned = await self._words(scope, list(records.values()))
        own = [row for row in rows if row.turn_id in records and row.policy in policies]
        cases = await asyncio.to_thread(self._cases, own, records, policies, verdicts, words, pinned)
        told = {row.turn_id: (row.at, row.message, row.user_id or None) for row in own}
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
        """Return the sampled turns that can be replayed.

        A turn whose memories are all stored unchanged is replayed identically. The latest two and the earliest two of
        these are replayed to verify this. If the prompt of one of them is not reproduced, for example because another
        release recorded the turn, all turns are replayed. So is each turn with memories that were forgotten or changed.
        """

        def stored(row: SampledTurn) -> StoredTurn:
            record = records[row.turn_id]
            return StoredTurn(
                row.turn_id,
                record,
                words[record.model],
                pinned,
                policies[row.policy],
                verdicts.get(row.turn_id, {}),
                self._counter,
                self._constants,
            )

        restored = {row.turn_id: restored_evaluation_case(stored(row)) for row in rows}
        whole = [row for row in rows if restored[row.turn_id] is not None]
        if not all(evaluation_case(stored(row)) is not None for row in (*whole[:_PROVEN], *whole[-_PROVEN:])):
            restored = {}
        cases = (restored.get(row.turn_id) or evaluation_case(stored(row)) for row in rows)
        return [case for case in cases if case is not None]

    async def _words(
        self, scope: Scope, records: Sequence[Recording]
    ) -> tuple[Mapping[str, Mapping[Key, PassageText]], Mapping[UUID, Memory]]:
        """Return the current texts that the records of turns refer to.

        These are the texts of passages, by embedding model, and the pinned memories, by id.
        """
        keys: dict[str, dict[Key, None]] = {}
        for record in records:
            keys.setdefault(record.model, {}).update(dict.fromkeys(record.keys))
        words = {model: await self._contents.read(scope, list(own), model) for model, own in keys.items()}
        pinned = await self._store.get(scope, list({id for record in records for id, _ in record.pinned}))
        return words, {memory.id: memory for memory in pinned}

    async def _planned_under(self, agent_id: str, versions: set[str]) -> dict[str, Policy]:
        """Return the policies with these version hashes, by version, except those that this release cannot read."""
        found: dict[str, Policy] = {}
        for version in sorted(versions):
            content = await self._policies.content(agent_id, version)
            try:
                if content is not None:
                    found[version] = Policy.from_record(content)
            except PolicyError:
                continue
        return found

    async def _with_history(self, scope: Scope, sample: Sample) -> Sample:
        if not sample.cases:
            return sample
        newest = max(at for at, _, _ in sample.messages.values())
        history = await self._policies.verdicts_before(scope, newest, MAX_BEFORE)
        turns = {verdict.turn_id for verdict in history}
        return replace(sample, history=tuple(history), since=history[0].at if len(turns) >= MAX_BEFORE else None)


def _decoded(rows: Sequence[SampledTurn]) -> dict[str, Recording]:
    """Decode the records of sampled turns, by turn id.

    Turns that did not search for memories, and records of another release, are left out.
    """
    found: dict[str, Recording] = {}
    for row in rows:
        try:
            record = decode(row.record)
        except InvalidInput:
            continue
        if record is not NOTHING:
            found[row.turn_id] = record
    return found
