"""The tunables that may be changed while the layer runs, each a row with its bounds: numbers, and nothing else.

Whatever is stored for an agent, from a page, the command line or the API, is made of these rows. None of them runs
code, or names a file, a model or an address: those are in the operator's file only. The bounds are narrower than the
policy's own, since whoever wants to go beyond them must be able to edit that file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from brain.memory_types import MEMORY_TYPES
from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.policy.defaults import ATTRIBUTION_THRESHOLDS, FRAMES, RELEVANCE

Changes = Mapping[str, float | int]
_MOST_TOKENS = 32_000  # of a turn's memory; more is a document, and the operator's to decide


@dataclass(frozen=True, slots=True)
class Row:
    """A tunable by its dotted name ("frames.task.total" is a row of a table), with what a slider needs of it."""

    name: str
    label: str
    group: str
    least: float
    most: float
    step: float
    about: str
    unit: str = ""

    @property
    def whole(self) -> bool:
        """Whether it counts something."""
        return float(self.step).is_integer()

    def of(self, policy: Policy) -> float | int:
        """Its value in a policy."""
        value: Any = policy
        for part in self.name.split("."):
            value = value[part] if isinstance(value, Mapping) else getattr(value, part)
        return int(value) if self.whole else float(value)

    def checked(self, value: object) -> float | int:
        """The value as the policy takes it.

        Raises:
            InvalidInput: no number, a fraction of what is counted, or out of bounds.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InvalidInput(f"{self.name}: expected a number, got {value!r}")
        if not self.least <= value <= self.most:
            raise InvalidInput(f"{self.name}: expected {self.least:g} to {self.most:g}, got {value:g}")
        if self.whole and not float(value).is_integer():
            raise InvalidInput(f"{self.name}: expected a whole number, got {value:g}")
        return int(value) if self.whole else float(value)


def _budgets() -> tuple[Row, ...]:
    totals = tuple(
        Row(f"frames.{frame}.total", f"{frame.capitalize()}, in all", "Budgets", 0, _MOST_TOKENS, 250,
            f"tokens of memory in a turn of the frame {frame}", "tokens") for frame in FRAMES
    )  # fmt: skip
    sections = tuple(
        Row(f"frames.{frame}.{type_}", f"{frame.capitalize()}: {type_}s", "Sections", 0, _MOST_TOKENS, 50,
            f"tokens planned for each {type_}'s section; what is left of one, others use", "tokens")
        for frame in FRAMES for type_ in MEMORY_TYPES
    )  # fmt: skip
    return totals + sections


