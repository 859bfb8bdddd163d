"""What a turn can have to do without, a row for each part: what that meant for the turn, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cognitive.degradation import part

_DATABASE = "Postgres is slow or away: cognitive doctor, then the server's load and the network to it."
_MODEL = "The embedding model does not load, or this machine has too few cores for it: cognitive doctor tries it."
_UNKNOWN = "other"


@dataclass(frozen=True, slots=True)
class DegradationLabel:
    """A part that was late or failed: what the turn went on with instead, and what an operator looks at."""

    meaning: str
    remedy: str


DEGRADATION_LABELS: Mapping[str, DegradationLabel] = {
    "redaction": DegradationLabel(
        "What was said is withheld from the record, and no memory was looked for.",
        "The redactor of COGNITIVE_REDACT failed or was late: it should take milliseconds; the log has its error.",
    ),
    "prefix": DegradationLabel("Pinned memories were not in the prompt.", _DATABASE),
    "retrieval": DegradationLabel(
        "No memory was looked for in time, so none but pinned ones was shown.",
        "Postgres is slow or away, or the agent is large for its deadline: see the slow stages, and what "
        "cognitive doctor says of indexes and statistics.",
    ),
    "embedding": DegradationLabel("Memories were searched by words only, and not by meaning.", _MODEL),
    "dedup": DegradationLabel(
        "What the conversation said already was compared by words only, and may be shown again.", _MODEL
    ),
    "memory": DegradationLabel("No memory was shown.", "A defect, or a plug-in's error: the log has the stack trace."),
    "tools": DegradationLabel(
        "Tools were not ranked: they were offered whole, or cut by their names.",
        "The vectors of the catalog were late, or ranking raised an error, which the log has.",
    ),
    "window": DegradationLabel(
        "The conversation was cut to its newest messages, or is larger than its bound.",
        "Look for tool output of megabytes, or for a bound that is too small for what is pinned.",
    ),
    "session": DegradationLabel("Summary and plan of the session were not in the prompt.", _DATABASE),
    "artifacts": DegradationLabel(
        "Whole outputs of tools were not stored: pointers to them lead nowhere until they are.",
        "Postgres is slow or away, or its disk is full: cognitive doctor.",
    ),
    "directive": DegradationLabel(
        "The current step of the session's plan was not put to the model.",
        "The step is unfit, and the turn's reason says why: hand the session a plan without it.",
    ),
    "record": DegradationLabel(
        "The turn was not recorded at its start; it is so with its outcome.",
        "Postgres is slow, away, or a standby that only reads: cognitive doctor.",
    ),
    _UNKNOWN: DegradationLabel(
        "A client or plug-in named a part of its own.",
        "The turn has its reason; whoever wrote that part knows the remedy.",
    ),
}


def degradation_label(code: str) -> DegradationLabel:
    """Return what the code of a degradation meant, and its remedy; of a part without a row, the row of others."""
    return DEGRADATION_LABELS.get(part(code), DEGRADATION_LABELS[_UNKNOWN])
