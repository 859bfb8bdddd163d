"""What the doctor looked at, each fact None or empty where it could not be had, and the form of a verdict on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from brain.agents import ModelOfAgents
from brain.postgres.health import DatabaseHealth
from brain.postgres.reading import Replica

Status = Literal["ok", "warning", "failure", "unknown"]
Verdict = tuple[Status, str, str]

UNREACHABLE: Verdict = ("unknown", "the database is away", "")


def ok(detail: str) -> Verdict:
    """Return the verdict that all is well."""
    return "ok", detail, ""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """This machine: what is wrong with the settings and the files that they name, the data directory, the journal.

    `unknown` are variables that look like a setting and are none, each with the one that may be meant. `directory` is
    the data directory; `unusable` says why it cannot be used. `free` are bytes on its disk. `pending` and `parked`
    count the turns in the `journal`, a file; `unreadable` says why it could not be read.
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
    """The bundled embedding model: how many numbers its vectors have, the cosine of two test sentences, the seconds to
    load it; or the error. Of another than the `bundled` one nobody knows what they should be.
    """

    name: str
    dimension: int | None = None
    cosine: float | None = None
    seconds: float | None = None
    error: str | None = None
    bundled: bool = True


@dataclass(frozen=True, slots=True)
class SpaceFacts:
    """The embedding models that this process has, or why it has none; those of all agents, and which of these have many
    vectors that lie in no cells, or why they are not seen.
    """

    models: tuple[str, ...] = ()
    error: str | None = None
    agents: tuple[ModelOfAgents, ...] = ()
    unindexed: tuple[str, ...] = ()
    hidden: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that was looked at. `address` is where the database should be, without a password, `embedded` whether it is
    the one that we bring; `unreachable` says why there is no `database`. `replica` is the standby that looks are asked
    of.
    """

    host: HostFacts
    model: ModelFacts
    address: str
    embedded: bool = False
    database: DatabaseHealth | None = None
    spaces: SpaceFacts = SpaceFacts()
    unreachable: str | None = None
    opening_error: str | None = None
    replica: Replica | None = None
