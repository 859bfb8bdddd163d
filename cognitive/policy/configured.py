"""The host's policy from the environment's settings."""

from __future__ import annotations

from brain.settings import Settings, from_environment
from cognitive.policy.models import load
from cognitive.policy.policy import Policy


def live_policy(settings: Settings | None = None) -> Policy:
    """Return the policy of the environment's file, or the default policy.

    Raises:
        PolicyError: the file does not hold a policy.
    """
    settings = settings or from_environment()
    return with_models(Policy.load(settings.policy) if settings.policy else Policy(), settings)


def with_models(policy: Policy, settings: Settings) -> Policy:
    """Return the policy with the model limits of the environment's file; the policy's own rows take precedence.

    Raises:
        PolicyError: the file cannot be read, or a row is invalid.
    """
    if settings.model_limits is None:
        return policy
    return policy.changed({"budgets": {"models": {**load(settings.model_limits), **policy.budgets.models}}})
