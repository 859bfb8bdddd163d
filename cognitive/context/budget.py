"""Fitting: whole memories into their section's tokens and the total, best first; what is left is used by the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from brain.types import MemoryType
from cognitive.trace import Candidate, Fate, Sifted


def limit(candidates: Sequence[Candidate], limits: Mapping[MemoryType, int]) -> Sifted:
    """The first so many of each type."""
    taken: dict[MemoryType, int] = {}
    kept, dropped = [], []
    for candidate in candidates:
        type_ = candidate.hit.type
        place = taken[type_] = taken.get(type_, 0) + 1
        allowed = limits.get(type_, 0)
        if place <= allowed:
            kept.append(candidate)
        else:
            dropped.append(Fate(candidate, "over_limit", place, f"place {place} of {allowed} for a {type_}"))
    return Sifted(tuple(kept), tuple(dropped))


def cap(candidates: Sequence[Candidate], most: int | None) -> Sifted:
    """The first so many of all types together; None is no bound."""
    if most is None:
        return Sifted(tuple(candidates))
    late = [Fate(c, "over_limit", n, f"place {n} of {most} in all") for n, c in enumerate(candidates, 1) if n > most]
    return Sifted(tuple(candidates[:most]), tuple(late))


def fit(
    candidates: Sequence[Candidate],
    budgets: Mapping[MemoryType, int],
    total: int,
    *,
    cost: Callable[[Candidate], int],
    overhead: int = 0,
) -> Sifted:
    """Whole memories that fit their sections and the total, best first, in the order given.

    Two passes: each section within its own budget, then what the sections left goes to whoever comes next, within the
    total. A memory too long for the room left is passed over, and a shorter one behind it may still fit. `cost` is what
    a memory takes in tokens as it is rendered; `overhead` tokens of the total belong to the frame around them.
    """
    measured = [replace(candidate, tokens=cost(candidate)) for candidate in candidates]
    room = dict(budgets)
    left = max(0, total - overhead)
    chosen: set[int] = set()
    for own_section in (True, False):
        for n, candidate in enumerate(measured):
            allowed = min(left, room.get(candidate.hit.type, 0)) if own_section else left
            if n not in chosen and candidate.tokens <= allowed:
                chosen.add(n)
                left -= candidate.tokens
                room[candidate.hit.type] = room.get(candidate.hit.type, 0) - candidate.tokens
    kept = tuple(candidate for n, candidate in enumerate(measured) if n in chosen)
    dropped = tuple(
        Fate(candidate, "over_budget", candidate.tokens, f"{candidate.tokens} tokens, {left} left")
        for n, candidate in enumerate(measured)
        if n not in chosen
    )
    return Sifted(kept, dropped)
