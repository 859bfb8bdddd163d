"""Import memories that this product or another system exported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from uuid import UUID, uuid5

from brain.archive import Archive, ArchivedMemory, TypeUsage
from brain.changes.reindexing import Reindexing
from brain.policies import PolicyStore
from brain.ports import Progress
from brain.postgres.breaker import waits_for_recovery
from brain.store import BATCH, MemoryStore
from brain.types import NewMemory
from brain.users import SHARED, Scope
from cognitive.api import jsonl
from cognitive.api.conversation_importer import ConversationImporter
from cognitive.api.import_report import ImportCounts, ImportReport
from cognitive.api.jsonl import (
    AgentLine,
    ConversationLine,
    DroppedLine,
    Entry,
    ExportedLanguage,
    ExportedPolicy,
    ImportLine,
)
from cognitive.api.policies import PoliciesApi
from cognitive.errors import InvalidInput, PolicyError, StoreConflict
from cognitive.feedback.conversations import ConversationWriter
from cognitive.formats.records import Lines, rereadable
from cognitive.policy.live import with_changes

_TRIES = 5  # of a batch whose ids other imports take meanwhile
_Link = tuple[str | None, UUID | None]  # a user, and the id of a memory in the file


class Importer:
    """Imports memories into agents."""

    def __init__(
        self,
        store: MemoryStore,
        archive: Archive,
        reindexing: Reindexing,
        policies: PoliciesApi,
        policy_store: PolicyStore,
        conversations: ConversationWriter,
    ) -> None:
        self._store = store
        self._archive = archive
        self._reindexing = reindexing
        self._policies = policies
        self._policy_store = policy_store
        self._conversations = ConversationImporter(conversations)

    async def preview_import(
        self, scope: Scope, text: Iterable[str], *, progress: Progress | None = None
    ) -> ImportReport:
        """See `TransferMethods.preview_import`. The text is read once, so `progress` gets no total."""
        contents, known, sources, new, done = _Contents(), set[tuple[str, bytes]](), set[str](), 0, 0
        async for memories, talk in self._examined(scope, Lines(text), contents):
            new += await self._count_new(scope.agent_id, memories, known)
            new += await self._conversations.count(scope, talk, contents.counts, sources) if talk is not None else 0
            done += len(memories) + _size(talk)
            if progress is not None:
                progress(done, 0)
        report = contents.counts.report()
        return replace(report, new=new, merged=report.memories - new)

    @waits_for_recovery
    async def import_lines(self, scope: Scope, text: Iterable[str], *, progress: Progress | None = None) -> list[UUID]:
        """See `TransferMethods.import_lines`. A text that can be read only once is copied to a temporary file."""
        agent_id, contents, total, done = scope.agent_id, _Contents(), 0, 0
        with rereadable(text) as pieces:
            async for memories, talk in self._examined(scope, pieces, contents):
                total += len(memories) + _size(talk)
            for indexed in contents.languages:
                await self._index(agent_id, indexed.language)
            ids, renamed, undated = list[UUID](), dict[_Link, UUID](), dict[str | None, list[UUID]]()
            for batch in _batches(jsonl.read(pieces)):
                memories, talk = _memories_and_talk(batch, scope)
                stored = await self._stored(agent_id, memories, renamed)
                for line, id in zip(memories, stored, strict=True):
                    if line.undated:
                        undated.setdefault(line.user_id, []).append(id)
                ids += stored + (await self._conversations.remember(scope, talk) if talk is not None else [])
                done += len(memories) + _size(talk)
                if progress is not None:
                    progress(done, total)
        await self._repoint(agent_id, renamed, undated)
        for base in contents.bases:
            if scope.sees_all or base.user_id == scope.user:
                await self._archive.put_bases(scope.as_user(base.user_id), [base])
        for policy in contents.policies:
            await self._activate(agent_id, policy)
        return ids

    async def _examined(
        self, scope: Scope, pieces: Iterable[str], contents: _Contents
    ) -> AsyncIterator[tuple[list[ImportLine], ConversationLine | None]]:
        """Read a whole file and check it. Yield its memories and conversations, and add the rest to `contents`.

        Raises:
            InvalidInput: a record is invalid or of another user than the view's, an id occurs twice, or a policy does
                not fit the agent's.
        """
        ids = set[UUID]()
        for batch in _batches(jsonl.read(pieces)):
            memories, talk = _memories_and_talk(batch, scope)
            for line in memories:
                if line.original_id in ids:
                    raise InvalidInput(f"line {line.number}: duplicate memory id {line.original_id}")
                if line.original_id is not None:
                    ids.add(line.original_id)
                contents.counts.add(line.form, line.user_id)
            for each in batch:
                if isinstance(each, DroppedLine):
                    contents.counts.drop(each.reason, each.number)
                elif isinstance(each, AgentLine):
                    self._collect(scope.agent_id, each, contents)
            yield memories, talk
            await asyncio.sleep(0)  # let other tasks run

    def _collect(self, agent_id: str, line: AgentLine, contents: _Contents) -> None:
        if isinstance(line.data, ExportedPolicy):
            self._require_policy(agent_id, line.number, line.data)
            contents.policies.append(line.data)
        elif isinstance(line.data, ExportedLanguage):
            contents.languages.append(line.data)
        else:
            contents.bases.append(line.data)

    async def _count_new(self, agent_id: str, batch: Sequence[ImportLine], known: set[tuple[str, bytes]]) -> int:
        """Return how many memories of a batch are new. `known` has those that came before it, and gets those of it."""
        identities, stored = await self._store.identities(agent_id, [line.memory for line in batch])
        places = await self._places(agent_id, batch)
        new = 0
        for line, identity in zip(batch, identities, strict=True):
            place = places.get((line.user_id, line.original_id))
            new += identity not in stored and identity not in known and not (place is not None and place.is_known)
            known.add(identity)
        return new

    async def _repoint(
        self, agent_id: str, renamed: Mapping[_Link, UUID], undated: Mapping[str | None, Sequence[UUID]]
    ) -> None:
        """Replace ids of the file in the links of imported memories, in the view of each user."""
        changed: dict[str | None, dict[UUID, UUID]] = {user_id: {} for user_id in undated}
        for (user_id, old), new in renamed.items():
            if old is not None and old != new:
                changed.setdefault(user_id, {})[old] = new
        for user_id, ids in changed.items():
            await self._archive.repoint(Scope(agent_id, user_id or SHARED), ids, undated.get(user_id, ()))

    async def _index(self, agent_id: str, language: str) -> None:
        """Set the agent's language to that of the export, if the agent has no memories and no other language set."""
        status = await self._reindexing.status(agent_id)
        if not status.memories and (not status.chosen or language == (status.pending_language or status.language)):
            await self._reindexing.change(agent_id, language)

    async def _stored(self, agent_id: str, batch: Sequence[ImportLine], renamed: dict[_Link, UUID]) -> list[UUID]:
        """Store a batch as `_put_batch` does, again if another import took one of its ids meanwhile."""
        for _ in range(_TRIES - 1):
            with suppress(StoreConflict):
                return await self._put_batch(agent_id, batch, renamed)
        return await self._put_batch(agent_id, batch, renamed)

    async def _put_batch(self, agent_id: str, batch: Sequence[ImportLine], renamed: dict[_Link, UUID]) -> list[UUID]:
        """Store a batch of imported memories in order, and return their ids in this store.

        `renamed` maps each user's ids in the file to the ids in this store; those of the batch are added to it.
        """
        places = await self._places(agent_id, batch)
        known = {link: place.id for link, place in places.items() if place.is_known}
        renamed |= known
        ids = list[UUID]()
        for _, run in groupby(
            batch, lambda line: line.kept is None and line.memory.supersedes
        ):  # runs of lines with equal metadata and supersedes
            lines = list(run)
            new = [_placed(line, places) for line in lines if (line.user_id, line.original_id) not in known]
            stored = iter(await self._put(agent_id, new, renamed))
            here = [known.get((line.user_id, line.original_id)) or next(stored) for line in lines]
            for line, id in zip(lines, here, strict=True):
                if line.original_id is not None:
                    renamed[line.user_id, line.original_id] = id
            ids += here
        return ids

    async def _places(self, agent_id: str, lines: Sequence[ImportLine]) -> dict[_Link, _StoredId]:
        """Return the id in this store for each id in the file that these lines have or supersede.

        It is the id in the file, unless that is taken outside the rows of the line's user: then an id that is derived
        from it, so that a second import finds the memory.
        """
        named = ((line.user_id, id) for line in lines for id in (line.original_id, line.memory.supersedes))
        copies = {(user_id, id): uuid5(id, user_id or SHARED) for user_id, id in named if id is not None}
        ids = {id for (_, original), copy in copies.items() for id in (original, copy)}
        owners = {each.id: each.user_id for each in await self._store.get(Scope.all_users(agent_id), sorted(ids))}
        places = dict[_Link, _StoredId]()
        for (user_id, original), copy in copies.items():
            is_own = original in owners and owners[original] == user_id
            is_free = original not in owners and copy not in owners
            id = original if is_own or is_free else copy
            places[user_id, original] = _StoredId(id, id in owners)
        return places

    async def _put(self, agent_id: str, lines: Sequence[ImportLine], renamed: Mapping[_Link, UUID]) -> list[UUID]:
        """Store imported memories and return their ids.

        Either all of them have metadata (usage, revisions) or none has. `renamed` maps each user's ids in the file to
        ids in this store.
        """
        now, store = datetime.now(UTC), self._store
        whole = [ArchivedMemory(line.memory, line.kept) for line in lines if line.kept is not None]
        if whole:
            return await store.restore(agent_id, whole, now=now)
        memories, policy = [_renamed(line.memory, renamed) for line in lines], self._policies.base(agent_id)
        return await store.remember(agent_id, memories, now=now, detect_updates=policy.detect_updates)

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


