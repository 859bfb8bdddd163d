"""Convert opened turns and outcomes to and from the entries of the journal."""

from __future__ import annotations

from brain import opened_turns
from brain.errors import InvalidInput
from brain.journal import JournalEntry
from brain.text import storable as storable_text
from brain.turn_records import OpenTurn
from cognitive.feedback.strip_quotes import texts
from cognitive.turn import Outcome, ToolCall


def storable(outcome: Outcome) -> Outcome:
    """Return an outcome that can be written to the journal: each tool result becomes a list of the strings in it.

    A tool result may contain other values that JSON cannot represent. Attribution needs only the strings, to find
    quotations of them in the response.
    """
    calls = (
        ToolCall(name=call.name, result=[storable_text(text) for text in texts(call.result)])
        for call in outcome.tool_calls
    )
    return outcome.model_copy(update={"tool_calls": tuple(calls)})


def read(entry: JournalEntry) -> tuple[OpenTurn | None, Outcome | None]:
    """Parse a journal entry: return the opened turn and the outcome, each None if missing.

    Raises:
        InvalidInput: one of them is not valid.
    """
    opening = opened_turns.read(entry.opening) if entry.opening is not None else None
    try:
        outcome = Outcome.model_validate_json(entry.outcome) if entry.outcome is not None else None
    except ValueError as error:  # not in the message, because its text quotes the outcome
        raise InvalidInput(f"turn_id: the journal's outcome of turn {entry.turn_id!r} is not valid") from error
    return opening, outcome


def received_at(opening: OpenTurn | None) -> float | None:
    """Return the earliest time at which a journaled outcome can have arrived: the arrival of its turn.

    The time is in seconds since the epoch. It is None if the journal does not have the opened turn.
    """
    return opening.received_at if opening is not None else None
