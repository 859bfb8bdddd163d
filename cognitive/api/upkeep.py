"""`layer.upkeep`: lists of memories that may need attention. Nothing here changes stored data."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from brain.embedding.embedders import Embedders
from brain.types import Memory, Vector
from brain.upkeep import MemoryTexts, UpkeepReader, UsedMemory
from brain.users import Scope, UserId
from cognitive.policy.resolver import PolicyResolver
from cognitive.upkeep import contradictions, duplicates
from cognitive.upkeep.contradictions import Contradiction
from cognitive.upkeep.pages import MemoryPair, PairPage, StaleMemory, StalePage, offset_of, require_page


class UpkeepApi:
    """Lists likely duplicates, contradictions and stale memories, a page at a time, each with its reason.

    `limit` is the number of items of a page, 1 to 200, and `after` the `next` of the page before. Hidden memories are
    left out. Methods raise InvalidInput for another limit or `after`.
    """

    def __init__(self, reader: UpkeepReader, embedders: Embedders, policies: PolicyResolver) -> None:
        self._reader = reader
        self._embedders = embedders
        self._policies = policies

    async def duplicates(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> PairPage:
        """Return pairs of memories of one type that say the same, the most certain first.

        Only the newest 200,000 memories are compared. Each page compares them anew.
        """
        scope = Scope.of(agent_id, user_id)
        size, start = require_page(limit), offset_of(after)
        texts = await self._reader.texts(scope, datetime.now(UTC))
        found = await asyncio.to_thread(duplicates.candidates, texts)
        if start < len(found.sure):
            listed, stop = await asyncio.to_thread(found.sure_pairs, texts, start, size)
        else:
            vectors = await self._vectors(scope, texts, found.near_texts(start))
            listed, stop = await asyncio.to_thread(found.near_pairs, texts, start, size, vectors)
        pairs = [(texts.seqs[pair.right], texts.seqs[pair.left], pair.score, pair.reason) for pair in listed]
        items = await self._pairs(scope, pairs)
        return PairPage(items, str(stop) if stop < len(found) else None, len(texts.seqs))

    async def contradictions(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> PairPage:
        """Return pairs of memories that give one attribute of one subject different values.

        Those with equal claims come first, the newest before the others. Pages behind them list similar memories that
        differ in a value, among the newest 200,000; each of these pages reads and compares them anew. A page may be
        empty, such as the last one, although the page before has a `next`.
        """
        scope = Scope.of(agent_id, user_id)
        size, start, now = require_page(limit), offset_of(after), datetime.now(UTC)
        claimed = await self._reader.claimed(scope, now)
        found = contradictions.contradictions(claimed)
        if start < len(found):
            page, stop = found[start : start + size], min(start + size, len(found))
            return PairPage(await self._contradictions(scope, page), str(stop), len(claimed))
        texts = await self._reader.texts(scope, now)
        pairs = await asyncio.to_thread(contradictions.candidates, texts)
        page, stop = await asyncio.to_thread(contradictions.near_contradictions, texts, pairs, start - len(found), size)
        items = await self._contradictions(scope, page)
        return PairPage(items, str(len(found) + stop) if stop < len(pairs) else None, len(texts.seqs))

    async def _contradictions(self, scope: Scope, found: Sequence[Contradiction]) -> tuple[MemoryPair, ...]:
        return await self._pairs(scope, [(each.older, each.newer, each.score, each.reason) for each in found])

    async def stale(
        self, agent_id: str, limit: int = 50, after: str | None = None, *, user_id: UserId = None
    ) -> StalePage:
        """Return memories that turns showed without use, or no longer use; those that were shown most come first."""
        scope = Scope.of(agent_id, user_id)
        size, start, now = require_page(limit), offset_of(after), datetime.now(UTC)
        half_life_days = self._policies.for_agent(agent_id).usage.half_life_days
        found = await self._reader.stale(scope, half_life_days, now, size + 1, start)
        items = tuple(StaleMemory(each.memory, _stale_reason(each)) for each in found[:size])
        return StalePage(items, str(start + size) if len(found) > size else None)

    async def _vectors(self, scope: Scope, texts: MemoryTexts, which: Sequence[int]) -> Mapping[int, Vector]:
        """Return the vectors of some of the texts by their indexes; a text without a vector is left out."""
        by_seq = {texts.seqs[n]: n for n in which}
        vectors = await self._reader.vectors(scope, list(by_seq), self._embedders.of(scope.agent_id).model)
        return {by_seq[seq]: vector for seq, vector in vectors.items()}

    async def _pairs(self, scope: Scope, pairs: Sequence[tuple[int, int, float, str]]) -> tuple[MemoryPair, ...]:
        """Return pairs with their memories.

        Pairs of which a memory was erased meanwhile are left out, and pairs of two users in the operator's view.
        """
        memories = await self._reader.memories(scope, [seq for older, newer, *_ in pairs for seq in (older, newer)])
        return tuple(
            MemoryPair(*_by_time(memories, older, newer), score, reason)
            for older, newer, score, reason in pairs
            if older in memories and newer in memories and not _of_two_users(memories[older], memories[newer])
        )


def _of_two_users(one: Memory, other: Memory) -> bool:
    return None not in (one.user_id, other.user_id) and one.user_id != other.user_id


def _by_time(memories: Mapping[int, Memory], older: int, newer: int) -> tuple[Memory, Memory]:
    one, other = memories[older], memories[newer]
    return (one, other) if one.occurred_at <= other.occurred_at else (other, one)


def _stale_reason(used: UsedMemory) -> str:
    if not used.times_used:
        return f"Shown {used.times_shown} times and never used."
    return f"Used {used.times_used} times, but hardly any more; last shown on {used.last_at:%Y-%m-%d}."
