"""Judgement: a row per check, from facts to what is well, what is not, and what mends it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from brain.postgres.health import DatabaseHealth
from cognitive.doctor import database, machine
from cognitive.doctor.facts import Facts
from cognitive.doctor.verdicts import AWAY, Status, Verdict

Judge = Callable[[Facts], Verdict]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `unknown`: it could not look, since another check failed. `fix` is empty if nothing is to be
    done; with "ok" it is what could be.
    """

    check: str
    status: Status
    found: str
    fix: str = ""


def _of_database(judge: Callable[[DatabaseHealth], Verdict]) -> Judge:
    """A check that knows nothing while the database is away."""

    def judged(facts: Facts) -> Verdict:
        return judge(facts.database) if facts.database is not None else AWAY

    return judged


CHECKS: Mapping[str, Judge] = {
    "settings": machine.settings,
    "policy": machine.policy,
    "data directory": machine.directory,
    "disk": machine.disk,
    "journal": machine.journal,
    "breaker": machine.breaker,
    "embedding model": machine.model,
    "database": database.reachable,
    "server": _of_database(database.server),
    "pgvector": _of_database(database.pgvector),
    "roles": _of_database(database.roles),
    "roles that look": _of_database(database.lookers),
    "migrations": database.migrations,
    "opening": database.opening,
    "row level security": _of_database(database.row_security),
    "indexes": _of_database(database.indexes),
    "statistics": _of_database(database.statistics),
    "bloat": _of_database(database.bloat),
    "models of agents": database.spaces,
    "large agents": database.cells,
    "clock": _of_database(database.clock),
    "replica": database.replica,
}


def judged(facts: Facts) -> tuple[Finding, ...]:
    """Every check, in its order."""
    return tuple(Finding(name, *judge(facts)) for name, judge in CHECKS.items())


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether no check failed; what could not be looked at is not well either."""
    return all(finding.status in ("ok", "warning") for finding in findings)
