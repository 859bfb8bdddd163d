"""The policy: the settings of an agent's turns, with the reason for each default. Some may change at run time.

Modules, in order of execution:

- `annotations`: the types of settings, and annotations for run-time changes and replays.
- `models`: token limits of language models.
- `tables`: the rows and defaults of settings that are tables.
- `constants`: numbers of retrieval and ranking that are not settings.
- `planning`: settings that act before memories are fetched.
- `ranking`: settings that decide which memories are shown.
- `window`: settings that limit the conversation in the prompt.
- `outcomes`: settings of completed turns: attribution and retention.
- `policy`: all settings as one immutable value.
- `configured`: the policy that the environment variables name.
- `live`: the settings that may change while the layer runs.
- `resolver`: the policy that is in effect for an agent.
- `running`: the policy that an agent's turns run under, read from its latest turns.
"""

from cognitive.policy.policy import Policy

__all__ = ["Policy"]
