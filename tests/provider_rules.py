"""A checker of the rules that the APIs of OpenAI and Anthropic have for a list of messages. It repairs nothing.

Both: every call has a unique id and exactly one result, in the messages directly after the call; a result belongs
to a call of the assistant's message directly before the results.
    https://platform.openai.com/docs/guides/function-calling
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls

OpenAI (Chat Completions): a tool's message names its call; ids have at most 40 characters; a message has text unless it
calls tools.
    https://platform.openai.com/docs/api-reference/chat/create

Anthropic (Messages): system messages are separate; the first message is the user's; adjacent messages of one role are
joined; the user's message after the calls begins with all results; no text is empty or blank; the last text of an
assistant does not end in white space; ids are letters, digits, "_" and "-".
    https://platform.claude.com/docs/en/api/messages

Where the documentation has no rule, the error messages of the API give it ("`tool_use` ids must be unique",
"text content blocks must contain non-whitespace text", "string too long. Expected a string with maximum length 40").
The names of tools are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from cognitive.turn import Message
from cognitive.window.groups import ID, MAX_ID_LENGTH

Rule = Literal[
    "id_missing",  # a call or a result without an id
    "id_form",  # an id that is too long or has invalid characters
    "id_repeated",  # two calls with the same id
    "unanswered",  # a call without a result in the messages directly after it
    "answered_twice",  # a second result of a call
    "unasked",  # a result without a call in the assistant's message directly before the results
    "misplaced_calls",  # calls in a message of another role, or a call id on a message that is not a result
    "empty_text",  # a message without text or with white space only
    "first_not_user",  # the first message that is not a system message is not the user's
    "trailing_space",  # the last message is the assistant's and ends in white space
    "calls_split",  # calls and results are not adjacent after messages of one role are joined
]


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a message breaks. `index` is the position of the message in the list."""

    rule: Rule
    index: int
    detail: str = ""


def violations(messages: Sequence[Message]) -> tuple[Violation, ...]:
    """Return what either API would refuse, ordered by message. A valid list has no violations."""
    unique = {*openai(messages), *anthropic(messages)}
    return tuple(sorted(unique, key=lambda each: (each.index, each.rule, each.detail)))


def openai(messages: Sequence[Message]) -> Iterator[Violation]:
    """Yield what Chat Completions would refuse."""
    yield from _ids(messages)
    pending: dict[str, int] = {}  # id of a call before the results -> index of its message
    answered: set[str] = set()
    for n, message in enumerate(messages):
        if message.role == "tool":
            name = message.tool_call_id or ""
            if name in pending:
                del pending[name]
                answered.add(name)
            else:
                yield Violation("answered_twice" if name in answered else "unasked", n, name)
            continue
        yield from (Violation("unanswered", place, name) for name, place in pending.items())
        pending, answered = {call.id or "": n for call in message.tool_calls}, set()
        if not message.tool_calls and not message.content:
            yield Violation("empty_text", n)
    yield from (Violation("unanswered", place, name) for name, place in pending.items())


def anthropic(messages: Sequence[Message]) -> Iterator[Violation]:
    """Yield what Messages would refuse after system messages are removed and adjacent messages of one role joined."""
    yield from _ids(messages)
    for n, message in enumerate(messages):
        blank = not message.content.strip()
        if blank and (message.content or not message.tool_calls) and message.role != "tool":
            yield Violation("empty_text", n)
        if message.role == "tool" and message.content and blank:
            yield Violation("empty_text", n)
    talk = [(n, message) for n, message in enumerate(messages) if message.role != "system"]
    if talk and talk[0][1].role != "user":
        yield Violation("first_not_user", talk[0][0])
    if talk and talk[-1][1].role == "assistant" and talk[-1][1].content != talk[-1][1].content.rstrip():
        yield Violation("trailing_space", talk[-1][0])
    yield from _turns(talk)


def _turns(talk: Sequence[tuple[int, Message]]) -> Iterator[Violation]:
    """Compare the calls of joined assistant messages with the results that begin the next joined user message."""
    pending: dict[str, int] = {}
    previous = "user"
    in_user_text = False  # no result may follow the text of the user
    for n, message in talk:
        role = "assistant" if message.role == "assistant" else "user"
        if role == "assistant":
            if previous == "user":
                yield from (Violation("unanswered", place, name) for name, place in pending.items())
                pending = {}
            pending |= {call.id or "": n for call in message.tool_calls}
        elif message.role == "tool":
            name = message.tool_call_id or ""
            if in_user_text and previous == "user" and name in pending:
                yield Violation("calls_split", n, name)
            elif pending.pop(name, None) is None:
                yield Violation("unasked", n, name)
        in_user_text = message.role == "user" or (role == previous and in_user_text)
        previous = role
    yield from (Violation("unanswered", place, name) for name, place in pending.items())


def _ids(messages: Sequence[Message]) -> Iterator[Violation]:
    """Yield the ids that are missing, malformed, repeated or on a message of the wrong role."""
    known: set[str] = set()
    for n, message in enumerate(messages):
        if (message.tool_calls and message.role != "assistant") or (message.tool_call_id and message.role != "tool"):
            yield Violation("misplaced_calls", n)
        result_ids = [message.tool_call_id] if message.role == "tool" else []
        for name in [*(call.id for call in message.tool_calls), *result_ids]:
            if not name:
                yield Violation("id_missing", n)
            elif len(name) > MAX_ID_LENGTH or not ID.fullmatch(name):
                yield Violation("id_form", n, name)
        for call in message.tool_calls:
            if call.id and call.id in known:
                yield Violation("id_repeated", n, call.id)
            known.add(call.id or "")