ROWS: tuple[Row, ...] = (
    *(Row(f"attribution_thresholds.{name}", f"Attribution threshold ({name})", "Feedback", 0, 1, 0.01,
          "overlap from which a shown memory counts as used") for name in ATTRIBUTION_THRESHOLDS),
    Row("half_life_days", "Half-life of use", "Feedback", 0.5, 90, 0.5,
        "until a showing or a use counts half", "days"),
    Row("rating_weight", "Weight of a rating", "Feedback", 1, 20, 0.5, "showings that somebody's word counts for"),
    Row("evidence_floor", "Evidence floor", "Floors", 0, 2, 0.01, "evidence from which a turn shows anything at all"),
    Row("type_floor", "Floor of a type", "Floors", 0, 1, 0.01, "of the evidence floor, for each type by itself"),
    Row("item_floor", "Floor of a memory", "Floors", 0, 1, 0.01, "of the best match in the turn"),
    Row("default_limit", "Memories per type", "Limits", 0, 20, 1, "where the message asks for no type"),
    Row("hinted_limit", "Of the type asked for", "Limits", 0, 20, 1, "where the message asks for one"),
    Row("other_limit", "Of the other types", "Limits", 0, 20, 1, "where the message asks for another one"),
    *_budgets(),
    Row("score_steepness", "Steepness of a score", "Fitting", 0.5, 12, 0.5, "how much more a better match is worth"),
    Row("redundancy", "Redundancy", "Fitting", 0, 1, 0.05, "of a memory's worth goes with words already shown"),
    Row("thrift", "Thrift", "Fitting", 0, 1, 0.05, "power of the tokens that a worth is divided by"),
    Row("usage_weight", "Weight of use", "Weights", 0, 0.1, 0.0005, "what its own past adds to a memory's score"),
    Row("least_boost", "Least boost", "Weights", 0.1, 1, 0.05, "of what is never used when shown"),
    Row("most_boost", "Most boost", "Weights", 1, 2, 0.05, "of what is always used when shown"),
    Row("association_weight", "Weight of similar turns", "Weights", 0, 2, 0.05,
        "of what past turns that asked alike used"),
    Row("association_floor", "Similar turns from", "Weights", 0, 1, 0.01, "likeness from which a past turn counts"),
    Row("association_half_life_days", "Half-life of similar turns", "Weights", 1, 365, 1,
        "until a past turn counts half", "days"),
    Row("superseded_factor", "What was replaced", "Weights", 0, 1, 0.05, "factor on a memory that another replaced"),
    *(Row(f"relevance.{name}", name.replace("_", " ").capitalize(), "Relevance", 0, 1, 0.005,
          "weight of this part of the relevance") for name in RELEVANCE),
    Row("dedup_threshold", "Said already, by meaning", "Repetition", 0.5, 1, 0.01,
        "cosine to a sentence of the window from which a memory is left out"),
    Row("containment_threshold", "Said already, by words", "Repetition", 0, 1, 0.01,
        "share of its words in the window from which it is left out"),
    Row("agreement_threshold", "Said already, by both", "Repetition", 0, 1, 0.01, "mean of the two"),
    Row("explore_every", "Try something new every", "Exploration", 0, 1000, 1,
        "turns, one of which tries a memory from below the cut; 0 never, 1 is none", "turns"),
)  # fmt: skip
BY_NAME: Mapping[str, Row] = {row.name: row for row in ROWS}


def checked(changes: Mapping[str, object]) -> dict[str, float | int]:
    """Changes by dotted name, each within the bounds of its row, in the order of the rows.

    Raises:
        InvalidInput: a name that is no row here: whatever else a policy holds is its operator's; or a bad value.
    """
    for name in changes:
        if name not in BY_NAME:
            raise InvalidInput(
                f"{name[:100]}: may not be changed here; `cognitive policy tunables` lists what may, the rest is the"
                " operator's file's"
            )
    return {row.name: row.checked(changes[row.name]) for row in ROWS if row.name in changes}


def changed(policy: Policy, changes: Mapping[str, object]) -> Policy:
    """A policy with some of its rows changed.

    Raises:
        InvalidInput: a row that may not be changed, a bad value, or values that make no policy together.
    """
    tunables = policy.model_dump()
    for name, value in checked(changes).items():
        *tables, last = name.split(".")
        table = tunables
        for part in tables:
            table = table[part]
        table[last] = value
    return type(policy)(**tunables)


def lasting(policy: Policy, changes: Mapping[str, object]) -> dict[str, float | int]:
    """The changes without those that the policy has already."""
    return {name: value for name, value in checked(changes).items() if value != BY_NAME[name].of(policy)}


def chosen(base: Policy, live: Policy) -> dict[str, float | int]:
    """The rows in which a policy that holds differs from its base."""
    return {row.name: row.of(live) for row in ROWS if row.of(live) != row.of(base)}


def between(one: Policy, other: Policy) -> dict[str, tuple[Any, Any]]:
    """The rows in which two policies differ, by dotted name, in the order of the policy."""
    was, now = _flat(one.model_dump(mode="json")), _flat(other.model_dump(mode="json"))
    names = dict.fromkeys((*was, *now))
    return {name: (was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)}


def _flat(value: Any, under: str = "") -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {under: value}
    told: dict[str, Any] = {}
    for name, own in value.items():
        told |= _flat(own, f"{under}.{name}" if under else str(name))
    return told
