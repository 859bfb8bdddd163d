"""What a hook and its server say to each other, over a connection for each call.

There: four fields that end in NUL, then the agent's JSON, as it came, up to the end of the stream. Back: one byte that
says what follows, then the JSON to print. The hook parses neither: it would be the slowest thing it does.
"""

from __future__ import annotations

VERSION = "0.1.0"  # the package's; a server of another version is replaced
NOTHING = b"{}"  # to both agents: go on, nothing to add

# the argument of `cognitive hook` -> the agents' name of the event
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
STATUS, STOP = "?about", "?end"  # asked of the server itself
MAX_BYTES = 16 << 20  # bytes of one call; what a tool returned beyond that is a file, and nobody quotes it


class Call:
    """One call: the client's version, an event or a question to the server itself, whose it is, and the JSON.

    `agent` may be empty: then it follows from `project`, and without that from the folder that the JSON names.
    """

    __slots__ = ("agent", "event", "payload", "project", "version")  # `dataclasses` costs two starts of Python

    def __init__(self, version: str, event: str, agent: str = "", project: str = "", payload: bytes = b"") -> None:
        self.version = version
        self.event = event
        self.agent = agent
        self.project = project
        self.payload = payload


def encode(call: Call) -> bytes:
    """A call as it is sent. Neither the environment nor arguments can hold a NUL."""
    fields = (call.version, call.event, call.agent, call.project)
    return b"".join(field.encode("utf-8", "surrogateescape") + b"\0" for field in fields) + call.payload


def decode(data: bytes) -> Call:
    """The reverse of `encode`.

    Raises:
        ValueError: it is not of this form.
    """
    *fields, payload = data.split(b"\0", 4)
    version, event, agent, project = (field.decode("utf-8", "surrogateescape") for field in fields)
    return Call(version, event, agent, project, payload)
