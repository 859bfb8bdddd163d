"""Transcripts of coding agents are read as turns, in two formats and with unknown records between."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.hook.transcript import TranscriptTurn, conversation, tail, turns_of
from cognitive.prompt import OPENING, memory_lines
from cognitive.turn import Message

BLOCK = f'{OPENING}\n- 2026-09-01 "The orders are in Postgres."\nSeal: 000000000000\n</memory-records>'


def claude(kind, content, **fields):
    return {"type": kind, "message": {"role": kind, "model": "opus", "content": content}, **fields}


def assistant_text(text):
    return claude("assistant", [{"type": "text", "text": text}])


def injected(*texts):
    return {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": list(texts)}}


CLAUDE = [
    {"type": "queue-operation", "content": "which db?"},
    claude("user", "which db?", promptId="p1"),
    injected("the weather is fine", BLOCK),
    claude("user", "a subagent's prompt", isSidechain=True),
    assistant_text("I look."),
    claude("assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file": "a"}}]),
    claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "tool-says"}]}]),
    assistant_text("Postgres it is."),
    claude("user", "<command-name>/model</command-name>"),
    claude("user", "caveat", isMeta=True),
    claude("assistant", "No response requested.") | {"message": {"model": "<synthetic>", "content": "No response."}},
    claude("user", [{"type": "text", "text": text} for text in ("<system-reminder>x", "and now?")], promptId="p2"),
]


def event(kind, **fields):
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def item(kind, **fields):
    return {"type": "response_item", "payload": {"type": kind, **fields}}


CODEX = [
    {"type": "session_meta", "payload": {"id": "s"}},
    item("message", role="user", content=[{"type": "input_text", "text": "<environment_context>"}]),
    event("user_message", message="which db?"),
    item("message", role="developer", content=[{"type": "input_text", "text": BLOCK}]),
    item("message", role="developer", content=[{"type": "input_text", "text": "be brief"}]),
    event("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": "I look."}]}),
    item("function_call", call_id="t1", name="Read", arguments='{"file": "a"}'),
    item("function_call_output", call_id="t1", output="tool-says"),
    event("agent_message", message="Postgres it is."),
    event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "and now?"}]}),
]


def read(memory_lines):
    return turns_of(json.dumps(record).encode() for record in memory_lines)


def test_both_formats_give_the_same_turns():
    for turns in (read(CLAUDE), read(CODEX)):
        first, second = turns
        assert (first.prompt, first.answer, first.status) == ("which db?", "Postgres it is.", "completed")
        assert first.injected == [BLOCK]
        assert [(call.name, call.result) for call in first.calls.values()] == [("Read", "tool-says")]
        assert (second.prompt, second.answer) == ("and now?", "")
    assert [each.prompt_id for each in read(CLAUDE)] == ["p1", "p2"]


def test_conversation_has_messages_and_blocks_without_tool_output():
    messages = conversation(read(CLAUDE))
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[0].content == f"which db?\n\n{BLOCK}"
    assert messages[1] == Message(role="assistant", content="I look.\n\nPostgres it is.")
    assert len(memory_lines(messages[0].content)) == 0, "a block without a valid seal is not recognised"
    assert not any("tool-says" in message.content for message in messages)


def test_interrupted_turn_is_abandoned_and_api_error_is_failed():
    half = [*CLAUDE[:5], claude("user", [{"type": "text", "text": "[Request interrupted by user]"}])]
    assert [(each.status, len(each.texts)) for each in read(half)] == [("abandoned", 1)]
    failed = [CLAUDE[1], assistant_text("API Error") | {"isApiErrorMessage": True}]
    assert [(each.status, each.answer) for each in read(failed)] == [("failed", "")]
    assert read([*CODEX[:4], event("turn_aborted")])[0].status == "abandoned"


def test_pipe_link_or_directory_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path):
        with pytest.raises(OSError):  # noqa: PT011 - any kind
            tail(str(path))


def test_conversation_starts_after_the_last_compaction():
    compacted = [*CLAUDE[:8], {"type": "system", "subtype": "compact_boundary"}, claude("user", "Summary: ...")]
    assert conversation(read(compacted)) == (Message(role="user", content="Summary: ..."),)
    assert read([*CODEX, {"type": "compacted", "payload": {}}, event("user_message", message="x")]) == [
        TranscriptTurn("x")
    ]


def test_tail_reads_only_whole_lines(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"first\n" + b"second line\n" + b"third")
    assert tail(str(file), 100) == [b"first", b"second line", b"third"]
    assert tail(str(file), 12) == [b"third"]


FOREIGN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["text", "tool_use", "user"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "message", "content", "payload", "item", "role", "text"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(FOREIGN | st.sampled_from(CLAUDE + CODEX), max_size=8), st.binary(max_size=30))
def test_any_transcript_is_read_as_storable_messages(lines, noise):
    turns = turns_of([noise, *(json.dumps(line).encode() for line in lines)])
    for message in conversation(turns):
        message.content.encode()
        assert "\0" not in message.content
