"""What the pure stages of a turn were given and what they made of it, kept to explain the turn and to run it again.

A record holds ids and numbers, and no memory's words. `TurnInputs` holds everything that a turn depends on beside the
policy. Of a hit, the record keeps what was true of it in that turn (scores, usage, neighbours); its words are read
again from the store, and a checksum tells whether they have changed. Fields are recorded by their types: one that is
added to `TurnInputs`, `SearchResult` or `Hit` needs no change here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic_core import to_json  # a fifth of the time of json.dumps, floats as exact

from brain.passage_texts import PASSAGE_FIELDS, Key, PassageText, digest, digest_of_pinned
from brain.search import Hit, SearchResult
from brain.turn_records import Exposure, OpenTurn
from brain.types import Memory, MemoryType
from cognitive.degradation import codes
from cognitive.errors import InvalidInput
from cognitive.plan import Frame, Plan, Signals
from cognitive.policy.constants import Constants
from cognitive.recording.coding import Ids, column, plain, typed, types, uncolumn
from cognitive.trace import Boost, CandidateResult, Disposition, WindowSimilarity, window_similarities
from cognitive.turn import TurnContext

AlreadyInPrompt = tuple[UUID, int, int]  # a passage's memory and ordinal, and how many messages back it was shown

_FORM = 3  # of the record; another form is not read as this one
_LEVEL = 3  # of zlib: 6 takes twice the time and saves a twentieth
_DIGITS = 6  # of what is told of a result; what is run again is recorded whole
_EXPLAINED = 30  # candidates by rank whose every factor is kept; of the rest the result and what decided it


@dataclass(frozen=True, slots=True)
class TurnInputs:
    """What the stages from plan to text are given in a turn, beside the policy.

    `model` names the hits' vectors, `counter` what counted their tokens; `room` is how many of these the model at hand
    leaves for memory, None where that is no matter; `constants` is the digest of the constants, empty in turns recorded
    before it was kept.
    """

    signals: Signals
    frame: Frame
    reasons: tuple[str, ...]
    thinking: str | None
    now: datetime
    model: str
    found: SearchResult
    pinned: tuple[Memory, ...] = ()
    agent_id: str = ""
    turn_id: str = ""
    already_in_prompt: tuple[AlreadyInPrompt, ...] = ()
    counter: str = "estimate-1"  # what counted before turns recorded its name
    room: int | None = None
    categories: tuple[str, ...] = ()
    constants: str = ""

    def ran_by(self, constants: Constants) -> bool:
        """Return whether the stages ran by these constants, as far as the record tells."""
        return self.constants in ("", constants.digest)

    @classmethod
    def from_plan(
        cls,
        plan: Plan,
        now: datetime,
        model: str,
        found: SearchResult,
        pinned: tuple[Memory, ...],
        agent_id: str,
        turn_id: str,
        already_in_prompt: tuple[AlreadyInPrompt, ...] = (),
        counter: str = "estimate-1",
        room: int | None = None,
        constants: str = "",
    ) -> TurnInputs:
        """What a plan was made from, what was fetched for it, and the turn, whose name decides what it explores."""
        return cls(
            plan.signals,
            plan.frame,
            plan.reasons,
            plan.thinking,
            now,
            model,
            found,
            pinned,
            agent_id,
            turn_id,
            already_in_prompt,
            counter,
            room,
            plan.categories,
            constants,
        )


_FACTS = tuple(each.name for each in fields(TurnInputs) if each.name not in ("found", "pinned"))
_FOUND = tuple(each.name for each in fields(SearchResult) if each.name != "hits")
_OF_A_HIT = tuple(each.name for each in fields(Hit) if each.name not in PASSAGE_FIELDS)
_NEIGHBOURS = frozenset({"previous_id", "next_id"})


@dataclass(frozen=True, slots=True)
class RecordedCandidate:
    """A candidate as it is recorded: where it ended, what decided that, and how it came to its rank.

    `propensity` is None where it was certain to be shown or not. `factors`, `boost` and `tokens` are None for those far
    down that were not shown.
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

    @property
    def chance(self) -> float:
        """The probability that it had of being shown or, if it was certain, 1."""
        return 1.0 if self.propensity is None else self.propensity


