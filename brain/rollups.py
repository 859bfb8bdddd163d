"""Compute what a turn adds to the counts of its hour and day: in total and by frame, category, type, stage and tool.

Latencies are counted in buckets whose bounds are powers of 2^(1/4) milliseconds. Such counts can be added without loss.
A quantile computed from them lies in the right bucket, so that it is wrong by 19 % at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import log2
from typing import Any, TypedDict

_STEPS = 4  # buckets per doubling of the latency
BUCKETS = 80  # the last one begins at 2^19.5 ms, about 12 minutes

Key = tuple[str, str]  # dimension and value, such as ("frame", "task")


@dataclass(frozen=True, slots=True)
class RollupCounts:
    """The numbers that a turn adds to the counts of one key, such as a tool or a frame (the kind of turn).

    `shown`, `used`, `tokens` and `used_tokens` are of the memories that the prompt showed for this turn or that recall
    returned; `pinned_tokens` are of the pinned memories, which are in every prompt and never judged. `latency` has the
    number of turns in each latency bucket.
    """

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
    pinned_tokens: int = 0
    milliseconds: float = 0.0
    latency: tuple[int, ...] = ()


COLUMNS: tuple[str, ...] = tuple(each.name for each in fields(RollupCounts))


class TurnMetrics(TypedDict, total=False):
    """The measurements that `pre_turn` records with a turn.

    `elapsed` is the duration of `pre_turn` in milliseconds, `stages` the duration of each stage of it. `types` has, for
    each memory type, how many memories were found, removed as duplicates (`deduped`), and left out because they
    exceeded a limit or a budget (`trimmed`). `pinned` is the number of pinned memories in the prompt, and
    `pinned_tokens` the tokens of their block.
    """

    elapsed: float | None
    stages: Mapping[str, float]
    types: Mapping[str, Mapping[str, int]]
    abstained: bool
    pinned: int
    pinned_tokens: int
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
    """The properties of a turn with an outcome that are counted; `measures` has the measurements of `pre_turn`."""

    status: str
    frame: str
    categories: tuple[str, ...]
    runtime: str | None
    degraded: bool
    measures: TurnMetrics = field(default_factory=TurnMetrics)
    memories: Sequence[CountedMemory] = ()
    tools_called: tuple[str, ...] = ()
    policy: str | None = None


def rows(turn: CountedTurn) -> dict[Key, RollupCounts]:
    """Return the numbers that a turn adds to the counts, by key."""
    whole = _whole(turn)
    by_type = {("type", type_): _of_type(turn, type_) for type_ in _types(turn)}
    stages = turn.measures.get("stages", {})
    return {
        **dict.fromkeys(_keys(turn), whole),
        **by_type,
        **{
            ("stage", name): RollupCounts(turns=1, milliseconds=ms, latency=_histogram(ms))
            for name, ms in stages.items()
        },
        **{
            ("tool", f"{category}/{name}"): RollupCounts(turns=1)
            for category in turn.categories or ("none",)
            for name in turn.tools_called
        },
    }


def changed(turn: CountedTurn, memory: CountedMemory) -> dict[Key, RollupCounts]:
    """Return how the counts must be corrected, by key, after a rating changed whether one shown memory counts as used.

    `memory` has the new value. The turn was counted with the old one.
    """
    sign = 1 if memory.used else -1
    numbers = RollupCounts(used=sign, used_tokens=sign * memory.tokens)
    return dict.fromkeys([*_keys(turn), ("type", memory.type)], numbers)


def bucket(milliseconds: float) -> int:
    """Return the index of the bucket that a latency belongs to; bucket 0 is for latencies below one millisecond."""
    return min(BUCKETS - 1, max(0, int(_STEPS * log2(milliseconds)) + 1)) if milliseconds >= 1 else 0


def quantile(counts: Sequence[int], share: float) -> float | None:
    """Return the latency in milliseconds that a share of the counted latencies does not exceed, or None without counts.

    `counts` has the number of latencies per bucket. Within a bucket the result is interpolated linearly.
    """
    total = sum(counts)
    if not total:
        return None
    seen = 0
    for place, count in enumerate(counts):
        if count and seen + count >= share * total:
            low, high = (0.0 if place == 0 else 2 ** ((place - 1) / _STEPS)), 2 ** (place / _STEPS)
            return float(low + (high - low) * (share * total - seen) / count)
        seen += count
    return float(2 ** ((len(counts) - 1) / _STEPS))


def _keys(turn: CountedTurn) -> list[Key]:
    known = [(by, value) for by, value in (("runtime", turn.runtime), ("policy", turn.policy)) if value]
    return [("all", ""), ("frame", turn.frame), *(("category", each) for each in turn.categories), *known]


def _types(turn: CountedTurn) -> list[str]:
    known = turn.measures.get("types", {})
    return sorted({*known, *(memory.type for memory in turn.memories)})


def _whole(turn: CountedTurn) -> RollupCounts:
    types, elapsed = turn.measures.get("types", {}), turn.measures.get("elapsed")
    return RollupCounts(
        turns=1,
        completed=int(turn.status == "completed"),
        failed=int(turn.status == "failed"),
        abandoned=int(turn.status == "abandoned"),
        degraded=int(turn.degraded),
        abstained=int(turn.measures.get("abstained", False)),
        **{name: sum(numbers.get(name, 0) for numbers in types.values()) for name in ("found", "deduped", "trimmed")},
        **_used(turn.memories),
        pinned_tokens=turn.measures.get("pinned_tokens", 0) if turn.status == "completed" else 0,
        milliseconds=elapsed or 0.0,
        latency=_histogram(elapsed) if elapsed is not None else (),
    )


def _of_type(turn: CountedTurn, type_: str) -> RollupCounts:
    numbers = turn.measures.get("types", {}).get(type_, {})
    memories = [memory for memory in turn.memories if memory.type == type_]
    found, deduped, trimmed = (numbers.get(name, 0) for name in ("found", "deduped", "trimmed"))
    return RollupCounts(turns=1, found=found, deduped=deduped, trimmed=trimmed, **_used(memories))


def _used(memories: Sequence[CountedMemory]) -> dict[str, Any]:
    used = [memory for memory in memories if memory.used]
    return {
        "shown": len(memories),
        "used": len(used),
        "tokens": sum(memory.tokens for memory in memories),
        "used_tokens": sum(memory.tokens for memory in used),
    }


def _histogram(milliseconds: float) -> tuple[int, ...]:
    place = bucket(milliseconds)
    return (*(0 for _ in range(place)), 1)
