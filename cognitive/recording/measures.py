"""The numbers of a turn that are added up over many, from what the turn says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from cognitive.trace import Disposition, Trace

ELAPSED = "pre_turn"  # the whole, among the timings of the stages

# What a memory that was found counts as, by where it ended; the others count as found and no more.
COUNTED: Mapping[Disposition, Literal["injected", "abstained", "deduped", "trimmed"]] = {
    "shown": "injected",
    "irrelevant": "abstained",
    "restated": "deduped",
    "duplicate": "deduped",
    "standing": "deduped",
    "over_limit": "trimmed",
    "over_budget": "trimmed",
    "displaced": "trimmed",
    "distrusted": "trimmed",
    "source_cap": "trimmed",
}


def stages(trace: Trace) -> dict[str, float]:
    """Milliseconds by stage, without the whole."""
    return {name: ms for name, ms in trace.timings.items() if name != ELAPSED}


def measures(trace: Trace, model: str | None = None) -> dict[str, Any]:
    """`elapsed` and `stages` in milliseconds; by type what was `found`, `deduped` and `trimmed`; whether the turn
    `abstained`: it found memories, and showed none of them for want of evidence; and the language `model` it was for.
    """
    by_type: dict[str, Counter[str]] = {}
    for fate in trace.fates:
        counts = by_type.setdefault(fate.candidate.hit.type, Counter())
        counts["found"] += 1
        counts["deduped"] += COUNTED.get(fate.disposition) == "deduped"
        counts["trimmed"] += COUNTED.get(fate.disposition) == "trimmed"
    ended = Counter(fate.disposition for fate in trace.fates)
    return {
        "elapsed": round(trace.timings[ELAPSED], 3) if ELAPSED in trace.timings else None,
        "stages": {name: round(ms, 3) for name, ms in stages(trace).items()},
        "types": {type_: dict(counts) for type_, counts in by_type.items()},
        "abstained": not ended["shown"] and ended["irrelevant"] > 0,
        "tools_cut": len(trace.trim.cut) if trace.trim is not None else 0,
        **({"model": model} if model is not None else {}),
    }