@dataclass(frozen=True, slots=True)
class Recording:
    """A record as it is read back.

    `inputs` is what the stages were given, without the hits and the pinned memories, whose words are read again; None
    if no stage ran. `rows` are the recorded parts of the hits; `digests`, and those of `pinned`, are checksums of what
    the memories said; `text` and `prefix` are the SHA-256 of what was rendered; `candidates` are recorded by rank.
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
        """The passages that were found, in the agent's order."""
        return list(self.scores)

    @property
    def model(self) -> str:
        """The embedding model of the hits' vectors."""
        return self.inputs.model if self.inputs is not None else ""

    def restored(self, contents: Mapping[Key, PassageText], pinned: Mapping[UUID, Memory]) -> Restored:
        """What the stages were given, as far as the store still has it.

        Raises:
            InvalidInput: no stage ran.
        """
        if self.inputs is None:
            raise InvalidInput("no stage ran in this turn")
        found = zip(self.keys, self.rows, self.digests, strict=True)
        hits, gone, changed = list[Hit](), set[UUID](), set[UUID]()
        for key, row, was in found:
            if key not in contents:
                gone.add(key[0])
                continue
            hits.append(Hit(**row, **{name: getattr(contents[key], name) for name in PASSAGE_FIELDS}))
            if digest(hits[-1]) != was:
                changed.add(key[0])
        gone |= {id for id, _ in self.pinned if id not in pinned}
        changed |= {id for id, was in self.pinned if id in pinned and digest_of_pinned(pinned[id]) != was}
        prefixed = tuple(pinned[id] for id, _ in self.pinned if id in pinned)
        inputs = replace(self.inputs, found=replace(self.inputs.found, hits=tuple(hits)), pinned=prefixed)
        return Restored(inputs, frozenset(gone), frozenset(changed - gone))


NOTHING = Recording(None, (), (), (), {}, "", "", ())


@dataclass(frozen=True, slots=True)
class Restored:
    """A turn's inputs as the store has them now, and the memories that are gone or say something else since."""

    inputs: TurnInputs
    gone: frozenset[UUID]
    changed: frozenset[UUID]


def encode(inputs: TurnInputs, results: Sequence[CandidateResult], *, text: str, prefix: str) -> str:
    """The record of a turn, as text: JSON by columns, compressed."""
    hits = inputs.found.hits
    ids = Ids(hit.memory_id for hit in hits)
    place = {(hit.memory_id, hit.ordinal): n for n, hit in enumerate(hits)}
    document = {
        "form": _FORM,
        "facts": {name: plain(getattr(inputs, name), ids) for name in _FACTS},
        "found": {name: plain(getattr(inputs.found, name), ids) for name in _FOUND},
        "hits": {name: column(_values(hits, name), ids) for name in _OF_A_HIT},
        "digests": [digest(hit) for hit in hits],
        "pinned": [(ids.place(memory.id), digest_of_pinned(memory)) for memory in inputs.pinned],
        "similarity": [(place[key], *astuple(like)) for key, like in window_similarities(results).items()],
        "candidates": {name: column(values, ids) for name, values in _columns(results).items()} if results else [],
        "text": sha256(text),
        "prefix": sha256(prefix),
        "ids": [id.hex for id in ids],  # last: only now all are known
    }
    return base64.b64encode(zlib.compress(to_json(document), _LEVEL)).decode("ascii")


def decode(record: str | None) -> Recording:
    """Reads a record; that of a turn in which no stage ran is `NOTHING`.

    Raises:
        InvalidInput: it was written in another form than this version reads.
    """
    if record is None:
        return NOTHING
    document = json.loads(zlib.decompress(base64.b64decode(record)))
    if document["form"] != _FORM:
        raise InvalidInput(f"the turn was recorded in form {document['form']}; this version reads form {_FORM}")
    ids = [UUID(hex=id) for id in document["ids"]]
    rows = _rows(document["hits"], len(document["digests"]), ids)
    return Recording(
        inputs=TurnInputs(
            **_typed(TurnInputs, document["facts"], ids),
            found=SearchResult((), **_typed(SearchResult, document["found"], ids)),
        ),
        rows=rows,
        digests=tuple(document["digests"]),
        pinned=tuple((ids[id], was) for id, was in document["pinned"]),
        similarity={
            (rows[n]["memory_id"], rows[n]["ordinal"]): _similarity(like) for n, *like in document["similarity"]
        },
        text=document["text"],
        prefix=document["prefix"],
        candidates=_candidates(document["candidates"], ids),
        scores={(row["memory_id"], row["ordinal"]): row["scores"] for row in rows},
    )


