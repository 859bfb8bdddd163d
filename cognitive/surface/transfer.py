"""An agent's memories out of the layer and into it, as lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import UTC, datetime
from itertools import groupby, islice
from uuid import UUID

from brain.patience import patient
from brain.store import BATCH, Progress
from brain.types import NewMemory
from cognitive import exchange
from cognitive.arguments import require_label
from cognitive.bootstrap import Parts
from cognitive.exchange import Line


class Transfer:
    """The part of a layer that hands memories over and takes them."""

    _parts: Parts

    async def export(self, agent_id: str) -> AsyncIterator[str]:
        """Every memory of an agent as a line of JSON, oldest first: what `import_lines` reads.

        Vectors and use are not in it: the first are made again, and the second is of the turns, which a dump keeps.
        """
        require_label("agent_id", agent_id)
        offset = 0
        while page := await self._parts.store.tagged(agent_id, (), BATCH, offset):
            for memory in page:
                yield exchange.written(memory)
            offset += len(page)

    @patient
    async def import_lines(
        self, agent_id: str, lines: Iterable[str], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Remembers the memories of an export, ours, mem0's or LangGraph's, and returns their ids in order.

        Whatever is there already stays as it is: an import that was interrupted is run again. Of what another system
        gave, the trust is "foreign".

        Raises:
            InvalidInput: a line that cannot be read, named by its number; the batches before it are stored.
        """
        require_label("agent_id", agent_id)
        read, ids = exchange.read(lines), list[UUID]()
        renamed: dict[UUID, UUID] = {}
        while batch := list(islice(read, BATCH)):
            ids += await self._stored(agent_id, batch, renamed)
            if progress is not None:
                progress(len(ids), len(ids))
        return ids

    async def _stored(self, agent_id: str, batch: list[Line], renamed: dict[UUID, UUID]) -> list[UUID]:
        """A batch in its order, under the ids that it has here; what supersedes another names it by that."""
        asked = {id for line in batch for id in (line.was, line.memory.supersedes) if id is not None}
        known = {memory.id: memory.id for memory in await self._parts.store.get(agent_id, sorted(asked))}
        renamed |= known
        ids = list[UUID]()
        for _, run in groupby(batch, lambda line: line.memory.supersedes):  # one and the same, or none
            lines = list(run)
            new = [line for line in lines if line.was not in known]
            memories = [_renamed(line.memory, renamed) for line in new]
            stored = iter(await self._parts.store.remember(agent_id, memories, now=datetime.now(UTC)))
            here = [known[line.was] if line.was is not None and line.was in known else next(stored) for line in lines]
            renamed |= {line.was: id for line, id in zip(lines, here, strict=True) if line.was is not None}
            ids += here
        return ids


def _renamed(memory: NewMemory, renamed: Mapping[UUID, UUID]) -> NewMemory:
    """With the name that what it supersedes has here; without one, where that is not here."""
    if memory.supersedes is None:
        return memory
    return memory.model_copy(update={"supersedes": renamed.get(memory.supersedes)})
