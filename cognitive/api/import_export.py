"""An agent's memories out of the layer and into it, as lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from uuid import UUID

from brain.archive import Archive, ArchivedMemory
from brain.changes.reindexing import Reindexing
from brain.languages import ENGLISH
from brain.policies import PolicyStore
from brain.postgres.breaker import waits_for_recovery
from brain.store import BATCH, MemoryStore, Progress
from brain.types import NewMemory
from cognitive.api import jsonl
from cognitive.api.jsonl import ExportedLanguage, ExportedPolicy, ImportLine
from cognitive.api.policies import PoliciesApi
from cognitive.errors import InvalidInput, PolicyError
from cognitive.policy.live import with_changes
from cognitive.validation import require_label


class ImportExport:
    """Export of an agent's memories, and import of them."""

    def __init__(
        self,
        store: MemoryStore,
        archive: Archive,
        reindexing: Reindexing,
        policies: PoliciesApi,
        policy_store: PolicyStore,
    ) -> None:
        self._store = store
        self._archive = archive
        self._reindexing = reindexing
        self._policies = policies
        self._policy_store = policy_store

    async def export(self, agent_id: str) -> AsyncIterator[str]:
        """The language of an agent's words, unless it is English; every memory as a line of JSON, oldest first, with
        its use and what it said before; then what is usual among them, and the policies that were chosen. It is what
        `import_lines` reads.

        Vectors are not in it, since they are made again, nor turns, which a dump keeps.
        """
        standing = await self._reindexing.standing(require_label("agent_id", agent_id))
        if standing.language != ENGLISH:
            yield jsonl.agent_line(jsonl.LANGUAGE, ExportedLanguage(language=standing.language))
        after = -1
        while page := await self._archive.page(agent_id, after, BATCH):
            for memory in page:
                yield jsonl.memory_line(memory)
            after = page[-1].seq
        for base in await self._archive.bases(agent_id):
            yield jsonl.agent_line(jsonl.BASE, base)
        for role, held in sorted((await self._policy_store.active(agent_id)).items()):
            if held.changes:
                told = ExportedPolicy(role=role, changes=held.changes, by=held.choice.author, note=held.choice.note)
                yield jsonl.agent_line(jsonl.POLICY, told)

    @waits_for_recovery
    async def import_lines(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Remembers the memories of an export, ours, mem0's or LangGraph's, and returns their ids in order.

        Ours have the ids, the use and the revisions that they had, and stand in the same order. Whatever is there
        already stays as it is: an import that was interrupted is run again. An empty agent that was told no language
        takes that of the file. Of what another system gave, the trust is "foreign". The file is held in memory.

        Raises:
            InvalidInput: a line that cannot be read, named by its number; nothing is stored.
        """
        require_label("agent_id", agent_id)
        told = jsonl.read(lines)
        for number, chosen in told.policies:
            self._require_policy(agent_id, number, chosen)
        for indexed in told.languages:
            await self._index(agent_id, indexed.language)
        ids, renamed = list[UUID](), dict[UUID, UUID]()
        for start in range(0, len(told.lines), BATCH):
            ids += await self._stored(agent_id, told.lines[start : start + BATCH], renamed)
            if progress is not None:
                progress(len(ids), len(told.lines))
        await self._archive.repoint(agent_id, renamed)
        await self._archive.put_bases(agent_id, told.bases)
        for _, chosen in told.policies:
            await self._choose(agent_id, chosen)
        return ids

    async def _index(self, agent_id: str, language: str) -> None:
        """Has an agent indexed in the language that it had elsewhere, unless it holds something or was told another."""
        standing = await self._reindexing.standing(agent_id)
        if not standing.memories and (standing.pending_language or standing.language) in (ENGLISH, language):
            await self._reindexing.change(agent_id, language)

    async def _stored(self, agent_id: str, batch: Sequence[ImportLine], renamed: dict[UUID, UUID]) -> list[UUID]:
        """A batch in its order, under the ids that it has here; what supersedes another names it by that."""
        asked = {id for line in batch for id in (line.original_id, line.memory.supersedes) if id is not None}
        known = {memory.id: memory.id for memory in await self._store.get(agent_id, sorted(asked))}
        renamed |= known
        ids = list[UUID]()
        for _, run in groupby(batch, lambda line: line.kept is None and line.memory.supersedes):  # the same, or none
            lines = list(run)
            stored = iter(await self._put(agent_id, [line for line in lines if line.original_id not in known], renamed))
            here = [
                known[line.original_id] if line.original_id is not None and line.original_id in known else next(stored)
                for line in lines
            ]
            renamed |= {
                line.original_id: id for line, id in zip(lines, here, strict=True) if line.original_id is not None
            }
            ids += here
        return ids

    async def _put(self, agent_id: str, lines: Sequence[ImportLine], renamed: Mapping[UUID, UUID]) -> list[UUID]:
        """Lines that all tell what is kept of them, or none of which does."""
        now, store = datetime.now(UTC), self._store
        whole = [ArchivedMemory(line.memory, line.kept) for line in lines if line.kept is not None]
        if whole:
            return await store.restore(agent_id, whole, now=now)
        return await store.remember(agent_id, [_renamed(line.memory, renamed) for line in lines], now=now)

    def _require_policy(self, agent_id: str, number: int, chosen: ExportedPolicy) -> None:
        try:
            with_changes(self._policies.base(agent_id), chosen.changes)
        except (InvalidInput, PolicyError) as error:
            raise InvalidInput(f"line {number}: {error}") from error

    async def _choose(self, agent_id: str, chosen: ExportedPolicy) -> None:
        """Lets a policy hold that held elsewhere, unless one was chosen here."""
        if chosen.role in await self._policy_store.active(agent_id):
            return
        saved = await self._policies.save(agent_id, chosen.changes, by=chosen.by, note=chosen.note)
        choose = self._policies.activate if chosen.role == "live" else self._policies.shadow
        await choose(agent_id, saved.version, by=chosen.by, note=chosen.note)


def _renamed(memory: NewMemory, renamed: Mapping[UUID, UUID]) -> NewMemory:
    """With the name that what it supersedes has here; without one, where that is not here."""
    if memory.supersedes is None:
        return memory
    return memory.model_copy(update={"supersedes": renamed.get(memory.supersedes)})
