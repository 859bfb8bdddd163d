"""What of a turn is redacted before it is stored, and where the redactor comes from.

The model sees a message as it was written. What is planned from, looked for and recorded is the message redacted: its
words stand in the record of the turn, and its vector follows from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from brain import redacting
from brain.redacting import Redact
from cognitive.errors import PolicyError
from cognitive.turn import Message, Outcome, ToolCall, Turn

PATTERNS = "patterns"


def named(name: str | None) -> Redact | None:
    """The redactor of a setting: "patterns", those of the extra `privacy`, or "module:function" of a host's own.

    Raises:
        PolicyError: there is none of that name, or the extra is not installed.
    """
    if name is None:
        return None
    module, _, function = ("cognitive.patterns:redact" if name == PATTERNS else name).partition(":")
    try:
        redact = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        extra = "; install the extra: cognitive-layer[privacy]" if name == PATTERNS else ""
        raise PolicyError(f"COGNITIVE_REDACT: {name!r} names no redactor ({error}){extra}") from error
    if not callable(redact):
        raise PolicyError(f"COGNITIVE_REDACT: {name!r} is no function")
    return redact  # type: ignore[no-any-return]


def heard(turn: Turn, redact: Redact) -> Turn:
    """The turn as it is planned and recorded: its text, and the user's message before it, which that may lean on."""
    if redact is redacting.unchanged:
        return turn
    last = max((n for n, each in enumerate(turn.conversation) if each.role == "user"), default=None)
    spoken = [_said(each, redact) if n == last else each for n, each in enumerate(turn.conversation)]
    return turn.model_copy(update={"text": redact(turn.text), "conversation": tuple(spoken)})


def messages(said: Sequence[Message], redact: Redact) -> Sequence[Message]:
    """Messages as a session keeps them."""
    if redact is redacting.unchanged:
        return said
    return [
        _said(each, redact).model_copy(update={"tool_calls": tuple(_call(call, redact) for call in each.tool_calls)})
        for each in said
    ]


def outcome(given: Outcome, redact: Redact) -> Outcome:
    """An outcome as it is counted and kept: memories are redacted too, and what it restates of them is still found."""
    if redact is redacting.unchanged:
        return given
    calls = tuple(_call(call, redact) for call in given.tool_calls)
    return given.model_copy(update={"response": redact(given.response), "tool_calls": calls})


def _said(message: Message, redact: Redact) -> Message:
    return message.model_copy(update={"content": redact(message.content)})


def _call(call: ToolCall, redact: Redact) -> ToolCall:
    told = {name: redacting.value(getattr(call, name), redact) for name in ("arguments", "result")}
    return call.model_copy(update=told)
