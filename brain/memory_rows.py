"""Write and rewrite the rows of memories inside a transaction, with their index entries and sessions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from brain import agent_rows, archive, index_rows, statements, superseding, value_rows
from brain.agent_rows import AgentState
from brain.embedding.embedders import Embedders
from brain.errors import InvalidInput, UnknownMemory
from brain.indexing import IndexedPassage, PassageVector
from brain.languages import AgentLanguages
from brain.postgres.database import Bound, Connection
from brain.preparing import PreparedMemory
from brain.types import MemoryType
from brain.users import Scope

SQL = statements.load("store")
_STATE = SQL.write_state.fill(spaces=SQL.spaces)
_MOVE_SUPERSEDED = {  # by the field that has changed
    "expires_at": SQL.move_superseded.fill(key="id"),
    "occurred_at": SQL.move_superseded.fill(key="replaced_by"),
}

MAX_REVISIONS = 100  # stored per memory; a program that changes a memory more often must not fill the table


async def share_agent(c: Connection, agent_id: str) -> None:
    """Prevent an erasure of the agent until the transaction ends. The lock is shared: other writers do not wait."""
    await c.execute(*SQL.share_agent(agent_id=agent_id))


async def share_users(c: Connection, agent_id: str, user_ids: Sequence[str]) -> None:
    """Prevent an erasure of rows of these users until the transaction ends. Call it before the agent's row is locked.

    A transaction in the operator's view needs it to write rows of users. Others take the lock of their user.
    """
    await c.execute(*SQL.share_users(agent_id=agent_id, user_ids=list(user_ids)))


async def write(
    c: Connection,
    scope: Scope,
    prepared: list[PreparedMemory],
    embedders: Embedders,
    languages: AgentLanguages,
    *,
    state: AgentState | None = None,
    detect_updates: bool = False,
) -> bool:
    """Store the prepared memories that do not exist yet, with their sessions, index entries and vectors.

    Older values of an attribute are superseded: of formed memories always, of others with `detect_updates`; see
    `brain.superseding`. `state` is the agent's row, if the caller has locked it. Return False and store nothing if the
    agent's embedding models or languages have changed since the memories were prepared.

    Raises:
        UnknownMemory: a memory supersedes one that the agent does not have.
        InvalidInput: a memory supersedes one of another user, or a shared one in the view of a user.
    """
    state = state or await agent_rows.locked(c, scope.agent_id)
    state = await state.recognised(c, scope.agent_id, (item.memory.content for item in prepared))
    if not state.indexed_alike(scope.agent_id, _indexed(prepared), languages):
        return False
    models = {model for item in prepared for model in item.vectors}
    stored = await _stored(c, scope.agent_id, prepared)
    if not await index_rows.agree(c, scope.agent_id, embedders, models, stored):
        return False
    new = _new(scope.agent_id, prepared, stored["identities"], state.next_seq)
    kept = [item.kept for item in new if item.kept is not None]  # either all are restored, or none
    new, replaced = await superseding.with_updates(c, scope, new, detect=detect_updates) if not kept else (new, {})
    sessions, opened = _numbers(new, stored, state.next_session)
    await c.write(
        [
            _insert_memories(scope.agent_id, new, state.next_seq, sessions),
            *_insert_index(scope.agent_id, new, sessions, state.indexed.written),
            index_rows.add_to_counts(scope.agent_id, _indexed(new), memories=len(new), sessions=opened),
        ]
    )
    await superseding.hide(c, scope.agent_id, replaced, {item.id: item.occurred_at for item in new})
    await archive.put_kept(c, scope.agent_id, kept)
    if state.outgrown(len(new)):
        languages.mark_due(scope.agent_id)
    return True


async def _stored(c: Connection, agent_id: str, prepared: Sequence[PreparedMemory]) -> Any:
    identities, sessions = [item.identity for item in prepared], [item.memory.session_id for item in prepared]
    return await c.fetchrow(*_STATE(agent_id=agent_id, identities=identities, session_ids=sessions))


def _indexed(prepared: Sequence[PreparedMemory]) -> list[IndexedPassage]:
    return [piece for item in prepared for piece in item.passages]


def _new(
    agent_id: str, prepared: Sequence[PreparedMemory], stored: Collection[bytes], next_seq: int
) -> list[PreparedMemory]:
    """Return the memories whose identity is not stored yet, each with its id. A restored memory has one already.

    Ids are derived so that equal stores give equal rankings: ids break ties in rankings.
    """

    def identified(seq: int, item: PreparedMemory) -> PreparedMemory:
        return replace(item, id=uuid5(NAMESPACE_OID, f"{agent_id}\0{seq}\0{item.identity.hex()}"))

    fresh = (item for item in prepared if item.identity not in stored)
    return [item if item.kept is not None else identified(seq, item) for seq, item in enumerate(fresh, next_seq)]


def _insert_memories(agent_id: str, new: list[PreparedMemory], next_seq: int, sessions: Mapping[str, int]) -> Bound:
    memories = [item.memory for item in new]
    return SQL.insert_memories(
        agent_id=agent_id,
        memory_ids=[item.id for item in new],
        seqs=[next_seq + n for n in range(len(new))],
        identities=[item.identity for item in new],
        types=[m.type for m in memories],
        contents=[m.content for m in memories],
        speakers=[m.speaker for m in memories],
        contexts=[m.context for m in memories],
        occurred_at=[item.occurred_at for item in new],
        session_ids=[m.session_id for m in memories],
        session_numbers=[sessions.get(m.session_id or "") for m in memories],
        sources=[m.source for m in memories],
        labels=[{"tags": m.tags, "entities": m.entities} for m in memories],
        confidences=[m.confidence for m in memories],
        pinned=[m.pinned for m in memories],
        supersedes=[m.supersedes for m in memories],
        attributes=[dict(m.attributes) for m in memories],
        trusts=[m.trust for m in memories],
        metadata=[dict(m.metadata) for m in memories],
        claims=[item.claim for item in new],
        expires_at=[m.expires_at for m in memories],
    )


def _numbers(written: list[PreparedMemory], stored: Any, next_session: int) -> tuple[dict[str, int], int]:
    """Return the numbers of the memories' sessions by id, and how many of these sessions are new."""
    known = stored["session_numbers"] or {}
    sessions = dict.fromkeys(item.memory.session_id for item in written if item.memory.session_id is not None)
    opened = [session for session in sessions if session not in known]
    return known | {session: next_session + n for n, session in enumerate(opened)}, len(opened)


