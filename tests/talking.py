"""Conversations for the window tests: written by hand, or generated with every kind of error."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from cognitive import Message, ToolCall

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)


def user(content="Go on.", **fields):
    return Message(role="user", content=content, **fields)


def says(content="Done.", **fields):
    return Message(role="assistant", content=content, **fields)


def calls(*ids, content="", tool="bash", **fields):
    tool_calls = tuple(ToolCall(name=tool, arguments={"n": str(id)}, id=id) for id in ids)
    return Message(role="assistant", content=content, tool_calls=tool_calls, **fields)


def result(id, content="ok", **fields):
    return Message(role="tool", tool_call_id=id, content=content, **fields)


def prose(characters, seed=""):
    """Return lines of made-up words, in which nothing repeats that could be folded."""
    chance = random.Random(seed)
    words = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(characters // 6)
    ]
    lines = [" ".join(words[n : n + 9]) for n in range(0, len(words), 9)]
    return "\n".join(lines)[:characters].rstrip()


def ago(**fields):
    return NOW - timedelta(**fields)


def turns(number, *, calls_each=1, output=200, seconds=None):
    """Return turns of a user's message, calls with their results and an answer, with times `seconds` apart if given."""
    talk = []
    for turn in range(number):
        talk.append(user(f"Question {turn}: what is in file {turn}?"))
        for n in range(calls_each):
            id = f"call_{turn}_{n}"
            talk += [calls(id), result(id, f"Result {turn}.{n}\n" + prose(output, id))]
        talk.append(says(f"Answer {turn}: it holds {turn}."))
    if seconds is None:
        return talk
    start = NOW - timedelta(seconds=seconds * len(talk))
    return [m.model_copy(update={"at": start + timedelta(seconds=seconds * n)}) for n, m in enumerate(talk)]


IDS = st.sampled_from([None, "a", "b", "call_0", "functions.read:0", "x" * 60, "é"])
TEXTS = st.sampled_from(["", " ", "\n", "ok", "Fine. ", "word " * 40, "line\n" * 30, "x" * 900])
KINDS = st.sampled_from([None, None, None, "plan", "error", "human_input", "summary", "action"])
TIMES = st.one_of(st.none(), st.integers(0, 4000).map(lambda seconds: NOW - timedelta(seconds=seconds)))
RESULTS = st.sampled_from([None, None, None, "inline", "", {"rows": [1, 2]}, "long " * 300, {1: "a", "b": {(2,): 3}}])
ARGUMENTS = st.sampled_from([{}, {"nested": {1: "a", "b": 2}}, {"n": float("nan"), "at": NOW}, {"half": "\ud83d"}])
CALLS = st.builds(
    lambda called, name, result, ok, more: ToolCall(
        id=called, name=name, arguments={"q": name, **more}, result=result, ok=ok
    ),
    IDS,
    st.sampled_from(["bash", "read file", "search"]),
    RESULTS,
    st.booleans(),
    ARGUMENTS,
)
MESSAGES = st.builds(
    lambda role, content, kind, at, made, called: Message(
        role=role,
        content=content,
        kind=kind,
        at=at,
        tool_calls=made if role == "assistant" else (),
        tool_call_id=called if role == "tool" else None,
    ),
    st.sampled_from(["system", "user", "user", "assistant", "assistant", "tool", "tool", "tool"]),
    TEXTS,
    KINDS,
    TIMES,
    st.lists(CALLS, max_size=3).map(tuple),
    IDS,
)
CONVERSATIONS = st.lists(MESSAGES, max_size=30)
