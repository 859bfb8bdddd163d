"""The settings of a turn and the reason for each value; which of them may change at run time, and for which agents.

Modules, in order of execution:

- `annotations`: the types of settings, and the marks of their fields.
- `models`: the limits of each model.
- `tables`: the rows and defaults of the tables.
- `constants`: numbers of retrieval and ranking that are no settings.
- `planning`: settings that act before memories are fetched.
- `ranking`: settings that decide which memories are shown.
- `window`: settings of how a conversation is shortened.
- `outcomes`: settings of a completed turn.
- `policy`: all settings as one frozen value.
- `configured`: the host's policy as the environment names it.
- `live`: the settings that may change while the layer runs.
- `resolver`: the policy that is in effect for an agent.
"""

from cognitive.policy.policy import Policy

__all__ = ["Policy"]
