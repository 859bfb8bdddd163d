"""The policy that an agent's turns run under, read from its latest turns.

A process knows only its own base policy. The processes that run an agent's turns may have another one; a page or a
command that reads the agent's data learns it from the turns. A saved version is a set of changes, so its turns are
found by these changes, whatever base they were applied to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brain.policies import PolicyActivation, PolicyRun, PolicyVersion
from cognitive.errors import PolicyError
from cognitive.policy.live import live_settings, with_changes
from cognitive.policy.policy import Policy
from cognitive.policy.resolver import EffectivePolicy

Candidates = Mapping[str, PolicyVersion]  # by version


@dataclass(frozen=True, slots=True)
class RunningPolicy:
    """The policy that an agent's next turn runs under, as far as its latest turns show.

    Attributes:
        policy: the policy, with all settings.
        candidate: the saved version whose changes it contains, or None if it is a base policy.
        same_base: False if the agent's turns run on another base policy than that of this process.
        run: the latest turns under the policy of the latest turn; None if the agent has no turns.
        pending: True if a later activation has changed the policy, and no turn has run since.
    """

    policy: Policy
    candidate: str | None
    same_base: bool = True
    run: PolicyRun | None = None
    pending: bool = False


def running_policy(
    runs: Sequence[PolicyRun],
    effective: EffectivePolicy,
    base: Policy,
    history: Sequence[PolicyActivation],
    candidates: Candidates,
) -> RunningPolicy:
    """Return the policy that an agent's turns run under.

    `runs` are the policies of its latest turns, latest first. `effective` and `base` are those of this process, and
    `history` has the activations of the live policy, latest first.
    """
    active = history[0].version if history else None
    run = runs[0] if runs else None
    if run is None or run.version == effective.live.version:
        return RunningPolicy(effective.live, active, run=run)
    try:
        policy = Policy.from_record(run.content)
    except PolicyError:  # recorded by another release: its settings cannot be read
        return RunningPolicy(effective.live, active, run=run, pending=True)
    candidate = candidate_of(run, history, candidates)
    on_this_base = with_changes(base, candidates[candidate].changes) if candidate is not None else base
    if run.version in (on_this_base.version, base.version):
        return RunningPolicy(effective.live, active, run=run, pending=True)
    if candidate == active:
        return RunningPolicy(policy, candidate, same_base=False, run=run)
    changes = candidates[active].changes if active is not None and active in candidates else {}
    return RunningPolicy(with_changes(policy, changes), active, same_base=False, run=run, pending=True)


def candidate_of(run: PolicyRun, history: Iterable[PolicyActivation], candidates: Candidates) -> str | None:
    """Return the saved version that was live when turns first ran under a policy, if the policy contains its changes.

    `history` has the activations of the live policy, latest first.
    """
    active = next((each.version for each in history if each.activated_at <= run.first_used_at), None)
    if active is None or active not in candidates:
        return run.version if run.version in candidates else None
    return active if contains(run.content, candidates[active].changes) else None


def contains(content: Mapping[str, Any], changes: Mapping[str, float | int]) -> bool:
    """Return True if the recorded content of a policy has all these values; the keys of `changes` are dotted names."""
    try:
        policy = Policy.from_record(content)
    except PolicyError:
        return False
    known = {name: live_settings()[name] for name in changes if name in live_settings()}
    return len(known) == len(changes) and all(row.of(policy) == changes[name] for name, row in known.items())
