"""What of a turn is redacted before it is stored, and where the redactor comes from.

The model sees a message as it was written. The plan, the search and the record are of the redacted message, since the
record holds its words and a vector of them. What cannot be redacted in time is withheld: neither a turn nor its outcome
waits longer than its deadline, and nothing is stored as it came.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from brain import redacting
from brain.deadline import Deadline
from brain.redacting import WITHHELD, Redact, Redactor
from cognitive.degradation import Degradation
from cognitive.errors import PolicyError
from cognitive.turn import Message, Outcome, ToolCall, Turn

log = logging.getLogger(__name__)

PATTERNS = "patterns"
_WITHHELD_DETAIL = "what was said is withheld from the record, and is not looked for"
_SHARE_OF_A_TURN = 0.3  # of its time at most: the search is behind it, and takes half
_SHARE_OF_AN_OUTCOME = 0.8  # at most; what Postgres then lacks time for is safe in the journal


def load_redactor(name: str | None) -> Redact | None:
    """The redactor of a setting: "patterns", those of the extra `privacy`, or "module:function" of a host's own.

    Raises:
        PolicyError: there is none of that name, or the extra is not installed.
    """
    if name is None:
        return None
    module, _, function = ("cognitive.privacy.patterns:redact" if name == PATTERNS else name).partition(":")
    try:
        redact = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        extra = "; install the extra: cognitive-layer[privacy]" if name == PATTERNS else ""
        raise PolicyError(f"COGNITIVE_REDACT: {name!r} names no redactor ({error}){extra}") from error
    if not callable(redact):
        raise PolicyError(f"COGNITIVE_REDACT: {name!r} is no function")
    return redact  # type: ignore[no-any-return]


async def redact_turn_in_time(
    turn: Turn, redactor: Redactor, deadline: Deadline
) -> tuple[Turn, tuple[Degradation, ...]]:
    """The turn as it is planned and recorded, and why something of it is withheld, if so."""
    try:
        redacted = await deadline.within(redactor.run(partial(redact_turn, turn), turn=True), _SHARE_OF_A_TURN)
    except TimeoutError:
        return redact_turn(turn, redacting.withheld), (
            Degradation("redaction_late", f"not in time; {_WITHHELD_DETAIL}"),
        )
    except RuntimeError as error:  # its threads are gone, and nothing is stored as it came
        log.error("a message is withheld: the redactor could not be asked: %s", type(error).__name__)
        return redact_turn(turn, redacting.withheld), (
            Degradation("redaction_failed", f"the redactor failed; {_WITHHELD_DETAIL}"),
        )
    if not _is_withheld(turn, redacted):
        return redacted, ()
    return redacted, (Degradation("redaction_failed", f"the redactor failed; {_WITHHELD_DETAIL}"),)


async def redact_outcome_in_time(given: Outcome, redactor: Redactor, deadline: Deadline) -> Outcome:
    """The outcome as it is counted and kept; without its texts, if they are not redacted in time."""
    try:
        return await deadline.within(redactor.run(partial(redact_outcome, given), turn=True), _SHARE_OF_AN_OUTCOME)
    except TimeoutError:
        log.error("a response is withheld: the redactor did not answer in time")
        return redact_outcome(given, redacting.withheld)


def redact_turn(turn: Turn, redact: Redact) -> Turn:
    """The turn as it is planned and recorded: its text, and the user's message before it, which that may lean on."""
    if redact is redacting.unchanged:
        return turn
    last = max((n for n, each in enumerate(turn.conversation) if each.role == "user"), default=None)
    spoken = [_redact_message(each, redact) if n == last else each for n, each in enumerate(turn.conversation)]
    return turn.model_copy(update={"text": redact(turn.text), "conversation": tuple(spoken)})


def redact_messages(conversation: Sequence[Message], redact: Redact) -> Sequence[Message]:
    """Messages as a session keeps them."""
    if redact is redacting.unchanged:
        return conversation
    return [
        _redact_message(each, redact).model_copy(
            update={"tool_calls": tuple(_redact_call(call, redact) for call in each.tool_calls)}
        )
        for each in conversation
    ]


def redact_outcome(given: Outcome, redact: Redact) -> Outcome:
    """An outcome as it is counted and kept: memories are redacted too, and what it restates of them is still found."""
    if redact is redacting.unchanged:
        return given
    calls = tuple(_redact_call(call, redact) for call in given.tool_calls)
    return given.model_copy(update={"response": redact(given.response), "tool_calls": calls})


def _is_withheld(turn: Turn, redacted: Turn) -> bool:
    """Whether any of the turn's texts was withheld instead of redacted."""
    before, after = ((each.text, *(said.content for said in each.conversation)) for each in (turn, redacted))
    return any(now == WITHHELD != was for was, now in zip(before, after, strict=True))


def _redact_message(message: Message, redact: Redact) -> Message:
    return message.model_copy(update={"content": redact(message.content)})


def _redact_call(call: ToolCall, redact: Redact) -> ToolCall:
    redacted = {name: redacting.value(getattr(call, name), redact) for name in ("arguments", "result")}
    return call.model_copy(update=redacted)