def _touch_sessions(agent_id: str, written: list[PreparedMemory], sessions: Mapping[str, int], *, new: bool) -> Bound:
    groups: dict[str, list[PreparedMemory]] = {}
    for item in written:
        if item.memory.session_id is not None:
            groups.setdefault(item.memory.session_id, []).append(item)
    return SQL.touch_sessions(
        agent_id=agent_id,
        session_ids=list(groups),
        session_numbers=[sessions[session] for session in groups],
        memories=[len(group) * new for group in groups.values()],
        lexemes=[sum(piece.live.content_length for piece in _indexed(group)) for group in groups.values()],
        started_at=[min(item.occurred_at for item in group) for group in groups.values()],
        last_at=[max(item.occurred_at for item in group) for group in groups.values()],
    )


def _insert_index(
    agent_id: str,
    written: list[PreparedMemory],
    sessions: dict[str, int],
    languages: Sequence[str],
    *,
    new: bool = True,
) -> list[Bound]:
    """Return the statements that add memories to their sessions and write their index entries.

    The memories are counted in their sessions if they are `new`.
    """
    pieces = [(item, piece) for item in written for piece in item.passages]
    vectors: dict[str, list[tuple[UUID, MemoryType, PassageVector]]] = {}
    for item in written:
        for model, own in item.vectors.items():
            vectors.setdefault(model, []).extend((item.id, item.memory.type, each) for each in own)
    return [
        _touch_sessions(agent_id, written, sessions, new=new),
        SQL.insert_passages(
            agent_id=agent_id,
            memory_ids=[item.id for item, _ in pieces],
            ordinals=[piece.ordinal for _, piece in pieces],
            starts=[piece.start for _, piece in pieces],
            stops=[piece.stop for _, piece in pieces],
            content_lengths=[piece.live.content_length for _, piece in pieces],
            context_lengths=[piece.live.context_length for _, piece in pieces],
            lexemes=[
                " ".join(lexeme for posted in piece.posted.values() for lexeme in posted.context) for _, piece in pieces
            ],
            languages=list(languages),
        ),
        index_rows.insert_postings(
            agent_id,
            [
                index_rows.PassagePostings(
                    item.id, piece.ordinal, item.memory.type, sessions.get(item.memory.session_id or ""), posted
                )
                for item, piece in pieces
                for posted in piece.posted.values()
            ],
        ),
        *(index_rows.insert_vectors(agent_id, model, rows) for model, rows in vectors.items() if rows),
        value_rows.insert(agent_id, {item.id: item.memory for item in written}),
    ]


