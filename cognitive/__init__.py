"""One turn of an agent: what its model should see before it, what was worth showing after it.

The names are imported when they are first used: a hook, which starts with every prompt, needs none of them.

Modules, in order of execution:

- `cli`: the commands.
- `bench`: `cognitive bench turns`, which times turns on the user's own database.
- `server`: the HTTP API.
- `dashboard`: the web pages of what was recorded.
- `hook`: the hooks of coding agents.
- `runtimes`: one module per agent framework, MCP among them.
- `client`: a remote layer, over HTTP.
- `wire`: the values that cross HTTP.
- `layer`: `CognitiveLayer`, with `pre_turn` and `post_turn`.
- `bootstrap`: compose the services of a layer; the only place that names adapters, with `admin`.
- `api`: the layer's namespaces `sessions`, `policies`, `explain` and `admin`.
- `doctor`: checks of the machine, the database and the embedding model.
- `admin`: what an operator does to a database: migrate, repair, grant roles.
- `validation`: check the arguments of the layer's methods.
- `pipeline`: the parts of a turn, each of which fails open.
- `privacy`: redaction before anything is stored, retention, erasure.
- `preflight`: from the message to the plan.
- `context`: from the plan to the shown memories.
- `window`: from the conversation to the messages that the model sees.
- `session`: what is carried from turn to turn, and working memory.
- `catalog`: from the tools to those that are sent.
- `recording`: what of a turn is recorded, and how it is encoded.
- `prompt`: put the blocks of a turn into the prompt, and recognise them there.
- `recall`: the recall tool, over the same stages.
- `feedback`: from the response to usage and new memories.
- `lab`: questions about recorded turns: why, replay, evaluate, tune.
- `telemetry`: spans, metrics and logs.
- `background`: bounded work beside a turn.
- `turn`: the values that enter and leave a turn.
- `plan`: the plan of a turn.
- `trace`: what became of every candidate of a turn.
- `degradation`: what a turn had to do without, as a sentence with a code.
- `policy`: every setting of a turn, and which policy is active for an agent.
- `tokens`: count tokens.
- `errors`: the errors that the layer raises.
"""

from __future__ import annotations

TYPE_CHECKING = False  # to a type checker it is True, and `typing` takes a hook longer than its call
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
