"""The protocol between a hook and the daemon: one connection for each call.

A request is five fields that end in NUL, followed by the agent's JSON, unchanged, up to the end of the stream. A
response is one byte for its kind, followed by the JSON to print. The hook does not parse the JSON, since that would be
its slowest step.
"""

from __future__ import annotations

VERSION = "0.1.0"  # the package's version; a daemon of another version is replaced
NOTHING = b"{}"  # means "continue, nothing to add" to Claude Code and to Codex

# the argument of `cognitive hook` -> the name of the event in Claude Code and Codex
EVENTS = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "post-tool-use": "PostToolUse",
    "post-tool-use-failure": "PostToolUseFailure",
    "stop": "Stop",
    "stop-failure": "StopFailure",
    "session-end": "SessionEnd",
}

ANSWER, OUTDATED = b"+", b"~"
STATUS, STOP = "?about", "?end"  # commands for the daemon itself
MAX_BYTES = 16 << 20  # bytes of one call; a longer tool result is a file, which the answer does not quote


class Call:
    """A call from a hook to the daemon: the hook's version, an event or command, the agent, and the event's JSON.

    If `agent` is empty, the daemon uses the agent of the folder `project`. If that is empty too, it uses the agent of
    the working directory in the JSON. `database` is the checksum of the database URL in the hook's environment; if it
    is empty, the hook uses the daemon's database.
    """

    # not a dataclass: importing `dataclasses` takes as long as starting Python twice
    __slots__ = ("agent", "database", "event", "payload", "project", "version")

    def __init__(
        self, version: str, event: str, agent: str = "", project: str = "", payload: bytes = b"", database: str = ""
    ) -> None:
        self.version = version
        self.event = event
        self.agent = agent
        self.project = project
        self.payload = payload
        self.database = database


def encode(call: Call) -> bytes:
    """Encode a call as bytes: each text field ends with a NUL, and the event's JSON follows.

    The text fields contain no NUL, because environment variables and command-line arguments cannot contain one.
    """
    fields = (call.version, call.event, call.agent, call.project, call.database)
    return b"".join(field.encode("utf-8", "surrogateescape") + b"\0" for field in fields) + call.payload


def decode(data: bytes) -> Call:
    """Decode a call from bytes, the reverse of `encode`.

    Raises:
        ValueError: the bytes are not an encoded call.
    """
    *fields, payload = data.split(b"\0", 5)
    version, event, agent, project, database = (field.decode("utf-8", "surrogateescape") for field in fields)
    return Call(version, event, agent, project, payload, database)
