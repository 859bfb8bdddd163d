"""Searches a declared space of policies on recorded turns; on held-out ones it says whether that gained anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cognitive.lab.evaluate import Evaluation, evaluate
from cognitive.lab.evidence import Case, logged
from cognitive.lab.logged import LoggedTurn
from cognitive.policy import Policy

Score = Callable[[Policy], float]
Tried = Callable[[str, Any, float], None]  # called with each tunable and value tried, and the score
Turns = Callable[[Policy], list[LoggedTurn]]

HELD_OUT = 0.3  # of the turns, the latest: what is chosen on the earlier ones must hold on what comes after
_LEAST_GAIN = 1e-4  # of the score, so that a value that changes nothing is not taken for better


@dataclass(frozen=True, slots=True)
class Tunable:
    """A row of the space: a tunable by name, and the values tried."""

    name: str
    values: tuple[Any, ...]

    def of(self, policy: Policy) -> Any:
        """Its value in a policy."""
        return getattr(policy, self.name)

    def set(self, policy: Policy, value: Any) -> Policy:
        """The policy with another value of it, checked."""
        if self.name == "attribution_threshold":  # each strategy has its own
            thresholds = {**policy.attribution_thresholds, policy.attribution: value}
            return _with(policy, "attribution_thresholds", thresholds)
        return _with(policy, self.name, value)


SPACE = (
    Tunable("evidence_floor", (0.6, 0.7, 0.8, 0.9, 1.0)),
    Tunable("item_floor", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
    Tunable("default_limit", (2, 3, 4, 5, 6, 8)),
    Tunable("hinted_limit", (4, 6, 8, 10)),
    Tunable("other_limit", (1, 2, 3, 4)),
    Tunable("usage_weight", (0.0, 0.05, 0.1, 0.2, 0.4)),
    Tunable("half_life_days", (2.0, 7.0, 21.0, 60.0)),
    Tunable("attribution_threshold", (0.2, 0.25, 0.29, 0.35, 0.45)),
)


@dataclass(frozen=True, slots=True)
class Step:
    """A tunable, from its value before to the best one found, with the score on the training turns after it."""

    name: str
    before: Any
    after: Any
    score: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the search found: the policy, its steps, and what the held-out turns say of it against the one in use."""

    policy: Policy
    steps: tuple[Step, ...]
    training: int
    held_out: Evaluation


def tune(
    cases: Sequence[Case],
    policy: Policy,
    turns: Callable[[Sequence[Case], Policy], list[LoggedTurn]],
    *,
    space: Sequence[Tunable] = SPACE,
    tried: Tried = lambda name, value, score: None,
) -> Tuning:
    """Searches on the earlier turns, and judges on the later ones, which the search never saw.

    `turns` gives cases as evidence on a policy. Whether the gain is more than chance is for the reader of `held_out`
    to say, and for its `refusal`: of what was never shown, only a model speaks.
    """
    cut = round(len(cases) * (1 - HELD_OUT))
    training, held_out = cases[:cut], cases[cut:]
    found, steps = search(policy, lambda candidate: balance(turns(training, candidate)), space=space, tried=tried)
    return Tuning(found, tuple(steps), len(training), evaluate(turns(held_out, found)))


def search(
    policy: Policy, score: Score, *, space: Sequence[Tunable], tried: Tried = lambda name, value, score: None
) -> tuple[Policy, list[Step]]:
    """Coordinate ascent: one tunable after the other, each at its best with the others as they are by then.

    One pass: the tunables hardly act on one another, and every further look at the same turns fits their noise.
    """
    best, steps = score(policy), list[Step]()
    for tunable in space:
        before, chosen = tunable.of(policy), tunable.of(policy)
        for value in tunable.values:
            if value == before:
                continue
            candidate = tunable.set(policy, value)
            reached = score(candidate)
            tried(tunable.name, value, reached)
            if reached > best + _LEAST_GAIN:
                best, chosen = reached, value
        if chosen != before:
            policy = tunable.set(policy, chosen)
        steps.append(Step(tunable.name, before, chosen, best))
    return policy, steps


def balance(turns: Sequence[LoggedTurn]) -> float:
    """2U / (S + R), in [0, 1]: the F1 of showing what is used. U is how many of the memories that the policy shows are
    used, estimated doubly robust (Dudík, Langford and Li 2011), S how many it shows, R how many were used as it was.

    Uses per token alone would be best with one sure memory; uses alone with everything shown.
    """
    used, shown, was_used = 0.0, 0.0, 0
    for turn in turns:
        for choice in turn.choices:
            used += choice.target * choice.predicted
            shown += choice.target
            if choice.used is not None:
                used += choice.target / choice.propensity * (choice.used - choice.predicted)
                was_used += choice.used
    return max(0.0, 2 * used / (shown + was_used)) if shown + was_used else 0.0


def as_evidence(history: Sequence[Any]) -> Callable[[Sequence[Case], Policy], list[LoggedTurn]]:
    """Cases as evidence, with everything that was ever judged as the past that other half-lives are learnt from."""
    return lambda cases, policy: [logged(case, policy, history) for case in cases]


def as_toml(policy: Policy) -> str:
    """A policy as a file that `Policy.load` reads: what differs from the defaults."""
    usual, own = Policy().model_dump(mode="json"), policy.model_dump(mode="json")
    lines = [
        "# Proposed by `cognitive tune`. It takes effect only when COGNITIVE_POLICY names this file;",
        "# COGNITIVE_SHADOW_POLICY tries it beside the live policy first.",
    ]
    changed = {name: value for name, value in own.items() if value != usual[name]}
    lines += [f"{name} = {_toml(value)}" for name, value in changed.items() if not isinstance(value, dict)]
    for name, table in changed.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _with(policy: Policy, name: str, value: Any) -> Policy:
    return Policy(**{**policy.model_dump(), name: value})
