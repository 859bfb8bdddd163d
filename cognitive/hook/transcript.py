"""The transcript that a coding agent keeps of a session: the end of a JSONL file, read as exchanges.

Both formats are their makers' own and change without notice: what is not understood is passed over. Of Claude Code's
the lines of the conversation and the attachments of hooks are read; of Codex' the events, and the developer messages
that hooks cause. What tools were given and said stays out of the conversation: it is theirs, and megabytes of it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from brain.text import storable
from cognitive.prompt import OPENING, PREFIX_OPENING
from cognitive.turn import Message, ToolCall

TAIL_BYTES = (
    512 << 10
)  # bytes from the end of the file, which take about 5 ms; a prompt's own part is within the last tens
MAX_MESSAGES = 40  # as many as a window shows
_GAP = "\n\n"
# What Claude Code writes as the user's: its own commands and their output, and the mark of the key that stops it.
_COMMAND_MARKERS = ("<command-name>", "<command-message>", "<local-command-", "<bash-", "<task-notification>")
_INTERRUPTED = "[Request interrupted by user"
_REMINDER = "<system-reminder>"


@dataclass(slots=True)
class TranscriptTurn:
    """A prompt and what came of it. `texts` are the model's texts, the last of which is its answer.

    `injected` is what our hooks added to the prompt, as it stands in the agent's context.
    """

    prompt: str = ""
    prompt_id: str | None = None
    injected: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    status: str = "completed"

    @property
    def answer(self) -> str:
        """The last text of the model's, empty if there is none."""
        return self.texts[-1] if self.texts else ""


@dataclass(frozen=True, slots=True)
class _TranscriptEntry:
    """What a line says: a kind, which names what it does to the exchanges, and its text."""

    kind: str
    text: str = ""
    id: str | None = None
    call: ToolCall | None = None


def tail(path: str, max_bytes: int = TAIL_BYTES) -> list[bytes]:
    """The last whole lines of a file.

    Raises:
        OSError: it cannot be read, or is something else than a file.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:  # a pipe would wait
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path!r} is no file")
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - max_bytes))
        lines = file.read(max_bytes).split(b"\n")
    return lines if size <= max_bytes else lines[1:]


def turns_of(lines: Iterable[bytes]) -> list[TranscriptTurn]:
    """The exchanges since the agent last compacted its context, oldest first; before the first may be a part of one."""
    turns: list[TranscriptTurn] = []
    for line in lines:
        for entry in _entries(line):
            _apply(turns, entry)
    return turns


def conversation(turns: Sequence[TranscriptTurn]) -> tuple[Message, ...]:
    """The exchanges as the messages that a model sees: the injected blocks behind the words that they were added to."""
    messages = []
    for turn in turns:
        words = _GAP.join(part for part in (turn.prompt, *turn.injected) if part)
        messages += [Message(role="user", content=words)] if words else []
        messages += [Message(role="assistant", content=_GAP.join(turn.texts))] if turn.texts else []
    return tuple(messages[-MAX_MESSAGES:])


def _entries(line: bytes) -> Iterator[_TranscriptEntry]:
    try:
        record = json.loads(line) if line else None
    except ValueError:  # a line that is being written
        return
    if not isinstance(record, Mapping):
        return
    payload = record.get("payload")
    yield from _codex(str(record.get("type")), payload) if isinstance(payload, Mapping) else _claude(record)


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
            yield _TranscriptEntry("said", text)


def _codex(kind: str, payload: Mapping[str, Any]) -> Iterator[_TranscriptEntry]:
    what, item = payload.get("type"), payload.get("item")
    if kind == "compacted":
        yield _TranscriptEntry("compacted")
    elif kind == "event_msg" and what in ("user_message", "agent_message"):
        yield _TranscriptEntry("prompt" if what == "user_message" else "said", str(payload.get("message", "")))
    elif kind == "event_msg" and what == "item_completed" and isinstance(item, Mapping):
        spoken = {"UserMessage": "prompt", "AgentMessage": "said"}.get(str(item.get("type")))
        if spoken is not None:
            yield _TranscriptEntry(spoken, _joined(item.get("content")))
    elif kind == "event_msg" and what == "turn_aborted":
        yield _TranscriptEntry("interrupted")
    elif kind == "response_item" and what == "message" and payload.get("role") == "developer":
        text = _joined(payload.get("content"))
        yield from [_TranscriptEntry("injected", text)] if _is_injected(text) else []
    elif kind == "response_item" and what in ("function_call", "custom_tool_call"):
        arguments = {"input": payload.get("arguments") or payload.get("input")}
        yield _TranscriptEntry("call", id=str(payload.get("call_id")), call=_call(payload.get("name"), arguments))
    elif kind == "response_item" and what in ("function_call_output", "custom_tool_call_output"):
        yield _TranscriptEntry("result", _output_text(payload.get("output")), str(payload.get("call_id")))


def _apply(turns: list[TranscriptTurn], entry: _TranscriptEntry) -> None:
    """What an entry does to the exchanges so far."""
    if entry.kind == "compacted":
        turns.clear()
        return
    if entry.kind == "prompt" or not turns:
        turns.append(TranscriptTurn())
    last = turns[-1]
    if entry.kind == "prompt":
        last.prompt, last.prompt_id = storable(entry.text), entry.id
    elif entry.kind == "injected":
        last.injected.append(storable(entry.text))
    elif entry.kind == "said" and entry.text.strip():
        last.texts.append(storable(entry.text))
    elif entry.kind in ("interrupted", "failed"):
        last.status = {"interrupted": "abandoned"}.get(entry.kind, "failed")
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
    """The text of a message of Claude Code's, without what it adds to the user's own."""
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
    """What our hooks added, of an attachment of Claude Code's."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != "hook_additional_context":
        return []
    content = attachment.get("content")
    texts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    return [text for text in texts if isinstance(text, str) and _is_injected(text)]


def _is_injected(text: str) -> bool:
    return OPENING in text or PREFIX_OPENING in text


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    return _GAP.join(str(block["text"]) for block in blocks if "text" in block)


def _output_text(value: Any) -> str:
    if isinstance(value, list):
        return _joined(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
