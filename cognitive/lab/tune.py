"""Searches a declared space of policies on recorded turns; on held-out ones it says whether that gained anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from brain.turn_records import Verdict
from cognitive.errors import InvalidInput
from cognitive.lab.evaluate import RESAMPLES, Estimate, Evaluation, Numbers, evaluate, resample
from cognitive.lab.evidence import EvaluationCase, LoggedCandidate, LoggedTurn, to_logged_turn, unanswerable_settings
from cognitive.policy import Policy

Score = Callable[[Policy], float]
Tried = Callable[[str, Any, float], None]  # called with each setting and value tried, and the score
Turns = Callable[[Sequence[EvaluationCase], Policy], list[LoggedTurn]]

HELD_OUT = 0.3  # of the turns, the latest: what is chosen on the earlier ones must hold on what comes after
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys of TOML that need no quotes
_MIN_GAIN = 1e-4  # of the score, so that a value that changes nothing is not taken for better


@dataclass(frozen=True, slots=True)
class SettingRange:
    """A row of the space: a setting by name, and the values tried."""

    name: str
    values: tuple[Any, ...]

    def of(self, policy: Policy) -> Any:
        """Its value in a policy."""
        return policy.value(self.name)

    def set(self, policy: Policy, value: Any) -> Policy:
        """The policy with another value of it, checked."""
        if self.name == "attribution_threshold":  # each strategy has its own
            return policy.changed({f"feedback.attribution_thresholds.{policy.feedback.attribution}": value})
        return policy.changed({self.name: value})


SPACE = (
    SettingRange("evidence.threshold", (0.6, 0.7, 0.8, 0.85, 1.0)),
    SettingRange("evidence.min_item_share", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
    SettingRange("limits.default", (2, 3, 4, 5)),
    SettingRange("limits.hinted_type", (4, 5, 6, 8)),
    SettingRange("limits.other_types", (1, 2, 3)),
    SettingRange("usage.weight", (0.0, 0.0025, 0.005, 0.01, 0.02)),
    SettingRange("association.weight", (0.0, 0.4, 0.8, 1.2, 1.6)),
    SettingRange("association.min_similarity", (0.58, 0.62, 0.66, 0.7)),
    SettingRange("usage.half_life_days", (2.0, 7.0, 21.0, 60.0)),
    SettingRange("attribution_threshold", (0.2, 0.25, 0.29, 0.35, 0.45)),
)


def answerable(space: Sequence[SettingRange], cases: Sequence[EvaluationCase], policy: Policy) -> list[SettingRange]:
    """The space without the values whose worth the records of these turns cannot tell."""
    return [
        SettingRange(
            row.name,
            tuple(
                value for value in row.values if row.name not in unanswerable_settings(cases, row.set(policy, value))
            ),
        )
        for row in space
    ]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A setting, from its value before to the best one found, with the score on the training turns after it."""

    name: str
    before: Any
    after: Any
    score: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the search found: the policy, its steps, and what the held-out turns say of it against what was shown:
    `gain` in balance, with its interval, and the evaluation.
    """

    policy: Policy
    steps: tuple[SearchStep, ...]
    training: int
    gain: Estimate
    held_out: Evaluation

    @property
    def proven(self) -> bool:
        """Whether the held-out turns can tell, and tell that it is better."""
        return self.held_out.refusal is None and self.gain.low > 0


def tune(
    cases: Sequence[EvaluationCase],
    policy: Policy,
    turns: Turns,
    *,
    space: Sequence[SettingRange] = SPACE,
    tried: Tried = lambda name, value, score: None,
) -> Tuning:
    """Searches on the earlier turns, and judges on the later ones, which the search never saw.

    `turns` gives cases as evidence on a policy.

    Raises:
        InvalidInput: fewer than two turns cannot be parted.
    """
    if len(cases) < 2:
        raise InvalidInput(f"{len(cases)} turns cannot be parted into some to search on and some to judge on")
    cut = min(len(cases) - 1, max(1, round(len(cases) * (1 - HELD_OUT))))
    training, held_out = cases[:cut], cases[cut:]
    found, steps = search(policy, lambda candidate: balance(turns(training, candidate)), space=space, tried=tried)
    judged = turns(held_out, found)
    return Tuning(found, tuple(steps), len(training), balance_gained(judged), evaluate(judged))


def search(
    policy: Policy, score: Score, *, space: Sequence[SettingRange], tried: Tried = lambda name, value, score: None
) -> tuple[Policy, list[SearchStep]]:
    """Coordinate ascent: one setting after the other, each at its best with the others as they are by then.

    One pass: the settings hardly act on one another, and every further look at the same turns fits their noise.
    """
    best, steps = score(policy), list[SearchStep]()
    for setting in space:
        before, chosen = setting.of(policy), setting.of(policy)
        for value in setting.values:
            if value == before:
                continue
            candidate = setting.set(policy, value)
            reached = score(candidate)
            tried(setting.name, value, reached)
            if reached > best + _MIN_GAIN:
                best, chosen = reached, value
        if chosen != before:
            policy = setting.set(policy, chosen)
        steps.append(SearchStep(setting.name, before, chosen, best))
    return policy, steps


def balance(turns: Sequence[LoggedTurn]) -> float:
    """2U / (S + R): the F1 of showing what is used. U is how many of the memories that the policy shows are used,
    estimated doubly robust (Dudík, Langford and Li 2011), S how many it shows, R how many were used as it was.

    Uses per token alone would be best with one sure memory; uses alone with everything shown.
    """
    return float(_balance(_columns(turns).mean(axis=0))) if turns else 0.0


def balance_gained(turns: Sequence[LoggedTurn]) -> Estimate:
    """By how much the balance is better than that of what was shown, over resamples of whole turns."""
    drawn = resample(_columns(turns), resamples=RESAMPLES, seed=0)
    return drawn.estimate(lambda means: _balance(means) - _f1(means[..., 2], means[..., 3], means[..., 2]))


def _columns(turns: Sequence[LoggedTurn]) -> Numbers:
    """Per turn: used (estimated), shown, used as it was, shown as it was; shape (turns, 4)."""
    return np.array([np.sum([_worth(choice) for choice in turn.candidates] or [(0.0,) * 4], axis=0) for turn in turns])


def _worth(choice: LoggedCandidate) -> tuple[float, float, float, float]:
    used = choice.target * choice.predicted
    if choice.used is None:
        return used, choice.target, 0.0, 0.0
    used += choice.target / choice.propensity * (choice.used - choice.predicted)
    return used, choice.target, float(choice.used), 1.0


def _balance(means: Numbers) -> Numbers:
    return _f1(means[..., 0], means[..., 1], means[..., 2])


def _f1(used: Numbers, shown: Numbers, relevant: Numbers) -> Numbers:
    whole = np.asarray(shown + relevant)
    return np.maximum(0.0, np.divide(2 * used, whole, out=np.zeros_like(whole), where=whole > 0))


def as_evidence(history: Sequence[Verdict]) -> Turns:
    """Cases as evidence, with everything that was ever judged as the past that other half-lives are learnt from."""
    return lambda cases, policy: [to_logged_turn(case, policy, history) for case in cases]


def as_toml(policy: Policy) -> str:
    """A policy as a file that `Policy.load` reads: what differs from the defaults."""
    usual, own = Policy().model_dump(mode="json"), policy.model_dump(mode="json")
    lines = [
        "# Proposed by `cognitive tune`. It takes effect only when COGNITIVE_POLICY names this file;",
        "# COGNITIVE_SHADOW_POLICY tries it beside the live policy first.",
    ]
    return "\n".join([*lines, *_table(_changed(own, usual))]) + "\n"


def _changed(own: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """What differs, in tables of their own rows alone; a table that has no default stands whole."""
    differs: dict[str, Any] = {}
    for name, value in own.items():
        if name not in usual or value != usual[name]:
            within = isinstance(value, dict) and isinstance(usual.get(name), dict) and bool(usual[name])
            differs[name] = _changed(value, usual[name]) if within else value
    return differs


def _table(values: Mapping[str, Any], path: str = "") -> list[str]:
    """A table's values, then the tables within it, each under its path; rows of a row are one line."""
    plain = {name: value for name, value in values.items() if not isinstance(value, dict) and value is not None}
    lines = [f"{_key(name)} = {_toml(value)}" for name, value in plain.items()]
    if lines and path:
        lines = ["", f"[{path}]", *lines]
    for name, value in values.items():
        if isinstance(value, dict):
            lines += _table(value, f"{path}.{_key(name)}" if path else _key(name))
    return lines


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else repr(value)
