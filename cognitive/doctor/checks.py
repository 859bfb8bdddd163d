"""Judgement: a row per check, from facts to what is well, what is not, and what mends it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from brain.health import DatabaseHealth, TableHealth
from brain.roles import OVERVIEW, READER
from brain.schema import HEAD, LEAST_PGVECTOR, LEAST_POSTGRES, pgvector_too_old, refusal
from cognitive.doctor.facts import Facts, Spaces

Status = Literal["ok", "warning", "failure", "unknown"]

DIMENSION = 384  # of the bundled model
COSINE = 0.796  # of the two test sentences, as the bundled model gives it
COSINE_OFF = 0.05  # processors differ in the third digit; another model or a broken file differs in the first
LEAST_FREE = 1 << 30  # bytes: Postgres stops when its log finds no room, and a day of turns takes some hundred MB
NO_ROOM = 100 << 20
SKEW_WARNS = 5.0  # seconds: turns are timed here, and given up by the clock of the database
SKEW_FAILS = 300.0  # what happens in one turn would seem to come before what happened in the last
LARGE_TABLE = 1 << 20  # bytes; the plans for a smaller table are good without statistics
LEAST_DEAD = 10_000  # rows: below, a vacuum is nobody's concern
MOST_DEAD = 0.5  # of a table's rows; autovacuum begins at a fifth, so that half means it does not get there
LAG = 60.0  # seconds: a dashboard is looked at by the minute
BACKLOG = 1_000  # turns: hours of an agent's work, which a process that runs would have settled


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `unknown`: it could not look, since another check failed. `fix` is empty if nothing is to be
    done; with "ok" it is what could be.
    """

    check: str
    status: Status
    found: str
    fix: str = ""


Verdict = tuple[Status, str, str]
Judge = Callable[[Facts], Verdict]

_AWAY: Verdict = ("unknown", "the database is away", "")


def _ok(found: str) -> Verdict:
    return "ok", found, ""


# --- this machine ---


def _settings(facts: Facts) -> Verdict:
    if facts.host.settings is not None:
        return "failure", facts.host.settings, "correct or unset this variable"
    if facts.host.unknown:
        told = ", ".join(f"{name} is no setting" for name, _ in facts.host.unknown)
        return "warning", told, f"did you mean {', '.join(meant for _, meant in facts.host.unknown)}?"
    return _ok("the environment is read")


def _policy(facts: Facts) -> Verdict:
    if facts.host.policy is not None:
        return (
            "failure",
            facts.host.policy,
            "`cognitive reference settings` lists what a policy may say, with its bounds",
        )
    return _ok(", ".join(facts.host.policies) or "the default policy")


def _directory(facts: Facts) -> Verdict:
    if facts.host.unusable is not None:
        return (
            "failure",
            f"{facts.host.directory}: {facts.host.unusable}",
            ("let this user write there, or name another directory in COGNITIVE_DATA_DIR"),
        )
    return _ok(facts.host.directory)


def _disk(facts: Facts) -> Verdict:
    free = facts.host.free
    if free is None:
        return "unknown", "there is no directory to look at", ""
    told = f"{free / (1 << 30):.1f} GB free at {facts.host.directory}"
    if free >= LEAST_FREE:
        return _ok(told)
    fix = "make room, or move the data directory (COGNITIVE_DATA_DIR) to another disk"
    return ("failure" if free < NO_ROOM else "warning"), told, fix


def _journal(facts: Facts) -> Verdict:
    host = facts.host
    if host.unreadable is not None:
        return (
            "failure",
            host.unreadable,
            "let this user read and write it: outcomes are not safe while Postgres is away",
        )
    told = f"{host.pending} waiting for Postgres, {host.parked} parked"
    if host.parked:
        fix = (
            "they are tried again when a process opens the layer; the reasons: "
            f"sqlite3 {host.journal} 'SELECT agent_id, turn_id, error FROM entry WHERE error IS NOT NULL'"
        )
        return "warning", told, fix
    if host.pending > BACKLOG:
        return (
            "warning",
            told,
            ("they are settled while a process has the layer open and Postgres answers"),
        )
    return _ok(told)


def _breaker(facts: Facts) -> Verdict:
    if not facts.host.failures:
        found = "it never opens: while Postgres is away, every turn waits for its whole deadline"
        return "warning", found, "unset COGNITIVE_BREAKER_FAILURES"
    return _ok(f"Postgres is asked no more after {facts.host.failures} failures in a row, until a probe is answered")


def _model(facts: Facts) -> Verdict:
    model = facts.model
    if model.error is not None or model.dimension is None or model.cosine is None:
        return (
            "failure",
            f"{model.name}: {model.error}",
            ("install this package again, and let this user write to the cache directory (COGNITIVE_CACHE_DIR)"),
        )
    told = f"{model.name}, {model.dimension} numbers, ready in {model.seconds or 0:.1f} s"
    if not model.bundled:
        return _ok(told)
    if model.dimension != DIMENSION or abs(model.cosine - COSINE) > COSINE_OFF:
        off = f"{told}: the test sentences have a cosine of {model.cosine:.3f}, not {COSINE:.3f}"
        return (
            "failure",
            off,
            "remove the prepared model from the cache directory (COGNITIVE_CACHE_DIR): it is made anew",
        )
    return _ok(told)


