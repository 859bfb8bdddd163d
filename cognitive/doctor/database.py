"""Checks of the database: server, roles, schema, tables, and the agents' models and indexes."""

from __future__ import annotations

from brain.postgres.health import DatabaseHealth, TableHealth
from brain.postgres.roles import CREATE_OPERATOR, OPERATOR, OVERVIEW, READER
from brain.postgres.schema import FIRST, HEAD, MIN_PGVECTOR, MIN_POSTGRES, pgvector_too_old, refusal
from cognitive.doctor.facts import UNREACHABLE, Facts, SpaceFacts, Verdict, ok, skipped

MAX_SKEW_SECONDS = 5.0  # turns are timed by this machine and abandoned by the clock of the database
MAX_SKEW_FAILURE_SECONDS = 300.0  # beyond, a turn may seem to precede the one before it
LARGE_TABLE = 1 << 20  # bytes; query plans for a smaller table are good without statistics
MIN_DEAD = 10_000  # dead rows that are worth a warning
MAX_LAG_SECONDS = 60.0  # a dashboard shows figures by the minute
MAX_DEGRADED = 0.05  # share of turns; a single slow moment of the machine degrades fewer
MAX_DEAD = 0.5  # share of a table's rows; autovacuum starts at 0.2, so that 0.5 means that it does not run


def reachable(facts: Facts) -> Verdict:
    """Check that the database answers."""
    if facts.database is None:
        fix = f"check that the server at {facts.address} runs and that COGNITIVE_DATABASE_URL is right"
        return "failure", facts.unreachable or "the database does not answer", facts.unreachable_fix or fix
    detail = f"{facts.address} answers {facts.database.login} in {facts.database.round_trip * 1000:.1f} ms"
    return ok(detail)


def server(health: DatabaseHealth) -> Verdict:
    """Check that this package supports the version of the Postgres server."""
    if health.postgres < MIN_POSTGRES:
        return "failure", f"Postgres {health.version}", f"upgrade to Postgres {MIN_POSTGRES} or newer"
    return ok(f"Postgres {health.version}")


def pgvector(health: DatabaseHealth) -> Verdict:
    """Check that the pgvector extension is installed in a supported version."""
    if health.pgvector is None:
        fix = "run `cognitive db upgrade` as a role that may create extensions"
        if health.available is None:
            fix = f"install pgvector {MIN_PGVECTOR} or newer on the server, then {fix}"
        return "failure", "the extension is not installed in this database", fix
    if pgvector_too_old(health.pgvector):
        fix = f"install pgvector {MIN_PGVECTOR} or newer on the server, then ALTER EXTENSION vector UPDATE"
        return "failure", f"pgvector {health.pgvector}", fix
    return ok(f"pgvector {health.pgvector}")


def roles(health: DatabaseHealth) -> Verdict:
    """Check that row level security applies to the role of this process."""
    if health.role_above is None:
        return "failure", "the role cognitive_app does not exist", "`cognitive db upgrade` creates it"
    if health.role_above:
        fix = "ALTER ROLE cognitive_app NOSUPERUSER NOBYPASSRLS"
        return "failure", "cognitive_app bypasses row level security: agents may see each other's rows", fix
    if not health.member:
        detail = f"{health.login} is not a member of cognitive_app"
        return "failure", detail, f'GRANT cognitive_app TO "{health.login}"'
    if not health.operator:
        detail = f"{health.login} may not use the role {OPERATOR}: retention, erasing an agent and re-embedding fail"
        return "failure", detail, f"run as an administrator: {'; '.join(CREATE_OPERATOR)}"
    if health.inherits_operator:
        detail = f"cognitive_app inherits from the role {OPERATOR}, which is only to be set for calls over all users"
        return "failure", detail, f"run as an administrator: GRANT {OPERATOR} TO cognitive_app WITH INHERIT FALSE"
    if health.login_above:
        detail = f"{health.login} bypasses row level security until it sets the role cognitive_app"
        return "warning", detail, "connect as an ordinary role that is a member of cognitive_app"
    return ok(f"{health.login} acts as cognitive_app, which is subject to row level security")


def dashboard_roles(facts: Facts) -> Verdict:
    """Report the database role that a dashboard uses to read."""
    if facts.database is None:
        return UNREACHABLE
    granted = facts.database.granted
    if granted is None:
        return skipped("there is no schema yet")
    if facts.embedded and not (granted.reader and granted.overview):
        return ok(f"the first dashboard grants {granted.login} the roles {READER} and {OVERVIEW}")
    if granted.reader:
        detail = f"{granted.login} reads as {READER}" + (
            f", and across agents as {OVERVIEW}" if granted.overview else ""
        )
        return "ok", detail, "" if granted.overview else f"to read the counts of all agents: `{granted.command}`"
    detail = f"{granted.login} is not a member of {READER}; the dashboard reads as {granted.login}, read-only"
    return "ok", detail, f"to read as a role that cannot write: `{granted.command}`"


