"""Memories as Markdown, for people: a section for each type of memory, and one item for each memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain.archive import StoredMemory
from brain.memory_types import TypeRow

# Characters that have a meaning in Markdown within a line; others only at the beginning of one.
_MEANINGFUL = re.compile(r"([\\`*_\[\]<>|~])")
_AT_START = re.compile(r"^(\s*)([#+-]|\d+[.)])(?=\s|$)", re.MULTILINE)


def title(agent_id: str) -> str:
    """Return the title of an agent's memories."""
    return f"# Memories of {_escaped(agent_id)}"


def section(row: TypeRow) -> Sequence[str]:
    """Return the lines that begin the section of a type."""
    return ("", f"## {row.heading}", "")


def item(memory: StoredMemory) -> Iterator[str]:
    """Yield the lines of a memory: its text, and what else is known of it.

    A memory that is no longer shown is struck through.
    """
    text = _escaped(memory.content.strip())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    struck = memory.hidden_reason is not None
    begin = f"{_escaped(memory.speaker)}: " if memory.speaker else ""
    for number, line in enumerate(lines):
        shown = f"~~{line}~~" if struck else line
        yield f"- {begin}{shown}" if number == 0 else f"  {shown}"
    yield f"  *{_escaped(', '.join(_about(memory)))}*"


def _about(memory: StoredMemory) -> Iterator[str]:
    yield f"{memory.occurred_at:%Y-%m-%d}"
    if memory.hidden_reason is not None:
        yield memory.hidden_reason
    if memory.pinned:
        yield "pinned"
    yield from (f"#{tag}" for tag in memory.tags)
    if memory.user_id is not None:
        yield f"user {memory.user_id}"
    if memory.session_id:
        yield f"session {memory.session_id}"
    if memory.source:
        yield f"source {memory.source}"
    yield from (f"{name}: {each}" for name, each in memory.attributes.items())


def _escaped(text: str) -> str:
    return _AT_START.sub(r"\1\\\2", _MEANINGFUL.sub(r"\\\1", text))
