"""Redact a turn and its outcome before they are stored, and load the function that redacts.

The model sees the original message. Plan, search and record use the redacted message, because the turn's record stores
its text and a vector of it. Redaction may take only a share of the turn's deadline. If it fails or takes too long, the
text is withheld: a placeholder is stored in its place, never the unredacted text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from importlib import import_module

from brain import redacting
from brain.deadline import Deadline
from brain.redacting import WITHHELD, Redact, Redactor
from cognitive.degradation import Degradation
from cognitive.errors import PolicyError
from cognitive.turn import Message, Outcome, ToolCall, Turn

MessagesRead = Callable[[str], Collection[Message]]

log = logging.getLogger(__name__)

PATTERNS = "patterns"
_WITHHELD_DETAIL = "the message is withheld from the record and not searched for"
_SHARE_OF_A_TURN = 0.3  # maximum share of the deadline; the search that follows takes half of it
_SHARE_OF_AN_OUTCOME = (
    0.8  # maximum share of the deadline; if Postgres is then too slow, the journal stores the outcome
)


def load_redactor(name: str | None) -> Redact | None:
    """Return the function that redacts texts, which the setting COGNITIVE_REDACT names, or None if it is unset.

    "patterns" is the redactor of the extra `privacy`; "module:function" is a function of the host.

    Raises:
        PolicyError: there is no such function, or the extra is not installed.
    """
    if name is None:
        return None
    module, _, function = ("cognitive.privacy.patterns:redact" if name == PATTERNS else name).partition(":")
    try:
        redact = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise PolicyError(f"COGNITIVE_REDACT: cannot load the redactor {name!r}: {error}") from error
    if not callable(redact):
        raise PolicyError(f"COGNITIVE_REDACT: {name!r} is not a function")
    return redact  # type: ignore[no-any-return]


async def redact_turn_in_time(
    turn: Turn, redactor: Redactor, deadline: Deadline, planned: MessagesRead
) -> tuple[Turn, tuple[Degradation, ...]]:
    """Return the turn with its texts redacted, for planning and recording, and what failed (degradations).

    `planned` returns the messages of the conversation that planning reads for a text; the others stay unchanged. If
    redaction failed or took too long, the texts are placeholders, and a degradation gives the reason.
    """
    try:
        async with deadline.limit(_SHARE_OF_A_TURN):
            redacted = await redactor.run(partial(redact_turn, turn, planned), turn=True)
    except TimeoutError:
        return redact_turn(turn, planned, redacting.withheld), (
            Degradation("redaction_late", f"the redactor did not return in time; {_WITHHELD_DETAIL}"),
        )
    except RuntimeError as error:  # the redactor's threads have ended
        log.error("a message is withheld: the redactor could not be called: %s", type(error).__name__)
        return redact_turn(turn, planned, redacting.withheld), (
            Degradation("redaction_failed", f"the redactor failed; {_WITHHELD_DETAIL}"),
        )
    if not _is_withheld(turn, redacted):
        return redacted, ()
    return redacted, (Degradation("redaction_failed", f"the redactor failed; {_WITHHELD_DETAIL}"),)


async def redact_outcome_in_time(outcome: Outcome, redactor: Redactor, deadline: Deadline) -> Outcome:
    """Return the outcome with its texts redacted, or replaced by a placeholder if this takes too long."""
    try:
        async with deadline.limit(_SHARE_OF_AN_OUTCOME):
            return await redactor.run(partial(redact_outcome, outcome), turn=True)
    except TimeoutError:
        log.error("a response is withheld: the redactor did not return in time")
        return redact_outcome(outcome, redacting.withheld)


def redact_turn(turn: Turn, planned: MessagesRead, redact: Redact) -> Turn:
    """Return the turn with its text and the messages that planning reads redacted. The others are unchanged."""
    if redact is redacting.unchanged:
        return turn
    text = redact(turn.text)
    read = {id(each) for each in planned(text)}
    messages = [_redact_message(each, redact) if id(each) in read else each for each in turn.conversation]
    return turn.model_copy(update={"text": text, "conversation": tuple(messages)})


def redact_messages(conversation: Sequence[Message], redact: Redact) -> Sequence[Message]:
    """Return the messages of a conversation with their texts and tool calls redacted, as a session stores them."""
    if redact is redacting.unchanged:
        return conversation
    return [
        _redact_message(each, redact).model_copy(
            update={"tool_calls": tuple(_redact_call(call, redact) for call in each.tool_calls)}
        )
        for each in conversation
    ]


def redact_outcome(outcome: Outcome, redact: Redact) -> Outcome:
    """Return the outcome with its response and tool calls redacted.

    Since memories are redacted in the same way, the words that they share with the response can still be found.
    """
    if redact is redacting.unchanged:
        return outcome
    calls = tuple(_redact_call(call, redact) for call in outcome.tool_calls)
    return outcome.model_copy(update={"response": redact(outcome.response), "tool_calls": calls})


def _is_withheld(turn: Turn, redacted: Turn) -> bool:
    """Return True if any text of the turn was replaced by a placeholder, because its redaction failed."""
    before, after = ((each.text, *(message.content for message in each.conversation)) for each in (turn, redacted))
    return any(new == WITHHELD != old for old, new in zip(before, after, strict=True))


def _redact_message(message: Message, redact: Redact) -> Message:
    return message.model_copy(update={"content": redact(message.content)})


def _redact_call(call: ToolCall, redact: Redact) -> ToolCall:
    redacted = {name: redacting.value(getattr(call, name), redact) for name in ("arguments", "result")}
    return call.model_copy(update=redacted)
