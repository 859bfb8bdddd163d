"""The facts that `cognitive doctor` collects, and the verdicts of its checks.

A fact that could not be read is None or empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.agents import ModelOfAgents
from brain.postgres.health import DatabaseHealth
from brain.postgres.reading import Replica

Status = Literal["ok", "warning", "failure", "unknown", "skipped"]
Verdict = tuple[Status, str, str]  # status, detail, fix

UNREACHABLE: Verdict = ("unknown", "the database does not answer", "")


def ok(detail: str) -> Verdict:
    """Return the verdict of a check that has passed, with a text on what was checked."""
    return "ok", detail, ""


def skipped(detail: str) -> Verdict:
    """Return the verdict of a check that was not made, with the reason."""
    return "skipped", detail, ""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Facts about this machine: settings, the files that they name, the data directory and the journal.

    Attributes:
        settings: the error in the settings, if there is one.
        unknown: variables that resemble a setting, each with the setting that may be meant.
        policy: the error in the policy files, if there is one.
        policies: the policy files in use.
        directory: the data directory.
        unusable: the reason why the data directory cannot be written.
        free: free bytes on the disk of the data directory.
        journal: the path of the journal, which stores turns while Postgres is away.
        pending: the number of turns in the journal that wait for Postgres.
        parked: the number of turns in the journal that Postgres refused.
        unreadable: the reason why the journal could not be read.
        failures: consecutive failures that open the circuit breaker; 0 disables it.
    """

    settings: str | None = None
    unknown: tuple[tuple[str, str], ...] = ()
    policy: str | None = None
    policies: tuple[str, ...] = ()
    directory: str = ""
    unusable: str | None = None
    free: int | None = None
    journal: str = ""
    pending: int = 0
    parked: int = 0
    unreadable: str | None = None
    failures: int = 5


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about this process's embedding model, from embedding two test sentences.

    `dimension` is the length of the vectors, `cosine` the similarity of the two sentences, and `seconds` the time that
    the trial took. `error` is the reason why the model failed. `bundled` is True for the model that comes with the
    package; only for that model are the expected values known.
    """

    name: str
    dimension: int | None = None
    cosine: float | None = None
    seconds: float | None = None
    error: str | None = None
    bundled: bool = True


@dataclass(frozen=True, slots=True)
class SpaceFacts:
    """Facts about all agents: their embedding models, beside those that this process can use, and their turns.

    Attributes:
        models: the models of this process.
        error: the reason why this process has no model.
        agents: the models of all agents, with the numbers of agents in each state.
        unindexed: agents that have many memories but no vector index.
        turns: the turns of all agents today and yesterday, and how many of them were degraded.
        without_users: agents that captured messages of several speakers, and have no users.
        parked_turns: agents with turns that a model failed to read three times, their number, and the id of one.
        hidden: the reason why the facts about agents are unknown.
    """

    models: tuple[str, ...] = ()
    error: str | None = None
    agents: tuple[ModelOfAgents, ...] = ()
    unindexed: tuple[str, ...] = ()
    turns: tuple[int, int] = (0, 0)
    without_users: tuple[str, ...] = ()
    parked_turns: tuple[tuple[str, int, str], ...] = ()
    hidden: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts that `cognitive doctor` collects before its checks.

    Attributes:
        host: facts about this machine.
        model: facts about the configured embedding model.
        address: the address of the database, without a password.
        embedded: True for the embedded server.
        database: facts about the database, None if it did not answer.
        spaces: facts about the embedding models of this process and of the agents.
        unreachable: the reason why the database did not answer.
        unreachable_fix: the remedy, if the reason implies one.
        opening_error: the message of the error with which a `CognitiveLayer` fails to open on the database.
        opening_fix: the remedy, if the error has one.
        tried: True if memories of a throw-away agent were stored, found and erased.
        trial_error: the message of the error with which that failed, if it did.
        replica: facts about the configured replica.
    """

    host: HostFacts
    model: ModelFacts
    address: str
    embedded: bool = False
    database: DatabaseHealth | None = None
    spaces: SpaceFacts = SpaceFacts()
    unreachable: str | None = None
    unreachable_fix: str = ""
    opening_error: str | None = None
    opening_fix: str = ""
    tried: bool = False
    trial_error: str | None = None
    replica: Replica | None = None
