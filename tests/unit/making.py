"""Hand-made values for the pure stages: a hit, a candidate, a vector, with only what a test is about spelled out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np

from brain.past_turns import PastShown, PastTurn
from brain.search import Hit, SearchResult
from cognitive.trace import Candidate

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)


def uid(n: int) -> UUID:
    return UUID(int=n)


def hit(n: int = 1, content: str = "Tea is served at noon.", **fields) -> Hit:
    """The n-th memory of an agent; `replaced_by` may be given as a number."""
    if isinstance(fields.get("replaced_by"), int):
        fields["replaced_by"] = uid(fields["replaced_by"])
    if fields.get("replaced_by") is not None:
        fields = {"hidden_at": AT, "hidden_reason": "superseded", **fields}
    given = {
        "memory_id": uid(n),
        "ordinal": 0,
        "seq": n,
        "type": "fact",
        "content": content,
        "partial": False,
        "speaker": None,
        "occurred_at": AT,
        "session_id": None,
        "source": None,
        "confidence": 1.0,
        "pinned": False,
        "length": 4,
        "scores": {},
    }
    return Hit(**{**given, **fields})


def candidate(n: int = 1, content: str = "Tea is served at noon.", **fields) -> Candidate:
    """A candidate around `hit(n, content, ...)`; the fields of a Candidate go to it, the others to its hit."""
    own = {
        name: fields.pop(name)
        for name in ("relevance", "factors", "boost", "score", "rank", "tokens")
        if name in fields
    }
    return Candidate(hit(n, content, **fields), **own)


def found(*hits: Hit, **fields) -> SearchResult:
    return SearchResult(hits=hits, **fields)


def unit(*numbers: float) -> np.ndarray:
    vector = np.asarray(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def beside(cosine: float) -> np.ndarray:
    """A unit vector at this cosine to `unit(1, 0)`."""
    return np.asarray([cosine, np.sqrt(1 - cosine**2)], dtype=np.float32)


def ids(candidates) -> list[int]:
    return [each.hit.memory_id.int for each in candidates]


def past(cosine: float, *shown: tuple, n: int = 1, words: float | None = None, days: float = 0.0) -> PastTurn:
    """A turn so many days before AT, that showed memories: each as (number, used), and further lacked and rated.

    The words are as like as the meaning, unless they are given.
    """
    rows = [PastShown(uid(n), used, *(rest or (0.0,))) for n, used, *rest in shown]
    at = AT - timedelta(days=days)
    return PastTurn(f"turn-{n}", at, cosine, max(0.0, cosine) if words is None else words, tuple(rows))
