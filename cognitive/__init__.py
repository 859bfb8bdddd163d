"""Memory for agents: select what the model sees in a turn, and learn from its response.

The public names are imported when they are first used, because a hook starts a process per event and needs none of
them.

Modules, in order of execution:

- `cli`: the commands.
- `bench`: `cognitive bench turns`, which measures turns on the user's own database server.
- `server`: the HTTP API.
- `dashboard`: the web pages about recorded turns and memories.
- `hook`: the hooks of coding agents.
- `runtimes`: one module per agent framework, and MCP.
- `client`: a layer that calls a server over HTTP.
- `wire`: the values that cross HTTP.
- `layer`: `CognitiveLayer`, with `pre_turn` and `post_turn`.
- `bootstrap`: compose the services of a layer; the only place that names adapters, with `admin`.
- `api`: the layer's namespaces `sessions`, `policies`, `explain` and `admin`.
- `doctor`: checks of the machine, the database and the embedding model.
- `admin`: an operator's work on a database: migrate, repair, grant roles.
- `validation`: check the arguments of the layer's methods.
- `pipeline`: the parts of a turn, each of which fails open.
- `privacy`: redaction before storage, retention, erasure.
- `preflight`: from the message to the plan.
- `context`: from the plan to the shown memories.
- `window`: from the conversation to the messages that the model sees.
- `session`: the state carried from turn to turn, and working memory.
- `catalog`: from the available tools to the tools that are sent.
- `recording`: the record of a turn, and its encoding.
- `prompt`: put the blocks of a turn into the prompt, and recognise them there.
- `recall`: the recall tool, over the same stages.
- `feedback`: from the response to usage and new memories.
- `lab`: questions about recorded turns: why, replay, evaluate, tune.
- `telemetry`: spans, metrics and logs.
- `background`: bounded work beside a turn.
- `turn`: the inputs and results of a turn.
- `plan`: the plan of a turn.
- `trace`: the result of every candidate of a turn, and the time of every stage.
- `degradation`: a part that a turn continued without, with a code and a reason.
- `policy`: every setting of a turn, and the policy in effect for an agent.
- `tokens`: count tokens.
- `errors`: the errors that the layer raises.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers assume True; importing `typing` would take longer than a hook's call
if TYPE_CHECKING:
    from typing import Any

    from brain.types import NewMemory
    from cognitive.degradation import Degradation
    from cognitive.errors import CognitiveError
    from cognitive.layer import CognitiveLayer
    from cognitive.policy import Policy
    from cognitive.turn import Message, Outcome, Tool, ToolCall, Turn, TurnRef

__all__ = [
    "CognitiveError",
    "CognitiveLayer",
    "Degradation",
    "Message",
    "NewMemory",
    "Outcome",
    "Policy",
    "Tool",
    "ToolCall",
    "Turn",
    "TurnRef",
]

_HOME = {
    "CognitiveError": "cognitive.errors",
    "CognitiveLayer": "cognitive.layer",
    "Degradation": "cognitive.degradation",
    "Message": "cognitive.turn",
    "NewMemory": "brain.types",
    "Outcome": "cognitive.turn",
    "Policy": "cognitive.policy",
    "Tool": "cognitive.turn",
    "ToolCall": "cognitive.turn",
    "Turn": "cognitive.turn",
    "TurnRef": "cognitive.turn",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
