"""Whole tool outputs and other large texts, kept outside the prompt and read again by their pointer, a page at a time.

Postgres' text cannot hold NUL and lone surrogates. In a text that has some, each is replaced by a character that the
text does not use, and the replacements are kept with it: it comes back as it was, and offsets stay.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput
from brain.memory_rows import count, share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import UNREDACTED, Redact, Redactor

SQL = statements.load("artifacts")

CHUNK_CHARS = 32_768  # characters: what a page costs to read at least, and some 1,500 rows for 50 MB
_AROUND = 200  # characters of a line on each side of what was looked for
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_FREE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))  # for private use: first to be free


@dataclass(frozen=True, slots=True)
class NewArtifact:
    """A text to be kept. Its id is known before, and says what it is: the same id is never another text."""

    id: UUID
    content: str
    name: str
    tool: str | None = None
    kind: str = "output"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A text that is kept, without its characters."""

    id: UUID
    session_id: str
    turn_id: str | None
    kind: str
    name: str
    tool: str | None
    subtask_id: UUID | None
    characters: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ArtifactPage:
    """Characters [start, start + len(text)) of an artifact, of `artifact.characters`."""

    artifact: Artifact
    start: int
    text: str

    @property
    def next(self) -> int | None:
        """Where the next page starts, or None at the end."""
        end = self.start + len(self.text)
        return end if end < self.artifact.characters else None


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A line that holds what was looked for: its number from 1, where in the artifact that begins, and the words there.

    A line longer than a piece is found once in each of its pieces.
    """

    number: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A piece in which a literal begins, with as much of the next one as the literal may need."""

    start: int
    line: int
    content: str
    following: str


class Artifacts:
    """The artifacts of all agents, each agent's seen by itself only."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def put(
        self,
        agent_id: str,
        session_id: str,
        artifacts: Sequence[NewArtifact],
        *,
        turn_id: str | None = None,
        only_of_turn: bool = False,
        received_at: float | None = None,
        timeout: float = 60.0,
    ) -> bool:
        """Keeps those that are not kept yet, all in one statement; with `only_of_turn` only if that turn is recorded.

        False if some are not kept after all: the turn is not there, something was erased since they came in
        (`received_at`, in seconds since the epoch), or another writer is about to keep them.

        Raises:
            InvalidInput: a text that uses every character which could stand for one that Postgres cannot keep.
        """
        ids = [artifact.id for artifact in artifacts]
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.known(agent_id=agent_id, artifact_ids=ids)), timeout=timeout
        )
        new = {artifact.id: artifact for artifact in artifacts}
        for row in rows:
            del new[row["id"]]
        if not new:
            return True
        kept = await self._redactor.run(partial(_redacted, list(new.values())))
        columns = await asyncio.to_thread(_columns, kept)

        async def work(c: Connection) -> bool:
            await share_agent(c, agent_id)
            rows = await c.fetch(
                *SQL.put(
                    agent_id=agent_id,
                    session_id=session_id,
                    turn_id=turn_id,
                    only_of_turn=only_of_turn,
                    received_at=received_at,
                    **columns,
                )
            )
            return len(rows) == len(new)

        return await self._database.run(agent_id, work, timeout=timeout)

    async def read(self, agent_id: str, id: UUID, start: int, length: int) -> ArtifactPage | None:
        """At most `length` characters from `start` on, or None if there is no such artifact."""

        async def work(c: Connection) -> ArtifactPage | None:
            row = await c.fetchrow(*SQL.artifact(agent_id=agent_id, artifact_id=id))
            if row is None:
                return None
            artifact, replacements = _artifact(row)
            first, last = start // CHUNK_CHARS, (start + length - 1) // CHUNK_CHARS
            pieces = await c.fetch(*SQL.pieces(agent_id=agent_id, artifact_id=id, first=first, last=last))
            text = "".join(piece["content"] for piece in pieces)
            skipped = start - first * CHUNK_CHARS
            return ArtifactPage(artifact, start, text[skipped : skipped + length].translate(replacements))

        return await self._database.run(agent_id, work)

    async def search(self, agent_id: str, id: UUID, literal: str, limit: int) -> tuple[MatchingLine, ...] | None:
        """The first lines that hold a literal, or None if there is no such artifact. An empty literal finds nothing.

        Raises:
            InvalidInput: a literal with a line break, or longer than a piece.
        """
        if "\n" in literal or len(literal) > CHUNK_CHARS:
            raise InvalidInput(f"literal: expected part of a line, of at most {CHUNK_CHARS:,} characters")

        async def work(c: Connection) -> tuple[MatchingLine, ...] | None:
            row = await c.fetchrow(*SQL.artifact(agent_id=agent_id, artifact_id=id))
            if row is None:
                return None
            _, replacements = _artifact(row)
            sought = literal.translate({stood_for: chr(stands) for stands, stood_for in replacements.items()})
            if not sought or _UNSTORABLE.search(sought):  # what the artifact does not hold at all
                return ()
            pieces = await c.fetch(
                *SQL.holding(agent_id=agent_id, artifact_id=id, literal=sought, overlap=len(sought) - 1, limit=limit)
            )
            lines = chain.from_iterable(_lines(as_value(_Chunk, piece), sought) for piece in pieces)
            return tuple(MatchingLine(n, start, text.translate(replacements)) for n, start, text in lines)[:limit]

        return await self._database.run(agent_id, work)

    async def list_by_session(self, agent_id: str, session_id: str) -> tuple[Artifact, ...]:
        """What is kept of a session, oldest first."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.of_session(agent_id=agent_id, session_id=session_id))
        )
        return tuple(as_value(Artifact, row) for row in rows)

    async def delete(self, agent_id: str, ids: Sequence[UUID]) -> int:
        """Removes artifacts, and returns how many there were."""
        return count(
            await self._database.run(
                agent_id, lambda c: c.execute(*SQL.delete(agent_id=agent_id, artifact_ids=list(ids)))
            )
        )


