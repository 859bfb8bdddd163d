"""What asyncpg's pool logs while Postgres is away, in a line each.

It restores its connections by itself, in pauses of up to a minute, and tells of each try in vain with a trace of twenty
lines. Whose connection was refused or reset is said by the reason; any other failure keeps its trace.
"""

from __future__ import annotations

import logging

import asyncpg

_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TargetServerAttributeNotMatched,
)


class _Briefly(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, _AWAY):
            record.msg, record.args, record.exc_info = "%s: %s", (record.getMessage(), error or "no answer"), None
        return True


_BRIEFLY = _Briefly()


def told_briefly() -> None:
    """Has the pools of this process tell so from now on: of a process of our own, since it reaches all its pools."""
    logging.getLogger("asyncpg.pool").addFilter(_BRIEFLY)
