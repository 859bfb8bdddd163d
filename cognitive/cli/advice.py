"""What to run next after an error, as data."""

from __future__ import annotations

import click

from brain.errors import (
    CognitiveError,
    EmbeddedServerError,
    EmbeddingError,
    InvalidInput,
    JournalError,
    PolicyError,
    SchemaError,
    StoreError,
    StoreUnavailable,
    UnknownArtifact,
    UnknownMemory,
    UnknownTurn,
)

# The error, what its message begins with, what to do or nothing where it says that itself; the first row that fits
# counts. {agent} is the command's own.
_ROWS: tuple[tuple[type[CognitiveError], str, str], ...] = (
    (StoreUnavailable, "", "`cognitive doctor` goes the way to the database step by step; then run this again"),
    (SchemaError, "this role may not do what comes first", ""),  # it says who may
    (SchemaError, "this database has no cognitive schema", "`cognitive db upgrade --url URL-OF-THE-OWNER`"),
    (SchemaError, "", "`cognitive doctor` looks at server, extension, roles and schema, and says what mends each"),
    (EmbeddedServerError, "", "`cognitive doctor`, or a server of your own in COGNITIVE_DATABASE_URL"),
    (JournalError, "", "make the data directory writable; `cognitive doctor` says which it is"),
    (StoreError, "", "`cognitive doctor`"),
    (EmbeddingError, "", "`cognitive doctor` loads the model by itself"),
    (PolicyError, "agents.", "`cognitive reference settings` lists every tunable with its bounds"),
    (PolicyError, "", "`cognitive config` says which file each setting comes from, `cognitive reference settings`"
     " what may stand there"),
    (InvalidInput, "version", "`cognitive policy list --agent {agent}` lists the candidates"),
    (UnknownMemory, "", "`cognitive recall QUERY --agent {agent}` finds memories with their ids"),
    (UnknownTurn, "", "`cognitive turn list --agent {agent}` lists this agent's turns"),
    (InvalidInput, "memory_id", "`cognitive why TURN_ID --agent {agent}` lists what the turn showed"),
    (UnknownArtifact, "", "`cognitive session artifacts SESSION --agent {agent}` lists what is kept"),
    (InvalidInput, "step", "`cognitive session show SESSION --agent {agent}` shows the plan and where it stands"),
    (InvalidInput, "subtask", "`cognitive work list SESSION --agent {agent}` lists the subtasks"),
)  # fmt: skip


def advice(error: CognitiveError) -> str | None:
    """What to run next; None where the message says it all."""
    context = click.get_current_context(silent=True)
    agent = context.params.get("agent", "AGENT") if context is not None else "AGENT"
    message = str(error)
    for kind, start, following in _ROWS:
        if isinstance(error, kind) and message.startswith(start):
            return following.replace("{agent}", str(agent)) or None
    return None