def _redacted(artifacts: Sequence[NewArtifact], redact: Redact) -> list[NewArtifact]:
    return [replace(artifact, content=redact(artifact.content)) for artifact in artifacts]


def _columns(artifacts: Sequence[NewArtifact]) -> dict[str, list[Any]]:
    """Return artifacts and their pieces as parameters of the statement `put`."""
    replacements = [_replacements(artifact.content) for artifact in artifacts]
    texts = [
        a.content.translate(chosen) if chosen else a.content for a, chosen in zip(artifacts, replacements, strict=True)
    ]
    pieces = [(a.id, *piece) for a, text in zip(artifacts, texts, strict=True) for piece in _pieces(text)]
    pairs = [{"pairs": [part for point, own in chosen.items() for part in (own, point)]} for chosen in replacements]
    return {
        "artifact_ids": [a.id for a in artifacts],
        "kinds": [a.kind for a in artifacts],
        "names": [a.name for a in artifacts],
        "tools": [a.tool for a in artifacts],
        "lengths": [len(a.content) for a in artifacts],
        "replacements": pairs,
        "chunk_artifact_ids": [id for id, *_ in pieces],
        "chunk_ordinals": [ordinal for _, ordinal, *_ in pieces],
        "chunk_starts": [start for _, _, start, *_ in pieces],
        "chunk_lines": [line for _, _, _, line, _ in pieces],
        "chunk_contents": [content for *_, content in pieces],
    }


def _replacements(text: str) -> dict[int, int]:
    """For each character of a text that Postgres cannot keep, one that the text does not use."""
    unstorable = sorted(set(map(ord, _UNSTORABLE.findall(text))))
    if not unstorable:
        return {}
    used = set(map(ord, set(text)))
    free = (point for point in chain(*_FREE) if point not in used)
    chosen = dict(zip(unstorable, free, strict=False))
    if len(chosen) < len(unstorable):
        raise InvalidInput("content: uses every character that could stand for one which Postgres cannot keep")
    return chosen


def _pieces(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Ordinal, offset, number of the line it begins in, and characters of each piece."""
    line = 1
    for ordinal, start in enumerate(range(0, len(text), CHUNK_CHARS)):
        piece = text[start : start + CHUNK_CHARS]
        yield ordinal, start, line, piece
        line += piece.count("\n")


def _lines(piece: _Chunk, literal: str) -> Iterator[tuple[int, int, str]]:
    """The lines of a piece in which a literal begins: number, offset of the literal, the words around it."""
    own, text = piece.content, piece.content + piece.following
    number, counted, at = piece.line, 0, text.find(literal)
    while 0 <= at < len(own):
        number, counted = number + text.count("\n", counted, at), at
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = end if end >= 0 else len(text)
        yield number, piece.start + at, text[max(begin, at - _AROUND) : min(end, at + len(literal) + _AROUND)]
        at = text.find(literal, end)


def _artifact(row: Any) -> tuple[Artifact, dict[int, int]]:
    """A row as an artifact, and which character stands for which."""
    pairs = row["replacements"]
    return as_value(Artifact, row), dict(zip(pairs[::2], pairs[1::2], strict=True))
