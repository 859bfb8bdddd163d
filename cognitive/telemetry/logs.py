"""Logs of the server's process: one form for all that is said there, and which request, agent and turn it is about.

Only a process of our own is configured. In somebody else's, the library says what it has to say through `logging` and
leaves the rest to its host. What users and agents write is not logged; of errors their kind, message and place, without
the values of variables.
"""

from __future__ import annotations

import logging
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:  # of an extra
    from structlog.typing import Processor

Form = Literal["json", "console"]


def configure(form: Form = "json", level: int | str = logging.INFO, stream: TextIO | None = None) -> None:
    """Has all that is logged in this process written to a stream, standard error unless it is given.

    "json" is one object per line with timestamp (UTC, ISO 8601), level, logger, event, and what is bound; "console" is
    for people. What `logging` and structlog are told goes the same way.

    Raises:
        ImportError: structlog is not installed; it comes with the extra `server`.
    """
    import structlog

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.PositionalArgumentsFormatter()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(form)],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def bound(**about: str | None) -> AbstractContextManager[Any]:
    """What is logged while this is entered is about this: `request_id`, `agent_id`, `turn_id`; None is left out."""
    import structlog

    return structlog.contextvars.bound_contextvars(
        **{name: value for name, value in about.items() if value is not None}
    )


def _rendering(form: Form) -> list[Processor]:
    import structlog

    if form == "console":
        plain = structlog.dev.plain_traceback  # the pretty one prints the values of variables
        return [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
