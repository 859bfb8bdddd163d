"""Checks of the database: what it is, what it holds, and the agents' models and sizes in it."""

from __future__ import annotations

from brain.postgres.health import DatabaseHealth, TableHealth
from brain.postgres.roles import OVERVIEW, READER
from brain.postgres.schema import FIRST, HEAD, MIN_PGVECTOR, MIN_POSTGRES, pgvector_too_old, refusal
from cognitive.doctor.facts import UNREACHABLE, Facts, SpaceFacts, Verdict, ok

MAX_SKEW_SECONDS = 5.0  # seconds: turns are timed here, and given up by the clock of the database
MAX_SKEW_FAILURE_SECONDS = 300.0  # what happens in one turn would seem to come before what happened in the last
LARGE_TABLE = 1 << 20  # bytes; the plans for a smaller table are good without statistics
MIN_DEAD = 10_000  # rows: below, a vacuum is nobody's concern
MAX_LAG_SECONDS = 60.0  # seconds: a dashboard is looked at by the minute
MAX_DEAD = 0.5  # of a table's rows; autovacuum begins at a fifth, so that half means it does not get there


def reachable(facts: Facts) -> Verdict:
    """Whether it answers."""
    if facts.database is None:
        fix = f"is the server at {facts.address} up, and is COGNITIVE_DATABASE_URL right?"
        return "failure", facts.unreachable or "it does not answer", fix
    return ok(f"{facts.address}, as {facts.database.login}, in {facts.database.round_trip * 1000:.1f} ms")


def server(health: DatabaseHealth) -> Verdict:
    """Whether Postgres is new enough."""
    if health.postgres < MIN_POSTGRES:
        return "failure", f"Postgres {health.version}", f"move to Postgres {MIN_POSTGRES} or newer"
    return ok(f"Postgres {health.version}")


def pgvector(health: DatabaseHealth) -> Verdict:
    """Whether the extension is there, and new enough."""
    if health.pgvector is None:
        fix = "run `cognitive db upgrade` as a role that may create extensions"
        if health.available is None:
            fix = f"install pgvector {MIN_PGVECTOR} or newer on the server, then {fix}"
        return "failure", "the extension is not in this database", fix
    if pgvector_too_old(health.pgvector):
        fix = f"install pgvector {MIN_PGVECTOR} or newer on the server, then ALTER EXTENSION vector UPDATE"
        return "failure", f"pgvector {health.pgvector}", fix
    return ok(f"pgvector {health.pgvector}")


def roles(health: DatabaseHealth) -> Verdict:
    """Whether row level security binds whoever acts here."""
    if health.role_above is None:
        return "failure", "the role cognitive_app does not exist", "`cognitive db upgrade` makes it"
    if health.role_above:
        fix = "ALTER ROLE cognitive_app NOSUPERUSER NOBYPASSRLS: row level security would not bind it"
        return "failure", "cognitive_app stands above row level security", fix
    if not health.member:
        detail = f"{health.login} is no member of cognitive_app"
        return "failure", detail, f'GRANT cognitive_app TO "{health.login}"'
    if health.login_above:
        detail = f"{health.login} stands above row level security until it takes on the role cognitive_app"
        return "warning", detail, "connect as an ordinary role that is a member of cognitive_app"
    return ok(f"{health.login} acts as cognitive_app, which row level security binds")


def dashboard_roles(health: DatabaseHealth) -> Verdict:
    """What a dashboard may read as."""
    granted = health.granted
    if granted is None:
        return ok("there is nothing to look at before there is a schema")
    if granted.reader:
        detail = f"{granted.login} reads as {READER}" + (
            f", and across agents as {OVERVIEW}" if granted.overview else ""
        )
        return "ok", detail, "" if granted.overview else f"to see the counts of all agents: `{granted.command}`"
    detail = f"{READER} was not granted to {granted.login}: it looks as itself, in transactions that cannot write"
    return "ok", detail, f"for a role that may only read: `{granted.command}`"


def migrations(facts: Facts) -> Verdict:
    """Whether the schema serves this version."""
    health = facts.database
    if health is None:
        return UNREACHABLE
    if not health.migrated and facts.embedded:
        return "warning", "there is no schema yet", "nothing: it is made when the layer is first opened"
    if not health.migrated:
        return "failure", "there is no schema", "`cognitive db upgrade`, as a role that may create one"
    if health.revision is None:
        return "failure", "the revision of the schema may not be read", "see the check of roles"
    if (refused := refusal(health.revision, health.oldest)) is not None:
        detail, _, fix = refused.partition(": ")
        return (
            "failure",
            detail,
            f"{fix}; the schema's owner may upgrade it" if FIRST <= health.revision < HEAD else fix,
        )
    if health.revision != HEAD:
        return ok(f"revision {health.revision}, a newer one that serves this version")
    return ok(f"revision {health.revision}")


def opening(facts: Facts) -> Verdict:
    """Whether a layer can open there, by the way that the settings say: past a pooler, as its role."""
    if facts.database is None:
        return UNREACHABLE
    if facts.opening_error is not None:
        return "failure", facts.opening_error, "set or grant what this names; the checks above may say more"
    return ok("a layer opens there" if facts.database.migrated else "not tried before there is a schema")