def _similarity(written: Sequence[Any]) -> WindowSimilarity:
    return WindowSimilarity(*written[:3], *map(tuple, written[3:]))


def sha256(text: str) -> str:
    """What the record keeps of a rendered text, which holds memories' words."""
    return hashlib.sha256(text.encode()).hexdigest()


def _columns(results: Sequence[CandidateResult]) -> Mapping[str, Sequence[Any]]:
    """Return the fields of `RecordedCandidate` by columns, which is quicker than a row for each candidate.

    Those far down lose what explains them; the column of propensities is left out where no candidate has one.
    """
    candidates = [result.candidate for result in results]
    chances = [None if each.propensity == 1.0 else each.propensity for each in candidates]
    explained = [
        result.candidate if place < _EXPLAINED or result.disposition == "shown" else None
        for place, result in enumerate(results)
    ]
    return {
        "memory_id": [each.hit.memory_id for each in candidates],
        "ordinal": [each.hit.ordinal for each in candidates],
        "type": [each.hit.type for each in candidates],
        "disposition": [result.disposition for result in results],
        "value": [round(result.value, _DIGITS) for result in results],
        "reason": [result.reason for result in results],
        "rank_before": [each.rank_before for each in candidates],
        "rank": [each.rank for each in candidates],
        "score": [round(each.score, _DIGITS) for each in candidates],
        "relevance": [round(each.relevance, _DIGITS) for each in candidates],
        **({"propensity": chances} if any(chances) else {}),
        "factors": [each and _rounded(each.factors) for each in explained],
        "boost": [each and each.boost for each in explained],
        "tokens": [each and each.tokens for each in explained],
    }


def _rounded(factors: Mapping[str, float]) -> Mapping[str, float]:
    return {name: round(value, _DIGITS) for name, value in factors.items()}


def _candidates(columns: Any, ids: Sequence[UUID]) -> tuple[RecordedCandidate, ...]:
    if not columns:
        return ()
    hints, rows = types(RecordedCandidate), len(columns["memory_id"])
    read = {name: uncolumn(hints[name], written, ids, rows) for name, written in columns.items()}
    return tuple(RecordedCandidate(**dict(zip(read, row, strict=True))) for row in zip(*read.values(), strict=True))


def _values(hits: Sequence[Hit], name: str) -> list[Any]:
    """A field of all hits. Of neighbours only those that are hits themselves are kept, since the others change
    nothing.
    """
    values = [getattr(hit, name) for hit in hits]
    if name not in _NEIGHBOURS:
        return values
    known = {hit.memory_id for hit in hits}
    return [value if value in known else None for value in values]


def _rows(columns: Mapping[str, Any], rows: int, ids: Sequence[UUID]) -> tuple[Mapping[str, Any], ...]:
    read = {name: uncolumn(types(Hit)[name], written, ids, rows) for name, written in columns.items()}
    return tuple(dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True))


def _typed(of: type, written: Mapping[str, Any], ids: Sequence[UUID]) -> Mapping[str, Any]:
    return {name: typed(types(of)[name], value, ids) for name, value in written.items()}


def opened(context: TurnContext) -> OpenTurn:
    """A prepared turn as it is recorded."""
    return OpenTurn(
        turn_id=context.turn_id,
        session_id=context.session_id,
        user_id=context.user_id,
        at=context.now,
        message=context.message if context.redacted_message is None else context.redacted_message,
        policy=context.plan.policy,
        frame=context.plan.frame,
        degraded=context.degraded,
        degraded_codes=codes(context.degraded),
        trace=context.trace.as_json() | {"plan": context.plan.as_json()},
        shown=tuple(
            Exposure(s.memory_id, s.type, slot, s.propensity, s.relevance_gap, s.tokens)
            for slot, s in enumerate(context.shown)
        ),
        model=context.embedding_model if context.query_vector is not None else None,
        query=context.query_vector,
        policy_content=context.policy.model_dump(mode="json") if context.policy is not None else None,
        categories=context.plan.categories,
        runtime=context.runtime,
        measures=context.trace.measures(context.language_model),
        received_at=context.received_at,
    )
