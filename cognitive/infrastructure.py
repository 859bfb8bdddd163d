"""Define the objects from which all services of a layer are composed: database, embedders, policies and stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.artifacts import Artifacts
from brain.changes.reindexing import Reindexing
from brain.embedding.embedders import Embedders
from brain.journal import Journal
from brain.languages import AgentLanguages
from brain.passage_texts import PassageTexts
from brain.policies import PolicyStore
from brain.ports import Embedder
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.redacting import Redact, Redactor
from brain.search import MemorySearch
from brain.sessions import Sessions
from brain.store import MemoryStore
from brain.turn_reads import TurnReader
from brain.turns import TurnLog
from cognitive.background import Background
from cognitive.context.engine import ContextEngine
from cognitive.feedback.capture import Extractor
from cognitive.formation.model.extractor import ModelExtractor
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.preflight.classifier import Classifier, Classifiers
from cognitive.telemetry.metrics import Metrics
from cognitive.tokens import CheckedCounter, TokenCounter, count
from cognitive.window.summary import Summarizer

_MAX_RECOGNISING = 4  # agents whose language is recognised at once; others wait until they have grown further
_RECOGNISING_AT_CLOSE = 1.0  # seconds that a change of language may still take; later writes continue it


@dataclass(frozen=True, slots=True)
class Extensions:
    """Components that the host provides in place of the bundled ones; None keeps the bundled component.

    `constants`, the constants of the ranking, are replaced only by benchmarks and tests.
    """

    embedder: Embedder | Sequence[Embedder] | None = None
    token_counter: TokenCounter | None = None
    summarizer: Summarizer | None = None
    classifier: Classifier | None = None
    extractor: Extractor | ModelExtractor | None = None
    metrics: Metrics | None = None
    redact: Redact | None = None
    constants: Constants = CONSTANTS

    @property
    def model_extractor(self) -> ModelExtractor | None:
        """The extractor, if a language model reads the turns."""
        return self.extractor if isinstance(self.extractor, ModelExtractor) else None

    @property
    def function_extractor(self) -> Extractor | None:
        """The extractor, if it is a function of the host."""
        return None if isinstance(self.extractor, ModelExtractor) else self.extractor


BUNDLED = Extensions()


@dataclass(frozen=True, slots=True)
class Infrastructure:
    """The objects that all services are composed from: database, journal, embedders, redaction and policies."""

    database: Database
    reading: ReadDatabase
    journal: Journal
    embedders: Embedders
    redactor: Redactor
    policy: Policy
    shadow: Policy | None
    extensions: Extensions
    classifiers: Classifiers


@dataclass(frozen=True, slots=True)
class Stores:
    """The objects that read and write a database's tables, and the engine that selects memories with them."""

    memories: MemoryStore
    turns: TurnLog
    sessions: Sessions
    artifacts: Artifacts
    policies: PolicyStore
    contents: PassageTexts
    engine: ContextEngine
    counter: TokenCounter

    @classmethod
    def create(cls, base: Infrastructure, background: Background) -> Stores:
        """Create the stores of the database in `base`. The languages of agents are recognised in the background."""
        database, embedders, redactor = base.database, base.embedders, base.redactor
        own, languages = base.extensions.token_counter, AgentLanguages()
        counter = CheckedCounter(own) if own is not None else count
        reindexing = Reindexing(database)
        recognising = background.queue(_MAX_RECOGNISING, at_close=_RECOGNISING_AT_CLOSE)
        memories = MemoryStore(
            database,
            embedders,
            redactor,
            languages,
            lambda agent_id: recognising.start(reindexing.recognise(agent_id), agent_id),
        )
        search = MemorySearch(database, embedders.remember, languages)
        reader = TurnReader(database, search)
        engine = ContextEngine(memories, search, reader, embedders, counter, base.extensions.constants)
        return cls(
            memories,
            TurnLog(database),
            Sessions(database, redactor),
            Artifacts(database, redactor),
            PolicyStore(database),
            PassageTexts(database),
            engine,
            counter,
        )
