"""Codecs of the frameworks' messages: decoding and encoding lose no part of a message."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from cognitive.policy import Policy
from cognitive.preflight.message_shape import kind
from cognitive.runtimes import chat
from cognitive.runtimes.codec import NOT_TEXT, without_placeholders
from cognitive.runtimes.tools import DENIED
from cognitive.turn import Message
from cognitive.window.fit import fit

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)

openai = pytest.importorskip("cognitive.runtimes.openai_items").ItemCodec()
google = pytest.importorskip("cognitive.runtimes.google_adk_contents")
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


def with_content(message: Message, content: str) -> Message:
    return message.model_copy(update={"content": content})


def test_unchanged_items_are_returned_as_the_same_objects():
    read = openai.decode(ITEMS)
    assert [message.role for message in read] == ["system", "user", "assistant", "tool", "assistant"]
    assert all(now is was for now, was in zip(openai.encode(read), ITEMS, strict=True))


def test_image_is_kept_when_the_text_is_extended_or_replaced():
    user = openai.decode(ITEMS)[1]
    added = openai.encode([with_content(user, user.content + "\n\nA record.")])
    assert added[0]["content"] == [*ITEMS[1]["content"], {"type": "input_text", "text": "\n\nA record."}]
    [replaced] = openai.encode([with_content(user, "Shorter.")])
    assert replaced["content"] == [{"type": "input_text", "text": "Shorter."}, IMAGE]


def test_call_with_changed_arguments_keeps_its_id_and_reasoning():
    calls = openai.decode(ITEMS)[2]
    shorter = calls.tool_calls[0].model_copy(update={"arguments": {"at": "…"}})
    written = openai.encode([calls.model_copy(update={"tool_calls": (shorter,)})])
    assert written == [ITEMS[2], {**ITEMS[3], "arguments": '{"at":"…"}'}]


def test_results_without_ids_match_calls_by_name_and_order():
    part = types.Part
    calls_made = [part.from_function_call(name=name, args={"n": n}) for n, name in enumerate(("a", "b", "a"))]
    responses = [part.from_function_response(name=name, response={"result": name * 3}) for name in ("a", "b", "a")]
    contents = [types.Content(role="model", parts=calls_made), types.Content(role="user", parts=responses)]
    codec = google.ContentCodec()
    calls, *results = codec.decode(contents)
    assert [result.tool_call_id for result in results] == [made.id for made in calls.tool_calls]
    assert len({made.id for made in calls.tool_calls}) == 3
    assert [message.content for message in results] == ["aaa", "bbb", "aaa"]
    assert all(now is was for now, was in zip(codec.encode([calls, *results]), contents, strict=True))
    shown = codec.encode([calls, results[0], with_content(results[1], "short"), results[2]])
    assert [each.function_response.response["result"] for each in shown[1].parts] == ["aaa", "short", "aaa"]
    assert responses[1].function_response.response == {"result": "bbb"}, "the session's own message is unchanged"


CONVERSATION: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "a boat"},
    {"role": "assistant", "content": "A boat.", "name": "Bo"},
]


def test_unchanged_chat_messages_are_returned_as_the_same_objects():
    decoded = chat.CODEC.decode(CONVERSATION)
    assert [message.role for message in decoded] == ["user", "assistant", "tool", "assistant"]
    assert decoded[1].tool_calls[0].id == decoded[2].tool_call_id == "c1"
    assert all(now is was for now, was in zip(chat.CODEC.encode(decoded), CONVERSATION, strict=True))


def test_changed_chat_messages_keep_their_other_parts():
    user, calls, result, answer = chat.CODEC.decode(CONVERSATION)
    shorter = calls.tool_calls[0].model_copy(update={"arguments": {"at": "…"}})
    encoded = chat.CODEC.encode(
        [
            with_content(user, user.content + "\n\nA record."),
            calls.model_copy(update={"tool_calls": (shorter,)}),
            with_content(result, "boat"),
            with_content(answer, "Boat."),
        ]
    )
    assert encoded[0]["content"] == [*CONVERSATION[0]["content"], {"type": "text", "text": "\n\nA record."}]
    [replaced] = chat.CODEC.encode([with_content(user, "Shorter.")])
    assert replaced["content"] == [{"type": "text", "text": "Shorter."}, CONVERSATION[0]["content"][1]]
    assert encoded[1]["tool_calls"] == [{"id": "c1", "function": {"name": "look", "arguments": '{"at":"…"}'}}]
    assert encoded[2] == {**CONVERSATION[2], "content": "boat"}
    assert encoded[3] == {"role": "assistant", "content": "Boat.", "name": "Bo"}


def test_message_added_by_the_window_is_encoded():
    own = Message(role="tool", content="interrupted", tool_call_id="c1")
    assert chat.CODEC.encode([own]) == [{"role": "tool", "content": "interrupted", "tool_call_id": "c1"}]


def langchain(failed):
    messages = pytest.importorskip("langchain_core.messages")
    status = "error" if failed else "success"
    return [
        messages.AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c1"}]),
        messages.ToolMessage("no such boat", tool_call_id="c1", status=status),
    ]


def strands(failed):
    result = {"toolUseId": "c1", "status": "error" if failed else "success", "content": [{"text": "no such boat"}]}
    return [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]


def google_adk(failed):
    response = {"error" if failed else "result": "no such boat"}
    return [
        types.Content(role="model", parts=[types.Part.from_function_call(name="look", args={})]),
        types.Content(role="user", parts=[types.Part.from_function_response(name="look", response=response)]),
    ]


def agent_framework(failed):
    framework = pytest.importorskip("agent_framework")
    call = framework.Content.from_function_call("c1", "look", arguments={})
    error = "KeyError" if failed else None
    result = framework.Content.from_function_result("c1", result="no such boat", exception=error)
    return [framework.Message("assistant", [call]), framework.Message("tool", [result])]


def pydantic_ai(failed):
    messages = pytest.importorskip("pydantic_ai.messages")
    outcome = "failed" if failed else "success"
    return [
        messages.ModelResponse([messages.ToolCallPart("look", {}, "c1")]),
        messages.ModelRequest([messages.ToolReturnPart("look", "no such boat", "c1", outcome=outcome)]),
    ]


def attached_langchain(image):
    messages = pytest.importorskip("langchain_core.messages")
    picture = {"type": "image", "base64": image, "mime_type": "image/png"}
    return messages.HumanMessage(["What is this?", picture])


def attached_strands(image):
    picture = {"image": {"format": "png", "source": {"bytes": image}}}
    return {"role": "user", "content": [{"text": "What is this?"}, picture, {"cachePoint": {"type": "default"}}]}


def attached_google_adk(image):
    picture = types.Part.from_bytes(data=image, mime_type="image/png")
    return types.Content(role="user", parts=[types.Part(text="What is this?"), picture])


def attached_agent_framework(image):
    framework = pytest.importorskip("agent_framework")
    return framework.Message("user", ["What is this?", framework.Content.from_data(image, media_type="image/png")])


def attached_pydantic_ai(image):
    messages = pytest.importorskip("pydantic_ai.messages")
    content = ["What is this?", messages.BinaryContent(image, media_type="image/png"), messages.CachePoint()]
    return messages.ModelRequest([messages.UserPromptPart(content)])


def attached_llamaindex(image):
    llms = pytest.importorskip("llama_index.core.base.llms.types")
    blocks = [llms.TextBlock(text="What is this?"), llms.ImageBlock(url="https://example.org/1")]
    return llms.ChatMessage(role="user", blocks=blocks)


ATTACHED = {
    langchain: attached_langchain,
    strands: attached_strands,
    google_adk: attached_google_adk,
    agent_framework: attached_agent_framework,
    pydantic_ai: attached_pydantic_ai,
    "llamaindex": attached_llamaindex,
    openai: lambda image: ITEMS[1],
    chat.CODEC: lambda image: CONVERSATION[0],
}


@pytest.mark.parametrize(
    "framework",
    ATTACHED,
    ids=lambda each: each if isinstance(each, str) else getattr(each, "__name__", type(each).__name__),
)
def test_image_of_a_user_message_is_its_attachment(framework):
    codec = framework if hasattr(framework, "decode") else codec_of(framework)
    written = ATTACHED[framework](b"\x89PNG")
    [message] = codec.decode([written])
    assert [kind(each) for each in message.attachments] == ["image"]
    assert without_placeholders(message.content) == "What is this?"
    assert codec.encode([message])[0] is written


@pytest.mark.parametrize(
    "framework",
    ATTACHED,
    ids=lambda each: each if isinstance(each, str) else getattr(each, "__name__", type(each).__name__),
)
def test_shortened_message_has_its_image_and_no_placeholder(framework):
    codec = framework if hasattr(framework, "decode") else codec_of(framework)
    [message] = codec.decode([ATTACHED[framework](b"\x89PNG")])
    [again] = codec.decode(codec.encode([with_content(message, f"What?\n{NOT_TEXT}")]))
    assert sorted(again.content.splitlines()) == ["What?", NOT_TEXT]


FAILING = [langchain, strands, google_adk, agent_framework, pydantic_ai]


def codec_of(framework):
    """Return the codec of the adapter of the same name."""
    if framework is google_adk:
        return google.ContentCodec()
    if framework is langchain:
        return pytest.importorskip("cognitive.runtimes.langchain_messages").CODEC
    return pytest.importorskip(f"cognitive.runtimes.{getattr(framework, '__name__', framework)}")._CODEC


@pytest.mark.parametrize("framework", FAILING, ids=lambda framework: framework.__name__)
def test_failed_tool_result_stays_in_the_window(framework):
    kept = {}
    for failed in (True, False):
        messages = codec_of(framework).decode(framework(failed))
        assert messages[-1].kind == ("error" if failed else None)
        asked = [Message(role="user", content=f"What is boat {n}?") for n in range(100)]
        conversation = [*asked[:3], *messages, *asked[3:]]
        window = fit(conversation, session_id="s", now=NOW, policy=Policy())
        kept[failed] = any(message.role == "tool" for message in window.messages)
    assert kept == {True: True, False: False}


def thinking_langchain(q):
    messages = pytest.importorskip("langchain_core.messages")
    content = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "I look."}]
    return messages.AIMessage(content, tool_calls=[{"name": "look", "args": {"q": q}, "id": "c1", "type": "tool_call"}])


def thinking_strands(q):
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}}
    call = {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"q": q}}}
    return {"role": "assistant", "content": [thought, {"text": "I look."}, call]}


def thinking_google_adk(q):
    call = types.Part(function_call=types.FunctionCall(id="c1", name="look", args={"q": q}))
    return types.Content(role="model", parts=[types.Part(text="Hm.", thought=True), types.Part(text="I look."), call])


def thinking_pydantic_ai(q):
    messages = pytest.importorskip("pydantic_ai.messages")
    call = messages.ToolCallPart("look", f'{{"q":"{q}"}}', "c1")
    parts = [messages.ThinkingPart("Hm.", signature="s"), messages.TextPart("I look."), call]
    return messages.ModelResponse(parts, timestamp=NOW)


def thinking_llamaindex(q):
    llms = pytest.importorskip("llama_index.core.base.llms.types")
    call = llms.ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={"q": q})
    blocks = [llms.ThinkingBlock(content="Hm."), llms.TextBlock(text="I look."), call]
    return llms.ChatMessage(role="assistant", blocks=blocks)


THINKING = {
    langchain: thinking_langchain,
    strands: thinking_strands,
    google_adk: thinking_google_adk,
    pydantic_ai: thinking_pydantic_ai,
    "llamaindex": thinking_llamaindex,
}


@pytest.mark.parametrize("framework", THINKING, ids=lambda framework: getattr(framework, "__name__", framework))
def test_shortened_message_still_begins_with_its_thinking(framework):
    """Claude refuses a message whose thinking follows its text."""
    written, codec = THINKING[framework], codec_of(framework)
    [message] = codec.decode([written("long")])
    assert message.content == "I look."
    shorter = message.tool_calls[0].model_copy(update={"arguments": {"q": "…"}})
    [encoded] = codec.encode([message.model_copy(update={"tool_calls": (shorter,)})])
    assert encoded == written("…")
    [encoded] = codec.encode([with_content(message, "Look.")])
    assert str(encoded) == str(written("long")).replace("I look.", "Look.")


def test_result_of_a_denied_call_is_not_kept():
    messages = pytest.importorskip("langchain_core.messages")
    [denied] = codec_of(langchain).decode([messages.ToolMessage(DENIED, tool_call_id="c1", status="error")])
    assert denied.kind is None
