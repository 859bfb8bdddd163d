"""What a check says: how it stands, what was found, and what mends it."""

from __future__ import annotations

from typing import Literal

Status = Literal["ok", "warning", "failure", "unknown"]
Verdict = tuple[Status, str, str]

AWAY: Verdict = ("unknown", "the database is away", "")


def ok(found: str) -> Verdict:
    """All is well."""
    return "ok", found, ""