def migrations(facts: Facts) -> Verdict:
    """Check that the database's schema has a revision that this version of the package can use."""
    health = facts.database
    if health is None:
        return UNREACHABLE
    if not health.migrated and facts.embedded:
        return "warning", "there is no schema yet", "none needed: opening a layer creates it"
    if not health.migrated:
        return "failure", "there is no schema", "`cognitive db upgrade`, as a role that may create a schema"
    if health.revision is None:
        return "failure", "this role may not read the revision of the schema", 'see the check "roles"'
    if (refused := refusal(health.revision, health.oldest)) is not None:
        detail, _, fix = refused.partition(": ")
        return (
            "failure",
            detail,
            f"{fix}; the schema's owner can upgrade it" if FIRST <= health.revision < HEAD else fix,
        )
    if health.revision != HEAD:
        return ok(f"revision {health.revision}, newer than this version and compatible with it")
    return ok(f"revision {health.revision}")


def opening(facts: Facts) -> Verdict:
    """Check that a `CognitiveLayer` can be opened with the configured connection and role.

    A connection pooler, for example, may prevent this.
    """
    if facts.database is None:
        return UNREACHABLE
    if facts.opening_error is not None:
        fix = facts.opening_fix or "change the setting or privilege named; see also the checks above"
        return "failure", facts.opening_error, fix
    return ok("a layer can open") if facts.database.migrated else skipped("there is no schema yet")


def trial(facts: Facts) -> Verdict:
    """Check that a memory of a throw-away agent can be stored, found, shown and erased."""
    if facts.database is None:
        return UNREACHABLE
    if facts.trial_error is not None:
        return "failure", facts.trial_error, "see the checks above, and the database's log"
    if not facts.tried:
        return "skipped", "only `cognitive doctor` stores and erases a memory, in a database that a layer can open", ""
    return ok("a memory of a throw-away agent was stored, found, shown and erased")


def row_security(health: DatabaseHealth) -> Verdict:
    """Check that row level security is forced on every table."""
    if health.unprotected:
        name = health.unprotected[0]
        fix = (
            f"ALTER TABLE cognitive.{name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; if that does not help,"
            " a row policy is missing: compare with the migrations"
        )
        return "failure", f"not forced on {', '.join(health.unprotected)}: agents may see each other's rows", fix
    return ok("forced on every table")


def indexes(health: DatabaseHealth) -> Verdict:
    """Check that every index is valid."""
    if health.broken_indexes:
        detail = f"invalid and not used: {', '.join(health.broken_indexes)}"
        return "failure", detail, "`cognitive db upgrade --repair`, as the owner of the schema"
    return ok("all indexes are valid")


def statistics(health: DatabaseHealth) -> Verdict:
    """Check that every large table has statistics for the query planner."""
    unknown = [table.name for table in health.tables if not table.analysed and table.bytes >= LARGE_TABLE]
    if unknown:
        fix = f"ANALYZE cognitive.{unknown[0]}; check that autovacuum is on"
        return "warning", f"never analyzed: {', '.join(unknown)}", fix
    return ok("every large table has statistics")


def bloat(health: DatabaseHealth) -> Verdict:
    """Check that no table consists mostly of dead rows, the remains of changed or deleted rows."""
    bloated = [table.name for table in health.tables if _is_bloated(table)]
    if bloated:
        detail = f"more than {MAX_DEAD:.0%} dead rows: {', '.join(bloated)}"
        return "warning", detail, f"VACUUM cognitive.{bloated[0]}; check for transactions that stay open"
    return ok("no table has many dead rows")


def _is_bloated(table: TableHealth) -> bool:
    return table.dead >= MIN_DEAD and table.dead > MAX_DEAD * (table.alive + table.dead)


def clock(health: DatabaseHealth) -> Verdict:
    """Check that the clock of the database agrees with that of this machine."""
    detail = f"the clock of the database is {abs(health.ahead):.3f} s {'ahead' if health.ahead > 0 else 'behind'}"
    skew = abs(health.ahead) - health.round_trip
    if skew <= MAX_SKEW_SECONDS:
        return ok(detail)
    return ("failure" if skew > MAX_SKEW_FAILURE_SECONDS else "warning"), detail, "synchronize both machines by NTP"


