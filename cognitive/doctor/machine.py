"""Checks of this machine: settings, files, disk, journal, the bundled model."""

from __future__ import annotations

from cognitive.doctor.facts import Facts, Verdict, ok

DIMENSION = 384  # of the bundled model
COSINE = 0.796  # of the two test sentences, as the bundled model gives it
MAX_COSINE_DIFFERENCE = (
    0.05  # processors differ in the third digit; another model or a broken file differs in the first
)
MIN_FREE = 1 << 30  # bytes: Postgres stops when its log finds no room, and a day of turns takes some hundred MB
MIN_FREE_FAILURE = 100 << 20
MAX_BACKLOG = 1_000  # turns: hours of an agent's work, which a process that runs would have settled


def settings(facts: Facts) -> Verdict:
    """Whether the environment can be read, and names no setting that there is not."""
    if facts.host.settings is not None:
        return "failure", facts.host.settings, "correct or unset this variable"
    if facts.host.unknown:
        detail = ", ".join(f"{name} is no setting" for name, _ in facts.host.unknown)
        return "warning", detail, f"did you mean {', '.join(meant for _, meant in facts.host.unknown)}?"
    return ok("the environment is read")


def policy(facts: Facts) -> Verdict:
    """Whether the files that the settings name hold policies."""
    if facts.host.policy is not None:
        fix = "`python -m cognitive.cli.reference settings` lists what a policy may say, with its bounds"
        return "failure", facts.host.policy, fix
    return ok(", ".join(facts.host.policies) or "the default policy")


def directory(facts: Facts) -> Verdict:
    """Whether something can be kept in the data directory."""
    if facts.host.unusable is not None:
        fix = "let this user write there, or name another directory in COGNITIVE_DATA_DIR"
        return "failure", f"{facts.host.directory}: {facts.host.unusable}", fix
    return ok(facts.host.directory)


def disk(facts: Facts) -> Verdict:
    """Whether its disk has room."""
    free = facts.host.free
    if free is None:
        return "unknown", "there is no directory to look at", ""
    detail = f"{free / (1 << 30):.1f} GB free at {facts.host.directory}"
    if free >= MIN_FREE:
        return ok(detail)
    fix = "make room, or move the data directory (COGNITIVE_DATA_DIR) to another disk"
    return ("failure" if free < MIN_FREE_FAILURE else "warning"), detail, fix


def journal(facts: Facts) -> Verdict:
    """Whether outcomes are safe while Postgres is away, and whether any waits for it."""
    host = facts.host
    if host.unreadable is not None:
        fix = "let this user read and write it: outcomes are not safe while Postgres is away"
        return "failure", host.unreadable, fix
    detail = f"{host.pending} waiting for Postgres, {host.parked} parked"
    if host.parked:
        fix = (
            "they are tried again when a process opens the layer; the reasons: "
            f"sqlite3 {host.journal} 'SELECT agent_id, turn_id, error FROM entry WHERE error IS NOT NULL'"
        )
        return "warning", detail, fix
    if host.pending > MAX_BACKLOG:
        return "warning", detail, "they are settled while a process has the layer open and Postgres answers"
    return ok(detail)


def breaker(facts: Facts) -> Verdict:
    """Whether turns go on without memory, and at once, while Postgres is away."""
    if not facts.host.failures:
        detail = "it never opens: while Postgres is away, every turn waits for its whole deadline"
        return "warning", detail, "unset COGNITIVE_BREAKER_FAILURES"
    return ok(f"Postgres is asked no more after {facts.host.failures} failures in a row, until a probe is answered")


def model(facts: Facts) -> Verdict:
    """Whether the embedding model gives the vectors that it should."""
    model = facts.model
    if model.error is not None or model.dimension is None or model.cosine is None:
        fix = "install this package again, and let this user write to the cache directory (COGNITIVE_CACHE_DIR)"
        return "failure", f"{model.name}: {model.error}", fix
    detail = f"{model.name}, {model.dimension} numbers, ready in {model.seconds or 0:.1f} s"
    if not model.bundled:
        return ok(detail)
    if model.dimension != DIMENSION or abs(model.cosine - COSINE) > MAX_COSINE_DIFFERENCE:
        off = f"{detail}: the test sentences have a cosine of {model.cosine:.3f}, not {COSINE:.3f}"
        fix = "remove the prepared model from the cache directory (COGNITIVE_CACHE_DIR): it is made anew"
        return "failure", off, fix
    return ok(detail)
