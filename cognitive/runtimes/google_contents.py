"""The contents of a request to Gemini as messages of a conversation, and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from google.genai import types
from pydantic_core import to_json

from cognitive.runtimes.native import NOT_TEXT, Native, call, in_runs, whole
from cognitive.turn import Message, Role, ToolCall


def words(content: types.Content) -> str:
    """What a content says, without what the model thought."""
    return "\n".join(part.text for part in content.parts or [] if part.text and not part.thought)


def read(contents: Sequence[types.Content]) -> list[Native]:
    """A message for each result of a tool, and for each run of other parts. `native` is the content and those parts.

    ADK leaves the ids of calls out: results are told by name and order, as Gemini tells them.
    """
    names = _Ids()
    return [
        _message(content, parts, names) for content in contents for parts in in_runs(content.parts or [], _is_result)
    ]


def written(messages: Sequence[Message]) -> list[types.Content]:
    """The contents of messages; what the window left alone is the very content or part that it was."""
    called = {each.id: each.name for message in messages for each in message.tool_calls}
    return [_new(each, called) if isinstance(each, Message) else _with(*each) for each in whole(messages, _parts)]


def _with(content: types.Content, parts: list[types.Part]) -> types.Content:
    return content if parts == content.parts else content.model_copy(update={"parts": parts})


class _Ids:
    """Ids for calls without one, and for their results, by name and order."""

    def __init__(self) -> None:
        self._open: defaultdict[str, list[str]] = defaultdict(list)
        self._count = 0

    def call(self, made: types.FunctionCall) -> ToolCall | None:
        if made.id:
            return call(made.name or "", made.args, made.id)
        self._count += 1
        id = f"call-{self._count}"
        self._open[made.name or ""].append(id)
        return call(made.name or "", made.args, id)

    def result(self, given: types.FunctionResponse) -> str | None:
        opened = self._open[given.name or ""]
        return given.id or (opened.pop(0) if opened else None)


def _is_result(part: types.Part) -> bool:
    return part.function_response is not None


def _message(content: types.Content, parts: list[types.Part], ids: _Ids) -> Native:
    native = (content, parts)
    if parts and parts[0].function_response is not None:
        given = parts[0].function_response
        return Native.read(native, "tool", _result(given), tool_call_id=ids.result(given))
    calls = [ids.call(part.function_call) for part in parts if part.function_call is not None]
    said = words(types.Content(parts=parts)) or ("" if calls else NOT_TEXT)
    role: Role = "assistant" if content.role == "model" else "user"
    return Native.read(native, role, said, tool_calls=[each for each in calls if each is not None])


def _result(given: types.FunctionResponse) -> str:
    """What a tool gave: ADK puts what is not a mapping under "result"."""
    response = given.response or {}
    only = response.get("result") if response.keys() == {"result"} else None
    return only if isinstance(only, str) else to_json(response, fallback=str).decode()


def _parts(message: Native, parts: Sequence[types.Part]) -> list[types.Part]:
    """The parts with what the message says now; what it has beside words stays."""
    if message.role == "tool":
        given = parts[0].function_response
        assert given is not None
        response = given.model_copy(update={"response": {"result": message.content}})
        return [parts[0].model_copy(update={"function_response": response})]
    if message.added is not None and not message.rewritten:
        return [*parts, types.Part(text=message.added)]
    shown = {each.id: dict(each.arguments) for each in message.rewritten}
    ids = iter(each.id for each in message.called)
    kept = list[types.Part]()
    for part in parts:
        if part.function_call is not None:
            arguments = shown.get(next(ids, None))
            made = part.function_call
            kept.append(part if arguments is None else _called(part, made, arguments))
        elif not part.text or part.thought:
            kept.append(part)
    return [*([types.Part(text=message.content)] if message.content else []), *kept]


def _called(part: types.Part, made: types.FunctionCall, arguments: Mapping[str, object]) -> types.Part:
    return part.model_copy(update={"function_call": made.model_copy(update={"args": dict(arguments)})})


def _new(message: Message, called: Mapping[str | None, str]) -> types.Content:
    """What the window says itself: the summary of what left, the plan's step, that a call was interrupted."""
    if message.role == "tool":
        response = types.FunctionResponse(
            name=called.get(message.tool_call_id, "unknown"), response={"result": message.content}
        )
        return types.Content(role="user", parts=[types.Part(function_response=response)])
    role = "model" if message.role == "assistant" else "user"
    return types.Content(role=role, parts=[types.Part(text=message.content)])
