"""Export an agent's memories as JSON lines, and import them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from brain.archive import Archive, ArchivedMemory
from brain.changes.reindexing import Reindexing
from brain.filters import MemoryFilter
from brain.policies import PolicyStore
from brain.postgres.breaker import waits_for_recovery
from brain.store import BATCH, MemoryStore, Progress
from brain.types import NewMemory
from brain.users import SHARED, Scope
from cognitive.api import jsonl
from cognitive.api.jsonl import ExportedLanguage, ExportedPolicy, ImportLine
from cognitive.api.policies import PoliciesApi
from cognitive.errors import InvalidInput, PolicyError
from cognitive.policy.live import with_changes


class ImportExport:
    """Exports and imports the memories of agents."""

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

    async def export(self, scope: Scope, where: Mapping[str, Any] | None = None) -> AsyncIterator[str]:
        """Yield an agent's export as JSON lines, in the format that `import_lines` reads.

        The lines are, in order: the agent's language if it was set; every memory, oldest first, with its usage
        and revisions; the average rates of use by memory type; and the active policies. Vectors and turns are left out.

        With a filter `where`, only the memories that meet its conditions are exported. The operator's view exports the
        memories of all users, a user's view only that user's, and the view without a user shared ones.
        """
        wanted = MemoryFilter.parse(where)
        status = await self._reindexing.status(scope.agent_id)
        if status.chosen:  # another language is recognised again by the import
            language = status.pending_language or status.language
            yield jsonl.agent_line(jsonl.LANGUAGE, ExportedLanguage(language=language))
        after = -1
        while page := await self._archive.page(scope, after, BATCH, wanted):
            for memory in page:
                yield jsonl.memory_line(memory)
            after = page[-1].seq
        for base in await self._archive.bases(scope):
            yield jsonl.agent_line(jsonl.BASE, base)
        for role, active in sorted((await self._policy_store.active(scope.agent_id)).items()):
            if active.changes:
                policy = ExportedPolicy(
                    role=role, changes=active.changes, by=active.choice.author, note=active.choice.note
                )
                yield jsonl.agent_line(jsonl.POLICY, policy)

    @waits_for_recovery
    async def import_lines(self, scope: Scope, lines: Iterable[str], *, progress: Progress | None = None) -> list[UUID]:
        """Import memories exported by this product, mem0 or LangGraph; return their ids in the order of the lines.

        Memories of this product keep their ids, usage, revisions and order. Existing memories are not changed, so an
        interrupted import can be repeated. If the agent has no memories and no language set, it gets the language in
        the file. Memories of other systems get the trust "foreign". The whole file is held in memory. After each batch,
        `progress(done, total)` is called. In a user's view, lines without a user are that user's.

        Raises:
            InvalidInput: a line is invalid, or of another user than the view's. The message has the line's number, and
                nothing is stored.
        """
        agent_id, contents = scope.agent_id, jsonl.read(lines)
        imported = [line.owned_by(scope) for line in contents.lines]
        for number, policy in contents.policies:
            self._require_policy(agent_id, number, policy)
        for indexed in contents.languages:
            await self._index(agent_id, indexed.language)
        ids, renamed = list[UUID](), dict[UUID, UUID]()
        for start in range(0, len(imported), BATCH):
            ids += await self._stored(agent_id, imported[start : start + BATCH], renamed)
            if progress is not None:
                progress(len(ids), len(imported))
        await self._repoint(agent_id, imported, ids, renamed)
        for base in contents.bases:
            if scope.sees_all or base.user_id == scope.user:
                await self._archive.put_bases(scope.as_user(base.user_id), [base])
        for _, policy in contents.policies:
            await self._activate(agent_id, policy)
        return ids

    async def _repoint(
        self, agent_id: str, lines: Sequence[ImportLine], ids: Sequence[UUID], renamed: Mapping[UUID, UUID]
    ) -> None:
        """Replace ids of the file in the links of imported memories, in the view of each user."""
        changed: dict[str | None, dict[UUID, UUID]] = {}
        undated: dict[str | None, list[UUID]] = {}
        for line, id in zip(lines, ids, strict=True):
            if line.original_id is not None and renamed[line.original_id] != line.original_id:
                changed.setdefault(line.memory.user_id, {})[line.original_id] = renamed[line.original_id]
            if line.undated:
                undated.setdefault(line.memory.user_id, []).append(id)
        for user_id in {**changed, **undated}:
            view = Scope(agent_id, user_id or SHARED)
            await self._archive.repoint(view, changed.get(user_id, {}), undated.get(user_id, []))

    async def _index(self, agent_id: str, language: str) -> None:
        """Set the agent's language to that of the export, if the agent has no memories and no other language set."""
        status = await self._reindexing.status(agent_id)
        if not status.memories and (not status.chosen or language == (status.pending_language or status.language)):
            await self._reindexing.change(agent_id, language)

    async def _stored(self, agent_id: str, batch: Sequence[ImportLine], renamed: dict[UUID, UUID]) -> list[UUID]:
        """Store a batch of imported memories in order, and return their ids in this store.

        `renamed` maps the ids in the file to the ids in this store; those of the batch are added to it.
        """
        original_ids = {id for line in batch for id in (line.original_id, line.memory.supersedes) if id is not None}
        known = {
            memory.id: memory.id for memory in await self._store.get(Scope.all_users(agent_id), sorted(original_ids))
        }
        renamed |= known
        ids = list[UUID]()
        for _, run in groupby(
            batch, lambda line: line.kept is None and line.memory.supersedes
        ):  # runs of lines with equal metadata and supersedes
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
        """Store imported memories and return their ids.

        Either all of them have metadata (usage, revisions) or none has. `renamed` maps ids in the file to ids in this
        store.
        """
        now, store = datetime.now(UTC), self._store
        whole = [ArchivedMemory(line.memory, line.kept) for line in lines if line.kept is not None]
        if whole:
            return await store.restore(agent_id, whole, now=now)
        return await store.remember(agent_id, [_renamed(line.memory, renamed) for line in lines], now=now)

    def _require_policy(self, agent_id: str, number: int, policy: ExportedPolicy) -> None:
        try:
            with_changes(self._policies.base(agent_id), policy.changes)
        except (InvalidInput, PolicyError) as error:
            raise InvalidInput(f"line {number}: {error}") from error

    async def _activate(self, agent_id: str, policy: ExportedPolicy) -> None:
        """Save and activate an exported policy, unless the agent has one in the same role (live or shadow) already."""
        if policy.role in await self._policy_store.active(agent_id):
            return
        saved = await self._policies.save(agent_id, policy.changes, by=policy.by, note=policy.note)
        activate = self._policies.activate if policy.role == "live" else self._policies.shadow
        await activate(agent_id, saved.version, by=policy.by, note=policy.note)


def _renamed(memory: NewMemory, renamed: Mapping[UUID, UUID]) -> NewMemory:
    """Return a copy of an imported memory in which `supersedes` is an id of this store.

    `supersedes` names the memory that this one replaces; in the file, it is an id of the exporting store. It becomes
    None if the replaced memory is not in this store. `renamed` maps ids in the file to ids in this store.
    """
    if memory.supersedes is None:
        return memory
    return memory.model_copy(update={"supersedes": renamed.get(memory.supersedes)})
