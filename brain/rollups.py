"""What a turn adds to the counts of its hour and its day: rows to be summed, under 'all' and by each of its kinds.

Quantiles come from counts by powers of 2^(1/4) milliseconds: sums of counts are exact, and a quantile is within a tenth
of what all the times themselves would say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import log2
from typing import Any, TypedDict

_STEPS = 4  # buckets to each doubling
BUCKETS = 80  # the last begins at some 17 minutes

Key = tuple[str, str]  # what it is told apart by, and the value


@dataclass(frozen=True, slots=True)
class RollupCounts:
    """What is added under one key; `latency` counts by bucket."""

    turns: int = 0
    completed: int = 0
    failed: int = 0
    abandoned: int = 0
    degraded: int = 0
    abstained: int = 0
    found: int = 0
    shown: int = 0
    used: int = 0
    tokens: int = 0
    used_tokens: int = 0
    deduped: int = 0
    trimmed: int = 0
    milliseconds: float = 0.0
    latency: tuple[int, ...] = ()


COLUMNS: tuple[str, ...] = tuple(each.name for each in fields(RollupCounts))


class TurnMetrics(TypedDict, total=False):
    """The numbers that `pre_turn` records with a turn: milliseconds of the whole and by stage, and by memory type how
    many memories were found, deduped and trimmed.
    """

    elapsed: float | None
    stages: Mapping[str, float]
    types: Mapping[str, Mapping[str, int]]
    abstained: bool
    tools_cut: int
    model: str


@dataclass(frozen=True, slots=True)
class CountedMemory:
    """A memory that a completed turn showed: its type, its tokens in the prompt, and whether it was used."""

    type: str
    tokens: int
    used: bool


@dataclass(frozen=True, slots=True)
class CountedTurn:
    """A turn whose outcome is known, as far as it is counted. `measures` is what `pre_turn` recorded with it."""

    status: str
    frame: str
    categories: tuple[str, ...]
    runtime: str | None
    degraded: bool
    measures: TurnMetrics = field(default_factory=TurnMetrics)
    memories: Sequence[CountedMemory] = ()
    tools_called: tuple[str, ...] = ()
    policy: str | None = None


def rows(told: CountedTurn) -> dict[Key, RollupCounts]:
    """What a turn adds, by key."""
    whole = _whole(told)
    by_type = {("type", type_): _of_type(told, type_) for type_ in _types(told)}
    stages = told.measures.get("stages", {})
    return {
        **dict.fromkeys(_keys(told), whole),
        **by_type,
        **{("stage", name): RollupCounts(turns=1, milliseconds=ms, latency=_one(ms)) for name, ms in stages.items()},
        **{
            ("tool", f"{category}/{name}"): RollupCounts(turns=1)
            for category in _of(told)
            for name in told.tools_called
        },
    }


def changed(told: CountedTurn, memory: CountedMemory) -> dict[Key, RollupCounts]:
    """What a verdict on one memory, which was counted the other way round, changes."""
    sign = 1 if memory.used else -1
    numbers = RollupCounts(used=sign, used_tokens=sign * memory.tokens)
    return dict.fromkeys([*_keys(told), ("type", memory.type)], numbers)


def bucket(milliseconds: float) -> int:
    """The bucket of a time, counted from 0: the first ends at a millisecond."""
    return min(BUCKETS - 1, max(0, int(_STEPS * log2(milliseconds)) + 1)) if milliseconds >= 1 else 0


def quantile(counts: Sequence[int], share: float) -> float | None:
    """The time in milliseconds below which this share of the counted lies, None if nothing was counted."""
    total = sum(counts)
    if not total:
        return None
    seen = 0
    for place, count in enumerate(counts):
        if count and seen + count >= share * total:
            least, most = (0.0 if place == 0 else 2 ** ((place - 1) / _STEPS)), 2 ** (place / _STEPS)
            return float(least + (most - least) * (share * total - seen) / count)
        seen += count
    return float(2 ** ((len(counts) - 1) / _STEPS))


def _keys(told: CountedTurn) -> list[Key]:
    known = [(by, value) for by, value in (("runtime", told.runtime), ("policy", told.policy)) if value]
    return [("all", ""), ("frame", told.frame), *(("category", each) for each in told.categories), *known]


def _of(told: CountedTurn) -> Iterable[str]:
    return told.categories or ("none",)


def _types(told: CountedTurn) -> list[str]:
    known = told.measures.get("types", {})
    return sorted({*known, *(memory.type for memory in told.memories)})


def _whole(told: CountedTurn) -> RollupCounts:
    types, elapsed = told.measures.get("types", {}), told.measures.get("elapsed")
    return RollupCounts(
        turns=1,
        completed=int(told.status == "completed"),
        failed=int(told.status == "failed"),
        abandoned=int(told.status == "abandoned"),
        degraded=int(told.degraded),
        abstained=int(told.measures.get("abstained", False)),
        **{name: sum(own.get(name, 0) for own in types.values()) for name in ("found", "deduped", "trimmed")},
        **_used(told.memories),
        milliseconds=elapsed or 0.0,
        latency=_one(elapsed) if elapsed is not None else (),
    )


def _of_type(told: CountedTurn, type_: str) -> RollupCounts:
    own = told.measures.get("types", {}).get(type_, {})
    memories = [memory for memory in told.memories if memory.type == type_]
    found, deduped, trimmed = (own.get(name, 0) for name in ("found", "deduped", "trimmed"))
    return RollupCounts(turns=1, found=found, deduped=deduped, trimmed=trimmed, **_used(memories))


def _used(memories: Sequence[CountedMemory]) -> dict[str, Any]:
    used = [memory for memory in memories if memory.used]
    return {
        "shown": len(memories),
        "used": len(used),
        "tokens": sum(memory.tokens for memory in memories),
        "used_tokens": sum(memory.tokens for memory in used),
    }


def _one(milliseconds: float) -> tuple[int, ...]:
    place = bucket(milliseconds)
    return (*(0 for _ in range(place)), 1)
