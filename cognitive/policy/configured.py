"""The host's policy, read from the files that the environment variables name."""

from __future__ import annotations

from brain.settings import Settings, from_environment
from cognitive.policy.models import load
from cognitive.policy.policy import Policy


def live_policy(settings: Settings | None = None) -> Policy:
    """Return the host's policy from the file that the environment names, or the default policy if it names none.

    It includes the model limits of the file that the environment names for them.

    Raises:
        PolicyError: a file cannot be read, or holds an invalid name or value.
    """
    settings = settings or from_environment()
    return with_models(Policy.load(settings.policy) if settings.policy else Policy(), settings)


def with_models(policy: Policy, settings: Settings) -> Policy:
    """Add the model limits from the environment's file to a policy. The policy's own limits take precedence.

    Raises:
        PolicyError: the file cannot be read, or a row is invalid.
    """
    if settings.model_limits is None:
        return policy
    return policy.changed({"budgets": {"models": {**load(settings.model_limits), **policy.budgets.models}}})
