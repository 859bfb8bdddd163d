"""The numbers of a turn that are added up over many, from what the turn says of itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cognitive.trace import Disposition, Trace

ELAPSED = "pre_turn"  # the whole, among the timings of the stages

DEDUPED: frozenset[Disposition] = frozenset({"restated", "duplicate", "standing"})
TRIMMED: frozenset[Disposition] = frozenset({"over_limit", "over_budget", "displaced"})


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
        counts["deduped"] += fate.disposition in DEDUPED
        counts["trimmed"] += fate.disposition in TRIMMED
    ended = Counter(fate.disposition for fate in trace.fates)
    return {
        "elapsed": round(trace.timings[ELAPSED], 3) if ELAPSED in trace.timings else None,
        "stages": {name: round(ms, 3) for name, ms in stages(trace).items()},
        "types": {type_: dict(counts) for type_, counts in by_type.items()},
        "abstained": not ended["shown"] and ended["irrelevant"] > 0,
        "tools_cut": len(trace.trim.cut) if trace.trim is not None else 0,
        **({"model": model} if model is not None else {}),
    }
