"""What a coding agent says of an event, in the JSON that it hands to its hooks."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from brain.text import storable
from cognitive.feedback.strip_quotes import texts
from cognitive.turn import ToolCall
from cognitive.window.output.json_values import as_text, jsonable

LONGEST_RESULT = 20_000  # characters of a tool's result; an answer quotes from what the model could read


class Said(BaseModel):
    """What Claude Code or Codex says of an event: those of its fields that are used here, under the names of both."""

    model_config = ConfigDict(extra="ignore")

    session_id: str
    cwd: str = ""
    transcript_path: str | None = None
    agent_id: str | None = None  # of a subagent; without one it is the session's own
    model: str | None = None
    prompt_id: str | None = None  # Claude Code's
    turn_id: str | None = None  # Codex'
    prompt: str = ""
    source: str = ""
    tool_name: str = ""
    tool_input: Any = None
    tool_response: Any = None
    tool_use_id: str | None = None
    error: Any = None
    last_assistant_message: str | None = None

    @property
    def name(self) -> str | None:
        """The agent's name for the prompt, if it gives one."""
        return self.prompt_id or self.turn_id

    @property
    def runtime(self) -> str:
        """Which agent it is."""
        return "codex" if self.turn_id else "claude-code"

    def call(self) -> ToolCall:
        """A tool's call and its result, bounded."""
        ok = self.error is None
        result = self.tool_response if ok else self.error
        if not isinstance(result, str) and len(as_text(result)) > LONGEST_RESULT:
            result = "\n".join(texts(result))
        if isinstance(result, str):
            result = storable(result)[:LONGEST_RESULT]
        arguments = self.tool_input if isinstance(self.tool_input, dict) else {"input": self.tool_input}
        return ToolCall(name=storable(self.tool_name) or "tool", arguments=arguments, result=result, ok=ok)


def read(given: bytes) -> Said:
    """What an agent says of an event. Half a surrogate pair, left where it cut a text within an emoji, is replaced.

    Raises:
        ValueError: it is not the JSON of an event.
    """
    return Said.model_validate(jsonable(json.loads(given.decode("utf-8", "replace"))))
