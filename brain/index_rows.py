"""Write the index entries of passages in a transaction: postings per language, vectors per embedding model.

A writer locks the agent's row, and then reads again which embedding models the agent has. A change of model therefore
waits for running writes, and later writes see the new model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from brain import statements
from brain.embedding.embedders import Embedders, EmbeddingSpaces
from brain.errors import EmbeddingError
from brain.indexing import IndexedPassage, LexemeCounts, PassageVector
from brain.postgres.database import Bound, Connection
from brain.postgres.wire_types import count, encode_halfvec
from brain.types import MemoryType

SQL = statements.load("store")


@dataclass(frozen=True, slots=True)
class PassagePostings:
    """A passage's entry in the lexical index for one language: the passage's lexemes and their counts."""

    memory_id: UUID
    ordinal: int
    type: MemoryType
    session_number: int | None
    posted: LexemeCounts


@dataclass(frozen=True, slots=True)
class DeletedIndex:
    """The numbers of deleted postings, vectors, passages and lexemes; `content_lexemes` has them by memory."""

    postings: int
    embeddings: int
    passages: int
    content_lexemes: Counter[UUID]
    context_lexemes: int


_NOTHING_DELETED = DeletedIndex(0, 0, 0, Counter(), 0)


async def delete(c: Connection, agent_id: str, ids: Sequence[UUID]) -> DeletedIndex:
    """Delete the passages, postings and vectors of memories of the transaction's scope."""
    of_memories = {"agent_id": agent_id, "memory_ids": list(ids)}
    postings = count(await c.execute(*SQL.delete_postings(**of_memories)))
    gone = await c.fetch(*SQL.delete_passages(**of_memories))
    embeddings = count(await c.execute(*SQL.delete_embeddings(**of_memories)))
    lexemes = Counter[UUID]()
    for row in gone:
        lexemes[row["memory_id"]] += row["content_length"]
    return DeletedIndex(postings, embeddings, len(gone), lexemes, sum(row["context_length"] for row in gone))


async def subtract_from_sessions(
    c: Connection, agent_id: str, deleted: DeletedIndex, memories: Sequence[Mapping[str, Any]], *, number: int
) -> None:
    """Subtract deleted lexemes, and `number` for each memory, from the sessions in the rows (id, session_id)."""
    lexemes, numbers = Counter[str](), Counter[str]()
    for row in memories:
        if row["session_id"] is not None:
            lexemes[row["session_id"]] += deleted.content_lexemes[row["id"]]
            numbers[row["session_id"]] += number
    if lexemes:
        sessions = sorted(lexemes)
        await c.execute(
            *SQL.subtract_from_sessions(
                agent_id=agent_id,
                session_ids=sessions,
                memories=[numbers[session_id] for session_id in sessions],
                lexemes=[lexemes[session_id] for session_id in sessions],
            )
        )


def add_to_counts(
    agent_id: str,
    written: Sequence[IndexedPassage],
    deleted: DeletedIndex = _NOTHING_DELETED,
    *,
    memories: int = 0,
    sessions: int = 0,
) -> Bound:
    """Return the statement that counts written and deleted passages for the agent and the transaction's scope.

    `memories` is the number of memories that are new or, below 0, deleted, and `sessions` that of the new sessions.
    """
    return SQL.add_to_counts(
        agent_id=agent_id,
        seqs=max(0, memories),
        session_numbers=sessions,
        memories=memories,
        passages=len(written) - deleted.passages,
        sessions=sessions,
        content_lexemes=sum(piece.live.content_length for piece in written) - deleted.content_lexemes.total(),
        context_lexemes=sum(piece.live.context_length for piece in written) - deleted.context_lexemes,
    )


def insert_postings(agent_id: str, places: Sequence[PassagePostings]) -> Bound:
    """Return the statement that inserts the lexemes of passages into the lexical index."""
    postings = [(place, lexeme) for place in places for lexeme in place.posted.context]
    return SQL.insert_postings(
        agent_id=agent_id,
        lexemes=[lexeme for _, lexeme in postings],
        memory_ids=[place.memory_id for place, _ in postings],
        ordinals=[place.ordinal for place, _ in postings],
        types=[place.type for place, _ in postings],
        session_numbers=[place.session_number for place, _ in postings],
        content_frequencies=[place.posted.content.get(lexeme, 0) for place, lexeme in postings],
        context_frequencies=[place.posted.context[lexeme] for place, lexeme in postings],
        content_lengths=[place.posted.content_length for place, _ in postings],
        context_lengths=[place.posted.context_length for place, _ in postings],
    )


async def agree(
    c: Connection, agent_id: str, embedders: Embedders, written: AbstractSet[str], row: Mapping[str, Any]
) -> bool:
    """Return True if vectors were computed with exactly the models that this process must write for the agent.

    `written` has the models of the computed vectors, and `row` those of the agent (the statement `spaces`). If they are
    the right ones, the agent's row records them: the live model if the agent had none yet, and the other models that
    its memories are now embedded with.

    Raises:
        EmbeddingError: a model's dimension differs from that of the agent's stored vectors.
    """
    spaces = EmbeddingSpaces.of(row["live"], row["kept"])
    embedders.remember(agent_id, spaces)
    current = embedders.writing(agent_id)
    for embedder in current:
        check(spaces, embedder.model, embedder.dimension)
    if {embedder.model for embedder in current} != written:
        return False
    live = spaces.live or embedders.first.model
    dimensions = {embedder.model: embedder.dimension for embedder in embedders}
    if not row["named"]:
        await name_live(c, agent_id, live, dimensions.get(live))
    for embedder in current:
        if embedder.model not in spaces.kept and embedder.model != live:
            await c.execute(*SQL.keep_space(agent_id=agent_id, model=embedder.model, dimension=embedder.dimension))
    return True


async def name_live(c: Connection, agent_id: str, model: str, dimension: int | None) -> None:
    """Make a model the agent's live one. A `dimension` of None is taken from the stored vectors."""
    await c.execute(*SQL.keep_live(agent_id=agent_id, model=model, dimension=dimension))
    await c.execute(*SQL.name_live(agent_id=agent_id, model=model))


def check(spaces: EmbeddingSpaces, model: str, dimension: int) -> None:
    """Check that the vectors already stored for an agent by `model` have the dimension `dimension`.

    Raises:
        EmbeddingError: the dimensions differ.
    """
    if model in spaces.kept and spaces.kept[model].dimension != dimension:
        stored = spaces.kept[model].dimension
        raise EmbeddingError(f"{model} returns {dimension} dimensions, but this agent's stored vectors have {stored}")


def insert_vectors(agent_id: str, model: str, rows: Sequence[tuple[UUID, MemoryType, PassageVector]]) -> Bound:
    """Return the statement that inserts vectors of an embedding model.

    Each row has the memory's id, its type, and a passage's vector. There is at least one.
    """
    return SQL.insert_embeddings(
        agent_id=agent_id,
        memory_ids=[id for id, _, _ in rows],
        ordinals=[ordinal for _, _, (ordinal, _, _) in rows],
        fields=[field for _, _, (_, field, _) in rows],
        types=[type_ for _, type_, _ in rows],
        model=model,
        dimension=len(rows[0][2][2]),
        embeddings=[encode_halfvec(vector) for _, _, (_, _, vector) in rows],
    )
