"""Artifacts: tool outputs and other large texts, stored outside the prompt and read by their pointer, a page at a time.

A text in Postgres cannot contain NUL or lone surrogates. Each such character of an artifact is replaced by a character
that the artifact does not use, and the replacements are stored with the artifact. Reading restores the characters, and
offsets do not change.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value, count
from brain.redacting import UNREDACTED, Redact, Redactor
from brain.users import Scope

SQL = statements.load("artifacts")

_Piece = tuple[UUID, int, int, int, str]  # a chunk to store: artifact, ordinal, offset, line, content

CHUNK_CHARS = 32_768  # characters per stored chunk, the least that a read costs; 50 MB of text take about 1,500 rows
_SURROUNDING = 200  # characters of a matching line that are returned on each side of the match
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENTS = (
    range(0xE000, 0xF900),
    range(0xF0000, 0xFFFFE),
    range(0x100000, 0x10FFFE),
)  # private use areas, whose characters texts rarely use


@dataclass(frozen=True, slots=True)
class NewArtifact:
    """A text to store. The caller chooses the id, and must not use an id for two different texts."""

    id: UUID
    content: str
    name: str
    tool: str | None = None
    kind: str = "output"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A stored text, without its content; `characters` is its length."""

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
    """A page of an artifact: the characters [start, start + len(text)) of `artifact.characters`."""

    artifact: Artifact
    start: int
    text: str

    @property
    def next(self) -> int | None:
        """The offset of the next page, or None at the end."""
        end = self.start + len(self.text)
        return end if end < self.artifact.characters else None


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A line of an artifact that contains the searched text.

    `number` counts lines from 1, and `start` is the offset of the match in the artifact. `text` is the match with at
    most 200 characters of the line on each side. A line that spans several stored chunks is returned once for each
    chunk in which a match begins.
    """

    number: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A stored chunk of an artifact in which a match of a search begins.

    `following` is the beginning of the next chunk, where the match may end.
    """

    start: int
    line: int
    content: str
    following: str