@dataclass(frozen=True, slots=True)
class _Contents:
    """The contents of a file beside its memories, and the counts of all."""

    languages: list[ExportedLanguage] = field(default_factory=list)
    bases: list[TypeUsage] = field(default_factory=list)
    policies: list[ExportedPolicy] = field(default_factory=list)
    counts: ImportCounts = field(default_factory=ImportCounts)


@dataclass(frozen=True, slots=True)
class _StoredId:
    """The id of an imported memory in this store, and whether its user has a memory with this id already."""

    id: UUID
    is_known: bool


def _placed(line: ImportLine, places: Mapping[_Link, _StoredId]) -> ImportLine:
    """Return a line whose metadata has the memory's id in this store."""
    if line.kept is None:
        return line
    id = places[line.user_id, line.original_id].id
    return line if id == line.kept.id else replace(line, kept=line.kept.model_copy(update={"id": id}))


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield lists of at most BATCH entries; a conversation, which may be long, is the last of its list."""
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == BATCH or isinstance(entry, ConversationLine):
            yield batch
            batch = []
    if batch:
        yield batch


def _memories_and_talk(batch: Sequence[Entry], scope: Scope) -> tuple[list[ImportLine], ConversationLine | None]:
    """Return the memories of a batch as the view owns them, and its conversation, if it has one."""
    last = batch[-1]
    memories = [each.owned_by(scope) for each in batch if isinstance(each, ImportLine)]
    return memories, last if isinstance(last, ConversationLine) else None


def _size(talk: ConversationLine | None) -> int:
    return len(talk.conversation.messages) if talk is not None else 0


def _renamed(memory: NewMemory, renamed: Mapping[_Link, UUID]) -> NewMemory:
    """Return a copy of an imported memory in which `supersedes` is an id of this store.

    `supersedes` names the memory that this one replaces; in the file, it is an id of the exporting store. It becomes
    None if the user has no such memory in this store. `renamed` maps each user's ids in the file to ids in this store.
    """
    if memory.supersedes is None:
        return memory
    return memory.model_copy(update={"supersedes": renamed.get((memory.user_id, memory.supersedes))})
