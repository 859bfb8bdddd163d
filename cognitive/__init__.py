"""One turn of an agent: what its model should see before it, what was worth showing after it."""

from brain.types import NewMemory
from cognitive.errors import CognitiveError
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.turn import Message, Outcome, Tool, ToolCall, Turn, TurnRef

__all__ = [
    "CognitiveError",
    "CognitiveLayer",
    "Message",
    "NewMemory",
    "Outcome",
    "Policy",
    "Tool",
    "ToolCall",
    "Turn",
    "TurnRef",
]