class Artifacts:
    """Stores and reads artifacts, which are large texts outside the prompt. An agent sees only its own artifacts."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def put(
        self,
        scope: Scope,
        session_id: str,
        artifacts: Sequence[NewArtifact],
        *,
        turn_id: str | None = None,
        only_of_turn: bool = False,
        received_at: float | None = None,
        timeout: float = 60.0,
    ) -> bool:
        """Store those of the artifacts that are not stored yet.

        Return False if some artifacts could not be stored, for one of these reasons: another writer is storing the same
        ids; something was erased after the texts were received (at `received_at`, in seconds since the epoch); or with
        `only_of_turn`, the turn is not recorded. `timeout` is in seconds.

        Raises:
            InvalidInput: a text uses every character that could replace one that Postgres cannot store.
        """
        ids = [artifact.id for artifact in artifacts]
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.known(agent_id=scope.agent_id, artifact_ids=ids)), timeout=timeout
        )
        new = {artifact.id: artifact for artifact in artifacts}
        for row in rows:
            del new[row["id"]]
        if not new:
            return True
        redacted = await self._redactor.run(partial(_redacted, list(new.values())))
        columns, pieces = await asyncio.to_thread(_columns, redacted)

        async def work(c: Connection) -> bool:
            await share_agent(c, scope.agent_id)
            rows = await c.fetch(
                *SQL.put(
                    agent_id=scope.agent_id,
                    session_id=session_id,
                    turn_id=turn_id,
                    only_of_turn=only_of_turn,
                    received_at=received_at,
                    **columns,
                )
            )
            if rows:
                stored = {row["id"] for row in rows}
                await c.execute(*SQL.put_chunks(agent_id=scope.agent_id, **_chunk_columns(pieces, stored)))
            return len(rows) == len(new)

        return await self._database.run(scope, work, timeout=timeout)

    async def read(self, scope: Scope, id: UUID, start: int, length: int) -> ArtifactPage | None:
        """Return at most `length` characters from the offset `start` on, or None if the artifact does not exist."""

        async def work(c: Connection) -> ArtifactPage | None:
            row = await c.fetchrow(*SQL.artifact(agent_id=scope.agent_id, artifact_id=id))
            if row is None:
                return None
            artifact, replacements = _artifact(row)
            first, last = start // CHUNK_CHARS, (start + length - 1) // CHUNK_CHARS
            pieces = await c.fetch(*SQL.pieces(agent_id=scope.agent_id, artifact_id=id, first=first, last=last))
            text = "".join(piece["content"] for piece in pieces)
            skipped = start - first * CHUNK_CHARS
            return ArtifactPage(artifact, start, text[skipped : skipped + length].translate(replacements))

        return await self._database.run(scope, work)

    async def search(self, scope: Scope, id: UUID, literal: str, limit: int) -> tuple[MatchingLine, ...] | None:
        """Return the first `limit` lines that contain the text `literal`, or None if the artifact does not exist.

        An empty text matches nothing.

        Raises:
            InvalidInput: the text contains a line break, or is longer than 32,768 characters.
        """
        if "\n" in literal or len(literal) > CHUNK_CHARS:
            raise InvalidInput(f"literal: expected at most {CHUNK_CHARS:,} characters without a line break")

        async def work(c: Connection) -> tuple[MatchingLine, ...] | None:
            row = await c.fetchrow(*SQL.artifact(agent_id=scope.agent_id, artifact_id=id))
            if row is None:
                return None
            _, replacements = _artifact(row)
            sought = literal.translate({original: chr(stored) for stored, original in replacements.items()})
            if not sought or _UNSTORABLE.search(sought):  # the artifact does not contain this character
                return ()
            pieces = await c.fetch(
                *SQL.holding(
                    agent_id=scope.agent_id, artifact_id=id, literal=sought, overlap=len(sought) - 1, limit=limit
                )
            )
            lines = chain.from_iterable(_lines(as_value(_Chunk, piece), sought) for piece in pieces)
            return tuple(MatchingLine(n, start, text.translate(replacements)) for n, start, text in lines)[:limit]

        return await self._database.run(scope, work)

    async def list_by_session(self, scope: Scope, session_id: str) -> tuple[Artifact, ...]:
        """Return the artifacts of a session, oldest first."""
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.of_session(agent_id=scope.agent_id, session_id=session_id))
        )
        return tuple(as_value(Artifact, row) for row in rows)

    async def delete(self, scope: Scope, ids: Sequence[UUID]) -> int:
        """Delete the artifacts with these ids, and return how many were deleted."""
        return count(
            await self._database.run(
                scope, lambda c: c.execute(*SQL.delete(agent_id=scope.agent_id, artifact_ids=list(ids)))
            )
        )


def _redacted(artifacts: Sequence[NewArtifact], redact: Redact) -> list[NewArtifact]:
    return [replace(artifact, content=redact(artifact.content)) for artifact in artifacts]


def _columns(artifacts: Sequence[NewArtifact]) -> tuple[dict[str, list[Any]], list[_Piece]]:
    """Return the columns of artifacts, as parameters of the SQL statement `put`, and their chunks."""
    replacements = [_replacements(artifact.content) for artifact in artifacts]
    texts = [
        a.content.translate(chosen) if chosen else a.content for a, chosen in zip(artifacts, replacements, strict=True)
    ]
    pieces = [(a.id, *piece) for a, text in zip(artifacts, texts, strict=True) for piece in _pieces(text)]
    pairs = [{"pairs": [part for point, own in chosen.items() for part in (own, point)]} for chosen in replacements]
    columns: dict[str, list[Any]] = {
        "artifact_ids": [a.id for a in artifacts],
        "kinds": [a.kind for a in artifacts],
        "names": [a.name for a in artifacts],
        "tools": [a.tool for a in artifacts],
        "lengths": [len(a.content) for a in artifacts],
        "replacements": pairs,
    }
    return columns, pieces


def _chunk_columns(pieces: Sequence[_Piece], stored: Set[UUID]) -> dict[str, list[Any]]:
    """Return the columns of the chunks of stored artifacts, as parameters of the SQL statement `put_chunks`."""
    own = [piece for piece in pieces if piece[0] in stored]
    names = ("artifact_ids", "ordinals", "starts", "lines", "contents")
    return {name: [piece[n] for piece in own] for n, name in enumerate(names)}


def _replacements(text: str) -> dict[int, int]:
    """Map each character of a text that Postgres cannot store to a character that the text does not use."""
    unstorable = sorted(set(map(ord, _UNSTORABLE.findall(text))))
    if not unstorable:
        return {}
    used = set(map(ord, set(text)))
    free = (point for point in chain(*_REPLACEMENTS) if point not in used)
    chosen = dict(zip(unstorable, free, strict=False))
    if len(chosen) < len(unstorable):
        raise InvalidInput("content: uses every character that could replace one that Postgres cannot store")
    return chosen


def _pieces(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield the chunks of a text: ordinal, offset, number of the line in which the chunk begins, and content."""
    line = 1
    for ordinal, start in enumerate(range(0, len(text), CHUNK_CHARS)):
        piece = text[start : start + CHUNK_CHARS]
        yield ordinal, start, line, piece
        line += piece.count("\n")


def _lines(piece: _Chunk, literal: str) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of a chunk in which a text begins: line number, offset of the text, and the text around it."""
    own, text = piece.content, piece.content + piece.following
    number, counted, at = piece.line, 0, text.find(literal)
    while 0 <= at < len(own):
        number, counted = number + text.count("\n", counted, at), at
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = end if end >= 0 else len(text)
        yield number, piece.start + at, text[max(begin, at - _SURROUNDING) : min(end, at + len(literal) + _SURROUNDING)]
        at = text.find(literal, end)


def _artifact(row: Any) -> tuple[Artifact, dict[int, int]]:
    """Return the artifact of a database row, and a map from the characters as stored to the original characters."""
    pairs = row["replacements"]
    return as_value(Artifact, row), dict(zip(pairs[::2], pairs[1::2], strict=True))