def _spaces(facts: Facts) -> Verdict:
    """Whether this process reads agents by their live models, and how far a change of model is."""
    spaces, fix = facts.spaces, "name models that there are in COGNITIVE_EMBEDDING_MODELS, and install their extras"
    if spaces.error is not None:
        return "failure", spaces.error, fix
    if facts.database is None:
        return _AWAY
    if spaces.hidden is not None:
        return _ok(f"this process has {', '.join(spaces.own)}; of the agents' nothing is known: {spaces.hidden}")
    lacking = [each for each in spaces.agents if each.live and each.model not in spaces.own]
    if lacking:
        found = "; ".join(f"{each.live} agents are read by {each.model}" for each in lacking)
        fix = "name that model beside yours in COGNITIVE_EMBEDDING_MODELS, or `cognitive db reembed --to` one of yours"
        return "warning", f"{found}, which this process lacks: it has {', '.join(spaces.own)}", fix
    return _moving(spaces)


def _moving(spaces: Spaces) -> Verdict:
    building = [f"{each.building} agents to {each.model}" for each in spaces.agents if each.building]
    if building:
        fix = "`cognitive db reembed --to` it goes on; --cut-over ends it, --cancel gives it up"
        return "warning", f"a change of model is under way: {', '.join(building)}", fix
    told = [f"{each.live} agents by {each.model}" for each in spaces.agents if each.live]
    told += [f"{each.ready} ready for {each.model}" for each in spaces.agents if each.ready]
    told += [f"{each.retired} keep vectors of {each.model} (--drop-old)" for each in spaces.agents if each.retired]
    return _ok(", ".join(told) or f"no agents yet; this process has {', '.join(spaces.own)}")


def _cells(facts: Facts) -> Verdict:
    """Whether large agents are searched by cells, and not by reading all of their vectors."""
    spaces = facts.spaces
    if facts.database is None or spaces.error is not None:
        return _AWAY if facts.database is None else _ok("not looked at: this process has no embedding model")
    if spaces.hidden is not None:
        return _ok(f"of the agents' sizes nothing is known: {spaces.hidden}")
    if spaces.unsorted:
        found = f"all vectors are read for each search of {len(spaces.unsorted)} large agents: {spaces.unsorted[0]}"
        return "warning", found, f"cognitive db index --agent {spaces.unsorted[0]}"
    return _ok("every large agent's vectors lie in cells")


# --- the database ---


def _reachable(facts: Facts) -> Verdict:
    if facts.database is None:
        fix = f"is the server at {facts.address} up, and is COGNITIVE_DATABASE_URL right?"
        return "failure", facts.away or "it does not answer", fix
    return _ok(f"{facts.address}, as {facts.database.login}, in {facts.database.round_trip * 1000:.1f} ms")


def _server(health: DatabaseHealth) -> Verdict:
    if health.postgres < LEAST_POSTGRES:
        return "failure", f"Postgres {health.version}", f"move to Postgres {LEAST_POSTGRES} or newer"
    return _ok(f"Postgres {health.version}")


def _pgvector(health: DatabaseHealth) -> Verdict:
    if health.pgvector is None:
        fix = "run `cognitive db upgrade` as a role that may create extensions"
        if health.available is None:
            fix = f"install pgvector {LEAST_PGVECTOR} or newer on the server, then {fix}"
        return "failure", "the extension is not in this database", fix
    if pgvector_too_old(health.pgvector):
        fix = f"install pgvector {LEAST_PGVECTOR} or newer on the server, then ALTER EXTENSION vector UPDATE"
        return "failure", f"pgvector {health.pgvector}", fix
    return _ok(f"pgvector {health.pgvector}")


def _roles(health: DatabaseHealth) -> Verdict:
    if health.role_above is None:
        return "failure", "the role cognitive_app does not exist", "`cognitive db upgrade` makes it"
    if health.role_above:
        fix = "ALTER ROLE cognitive_app NOSUPERUSER NOBYPASSRLS: row level security would not bind it"
        return "failure", "cognitive_app stands above row level security", fix
    if not health.member:
        found = f"{health.login} is no member of cognitive_app"
        return "failure", found, f'GRANT cognitive_app TO "{health.login}"'
    if health.login_above:
        found = f"{health.login} stands above row level security until it takes on the role cognitive_app"
        return "warning", found, "connect as an ordinary role that is a member of cognitive_app"
    return _ok(f"{health.login} acts as cognitive_app, which row level security binds")