def spaces(facts: Facts) -> Verdict:
    """Check that this process has the embedding model of each agent.

    Also report the agents that are being moved to another model.
    """
    spaces, fix = facts.spaces, "set COGNITIVE_EMBEDDING_MODELS to available models, and install their extras"
    if spaces.error is not None:
        return "failure", spaces.error, fix
    if facts.database is None:
        return UNREACHABLE
    if spaces.hidden is not None:
        return skipped(
            f"this process has {', '.join(spaces.models)}; the models of agents are unknown: {spaces.hidden}"
        )
    missing = [each for each in spaces.agents if each.live and each.model not in spaces.models]
    if missing:
        detail = "; ".join(f"agents searched by {each.model}: {each.live}" for each in missing)
        fix = "add the missing model to COGNITIVE_EMBEDDING_MODELS, or `cognitive db reembed --to` one of yours"
        return "warning", f"{detail}, which this process lacks: it has {', '.join(spaces.models)}", fix
    return _model_changes(spaces)


def _model_changes(spaces: SpaceFacts) -> Verdict:
    building = [f"{each.building} agents to {each.model}" for each in spaces.agents if each.building]
    if building:
        fix = "continue with `cognitive db reembed --to MODEL`, finish with --cut-over, or abandon it with --cancel"
        return "warning", f"a change of model is in progress: {', '.join(building)}", fix
    detail = [f"agents searched by {each.model}: {each.live}" for each in spaces.agents if each.live]
    detail += [f"{each.ready} ready for {each.model}" for each in spaces.agents if each.ready]
    detail += [f"{each.retired} keep vectors of {each.model} (--drop-old)" for each in spaces.agents if each.retired]
    return ok(", ".join(detail) or f"no agents yet; this process has {', '.join(spaces.models)}")


def vector_index(facts: Facts) -> Verdict:
    """Check that every agent with many memories has a vector index."""
    spaces = facts.spaces
    if facts.database is None or spaces.error is not None:
        return UNREACHABLE if facts.database is None else skipped("this process has no embedding model")
    if spaces.hidden is not None:
        return skipped(f"the sizes of agents are unknown: {spaces.hidden}")
    if spaces.unindexed:
        detail = f"every search reads all vectors of these large agents: {', '.join(spaces.unindexed)}"
        return "warning", detail, f"`cognitive db index --agent {spaces.unindexed[0]}`, for each of them"
    return ok("every large agent has a vector index")


def degraded_turns(facts: Facts) -> Verdict:
    """Check that few of the latest turns lacked a part that failed or was late."""
    turns, degraded = facts.spaces.turns
    if facts.database is None or facts.spaces.hidden is not None:
        return (
            UNREACHABLE
            if facts.database is None
            else skipped(f"the turns of agents are unknown: {facts.spaces.hidden}")
        )
    detail = f"{degraded} of {turns} turns of today and yesterday (UTC) were degraded"
    if degraded <= MAX_DEGRADED * turns:
        return ok(detail)
    fix = "`cognitive why --agent AGENT` names the reasons; if Postgres was late, add processors or raise deadline_ms"
    return "warning", detail, fix


def users(facts: Facts) -> Verdict:
    """Check that no agent keeps what several people said as shared memories."""
    spaces = facts.spaces
    if facts.database is None:
        return UNREACHABLE
    if spaces.hidden is not None:
        return skipped(f"the speakers of agents are unknown: {spaces.hidden}")
    if spaces.without_users:
        names = ", ".join(spaces.without_users)
        fix = (
            "pass `user_id` in turns, so that users don't see each other's words, and run `cognitive user assign AGENT"
            " --dry-run`; a team's agent may keep them shared"
        )
        return "warning", f"these agents share what several speakers said, and have no users: {names}", fix
    return ok("no agent without users has several speakers")


def formation(facts: Facts) -> Verdict:
    """Check that the model that forms memories failed on no turn three times."""
    spaces = facts.spaces
    if facts.database is None:
        return UNREACHABLE
    if spaces.hidden is not None:
        return "skipped", f"the turns of agents are unknown: {spaces.hidden}", ""
    if not spaces.parked_turns:
        return ok("no turn is parked")
    parked = ", ".join(f"{agent}: {turns} (such as {first})" for agent, turns, first in spaces.parked_turns)
    fix = "once the model answers again: `cognitive agent form --parked --model MODULE:NAME --agent AGENT`"
    return "warning", f"turns that the model failed to read three times: {parked}", fix


def replica(facts: Facts) -> Verdict:
    """Check that the configured read replica is a standby of the primary and lags little behind it."""
    standby = facts.replica
    if facts.database is None:
        return UNREACHABLE
    if standby is None:
        return ok("no replica configured; dashboard reads use the primary")
    if standby.unfit is not None:
        fix = "repair the replica or unset COGNITIVE_REPLICA_URL; meanwhile dashboard reads use the primary"
        return "warning", standby.unfit, fix
    detail = f"{standby.seconds:.1f} s and {standby.bytes:,} bytes behind"
    if standby.seconds > MAX_LAG_SECONDS:
        return "warning", detail, "check that replication runs, in pg_stat_replication on the primary"
    return ok(detail)
