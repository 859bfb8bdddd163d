"""Give an agent memory: select before each turn what its model should see, and learn from the response.

Each public name is imported when it is first used. A hook is a new process at every prompt; it needs none of these
names, so it starts faster.

Modules, in order of execution:

- `cli`: the commands.
- `bench`: `cognitive bench turns`, which times turns on the user's own database.
- `server`: the HTTP API.
- `dashboard`: the web pages that show recorded turns and memories.
- `hook`: the hooks of coding agents.
- `runtimes`: one module per agent framework, MCP among them.
- `client`: use a layer that runs on a server, over HTTP.
- `wire`: the data types that are sent over HTTP.
- `blocking`: the layer for synchronous code.
- `layer`: the main class `CognitiveLayer`, with `pre_turn` and `post_turn`.
- `bootstrap`: create the objects that a layer consists of, from the database to the API, as the settings say.
- `namespaces`: create the namespaces of a layer that no turn needs.
- `infrastructure`: define the objects from which all services are composed.
- `startup`: load the models and the rules when a layer opens.
- `api`: the layer's namespaces `sessions`, `policies`, `explain`, `upkeep` and `admin`.
- `formats`: read the files of other systems, and write Markdown.
- `upkeep`: find duplicates, contradictions and stale memories.
- `doctor`: checks of the machine, the database and the embedding model.
- `admin`: operators' tasks on a database: migrate, repair, grant roles.
- `validation`: check the arguments of the layer's methods.
- `preparation`: run the parts of `pre_turn`, some at the same time.
- `pipeline`: the parts of `pre_turn`; if one fails, the turn continues without it.
- `privacy`: redaction before anything is stored, retention, erasure.
- `preflight`: make the plan of a turn from its message.
- `context`: select the memories that a turn shows.
- `window`: select the messages of the conversation that the model sees.
- `session`: the state between the turns of a session, and working memory.
- `catalog`: select the tools that the model is given.
- `recording`: record how a turn selected its memories, to explain and replay it.
- `prompt`: put the memory blocks of a turn into the prompt, and recognise them there.
- `recall`: the recall tool, by which a model searches the memories.
- `feedback`: learn from the response which memories were used, and store new ones.
- `formation`: form typed memories from what a user states in a completed turn.
- `lab`: questions about recorded turns: why, replay, evaluate, tune.
- `telemetry`: spans, metrics and logs.
- `background`: background tasks, limited in number.
- `turn`: the inputs and results of a turn.
- `recall_hits`: the memories that the recall tool finds.
- `plan`: the plan of a turn: which memories and tools it needs.
- `tool`: the tools of a turn, before and after they are fitted to its model.
- `trace`: the decision about every candidate memory of a turn.
- `degradation`: reports of the parts of a turn that failed or were late, each a code and a sentence.
- `policy`: every setting of a turn, and the policy that is active for an agent.
- `tokens`: count tokens.
- `threads`: run work on long texts beside the event loop.
- `errors`: the errors that the layer raises.
- `extras`: name the command that installs what an optional part needs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers assume True; importing `typing` would take longer than a hook's call
if TYPE_CHECKING:
    from typing import Any

    from brain.types import Memory, NewMemory
    from brain.users import ALL_USERS
    from cognitive.blocking import Blocking
    from cognitive.degradation import Degradation
    from cognitive.errors import CognitiveError
    from cognitive.formation.model.extractor import ModelExtractor
    from cognitive.layer import CognitiveLayer
    from cognitive.policy import Policy
    from cognitive.tool import Tool
    from cognitive.turn import Message, Outcome, ToolCall, Turn, TurnContext, TurnRef
    from cognitive.window.engine_messages import action_prompt

__all__ = [
    "ALL_USERS",
    "Blocking",
    "CognitiveError",
    "CognitiveLayer",
    "Degradation",
    "Memory",
    "Message",
    "ModelExtractor",
    "NewMemory",
    "Outcome",
    "Policy",
    "Tool",
    "ToolCall",
    "Turn",
    "TurnContext",
    "TurnRef",
    "action_prompt",
]

_HOME = {
    "ALL_USERS": "brain.users",
    "Blocking": "cognitive.blocking",
    "CognitiveError": "cognitive.errors",
    "CognitiveLayer": "cognitive.layer",
    "Degradation": "cognitive.degradation",
    "Memory": "brain.types",
    "Message": "cognitive.turn",
    "ModelExtractor": "cognitive.formation.model.extractor",
    "NewMemory": "brain.types",
    "Outcome": "cognitive.turn",
    "Policy": "cognitive.policy",
    "Tool": "cognitive.tool",
    "ToolCall": "cognitive.turn",
    "Turn": "cognitive.turn",
    "TurnContext": "cognitive.turn",
    "TurnRef": "cognitive.turn",
    "action_prompt": "cognitive.window.engine_messages",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