async def rewrite(
    c: Connection,
    scope: Scope,
    item: PreparedMemory,
    version: str,
    replaced: Mapping[str, Any],
    embedders: Embedders,
    languages: AgentLanguages,
) -> bool:
    """Replace the fields of a memory, its index entries and its vectors; store the old values as a revision.

    `replaced` has the old values of the fields that change. Return False and change nothing if the memory has another
    version by now, or the agent's embedding models or languages have changed since `item` was prepared.

    Raises:
        InvalidInput: another memory has the same identity (type and source, or type and content).
    """
    state = await agent_rows.locked(c, scope.agent_id)
    if not state.indexed_alike(scope.agent_id, _indexed([item]), languages):
        return False
    stored = await _stored(c, scope.agent_id, [item])
    if not await index_rows.agree(c, scope.agent_id, embedders, set(item.vectors), stored):
        return False
    if await c.fetchval(*SQL.version(agent_id=scope.agent_id, memory_id=item.id)) != version:
        return False
    await _require_unique(c, scope.agent_id, item)
    gone = await index_rows.delete(c, scope.agent_id, [item.id])
    await value_rows.delete(c, scope.agent_id, [item.id])
    before = await c.fetch(*SQL.session_of(agent_id=scope.agent_id, memory_id=item.id))
    await index_rows.subtract_from_sessions(c, scope.agent_id, gone, before, number=0)
    await _replace_row(c, scope.agent_id, item, replaced)
    sessions, _ = _numbers([item], stored, 0)
    index = _insert_index(scope.agent_id, [item], sessions, state.indexed.written, new=False)
    await c.write([*index, index_rows.add_to_counts(scope.agent_id, item.passages, gone)])
    return True


async def _replace_row(c: Connection, agent_id: str, item: PreparedMemory, replaced: Mapping[str, Any]) -> None:
    """Replace the fields of a memory; store the old values of those that change as a revision."""
    memory = item.memory
    await c.execute(
        *SQL.replace_memory(
            agent_id=agent_id,
            memory_id=item.id,
            content=memory.content,
            speaker=memory.speaker,
            context=memory.context,
            occurred_at=item.occurred_at,
            tags=list(memory.tags),
            entities=list(memory.entities),
            confidence=memory.confidence,
            pinned=memory.pinned,
            attributes=dict(memory.attributes),
            metadata=dict(memory.metadata),
            identity=item.identity,
            trust=memory.trust,
            claim=item.claim,
            expires_at=memory.expires_at,
        ),
    )
    for name, statement in _MOVE_SUPERSEDED.items():
        if name in replaced:
            await c.execute(*statement(agent_id=agent_id, memory_id=item.id))
    if replaced:
        number = await c.fetchval(*SQL.insert_revision(agent_id=agent_id, memory_id=item.id, changed=replaced))
        if (until := number - MAX_REVISIONS) > 0:
            await c.execute(*SQL.drop_old_revisions(agent_id=agent_id, memory_id=item.id, until_number=until))


async def _require_unique(c: Connection, agent_id: str, item: PreparedMemory) -> None:
    """Raise InvalidInput if another memory of the agent has the same content, that is the same `identity`."""
    others = await c.fetch(*SQL.existing_identities(agent_id=agent_id, identities=[item.identity]))
    if any(row["id"] != item.id for row in others):
        raise InvalidInput(f"memory {others[0]['id']} already has this content")


def require_own(scope: Scope, owners: Mapping[UUID, str]) -> None:
    """Raise InvalidInput for the first of these memories, each with its user, that the view sees but must not write."""
    for id, owner in owners.items():
        if owner != scope.user_id:
            raise InvalidInput(f"user_id: memory {id} is shared, and a user's view writes only that user's memories")


def require_known(agent_id: str, ids: Collection[UUID], known: Collection[UUID]) -> None:
    """Raise UnknownMemory for the first of `ids` that is not in `known`."""
    for id in ids:
        if id not in known:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
