"""Create the objects that form memories from completed turns."""

from __future__ import annotations

from dataclasses import dataclass

from brain.forming import FormingTurns
from brain.model_readings import ModelReadings
from brain.postgres.database import Database
from brain.states import MemoryStates
from brain.store import MemoryStore
from brain.turns import TurnLog
from cognitive.background import Background
from cognitive.formation.corrections import Corrections
from cognitive.formation.former import AT_CLOSE, MAX_FORMING, Former
from cognitive.formation.model.batch import ModelBatch
from cognitive.formation.model.extractor import ModelExtractor
from cognitive.formation.model.parked_lines import ParkedLines
from cognitive.formation.model.reader import ModelReader
from cognitive.formation.model.runs import ModelRuns
from cognitive.formation.storing import FormedStore
from cognitive.policy import Policy
from cognitive.telemetry.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Formation:
    """The objects that form memories: by rules and, unless `reader` is None, by a model of the host's."""

    former: Former
    corrections: Corrections
    reader: ModelReader | None
    batch: ModelBatch

    @classmethod
    def create(
        cls,
        database: Database,
        store: MemoryStore,
        turns: TurnLog,
        policy: Policy,
        background: Background,
        metrics: Metrics,
        model: ModelExtractor | None,
    ) -> Formation:
        """Create the former of a layer and, if the host gave a model, what has the model read the lines too."""
        queue = background.queue(MAX_FORMING, at_close=AT_CLOSE)  # drained before that of the model, which it fills
        formed, readings = FormedStore(store, policy, metrics), ModelReadings(database)
        reader = ModelReader(model, store, readings, policy, metrics) if model is not None else None
        runs = ModelRuns(reader, readings, store, formed, background) if reader is not None else None
        waiting = FormingTurns(database)
        corrections = Corrections(store, MemoryStates(database), turns, waiting)
        former = Former(store, corrections, waiting, policy, queue, metrics, formed, runs)
        return cls(former, corrections, reader, ModelBatch(readings, ParkedLines(store, readings, reader), runs))
