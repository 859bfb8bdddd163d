"""Search for better values of a policy's settings on recorded turns, and evaluate the best policy on held-out turns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from brain.judgements import Verdict
from cognitive.errors import InvalidInput
from cognitive.lab.cases import EvaluationCase, to_logged_turn, unanswerable_settings
from cognitive.lab.evaluate import RESAMPLES, Estimate, Evaluation, Numbers, evaluate, resample
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn
from cognitive.policy import Policy

Score = Callable[[Policy], float]
Tried = Callable[[str, Any, float], None]  # called with each setting, value and score
Turns = Callable[[Sequence[EvaluationCase], Policy], list[LoggedTurn]]

HELD_OUT = 0.3  # share of held-out turns, the latest ones
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys of TOML that need no quotes
_MIN_GAIN = 1e-4  # minimum gain in score, so that rounding does not count as an improvement


@dataclass(frozen=True, slots=True)
class SettingRange:
    """A setting of a policy, by name, and the values that a search tries for it."""

    name: str
    values: tuple[Any, ...]

    def of(self, policy: Policy) -> Any:
        """Return the setting's value in a policy."""
        return policy.value(self.name)

    def set(self, policy: Policy, value: Any) -> Policy:
        """Return a copy of the policy with another value of this setting."""
        if self.name == "attribution_threshold":  # each strategy has its own
            return policy.changed({f"feedback.attribution_thresholds.{policy.feedback.attribution}": value})
        return policy.changed({self.name: value})


SPACE = (
    SettingRange("evidence.threshold", (0.15, 0.3, 0.45, 0.6, 0.75)),
    SettingRange("evidence.min_item_share", (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
    SettingRange("limits.default", (2, 3, 4, 5)),
    SettingRange("limits.hinted_type", (4, 5, 6, 8)),
    SettingRange("limits.other_types", (1, 2, 3)),
    SettingRange("usage.weight", (0.0, 0.0025, 0.005, 0.01, 0.02)),
    SettingRange("association.weight", (0.0, 0.4, 0.8, 1.2, 1.6)),
    SettingRange("association.min_similarity", (0.55, 0.58, 0.62, 0.66)),
    SettingRange("usage.half_life_days", (2.0, 7.0, 21.0, 60.0)),
    SettingRange("attribution_threshold", (0.2, 0.25, 0.29, 0.35, 0.45)),
)


def answerable(space: Sequence[SettingRange], cases: Sequence[EvaluationCase], policy: Policy) -> list[SettingRange]:
    """Return `space` (settings and their values to search) without values whose effect the turns cannot show."""
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
    """A step of a search: a setting, its value before, its best value, and the policy's score with the best value.

    The score is computed on the training turns.
    """

    name: str
    before: Any
    after: Any
    score: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The result of a search: the best policy, the steps, and its evaluation on the held-out turns.

    `gain` is the best policy's score (`balance`) on the held-out turns minus that of the same turns as recorded, with a
    confidence interval. `training` is the number of turns that the search used.
    """

    policy: Policy
    steps: tuple[SearchStep, ...]
    training: int
    gain: Estimate
    held_out: Evaluation

    @property
    def proven(self) -> bool:
        """True if the held-out turns are enough data and the best policy is better on them."""
        return self.held_out.refusal is None and self.gain.low > 0


def tune(
    cases: Sequence[EvaluationCase],
    policy: Policy,
    turns: Turns,
    *,
    space: Sequence[SettingRange] = SPACE,
    tried: Tried = lambda name, value, score: None,
) -> Tuning:
    """Search for the best policy on the earlier turns, and evaluate it on the held-out turns, the later 30 %.

    `cases` are the turns, in order of time. `turns(cases, policy)` converts them to data on a policy to evaluate.
    `space` has the settings and values to try. `tried(name, value, score)` is called for every value.

    Raises:
        InvalidInput: there are fewer than two turns.
    """
    if len(cases) < 2:
        raise InvalidInput(f"need at least 2 turns to split into training and held-out turns, got {len(cases)}")
    cut = min(len(cases) - 1, max(1, round(len(cases) * (1 - HELD_OUT))))
    training, held_out = cases[:cut], cases[cut:]
    found, steps = search(policy, lambda candidate: balance(turns(training, candidate)), space=space, tried=tried)
    judged = turns(held_out, found)
    return Tuning(found, tuple(steps), len(training), balance_gained(judged), evaluate(judged))


def search(
    policy: Policy, score: Score, *, space: Sequence[SettingRange], tried: Tried = lambda name, value, score: None
) -> tuple[Policy, list[SearchStep]]:
    """Search for the best policy by coordinate ascent; return the policy and the steps.

    One setting after the other gets the value with the highest `score`, while the others are fixed. There is one pass,
    because the settings hardly interact, and every further pass over the same turns fits noise.
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
    """Return the score of a policy, 2U / (S + R): the F1 score of showing exactly the memories that are used.

    U is the number of shown memories that are used, estimated doubly robust (Dudík, Langford and Li 2011). S is the
    number of memories that the policy shows, and R the number used in the recorded turns. Other scores mislead: the
    number of uses is highest if everything is shown, and the uses per token if only one certain memory is shown.
    """
    return float(_balance(_columns(turns).mean(axis=0))) if turns else 0.0


def balance_gained(turns: Sequence[LoggedTurn]) -> Estimate:
    """Return the `balance` of the target policy minus that of the recorded turns, with a confidence interval."""
    drawn = resample(_columns(turns), resamples=RESAMPLES, seed=0)
    return drawn.estimate(lambda means: _balance(means) - _f1(means[..., 2], means[..., 3], means[..., 2]))


def _columns(turns: Sequence[LoggedTurn]) -> Numbers:
    """Return an array of shape (turns, 4) to compute `balance` from.

    The columns are the target policy's estimated uses and shown memories, and the used and shown memories of the
    record.
    """
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
    """Return a function for `tune` that converts turns to data on a policy; `history` has all verdicts of the agent."""
    return lambda cases, policy: [to_logged_turn(case, policy, history) for case in cases]


def as_toml(policy: Policy) -> str:
    """Write the policy's differences from the defaults as TOML text that `Policy.load` reads."""
    usual, own = Policy().model_dump(mode="json"), policy.model_dump(mode="json")
    lines = [
        "# Proposed by `cognitive tune`. It takes effect only when COGNITIVE_POLICY names this file;",
        "# COGNITIVE_SHADOW_POLICY tries it beside the live policy first.",
    ]
    return "\n".join([*lines, *_table(_changed(own, usual))]) + "\n"


def _changed(own: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a policy that differ from the defaults `usual`, nested as in the policy."""
    differs: dict[str, Any] = {}
    for name, value in own.items():
        if name not in usual or value != usual[name]:
            within = isinstance(value, dict) and isinstance(usual.get(name), dict) and bool(usual[name])
            differs[name] = _changed(value, usual[name]) if within else value
    return differs


def _table(values: Mapping[str, Any], path: str = "") -> list[str]:
    """Return the lines of a TOML table: its own values, then its nested tables with `path` before their names."""
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
