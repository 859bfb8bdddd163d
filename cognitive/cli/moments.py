"""Times on the command line: a day, or a time with its offset."""

from __future__ import annotations

from datetime import UTC, datetime

import click

MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z"])


def aware(moment: datetime | None) -> datetime | None:
    """A time without an offset, which is a day, as of UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