def _lookers(health: DatabaseHealth) -> Verdict:
    granted = health.granted
    if granted is None:
        return _ok("there is nothing to look at before there is a schema")
    if granted.reader:
        told = f"{granted.login} reads as {READER}" + (f", and across agents as {OVERVIEW}" if granted.overview else "")
        return "ok", told, "" if granted.overview else f"to see the counts of all agents: `{granted.command}`"
    told = f"{READER} was not granted to {granted.login}: it looks as itself, in transactions that cannot write"
    return "ok", told, f"for a role that may only read: `{granted.command}`"


def _migrations(facts: Facts) -> Verdict:
    health = facts.database
    if health is None:
        return _AWAY
    if not health.migrated and facts.embedded:
        return "warning", "there is no schema yet", "nothing: it is made when the layer is first opened"
    if not health.migrated:
        return "failure", "there is no schema", "`cognitive db upgrade`, as a role that may create one"
    if health.revision is None:
        return "failure", "the revision of the schema may not be read", "see the check of roles"
    if (refused := refusal(health.revision, health.oldest)) is not None:
        told, _, fix = refused.partition(": ")
        return "failure", told, f"{fix}; the schema's owner may upgrade it" if health.revision < HEAD else fix
    if health.revision != HEAD:
        return _ok(f"revision {health.revision}, a newer one that serves this version")
    return _ok(f"revision {health.revision}")


def _row_security(health: DatabaseHealth) -> Verdict:
    if health.unprotected:
        name = health.unprotected[0]
        fix = (
            f"ALTER TABLE cognitive.{name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; a policy is missing if"
        )
        fix += " that does not help: compare with the migrations"
        return "failure", f"not forced on {', '.join(health.unprotected)}: agents may see each other's rows", fix
    return _ok("forced on every table")


def _indexes(health: DatabaseHealth) -> Verdict:
    if health.broken_indexes:
        found = f"not in use: {', '.join(health.broken_indexes)}"
        return "failure", found, "`cognitive db repair`, as the owner of the schema"
    return _ok("all are valid")


def _statistics(health: DatabaseHealth) -> Verdict:
    unknown = [table.name for table in health.tables if not table.analysed and table.bytes >= LARGE_TABLE]
    if unknown:
        return "warning", f"never analysed: {', '.join(unknown)}", f"ANALYZE cognitive.{unknown[0]}; is autovacuum on?"
    return _ok("known for every table of size")


def _bloat(health: DatabaseHealth) -> Verdict:
    bloated = [table.name for table in health.tables if _mostly_dead(table)]
    if bloated:
        found = f"more than {MOST_DEAD:.0%} dead rows: {', '.join(bloated)}"
        return "warning", found, f"VACUUM cognitive.{bloated[0]}; a transaction that never ends keeps dead rows too"
    return _ok("dead rows are cleared away")


def _mostly_dead(table: TableHealth) -> bool:
    return table.dead >= LEAST_DEAD and table.dead > MOST_DEAD * (table.alive + table.dead)


def _clock(health: DatabaseHealth) -> Verdict:
    told = f"the database is {abs(health.ahead):.3f} s {'ahead' if health.ahead > 0 else 'behind'}"
    skew = abs(health.ahead) - health.round_trip
    if skew <= SKEW_WARNS:
        return _ok(told)
    return ("failure" if skew > SKEW_FAILS else "warning"), told, "let both machines keep time by NTP"


def _replica(facts: Facts) -> Verdict:
    replica = facts.replica
    if replica is None:
        return _ok("none is named: looks ask the database that turns write to")
    if replica.unfit is not None:
        fix = "looks are answered by the primary meanwhile: mend the standby, or unset COGNITIVE_REPLICA_URL"
        return "warning", replica.unfit, fix
    told = f"{replica.seconds:.1f} s and {replica.bytes:,} bytes behind"
    if replica.seconds > LAG:
        return "warning", told, "is replication running? pg_stat_replication on the primary tells"
    return _ok(told)


def _of_database(judge: Callable[[DatabaseHealth], Verdict]) -> Judge:
    """A check that knows nothing while the database is away."""

    def judged(facts: Facts) -> Verdict:
        return judge(facts.database) if facts.database is not None else _AWAY

    return judged


CHECKS: Mapping[str, Judge] = {
    "settings": _settings,
    "policy": _policy,
    "data directory": _directory,
    "disk": _disk,
    "journal": _journal,
    "breaker": _breaker,
    "embedding model": _model,
    "database": _reachable,
    "server": _of_database(_server),
    "pgvector": _of_database(_pgvector),
    "roles": _of_database(_roles),
    "roles that look": _of_database(_lookers),
    "migrations": _migrations,
    "row level security": _of_database(_row_security),
    "indexes": _of_database(_indexes),
    "statistics": _of_database(_statistics),
    "bloat": _of_database(_bloat),
    "models of agents": _spaces,
    "large agents": _cells,
    "clock": _of_database(_clock),
    "replica": _replica,
}


def judged(facts: Facts) -> tuple[Finding, ...]:
    """Every check, in its order."""
    return tuple(Finding(name, *judge(facts)) for name, judge in CHECKS.items())


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether no check failed; what could not be looked at is not well either."""
    return all(finding.status in ("ok", "warning") for finding in findings)
