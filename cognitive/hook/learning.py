"""The choice of what the hooks learn from conversations, made at `cognitive hook install`.

A file in the data directory keeps it, for all projects or for the agent id of one. It takes precedence over the policy
file of the environment, because several environments share one daemon.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from brain.input_model import InputModel
from cognitive.errors import InvalidInput, PolicyError
from cognitive.policy import Policy

Captured = Literal["exchange", "user", "off"]
CaptureScope = Literal["user", "agent"]


class Choice(InputModel):
    """A choice of what is stored of conversations, and for whom: for the user, or for all users of the agent.

    The fields are those of a policy. None leaves it to the policy.
    """

    capture: Captured | None = None
    capture_scope: CaptureScope | None = None


class Learning(Choice):
    """The choice for all projects, and the choices for single agents, which take precedence."""

    agents: Mapping[str, Choice] = Field(default_factory=dict)

    def of(self, agent: str) -> Choice:
        """Return the choice that applies to an agent."""
        own = self.agents.get(agent, Choice())
        return Choice(capture=own.capture or self.capture, capture_scope=own.capture_scope or self.capture_scope)

    def with_choice(self, choice: Choice, agent: str | None = None) -> Learning:
        """Return a copy with the fields that a choice sets, for one agent or, without one, for all projects."""
        fields = choice.model_dump(exclude_none=True)
        if agent is None:
            return self.model_copy(update=fields)
        own = self.agents.get(agent, Choice()).model_copy(update=fields)
        return self.model_copy(update={"agents": {**self.agents, agent: own}})


def learning_file(folder: str) -> str:
    """Return the path of the file that keeps the choice, in the daemon's folder."""
    return os.path.join(folder, "learning.json")


def read(file: str) -> Learning:
    """Read the choice from its file; without a file, nothing is chosen.

    Raises:
        PolicyError: the file cannot be read, or has an invalid value.
    """
    try:
        with open(file, encoding="utf-8") as handle:
            return Learning.model_validate(json.load(handle))
    except FileNotFoundError:
        return Learning()
    except (OSError, ValueError, ValidationError, InvalidInput) as error:
        raise PolicyError(f"cannot read {file!r}: {error}") from error


def write(file: str, learning: Learning) -> None:
    """Replace the file that keeps the choice, at once."""
    descriptor, name = tempfile.mkstemp(dir=os.path.dirname(file), prefix=".learning.")
    with open(descriptor, "w", encoding="utf-8") as handle:
        json.dump(learning.model_dump(exclude_none=True), handle, indent=2)
    os.replace(name, file)


def with_learning(policy: Policy, learning: Learning) -> Policy:
    """Return a copy of a policy in which the choices apply."""
    agents = {name: {**policy.agents.get(name, {}), **_settings(own)} for name, own in learning.agents.items()}
    return policy.changed({**_settings(learning), "agents": {**policy.agents, **agents}})


def _settings(choice: Choice) -> dict[str, Any]:
    """Return the settings of a policy that a choice changes."""
    return choice.model_dump(include=set(Choice.model_fields), exclude_none=True)
