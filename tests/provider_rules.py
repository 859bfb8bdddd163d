"""What the APIs of OpenAI and Anthropic ask of a list of messages, as a checker; nothing here repairs anything.

Both: every call has an id of its own and exactly one result, in the messages directly behind the call; a result belongs
to a call of the assistant's message directly before the results.
    https://platform.openai.com/docs/guides/function-calling
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls

OpenAI (Chat Completions): a tool's message names its call; ids have at most 40 characters; a message has text unless it
calls tools.
    https://platform.openai.com/docs/api-reference/chat/create

Anthropic (Messages): system messages stand apart; the first message is the user's; neighbours of one role become one;
the results come first in the user's message that follows the calls, all of them; no text is empty or blank; the last
text of an assistant does not end in white space; ids are letters, digits, "_" and "-".
    https://platform.claude.com/docs/en/api/messages

Where a page is silent, the rule is the one that the API's own error message states ("`tool_use` ids must be unique",
"text content blocks must contain non-whitespace text", "string too long. Expected a string with maximum length 40").
What names a tool may have is between the host and its provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from cognitive.turn import Message
from cognitive.window.groups import ID, MAX_ID_LENGTH

Rule = Literal[
    "id_missing",  # a call or a result without an id, or with an empty one
    "id_form",  # an id that is too long, or holds what ids may not hold
    "id_repeated",  # two calls of one id
    "unanswered",  # a call whose result is not among the messages directly behind it
    "answered_twice",  # a second result of one call
    "unasked",  # a result that belongs to no call of the assistant's message directly before the results
    "misplaced_calls",  # calls in a message that is not the assistant's, or an id of a call on one that is no result
    "empty_text",  # a message of no text, or of white space alone
    "first_not_user",  # what is not a system message begins with something else than the user's message
    "trailing_space",  # the conversation ends in an assistant's text that ends in white space
    "calls_split",  # calls and their results are not neighbours once messages of one role have become one
]


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a message breaks: `index` is the message's place in the list."""

    rule: Rule
    index: int
    detail: str = ""


def violations(messages: Sequence[Message]) -> tuple[Violation, ...]:
    """What either API would refuse, by the place of the message; empty for a valid list."""
    found = {*openai(messages), *anthropic(messages)}
    return tuple(sorted(found, key=lambda each: (each.index, each.rule, each.detail)))


def openai(messages: Sequence[Message]) -> Iterator[Violation]:
    """What Chat Completions would refuse."""
    yield from _ids(messages)
    pending: dict[str, int] = {}  # calls of the assistant's message before the results -> its place
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
    """What Messages would refuse, once system messages are taken out and neighbours of one role are joined."""
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
    """The calls of joined assistant messages against the results that begin the joined user messages behind them."""
    asked: dict[str, int] = {}
    previous = "user"
    speaking = False  # the user's text has begun: no result may follow it
    for n, message in talk:
        role = "assistant" if message.role == "assistant" else "user"
        if role == "assistant":
            if previous == "user":
                yield from (Violation("unanswered", place, name) for name, place in asked.items())
                asked = {}
            asked |= {call.id or "": n for call in message.tool_calls}
        elif message.role == "tool":
            name = message.tool_call_id or ""
            if speaking and previous == "user" and name in asked:
                yield Violation("calls_split", n, name)
            elif asked.pop(name, None) is None:
                yield Violation("unasked", n, name)
        speaking = message.role == "user" if role != previous else speaking or message.role == "user"
        previous = role
    yield from (Violation("unanswered", place, name) for name, place in asked.items())


def _ids(messages: Sequence[Message]) -> Iterator[Violation]:
    """Ids as such: there, well formed, on the messages that have them, and of one call each."""
    known: set[str] = set()
    for n, message in enumerate(messages):
        if (message.tool_calls and message.role != "assistant") or (message.tool_call_id and message.role != "tool"):
            yield Violation("misplaced_calls", n)
        own = [message.tool_call_id] if message.role == "tool" else []
        for name in [*(call.id for call in message.tool_calls), *own]:
            if not name:
                yield Violation("id_missing", n)
            elif len(name) > MAX_ID_LENGTH or not ID.fullmatch(name):
                yield Violation("id_form", n, name)
        for call in message.tool_calls:
            if call.id and call.id in known:
                yield Violation("id_repeated", n, call.id)
            known.add(call.id or "")
