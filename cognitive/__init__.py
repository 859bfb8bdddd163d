"""One turn of an agent: what its model should see before it, what was worth showing after it.

The names are imported when they are first used: a hook, which starts with every prompt, needs none of them.
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
