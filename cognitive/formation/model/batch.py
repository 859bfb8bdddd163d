"""Have the model read the turns of an agent that it did not read: those from before it was in use, and parked ones.

Exchanges of conversations without turns count as turns here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.errors import InvalidInput
from brain.model_readings import ModelReadings, UnreadTurns
from brain.ports import Progress
from cognitive.formation.model.parked_lines import ParkedLines
from cognitive.formation.model.runs import ModelRuns

_MAX_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelBatchReport:
    """Counts of an agent's completed turns: those that the call had read, and what is left.

    `waiting` turns failed or are beyond today's budget, and will be tried again; `parked` turns failed three times and
    wait for a call with `parked`. In a dry run `read` is how many turns a call would read.
    """

    read: int
    waiting: int
    parked: int


class ModelBatch:
    """Reads the turns of an agent with a model, session by session. A call that was broken off can be repeated."""

    def __init__(self, readings: ModelReadings, lines: ParkedLines, runs: ModelRuns | None) -> None:
        self._readings = readings
        self._lines = lines
        self._runs = runs

    async def read(
        self, agent_id: str, *, parked: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> ModelBatchReport:
        """Read the turns of all users of an agent that the model did not read; with `parked` those that it failed on.

        Raises:
            InvalidInput: the layer has no model, and this is no dry run.
        """
        unread, lines = await self._readings.unread(agent_id), await self._lines.waiting(agent_id)
        total = _wanted(unread, parked=parked)
        if dry_run:
            left = sum(each.parked for each in unread) + len(lines)
            return ModelBatchReport(total + len(lines) * parked, 0, 0 if parked else left)
        if self._runs is None:
            raise InvalidInput("extractor: this layer has no model; open it with extractor=ModelExtractor(ask)")
        for each in unread:
            await self._readings.request(each.scope, parked=parked)
        for scope, session_id, _ in await self._readings.sessions(agent_id, _MAX_SESSIONS):
            await self._runs.run(scope, session_id)
            if progress is not None:
                progress(total - _wanted(await self._readings.unread(agent_id), parked=False), total)
        read = await self._lines.read(agent_id, lines) if parked else 0
        unread = await self._readings.unread(agent_id)
        waiting, left = sum(each.waiting for each in unread), sum(each.parked for each in unread)
        return ModelBatchReport(max(0, total - waiting) + read, waiting, left + len(lines) - read)


def _wanted(unread: Sequence[UnreadTurns], *, parked: bool) -> int:
    return sum(each.new + each.waiting + (each.parked if parked else 0) for each in unread)
