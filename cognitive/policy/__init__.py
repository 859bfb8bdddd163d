"""The settings of a turn, with the reason for each value; which of them may change at run time, and for whom.

Modules, in order of execution:

- `annotations`: the types of settings, and what a field says of itself.
- `models`: what each model can carry.
- `tables`: the rows and defaults of the tables.
- `constants`: the numbers of a turn's memory that are no settings.
- `planning`: settings of what happens before memories are fetched.
- `ranking`: settings of which memories are shown.
- `window`: settings of how a conversation is shortened.
- `outcomes`: settings of what a finished turn leaves.
- `policy`: all settings as one frozen value.
- `configured`: the host's policy as the environment names it.
- `live`: the settings that may change while the layer runs.
- `resolver`: the policy that is in effect for an agent.
"""

from cognitive.policy.policy import Policy

__all__ = ["Policy"]
