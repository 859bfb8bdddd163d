"""Reading of a coding agent's transcript: the end of the JSONL file that it writes of a session, parsed into turns.

Both formats are undocumented and change without notice, so unknown lines are skipped. From Claude Code's format,
messages and the texts that hooks attached are read. From Codex' format, events and the developer messages that hooks
cause are read. Arguments and results of tools are not part of the conversation: the agent manages them itself, and they
may be megabytes.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from brain.text import storable
from cognitive.prompt import OPENING, PREFIX_OPENING
from cognitive.turn import Message, ToolCall

# bytes to read from the end of the file, which take about 5 ms; a turn is usually within the last tens of kilobytes
TAIL_BYTES = 512 << 10
MAX_MESSAGES = 40  # about as many as a window shows
_GAP = "\n\n"
# Claude Code writes these as messages of the user: its own commands, their output, and the mark of an interruption.
_COMMAND_MARKERS = ("<command-name>", "<command-message>", "<local-command-", "<bash-", "<task-notification>")
_INTERRUPTED = "[Request interrupted by user"
_REMINDER = "<system-reminder>"


@dataclass(slots=True)
class TranscriptTurn:
    """A turn of a transcript: the user's prompt, and the model's texts and tool calls that followed.

    The last of `texts` is the answer. `injected` has the texts that Cognitive's hooks added to the prompt. `status` is
    "completed", "failed" or "abandoned". `at` is when the prompt was written.
    """

    prompt: str = ""
    prompt_id: str | None = None
    injected: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    status: str = "completed"
    at: datetime | None = None

    @property
    def answer(self) -> str:
        """The model's last text, or "" if the model wrote none."""
        return self.texts[-1] if self.texts else ""


@dataclass(frozen=True, slots=True)
class _TranscriptEntry:
    """An entry of a transcript. Its `kind`, such as "prompt" or "answer", determines how `_apply` changes the turns."""

    kind: str
    text: str = ""
    id: str | None = None
    call: ToolCall | None = None
    at: datetime | None = None


def tail(path: str, max_bytes: int = TAIL_BYTES) -> list[bytes]:
    """Return the complete lines within the last `max_bytes` bytes of a file.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
    """
    # O_NONBLOCK, so that opening a pipe does not wait for its writer
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path!r} is not a regular file")
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - max_bytes))
        lines = file.read(max_bytes).split(b"\n")
    return lines if size <= max_bytes else lines[1:]


def turns_of(lines: Iterable[bytes]) -> list[TranscriptTurn]:
    """Parse a transcript's lines into turns, oldest first, beginning after the last compaction of the context.

    The first turn may lack its beginning.
    """
    turns: list[TranscriptTurn] = []
    for line in lines:
        for entry in _entries(line):
            _apply(turns, entry)
    return turns


def conversation(turns: Sequence[TranscriptTurn]) -> tuple[Message, ...]:
    """Return the latest MAX_MESSAGES messages of these turns as the model saw them, with the texts that hooks added."""
    messages = []
    for turn in turns:
        prompt = _GAP.join(part for part in (turn.prompt, *turn.injected) if part)
        messages += [Message(role="user", content=prompt)] if prompt else []
        messages += [Message(role="assistant", content=_GAP.join(turn.texts))] if turn.texts else []
    return tuple(messages[-MAX_MESSAGES:])


def _entries(line: bytes) -> Iterator[_TranscriptEntry]:
    try:
        record = json.loads(line) if line else None
    except ValueError:  # a line that the agent is still writing
        return
    if not isinstance(record, Mapping):
        return
    payload = record.get("payload")
    entries = _codex(str(record.get("type")), payload) if isinstance(payload, Mapping) else _claude(record)
    for entry in entries:
        yield replace(entry, at=_moment(record.get("timestamp"))) if entry.kind == "prompt" else entry


def _claude(record: Mapping[str, Any]) -> Iterator[_TranscriptEntry]:
    kind, message = record.get("type"), record.get("message")
    if record.get("isSidechain") or record.get("isMeta"):
        return
    if kind == "system" and record.get("subtype") == "compact_boundary":
        yield _TranscriptEntry("compacted")
    elif kind == "attachment":
        yield from (_TranscriptEntry("injected", text) for text in _injected(record.get("attachment")))
    elif kind in ("user", "assistant") and isinstance(message, Mapping):
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
        text = _text_of(content, blocks)
        if kind == "user":
            yield from _tool_results(blocks)
            yield from _user_entries(text, record.get("promptId"))
        elif record.get("isApiErrorMessage"):
            yield _TranscriptEntry("failed")
        elif message.get("model") != "<synthetic>":
            yield from _tool_calls(blocks)
            yield _TranscriptEntry("answer", text)


