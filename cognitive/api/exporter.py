"""Export an agent's memories as JSON lines, or as Markdown."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from brain.archive import Archive, StoredMemory
from brain.changes.reindexing import Reindexing
from brain.filters import MemoryFilter
from brain.memory_types import TYPE_ROWS
from brain.policies import PolicyStore
from brain.store import BATCH
from brain.users import Scope
from cognitive.api import jsonl
from cognitive.api.jsonl import ExportedLanguage, ExportedPolicy

# Characters that have a meaning in Markdown within a line; others only at the beginning of one.
_MEANINGFUL = re.compile(r"([\\`*_\[\]<>|~])")
_AT_START = re.compile(r"^(\s*)([#+-]|\d+[.)])(?=\s|$)", re.MULTILINE)


class Exporter:
    """Exports the memories of agents."""

    def __init__(self, archive: Archive, reindexing: Reindexing, policy_store: PolicyStore) -> None:
        self._archive = archive
        self._reindexing = reindexing
        self._policy_store = policy_store

    async def export(self, scope: Scope, where: Mapping[str, Any] | None = None) -> AsyncIterator[str]:
        """See `TransferMethods.export`.

        The lines are, in order: the agent's language if it was set; every memory, oldest first, with its usage
        and revisions; the average rates of use by memory type; and the active policies. The operator's view exports the
        memories of all users, a user's view only that user's, and the view without a user shared ones.
        """
        wanted = MemoryFilter.parse(where)
        status = await self._reindexing.status(scope.agent_id)
        if status.chosen:  # another language is recognised again by the import
            language = status.pending_language or status.language
            yield jsonl.agent_line(jsonl.LANGUAGE, ExportedLanguage(language=language))
        after = -1
        while page := await self._archive.page(scope, after, BATCH, wanted):
            for memory in page:
                yield jsonl.memory_line(memory)
            after = page[-1].seq
        for base in await self._archive.bases(scope):
            yield jsonl.agent_line(jsonl.BASE, base)
        for role, active in sorted((await self._policy_store.active(scope.agent_id)).items()):
            if active.changes:
                policy = ExportedPolicy(
                    role=role, changes=active.changes, by=active.choice.author, note=active.choice.note
                )
                yield jsonl.agent_line(jsonl.POLICY, policy)

    async def export_markdown(self, scope: Scope, where: Mapping[str, Any] | None = None) -> AsyncIterator[str]:
        """See `TransferMethods.export_markdown`. The view is that of `export`."""
        wanted = MemoryFilter.parse(where)
        yield f"# Memories of {_escaped(scope.agent_id)}"
        for row in TYPE_ROWS:
            of_type = MemoryFilter.parse({"type": {"eq": row.name}})
            both, after = replace(wanted, conditions=(*wanted.conditions, *of_type.conditions)), -1
            while page := await self._archive.page(scope, after, BATCH, both):
                if after < 0:
                    for line in ("", f"## {row.heading}", ""):
                        yield line
                for memory in page:
                    for line in _item(memory):
                        yield line
                after = page[-1].seq


def _item(memory: StoredMemory) -> Iterator[str]:
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
