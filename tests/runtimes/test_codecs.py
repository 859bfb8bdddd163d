"""What a framework's own messages hold beside words comes through: read and written back, nothing of it is lost."""

from __future__ import annotations

from typing import Any

import pytest

from cognitive.runtimes import chat
from cognitive.turn import Message

openai = pytest.importorskip("cognitive.runtimes.openai_items").ItemCodec()
google = pytest.importorskip("cognitive.runtimes.google_adk")
types = pytest.importorskip("google.genai.types")

IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
ITEMS: list[Any] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "input_text", "text": "What is this?"}, IMAGE]},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at":"it"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "a boat"},
    {"type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "A boat."}]},
]


def said(message: Message, content: str) -> Message:
    return message.model_copy(update={"content": content})


def test_items_that_nothing_touched_are_the_very_items():
    read = openai.decode(ITEMS)
    assert [message.role for message in read] == ["system", "user", "assistant", "tool", "assistant"]
    assert all(now is was for now, was in zip(openai.encode(read), ITEMS, strict=True))


def test_an_image_stays_beside_what_is_added_to_its_words_or_takes_their_place():
    user = openai.decode(ITEMS)[1]
    added = openai.encode([said(user, user.content + "\n\nA record.")])
    assert added[0]["content"] == [*ITEMS[1]["content"], {"type": "input_text", "text": "\n\nA record."}]
    [replaced] = openai.encode([said(user, "Shorter.")])
    assert replaced["content"] == [{"type": "input_text", "text": "Shorter."}, IMAGE]


def test_a_call_shown_with_other_arguments_keeps_its_id_and_its_reasoning():
    calls = openai.decode(ITEMS)[2]
    shorter = calls.tool_calls[0].model_copy(update={"arguments": {"at": "…"}})
    written = openai.encode([calls.model_copy(update={"tool_calls": (shorter,)})])
    assert written == [ITEMS[2], {**ITEMS[3], "arguments": '{"at":"…"}'}]


def test_results_without_ids_belong_to_the_calls_of_their_name_in_order():
    part = types.Part
    asked = [part.from_function_call(name=name, args={"n": n}) for n, name in enumerate(("a", "b", "a"))]
    given = [part.from_function_response(name=name, response={"result": name * 3}) for name in ("a", "b", "a")]
    contents = [types.Content(role="model", parts=asked), types.Content(role="user", parts=given)]
    codec = google.ContentCodec()
    calls, *results = codec.decode(contents)
    assert [result.tool_call_id for result in results] == [made.id for made in calls.tool_calls]
    assert len({made.id for made in calls.tool_calls}) == 3
    assert [message.content for message in results] == ["aaa", "bbb", "aaa"]
    assert all(now is was for now, was in zip(codec.encode([calls, *results]), contents, strict=True))
    shown = codec.encode([calls, results[0], said(results[1], "short"), results[2]])
    assert [each.function_response.response["result"] for each in shown[1].parts] == ["aaa", "short", "aaa"]
    assert given[1].function_response.response == {"result": "bbb"}, "the session's own is left as it was"


TALK: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "a boat"},
    {"role": "assistant", "content": "A boat.", "name": "Bo"},
]


def test_chat_messages_that_nothing_touched_are_the_very_messages():
    decoded = chat.CODEC.decode(TALK)
    assert [message.role for message in decoded] == ["user", "assistant", "tool", "assistant"]
    assert decoded[1].tool_calls[0].id == decoded[2].tool_call_id == "c1"
    assert all(now is was for now, was in zip(chat.CODEC.encode(decoded), TALK, strict=True))


def test_changed_chat_messages_keep_what_stands_beside_their_words():
    user, calls, result, answer = chat.CODEC.decode(TALK)
    shorter = calls.tool_calls[0].model_copy(update={"arguments": {"at": "…"}})
    encoded = chat.CODEC.encode(
        [
            said(user, user.content + "\n\nA record."),
            calls.model_copy(update={"tool_calls": (shorter,)}),
            said(result, "boat"),
            said(answer, "Boat."),
        ]
    )
    assert encoded[0]["content"] == [*TALK[0]["content"], {"type": "text", "text": "\n\nA record."}]
    assert encoded[1]["tool_calls"] == [{"id": "c1", "function": {"name": "look", "arguments": '{"at":"…"}'}}]
    assert encoded[2] == {**TALK[2], "content": "boat"}
    assert encoded[3] == {"role": "assistant", "content": "Boat.", "name": "Bo"}


def test_a_message_of_the_windows_own_is_made_anew():
    own = Message(role="tool", content="interrupted", tool_call_id="c1")
    assert chat.CODEC.encode([own]) == [{"role": "tool", "content": "interrupted", "tool_call_id": "c1"}]