def row_security(health: DatabaseHealth) -> Verdict:
    """Whether agents are kept apart."""
    if health.unprotected:
        name = health.unprotected[0]
        fix = (
            f"ALTER TABLE cognitive.{name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; a policy is missing if"
            " that does not help: compare with the migrations"
        )
        return "failure", f"not forced on {', '.join(health.unprotected)}: agents may see each other's rows", fix
    return ok("forced on every table")


def indexes(health: DatabaseHealth) -> Verdict:
    """Whether Postgres reads all of them."""
    if health.broken_indexes:
        detail = f"not in use: {', '.join(health.broken_indexes)}"
        return "failure", detail, "`cognitive db upgrade --repair`, as the owner of the schema"
    return ok("all are valid")


def statistics(health: DatabaseHealth) -> Verdict:
    """Whether plans are made of what the tables hold."""
    unknown = [table.name for table in health.tables if not table.analysed and table.bytes >= LARGE_TABLE]
    if unknown:
        return "warning", f"never analysed: {', '.join(unknown)}", f"ANALYZE cognitive.{unknown[0]}; is autovacuum on?"
    return ok("known for every table of size")


def bloat(health: DatabaseHealth) -> Verdict:
    """Whether dead rows are cleared away."""
    bloated = [table.name for table in health.tables if _is_bloated(table)]
    if bloated:
        detail = f"more than {MAX_DEAD:.0%} dead rows: {', '.join(bloated)}"
        return "warning", detail, f"VACUUM cognitive.{bloated[0]}; a transaction that never ends keeps dead rows too"
    return ok("dead rows are cleared away")


def _is_bloated(table: TableHealth) -> bool:
    return table.dead >= MIN_DEAD and table.dead > MAX_DEAD * (table.alive + table.dead)


def clock(health: DatabaseHealth) -> Verdict:
    """Whether both clocks agree."""
    detail = f"the database is {abs(health.ahead):.3f} s {'ahead' if health.ahead > 0 else 'behind'}"
    skew = abs(health.ahead) - health.round_trip
    if skew <= MAX_SKEW_SECONDS:
        return ok(detail)
    return ("failure" if skew > MAX_SKEW_FAILURE_SECONDS else "warning"), detail, "let both machines keep time by NTP"


def spaces(facts: Facts) -> Verdict:
    """Whether this process reads agents by their live models, and how far a change of model is."""
    spaces, fix = facts.spaces, "name models that there are in COGNITIVE_EMBEDDING_MODELS, and install their extras"
    if spaces.error is not None:
        return "failure", spaces.error, fix
    if facts.database is None:
        return UNREACHABLE
    if spaces.hidden is not None:
        return ok(f"this process has {', '.join(spaces.models)}; of the agents' nothing is known: {spaces.hidden}")
    lacking = [each for each in spaces.agents if each.live and each.model not in spaces.models]
    if lacking:
        detail = "; ".join(f"{each.live} agents are read by {each.model}" for each in lacking)
        fix = "name that model beside yours in COGNITIVE_EMBEDDING_MODELS, or `cognitive db reembed --to` one of yours"
        return "warning", f"{detail}, which this process lacks: it has {', '.join(spaces.models)}", fix
    return _moving(spaces)


def _moving(spaces: SpaceFacts) -> Verdict:
    building = [f"{each.building} agents to {each.model}" for each in spaces.agents if each.building]
    if building:
        fix = "`cognitive db reembed --to` it goes on; --cut-over ends it, --cancel gives it up"
        return "warning", f"a change of model is under way: {', '.join(building)}", fix
    detail = [f"{each.live} agents by {each.model}" for each in spaces.agents if each.live]
    detail += [f"{each.ready} ready for {each.model}" for each in spaces.agents if each.ready]
    detail += [f"{each.retired} keep vectors of {each.model} (--drop-old)" for each in spaces.agents if each.retired]
    return ok(", ".join(detail) or f"no agents yet; this process has {', '.join(spaces.models)}")


def vector_index(facts: Facts) -> Verdict:
    """Whether large agents are searched by cells, and not by reading all of their vectors."""
    spaces = facts.spaces
    if facts.database is None or spaces.error is not None:
        return UNREACHABLE if facts.database is None else ok("not looked at: this process has no embedding model")
    if spaces.hidden is not None:
        return ok(f"of the agents' sizes nothing is known: {spaces.hidden}")
    if spaces.unindexed:
        detail = f"all vectors are read for each search of these large agents: {', '.join(spaces.unindexed)}"
        return "warning", detail, f"`cognitive db index --agent {spaces.unindexed[0]}`, and so for each"
    return ok("every large agent's vectors lie in cells")


def replica(facts: Facts) -> Verdict:
    """Whether the standby that looks are to be answered by is one, and follows."""
    standby = facts.replica
    if facts.database is None:
        return UNREACHABLE
    if standby is None:
        return ok("none is named: looks ask the database that turns write to")
    if standby.unfit is not None:
        fix = "looks are answered by the primary meanwhile: mend the standby, or unset COGNITIVE_REPLICA_URL"
        return "warning", standby.unfit, fix
    detail = f"{standby.seconds:.1f} s and {standby.bytes:,} bytes behind"
    if standby.seconds > MAX_LAG_SECONDS:
        return "warning", detail, "is replication running? pg_stat_replication on the primary tells"
    return ok(detail)
