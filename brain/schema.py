"""What this version needs of a database: revision, server, extension."""

from __future__ import annotations

HEAD = "0011"
LEAST_POSTGRES = 16
LEAST_PGVECTOR = "0.8.0"


def pgvector_too_old(version: str) -> bool:
    """Whether this version of the extension lacks halfvec or iterative scans."""
    return [int(part) for part in version.split(".")] < [int(part) for part in LEAST_PGVECTOR.split(".")]
