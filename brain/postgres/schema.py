"""The versions of the database schema, of Postgres and of the pgvector extension that this package needs."""

from __future__ import annotations

import re

from brain.errors import SchemaError

FIRST = "0101"  # the one migration that all others are built on; databases from before it have smaller numbers
HEAD = "0114"
MIN_POSTGRES = 16
MIN_PGVECTOR = "0.8.0"


def pgvector_too_old(version: str) -> bool:
    """Return True if this version of pgvector lacks a feature that this package needs: halfvec or iterative scans."""
    return [int(part) for part in version.split(".")] < [int(part) for part in MIN_PGVECTOR.split(".")]


def hidden_pgvector(schema: str, login: str) -> SchemaError:
    """Return the error for a login that does not find the types of pgvector, which is in this schema."""
    return SchemaError(
        f"the extension pgvector is in the schema {schema}, where {login} does not find its types",
        remedy=f'a superuser runs ALTER ROLE "{login}" SET search_path = "$user", public, "{schema}" and'
        f' GRANT USAGE ON SCHEMA "{schema}" TO public',
    )


def is_known(revision: str) -> bool:
    """Return True if a revision was made by this version's migrations or by those of a newer version.

    Revisions have four digits and grow from version to version, so every revision from the first migration on is known.
    """
    return re.fullmatch(r"\d{4}", revision) is not None and revision >= FIRST


def unknown(revision: str) -> str:
    """Return the error message for a database whose revision this version does not know and cannot upgrade."""
    return (
        f"the schema is at revision {revision}, which this version does not know: export the memories with the version"
        " that wrote them (`cognitive db export`), then import them into an empty database (`cognitive db import`)."
        " Turns, sessions and artifacts are not carried"
    )


def refusal(revision: str, oldest: str | None, head: str = HEAD) -> str | None:
    """Return the reason why code of revision `head` may not use a schema at `revision`, or None if it may.

    The reason also says what to do. `oldest` is the revision of the oldest code that may use the schema, or None if the
    schema does not store it. Revisions are compared as text.
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
