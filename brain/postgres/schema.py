"""What this version needs of a database: revision, server, extension."""

from __future__ import annotations

import re

FIRST = "0100"  # the one migration that all others are built on; databases from before it have smaller numbers
HEAD = "0100"
MIN_POSTGRES = 16
MIN_PGVECTOR = "0.8.0"


def pgvector_too_old(version: str) -> bool:
    """Whether this version of the extension lacks halfvec or iterative scans."""
    return [int(part) for part in version.split(".")] < [int(part) for part in MIN_PGVECTOR.split(".")]


def is_known(revision: str) -> bool:
    """Return whether a revision belongs to this schema's migrations, or to a newer version's."""
    return re.fullmatch(r"\d{4}", revision) is not None and revision >= FIRST


def unknown(revision: str) -> str:
    """Return the refusal of a database whose revision no migration here leads on from, with what to do."""
    return (
        f"the schema is at revision {revision}, which this version does not know: export the memories with the version"
        " that wrote them (`cognitive db export`), then import them into an empty database (`cognitive db import`)."
        " Turns, sessions and artifacts are not carried"
    )


def refusal(revision: str, oldest: str | None, head: str = HEAD) -> str | None:
    """Why code of revision `head` may not use a schema at `revision`, with what to do; None if it may.

    `oldest` is the oldest code that the schema serves, by the revision that it was written for; None if the schema does
    not say. Revisions compare as text.
    """
    if revision == head:
        return None
    if not is_known(revision):
        return unknown(revision)
    if revision < head:
        return f"the schema is at revision {revision}, this version needs {head}: run `cognitive db upgrade`"
    if oldest is None or oldest > head:
        needed = f"code for {oldest or revision} or newer, and this version is for {head}"
        return f"the schema is at revision {revision}, which needs {needed}: upgrade this package"
    return None
