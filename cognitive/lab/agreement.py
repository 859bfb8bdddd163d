"""How far a shadow agrees with the policy that it ran beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True)
class Agreement:
    """A shadow policy over the turns that it followed: in how many it showed the same memories, the mean overlap |both|
    / |either| of what the two showed (1 where neither showed any), how many memories each showed in all, how many of
    the used ones the shadow would have kept, and its tokens.
    """

    policy: str
    turns: int
    same: int
    overlap: float
    shown: int
    shadow_shown: int
    used: int
    used_kept: int
    tokens: int


def agreements(rows: Sequence[Mapping[str, Any]]) -> list[Agreement]:
    """One for each policy, from rows of `TurnLog.shadows`, which come by policy."""
    return [_agreement(policy, list(own)) for policy, own in groupby(rows, key=lambda row: str(row["policy"]))]


def _agreement(policy: str, rows: Sequence[Mapping[str, Any]]) -> Agreement:
    pairs = [(set(row["shown"]), set(row["shadow"]), set(row["used"])) for row in rows]
    overlaps = [len(live & shadow) / len(live | shadow) if live | shadow else 1.0 for live, shadow, _ in pairs]
    return Agreement(
        policy=policy,
        turns=len(rows),
        same=sum(live == shadow for live, shadow, _ in pairs),
        overlap=sum(overlaps) / len(overlaps),
        shown=sum(len(live) for live, _, _ in pairs),
        shadow_shown=sum(len(shadow) for _, shadow, _ in pairs),
        used=sum(len(used) for _, _, used in pairs),
        used_kept=sum(len(used & shadow) for _, shadow, used in pairs),
        tokens=sum(row["tokens"] for row in rows),
    )