def _codex(kind: str, payload: Mapping[str, Any]) -> Iterator[_TranscriptEntry]:
    payload_type, item = payload.get("type"), payload.get("item")
    if kind == "compacted":
        yield _TranscriptEntry("compacted")
    elif kind == "event_msg" and payload_type in ("user_message", "agent_message"):
        yield _TranscriptEntry(
            "prompt" if payload_type == "user_message" else "answer", str(payload.get("message", ""))
        )
    elif kind == "event_msg" and payload_type == "item_completed" and isinstance(item, Mapping):
        entry_kind = {"UserMessage": "prompt", "AgentMessage": "answer"}.get(str(item.get("type")))
        if entry_kind is not None:
            turn_id = payload.get("turn_id")
            yield _TranscriptEntry(
                entry_kind, _joined(item.get("content")), turn_id if isinstance(turn_id, str) else None
            )
    elif kind == "event_msg" and payload_type == "turn_aborted":
        yield _TranscriptEntry("interrupted")
    elif kind == "response_item" and payload_type == "message" and payload.get("role") == "developer":
        text = _joined(payload.get("content"))
        yield from [_TranscriptEntry("injected", text)] if _is_injected(text) else []
    elif kind == "response_item" and payload_type in ("function_call", "custom_tool_call"):
        arguments = {"input": payload.get("arguments") or payload.get("input")}
        yield _TranscriptEntry("call", id=str(payload.get("call_id")), call=_call(payload.get("name"), arguments))
    elif kind == "response_item" and payload_type in ("function_call_output", "custom_tool_call_output"):
        yield _TranscriptEntry("result", _output_text(payload.get("output")), str(payload.get("call_id")))


def _apply(turns: list[TranscriptTurn], entry: _TranscriptEntry) -> None:
    """Update the turns with the transcript's next entry: begin a turn, extend the latest one, or clear all turns."""
    if entry.kind == "compacted":
        turns.clear()
        return
    if entry.kind == "prompt" or not turns:
        turns.append(TranscriptTurn())
    last = turns[-1]
    if entry.kind == "prompt":
        last.prompt, last.prompt_id, last.at = storable(entry.text), entry.id, entry.at
    elif entry.kind == "injected":
        last.injected.append(storable(entry.text))
    elif entry.kind == "answer" and entry.text.strip():
        last.texts.append(storable(entry.text))
    elif entry.kind in ("interrupted", "failed"):
        last.status = "abandoned" if entry.kind == "interrupted" else "failed"
    elif entry.id is not None and entry.call is not None:
        last.calls[entry.id] = entry.call
    elif entry.id in last.calls:
        last.calls[entry.id] = last.calls[entry.id].model_copy(update={"result": storable(entry.text)})


def _user_entries(text: str, prompt_id: Any) -> Iterator[_TranscriptEntry]:
    if text.startswith(_INTERRUPTED):
        yield _TranscriptEntry("interrupted")
    elif text.strip() and not text.startswith(_COMMAND_MARKERS):
        yield _TranscriptEntry("prompt", text, prompt_id if isinstance(prompt_id, str) else None)


def _text_of(content: Any, blocks: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a message in Claude Code's format, without the reminders that it adds to the user's text."""
    if isinstance(content, str):
        return content
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    return _GAP.join(text for text in texts if not text.startswith(_REMINDER))


def _tool_calls(blocks: Sequence[Mapping[str, Any]]) -> Iterator[_TranscriptEntry]:
    for block in blocks:
        if block.get("type") == "tool_use":
            yield _TranscriptEntry("call", id=str(block.get("id")), call=_call(block.get("name"), block.get("input")))


def _tool_results(blocks: Sequence[Mapping[str, Any]]) -> Iterator[_TranscriptEntry]:
    for block in blocks:
        if block.get("type") == "tool_result":
            yield _TranscriptEntry("result", _output_text(block.get("content")), str(block.get("tool_use_id")))


def _call(name: Any, arguments: Any) -> ToolCall:
    return ToolCall(
        name=storable(str(name or "tool"))[:200], arguments=arguments if isinstance(arguments, Mapping) else {}
    )


def _injected(attachment: Any) -> list[str]:
    """Return the texts that Cognitive's hooks added to a prompt, from an attachment in Claude Code's format."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != "hook_additional_context":
        return []
    content = attachment.get("content")
    texts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    return [text for text in texts if isinstance(text, str) and _is_injected(text)]


def _is_injected(text: str) -> bool:
    return OPENING in text or PREFIX_OPENING in text


def _moment(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    return _GAP.join(str(block["text"]) for block in blocks if "text" in block)


def _output_text(value: Any) -> str:
    if isinstance(value, list):
        return _joined(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
