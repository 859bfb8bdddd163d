"""The recorded selection of a turn's memories, read from its record to explain or replay it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from brain.passage_texts import PASSAGE_FIELDS, Key, PassageText, digest, digest_of_pinned
from brain.search import Hit, SearchResult
from brain.types import Memory, MemoryType
from cognitive.errors import InvalidInput
from cognitive.recording.coding import typed, types, uncolumn
from cognitive.recording.record import FORMAT, TurnInputs
from cognitive.trace import Boost, Disposition, WindowSimilarity


@dataclass(frozen=True, slots=True)
class RecordedCandidate:
    """A candidate memory as it is recorded: its disposition (shown, or why not), and the numbers behind its rank.

    `propensity` is None if exploration could not change whether the candidate was shown. `factors`, `boost` and
    `tokens` are None for candidates of low rank that were not shown. `lowered`, `moved` and `match` are those of
    `Candidate`, and `threshold` is that of `CandidateResult`; older records have no `match`.
    """

    memory_id: UUID
    ordinal: int
    type: MemoryType
    disposition: Disposition
    value: float
    reason: str
    rank_before: int
    rank: int
    score: float
    relevance: float
    propensity: float | None = None
    factors: Mapping[str, float] | None = None
    boost: Boost | None = None
    tokens: int | None = None
    lowered: str = ""
    moved: str = ""
    match: float | None = None
    threshold: float | None = None

    @property
    def chance(self) -> float:
        """The probability with which the candidate was shown in the turn: `propensity`, or 1 if that is None."""
        return 1.0 if self.propensity is None else self.propensity


@dataclass(frozen=True, slots=True)
class Recording:
    """The decoded record of a turn: how its memories were selected.

    `inputs` lacks the hits and pinned memories, whose texts are in the store; it is None if no selection ran in the
    turn. `rows` are the recorded fields of the hits, `digests` the checksums of their texts, and `pinned` the ids and
    checksums of pinned memories and the user's wishes. `text` and `prefix` are the SHA-256 of the block of memories and
    of the blocks in the system prompt.
    `candidates` are by rank, `similarity` and `scores` by passage.
    """

    inputs: TurnInputs | None
    rows: tuple[Mapping[str, Any], ...]
    digests: tuple[int, ...]
    pinned: tuple[tuple[UUID, int], ...]
    similarity: Mapping[Key, WindowSimilarity]
    text: str
    prefix: str
    candidates: tuple[RecordedCandidate, ...]
    scores: Mapping[Key, Mapping[str, float]] = field(default_factory=dict)

    @property
    def keys(self) -> list[Key]:
        """The (memory id, passage number) keys of the recorded search hits, in recorded order."""
        return list(self.scores)

    @property
    def model(self) -> str:
        """The embedding model of the vectors of the recorded search hits; empty if nothing was searched."""
        return self.inputs.model if self.inputs is not None else ""

    def restored(self, contents: Mapping[Key, PassageText], pinned: Mapping[UUID, Memory]) -> Restored:
        """Rebuild the inputs of the turn's memory selection, with the texts that its memories have now.

        `contents` has these texts by passage, and `pinned` the pinned memories by id.

        Raises:
            InvalidInput: no memory selection ran in the turn, so that no inputs are recorded.
        """
        if self.inputs is None:
            raise InvalidInput("no stage ran in this turn")
        recorded = zip(self.keys, self.rows, self.digests, strict=True)
        hits, gone, changed = list[Hit](), set[UUID](), set[UUID]()
        for key, row, checksum in recorded:
            if key not in contents:
                gone.add(key[0])
                continue
            hits.append(Hit(**row, **{name: getattr(contents[key], name) for name in PASSAGE_FIELDS}))
            if digest(hits[-1]) != checksum:
                changed.add(key[0])
        gone |= {id for id, _ in self.pinned if id not in pinned}
        changed |= {id for id, checksum in self.pinned if id in pinned and digest_of_pinned(pinned[id]) != checksum}
        prefixed = tuple(pinned[id] for id, _ in self.pinned if id in pinned)
        inputs = replace(self.inputs, found=replace(self.inputs.found, hits=tuple(hits)), pinned=prefixed)
        return Restored(inputs, frozenset(gone), frozenset(changed - gone))


NOTHING = Recording(None, (), (), (), {}, "", "", ())


@dataclass(frozen=True, slots=True)
class Restored:
    """A recorded turn's inputs with the texts that its memories have now, and the memories that are gone or changed."""

    inputs: TurnInputs
    gone: frozenset[UUID]
    changed: frozenset[UUID]


def decode(record: str | None) -> Recording:
    """Decode the record of a turn. If no memory selection ran in the turn, `record` is None, which gives `NOTHING`.

    Raises:
        InvalidInput: the record has the format of another version.
    """
    if record is None:
        return NOTHING
    document = json.loads(zlib.decompress(base64.b64decode(record)))
    if document["form"] != FORMAT:
        raise InvalidInput(f"the record has format {document['form']}; this version reads format {FORMAT}")
    rows = _rows(document["hits"], len(document["digests"]))
    return Recording(
        inputs=TurnInputs(
            **_typed(TurnInputs, document["facts"]),
            found=SearchResult((), **_typed(SearchResult, document["found"])),
        ),
        rows=rows,
        digests=tuple(document["digests"]),
        pinned=tuple((UUID(id), checksum) for id, checksum in document["pinned"]),
        similarity={
            (rows[n]["memory_id"], rows[n]["ordinal"]): _similarity(like) for n, *like in document["similarity"]
        },
        text=document["text"],
        prefix=document["prefix"],
        candidates=_candidates(document["candidates"], rows),
        scores={(row["memory_id"], row["ordinal"]): row["scores"] for row in rows},
    )


def _similarity(written: Sequence[Any]) -> WindowSimilarity:
    return WindowSimilarity(*written[:3], *map(tuple, written[3:]))


def _candidates(columns: Any, hits: Sequence[Mapping[str, Any]]) -> tuple[RecordedCandidate, ...]:
    if not columns:
        return ()
    hints, own = types(RecordedCandidate), [hits[n] for n in columns.pop("hit")]
    read = {name: uncolumn(hints[name], written, len(own)) for name, written in columns.items()}
    read |= {name: [hit[name] for hit in own] for name in ("memory_id", "ordinal")}
    return tuple(RecordedCandidate(**dict(zip(read, row, strict=True))) for row in zip(*read.values(), strict=True))


def _rows(columns: Mapping[str, Any], rows: int) -> tuple[Mapping[str, Any], ...]:
    hints = types(Hit)  # earlier versions recorded further columns
    read = {name: uncolumn(hints[name], written, rows) for name, written in columns.items() if name in hints}
    return tuple(dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True))


def _typed(of: type, written: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: typed(types(of)[name], value) for name, value in written.items()}
