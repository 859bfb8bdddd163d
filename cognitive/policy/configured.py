"""Load the host's policy that the environment names."""

from __future__ import annotations

from brain.settings import Settings, from_environment
from cognitive.policy.models import load
from cognitive.policy.policy import Policy


def live_policy(settings: Settings | None = None) -> Policy:
    """Return the host's policy: that of the file which the environment names, or the default policy.

    The model limits of the configured file are part of it.

    Raises:
        PolicyError: a file cannot be read, or holds an invalid name or value.
    """
    settings = settings or from_environment()
    return with_models(Policy.load(settings.policy) if settings.policy else Policy(), settings)


def with_models(policy: Policy, settings: Settings) -> Policy:
    """Return the policy with the model limits of the configured file; the policy's own rows take precedence.

    Raises:
        PolicyError: the file cannot be read, or a row is invalid.
    """
    if settings.model_limits is None:
        return policy
    return policy.changed({"budgets": {"models": {**load(settings.model_limits), **policy.budgets.models}}})
