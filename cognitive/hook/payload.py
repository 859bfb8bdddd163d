"""The JSON that Claude Code and Codex pass to a hook with each event."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from brain.text import storable
from cognitive.feedback.strip_quotes import texts
from cognitive.turn import ToolCall
from cognitive.window.output.json_values import as_text, jsonable

MAX_RESULT_LENGTH = 20_000  # characters of a tool result; the model reads hardly more, so it cannot quote the rest


class HookPayload(BaseModel):
    """The JSON of a Claude Code or Codex event. It has the fields that this module uses, by the names of both."""

    model_config = ConfigDict(extra="ignore")

    session_id: str
    cwd: str = ""
    transcript_path: str | None = None
    agent_id: str | None = None  # the subagent's; None for the main agent
    model: str | None = None
    prompt_id: str | None = None  # from Claude Code
    turn_id: str | None = None  # from Codex
    prompt: str = ""
    source: str = ""
    tool_name: str = ""
    tool_input: Any = None
    tool_response: Any = None
    tool_use_id: str | None = None
    error: Any = None
    last_assistant_message: str | None = None

    @property
    def external_turn_id(self) -> str | None:
        """The coding agent's own id of the turn, or None if the event contains none."""
        return self.prompt_id or self.turn_id

    @property
    def runtime(self) -> str:
        """The name of the coding agent that sent the event: "codex" or "claude-code"."""
        return "codex" if self.turn_id else "claude-code"

    def call(self) -> ToolCall:
        """Return the tool call that the event reports, with its result cut to MAX_RESULT_LENGTH characters."""
        ok = self.error is None
        result = self.tool_response if ok else self.error
        if not isinstance(result, str) and len(as_text(result)) > MAX_RESULT_LENGTH:
            result = "\n".join(texts(result))
        if isinstance(result, str):
            result = storable(result)[:MAX_RESULT_LENGTH]
        arguments = self.tool_input if isinstance(self.tool_input, dict) else {"input": self.tool_input}
        return ToolCall(name=storable(self.tool_name) or "tool", arguments=arguments, result=result, ok=ok)


def parse_payload(data: bytes) -> HookPayload:
    """Parse the JSON of an event. Half of a surrogate pair, as left by a cut within an emoji, is replaced.

    Raises:
        ValueError: the data is not the JSON of an event.
    """
    return HookPayload.model_validate(jsonable(json.loads(data.decode("utf-8", "replace"))))
