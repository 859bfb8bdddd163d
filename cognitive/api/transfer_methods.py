"""The methods of `layer.admin` that export and import an agent's memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any
from uuid import UUID

from brain.ports import Progress
from brain.users import ALL_USERS, Scope, UserId
from cognitive.api.exporter import Exporter
from cognitive.api.import_report import ImportReport
from cognitive.api.importer import Importer


class TransferMethods:
    """The methods of `AdminApi` that export and import memories; `AdminApi` inherits them."""

    def __init__(self, exporter: Exporter, importer: Importer) -> None:
        self._exporter = exporter
        self._importer = importer

    def export(
        self, agent_id: str, where: Mapping[str, Any] | None = None, *, user_id: UserId = ALL_USERS
    ) -> AsyncIterator[str]:
        """Yield an agent's export as JSON lines, in the format that `import_lines` reads.

        By default it has the memories of all users. `user_id` narrows it to the memories of one user or, with None, to
        shared ones; each line names its user. With a filter `where` (see `brain.filters`), only the memories that meet
        its conditions are exported.

        The export contains the agent's language if it was set; every memory, oldest first, with its usage and
        revisions; the agent's average rates of use by memory type; and the active policies. Vectors are left out,
        because an import computes them again. Turns are left out; use a database dump for them.
        """
        return self._exporter.export(Scope.of(agent_id, user_id), where)

    def export_markdown(
        self, agent_id: str, where: Mapping[str, Any] | None = None, *, user_id: UserId = ALL_USERS
    ) -> AsyncIterator[str]:
        """Yield an agent's memories as lines of Markdown for people, by type and oldest first.

        It leaves out usage and revisions, so it cannot be imported. The parameters are those of `export`.
        """
        return self._exporter.export_markdown(Scope.of(agent_id, user_id), where)

    async def import_lines(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None, user_id: UserId = ALL_USERS
    ) -> list[UUID]:
        """Import memories exported by this product or by another system; return their ids in the order of the file.

        docs/privacy.md lists the systems. `lines` has the lines of the file, or is a
        `cognitive.formats.records.TextFile`; the layout of its JSON does not matter. The file is read twice, record by
        record, so it may have any size. Memories of this product keep their ids, usage and revisions, and those of each
        user their order. Existing memories are not changed, so an interrupted import can be repeated. If the agent has
        no memories and no language set, it gets the language in the file. Memories of other systems get the trust
        "foreign". Conversations are stored as by `remember_conversation`, and the ids of those exchanges are returned
        that are new. After each batch, `progress(done, total)` is called.

        Each memory goes to the user that its record names; without one it is shared. With a `user_id`, memories without
        a user are that user's, and those of others are refused; with None, those of any user are. A memory whose id is
        taken by another user's, or by a shared one, gets a new id.

        Raises:
            InvalidInput: a record is invalid. The message has the line's number, and nothing is stored.
            StoreConflict: other imports stored the same ids meanwhile, repeatedly. The import can be run again.
        """
        return await self._importer.import_lines(Scope.of(agent_id, user_id), lines, progress=progress)

    async def preview_import(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None, user_id: UserId = ALL_USERS
    ) -> ImportReport:
        """Return what an import of a file would store, merge and drop, and why. Nothing is stored.

        The parameters and errors are those of `import_lines`.
        """
        return await self._importer.preview_import(Scope.of(agent_id, user_id), lines, progress=progress)
