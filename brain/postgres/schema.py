"""What this version needs of a database: revision, server, extension."""

from __future__ import annotations

HEAD = "0013"
LEAST_POSTGRES = 16
LEAST_PGVECTOR = "0.8.0"


def pgvector_too_old(version: str) -> bool:
    """Whether this version of the extension lacks halfvec or iterative scans."""
    return [int(part) for part in version.split(".")] < [int(part) for part in LEAST_PGVECTOR.split(".")]


def refusal(revision: str, oldest: str | None) -> str | None:
    """Why code of this version may not use a schema at `revision`, with what to do; None if it may.

    `oldest` is the oldest code that the schema serves, by the revision that it was written for; None in a schema from
    before it told. Revisions compare as text.
    """
    if revision == HEAD:
        return None
    if revision < HEAD:
        return f"the schema is at revision {revision}, this version needs {HEAD}: run `cognitive db upgrade`"
    if oldest is None or oldest > HEAD:
        needed = f"code for {oldest or revision} or newer, and this version is for {HEAD}"
        return f"the schema is at revision {revision}, which needs {needed}: upgrade this package"
    return None
