"""Checks of this machine: settings, files, disk, journal and the embedding model that comes with the package."""

from __future__ import annotations

from cognitive.doctor.facts import Facts, Verdict, ok

DIMENSION = 384  # of the bundled model
COSINE = 0.796  # of the two test sentences, with the bundled model
MAX_COSINE_DIFFERENCE = 0.05  # processors differ by 0.001 or so; another model or a broken file by 0.1 or more
MIN_FREE = 1 << 30  # bytes: Postgres stops if it cannot write its log, and a day of turns takes some hundred MB
MIN_FREE_FAILURE = 100 << 20  # bytes
MAX_BACKLOG = 1_000  # turns: a running process would have drained these hours of an agent's work


def settings(facts: Facts) -> Verdict:
    """Check that the environment variables can be parsed, and that no name that begins with COGNITIVE_ is misspelt."""
    if facts.host.settings is not None:
        return "failure", facts.host.settings, "correct or unset this variable"
    if facts.host.unknown:
        detail = ", ".join(f"{name} is not a setting" for name, _ in facts.host.unknown)
        return "warning", detail, f"did you mean {', '.join(meant for _, meant in facts.host.unknown)}?"
    return ok("all variables are valid")


def policy(facts: Facts) -> Verdict:
    """Check that the policy files named by the settings are valid."""
    if facts.host.policy is not None:
        fix = "`python -m cognitive.cli.reference settings` lists all settings of a policy with their bounds"
        return "failure", facts.host.policy, fix
    return ok(", ".join(facts.host.policies) or "the default policy")


def directory(facts: Facts) -> Verdict:
    """Check that the data directory is writable."""
    if facts.host.unusable is not None:
        fix = "give this user write permission, or set COGNITIVE_DATA_DIR to another directory"
        return "failure", f"{facts.host.directory}: {facts.host.unusable}", fix
    return ok(facts.host.directory)


def disk(facts: Facts) -> Verdict:
    """Check that the disk of the data directory has enough free space."""
    free = facts.host.free
    if free is None:
        return "unknown", "the data directory and its parents do not exist", ""
    detail = f"{free / (1 << 30):.1f} GB free at {facts.host.directory}"
    if free >= MIN_FREE:
        return ok(detail)
    fix = "free some space, or move the data directory (COGNITIVE_DATA_DIR) to another disk"
    return ("failure" if free < MIN_FREE_FAILURE else "warning"), detail, fix


def journal(facts: Facts) -> Verdict:
    """Check that the local journal can store the outcomes of turns while Postgres is away, and that few wait in it."""
    host = facts.host
    if host.unreadable is not None:
        fix = "give this user read and write permission; until then outcomes are lost while Postgres is away"
        return "failure", host.unreadable, fix
    detail = f"{host.pending} waiting for Postgres, {host.parked} parked"
    if host.parked:
        fix = (
            "parked turns are tried again when a process opens the layer; to see the reasons: "
            f"sqlite3 {host.journal} 'SELECT agent_id, turn_id, error FROM entry WHERE error IS NOT NULL'"
        )
        return "warning", detail, fix
    if host.pending > MAX_BACKLOG:
        return "warning", detail, "keep a layer open until they are recorded; check that Postgres answers"
    return ok(detail)


def breaker(facts: Facts) -> Verdict:
    """Check that the circuit breaker is enabled, so that turns fail fast while Postgres is away."""
    if not facts.host.failures:
        detail = "disabled: while Postgres is away, every turn waits for its whole deadline"
        return "warning", detail, "unset COGNITIVE_BREAKER_FAILURES"
    return ok(f"opens after {facts.host.failures} consecutive failures, and closes when a probe succeeds")


def model(facts: Facts) -> Verdict:
    """Check that the embedding model's vectors of two test sentences have the expected dimension and similarity."""
    model = facts.model
    if model.error is not None or model.dimension is None or model.cosine is None:
        fix = "reinstall this package, and give this user write permission in the cache directory (COGNITIVE_CACHE_DIR)"
        return "failure", f"{model.name}: {model.error}", fix
    detail = f"{model.name}, {model.dimension} dimensions, loaded in {model.seconds or 0:.1f} s"
    if not model.bundled:
        return ok(detail)
    if model.dimension != DIMENSION or abs(model.cosine - COSINE) > MAX_COSINE_DIFFERENCE:
        wrong = f"{detail}: the test sentences have a cosine of {model.cosine:.3f}, expected {COSINE:.3f}"
        fix = "remove the prepared model from the cache directory (COGNITIVE_CACHE_DIR); it is created again"
        return "failure", wrong, fix
    return ok(detail)
