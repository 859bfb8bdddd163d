"""Texts about degradations: a part of a turn was late or failed, and the turn continued without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cognitive.degradation import part

_DATABASE = "Postgres is slow or unreachable. Run cognitive doctor, then check the server's load and the network."
_MODEL = "The embedding model does not load, or this machine is too slow for it. Run cognitive doctor."
_UNKNOWN = "other"


@dataclass(frozen=True, slots=True)
class DegradationLabel:
    """The texts about a part of a turn that was late or failed: its effect, and what the operator can do."""

    meaning: str
    remedy: str


DEGRADATION_LABELS: Mapping[str, DegradationLabel] = {
    "redaction": DegradationLabel(
        "The texts of the turn were not recorded, and memory was not searched.",
        "The redactor (COGNITIVE_REDACT) failed or took too long; milliseconds are normal. The log has its error.",
    ),
    "prefix": DegradationLabel("Pinned memories were not in the prompt.", _DATABASE),
    "retrieval": DegradationLabel(
        "The search for memories failed or was not done in time. Only pinned memories were shown.",
        "Postgres is slow or unreachable, or the agent has too many memories for its deadline. Check the slow stages, "
        "and the indexes and statistics with cognitive doctor.",
    ),
    "embedding": DegradationLabel("Memories were searched by words only, not by meaning.", _MODEL),
    "dedup": DegradationLabel(
        "Memories were compared with the conversation by words only, so some may repeat it.", _MODEL
    ),
    "memory": DegradationLabel("No memory was shown.", "A bug, or a plug-in's error. The log has the stack trace."),
    "tools": DegradationLabel(
        "Tools were not ranked. All of them were offered, or they were cut by name.",
        "The tools' vectors were not computed in time, or ranking failed. The log has the error.",
    ),
    "window": DegradationLabel(
        "The conversation was cut to its newest messages, or exceeds its limit.",
        "Look for very large tool outputs, or for a limit that is too small for the pinned messages.",
    ),
    "session": DegradationLabel("The session's summary and plan were not in the prompt.", _DATABASE),
    "artifacts": DegradationLabel(
        "Long tool outputs were not stored, so pointers to them do not work yet.",
        "Postgres is slow or unreachable, or its disk is full. Run cognitive doctor.",
    ),
    "directive": DegradationLabel(
        "The current step of the session's plan was not in the prompt.",
        "The step is invalid; the turn's reason says why. Give the session a plan without it.",
    ),
    "record": DegradationLabel(
        "The turn was not recorded at its start. It is recorded with its outcome.",
        "Postgres is slow, unreachable, or a read-only standby. Run cognitive doctor.",
    ),
    _UNKNOWN: DegradationLabel(
        "A client or plug-in reported a degradation of its part.",
        "The turn has the reason. Ask the author of that client or plug-in.",
    ),
}


def degradation_label(code: str) -> DegradationLabel:
    """Return the texts for a degradation by its code; an unknown code gets a general text."""
    return DEGRADATION_LABELS.get(part(code), DEGRADATION_LABELS[_UNKNOWN])
