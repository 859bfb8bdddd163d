"""The policy of the host (the application that uses the layer), read from files that environment variables name."""

from __future__ import annotations

from brain.settings import Settings, from_environment
from cognitive.policy.models import load
from cognitive.policy.policy import Policy


def live_policy(settings: Settings | None = None) -> Policy:
    """Return the host's policy from the file that an environment variable names, or the default policy.

    If another variable names a file of model limits, these limits are added.

    Raises:
        PolicyError: a file cannot be read, or holds an invalid name or value.
    """
    settings = settings or from_environment()
    return with_models(Policy.load(settings.policy) if settings.policy else Policy(), settings)


def with_models(policy: Policy, settings: Settings) -> Policy:
    """Add model limits to a policy, from the file that an environment variable names, if any.

    If the policy already has limits for a model, they take precedence.

    Raises:
        PolicyError: the file cannot be read, or a row is invalid.
    """
    if settings.model_limits is None:
        return policy
    return policy.changed({"budgets": {"models": {**load(settings.model_limits), **policy.budgets.models}}})
