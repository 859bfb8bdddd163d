"""Export an agent's memories as JSON lines, or as Markdown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from brain.archive import Archive
from brain.changes.reindexing import Reindexing
from brain.filters import MemoryFilter
from brain.memory_types import TYPE_ROWS
from brain.policies import PolicyStore
from brain.store import BATCH
from brain.users import Scope
from cognitive.api import jsonl
from cognitive.api.jsonl import ExportedLanguage, ExportedPolicy
from cognitive.formats import markdown


class Exporter:
    """Exports the memories of agents."""

    def __init__(self, archive: Archive, reindexing: Reindexing, policy_store: PolicyStore) -> None:
        self._archive = archive
        self._reindexing = reindexing
        self._policy_store = policy_store

    async def export(self, scope: Scope, where: Mapping[str, Any] | None = None) -> AsyncIterator[str]:
        """Yield an agent's export as JSON lines, in the format that `import_lines` reads.

        The lines are, in order: the agent's language if it was set; every memory, oldest first, with its usage
        and revisions; the average rates of use by memory type; and the active policies. Vectors and turns are left out.

        With a filter `where`, only the memories that meet its conditions are exported. The operator's view exports the
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
        """Yield an agent's memories as lines of Markdown, by type and oldest first. The view is that of `export`."""
        wanted = MemoryFilter.parse(where)
        yield markdown.title(scope.agent_id)
        for row in TYPE_ROWS:
            of_type = MemoryFilter.parse({"type": {"eq": row.name}})
            both, after = replace(wanted, conditions=(*wanted.conditions, *of_type.conditions)), -1
            while page := await self._archive.page(scope, after, BATCH, both):
                if after < 0:
                    for line in markdown.section(row):
                        yield line
                for memory in page:
                    for line in markdown.item(memory):
                        yield line
                after = page[-1].seq
