"""The record of a turn: the inputs and results of the stages that select its memories, to explain and replay it.

A record has ids and numbers, but no text of memories. Of each passage that was found, it has the scores in that turn
and a checksum of the text. A replay reads the text from the store; the checksum shows if the text has changed.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import repeat
from operator import attrgetter
from typing import Any, Self
from uuid import UUID

from pydantic_core import to_json  # takes a fifth of the time of json.dumps, with floats as exact

from brain.passage_texts import PASSAGE_FIELDS, Key, digest, digest_of_pinned
from brain.search import Hit, SearchResult
from brain.turn_records import Exposure, OpenTurn
from brain.types import Memory
from cognitive.degradation import codes
from cognitive.plan import Frame, Plan, Signals
from cognitive.policy.constants import Constants
from cognitive.recording.coding import column
from cognitive.trace import CandidateResult, WindowSimilarity, window_similarities
from cognitive.turn import TurnContext

AlreadyInPrompt = tuple[UUID, int, int]  # a passage's memory and ordinal, and the number of messages since its block

FORMAT = 5  # version of the format; `recorded.decode` refuses others
_LEVEL = 3  # compression level of zlib; 6 takes twice the time and saves 5 %
_DIGITS = 6  # decimals of results; inputs are recorded exactly, because a replay uses them
_EXPLAINED = 30  # best candidates that are recorded with all factors; the others only with their result


@dataclass(frozen=True, slots=True)
class TurnInputs:
    """Everything that the selection of a turn's memories depends on, besides the policy.

    `model` is the embedding model of the vectors, and `counter` the name of the token counter. `agent_id` and `turn_id`
    determine the draw of exploration. `already_in_prompt` are the hits that earlier memory blocks still show.
    `room` is the number of tokens that the model leaves for memory, None for no limit. `constants` is the digest of the
    ranking constants, empty if the turn's version did not record it. `filtered` are the fields that the turn's filter
    names, without their values: these may be texts that are erased later.
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
    counter: str = "estimate-1"  # the counter of turns that did not record its name
    room: int | None = None
    categories: tuple[str, ...] = ()
    constants: str = ""
    filtered: tuple[str, ...] = ()

    def ran_by(self, constants: Constants) -> bool:
        """Return True if the turn's memories were selected with these constants, or if that was not recorded."""
        return self.constants in ("", constants.digest)

    @classmethod
    def from_plan(cls, plan: Plan, **others: Any) -> Self:
        """Return the inputs of a turn with this plan; `others` are the fields that the plan does not have."""
        return cls(plan.signals, plan.frame, plan.reasons, plan.thinking, categories=plan.categories, **others)


_FACTS = tuple(each.name for each in fields(TurnInputs) if each.name not in ("found", "pinned"))
_FOUND = tuple(each.name for each in fields(SearchResult) if each.name != "hits")
_OF_A_HIT = tuple(name for name in Hit._fields if name not in PASSAGE_FIELDS)
_measures = attrgetter(*(each.name for each in fields(WindowSimilarity)))


def encode(inputs: TurnInputs, results: Sequence[CandidateResult], *, text: str, prefix: str) -> str:
    """Encode the inputs and results of a turn's stages as a text: JSON by columns, compressed with zlib, in base64."""
    hits = inputs.found.hits
    place = {(hit.memory_id, hit.ordinal): n for n, hit in enumerate(hits)}
    document = {
        "form": FORMAT,
        "facts": {name: getattr(inputs, name) for name in _FACTS},
        "found": {name: getattr(inputs.found, name) for name in _FOUND},
        "hits": {name: column(values) for name, values in _hit_columns(hits).items()},
        "digests": [digest(hit) for hit in hits],
        "pinned": [(memory.id, digest_of_pinned(memory)) for memory in inputs.pinned],
        "similarity": [(place[key], *_measures(like)) for key, like in window_similarities(results).items()],
        "candidates": {name: column(values) for name, values in _columns(results, place).items()} if results else [],
        "text": sha256(text),
        "prefix": sha256(prefix),
    }
    return base64.b64encode(zlib.compress(to_json(document), _LEVEL)).decode("ascii")


def sha256(text: str) -> str:
    """Return the SHA-256 of a rendered text in hexadecimal digits, which is recorded instead of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _columns(results: Sequence[CandidateResult], place: Mapping[Key, int]) -> Mapping[str, Sequence[Any]]:
    """Return the fields of recorded candidates as columns; those of low rank have no factors, boost and tokens.

    `place` has the indexes of the hits.
    """
    candidates = [result.candidate for result in results]
    optional: dict[str, list[Any]] = {
        "lowered": [each.lowered for each in candidates],
        "moved": [each.moved for each in candidates],
        "threshold": [result.threshold and round(result.threshold, _DIGITS) for result in results],
        "propensity": [None if each.propensity == 1.0 else each.propensity for each in candidates],
    }
    explained = [
        result.candidate if place < _EXPLAINED or result.disposition == "shown" else None
        for place, result in enumerate(results)
    ]
    return {
        "hit": [place[each.hit.memory_id, each.hit.ordinal] for each in candidates],
        "type": [each.hit.type for each in candidates],
        "disposition": [result.disposition for result in results],
        "value": _rounded([result.value for result in results]),
        "reason": [result.reason for result in results],
        "rank_before": [each.rank_before for each in candidates],
        "rank": [each.rank for each in candidates],
        "score": _rounded([each.score for each in candidates]),
        "relevance": _rounded([each.relevance for each in candidates]),
        "match": _rounded([each.match for each in candidates]),
        "factors": [
            each and dict(zip(each.factors, _rounded(each.factors.values()), strict=True)) for each in explained
        ],
        "boost": [each and each.boost for each in explained],
        "tokens": [each and each.tokens for each in explained],
        **{name: values for name, values in optional.items() if any(values)},
    }


def _rounded(values: Iterable[float]) -> list[float]:
    return [*map(round, values, repeat(_DIGITS))]


def _hit_columns(hits: Sequence[Hit]) -> Mapping[str, Sequence[Any]]:
    """Return the fields of hits as columns."""
    columns = dict(zip(_OF_A_HIT, zip(*map(attrgetter(*_OF_A_HIT), hits), strict=True), strict=True)) if hits else {}
    ids = [str(hit.memory_id) for hit in hits]  # `to_json` takes 20 times as long for asyncpg's
    return {**dict.fromkeys(_OF_A_HIT, ()), **columns, "memory_id": ids}


def open_turn(context: TurnContext) -> OpenTurn:
    """Return a prepared turn in the form in which Postgres or the journal stores it before its outcome is known."""
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
        policy_content=context.policy.content if context.policy is not None else None,
        categories=context.plan.categories,
        runtime=context.runtime,
        measures=context.trace.measures(context.language_model),
        received_at=context.received_at,
    )
