"""Logs of the server's process: one form for all that is said there, and which request, agent and turn it is about.

Only a process of our own is configured. In somebody else's, the library says what it has to say through `logging` and
leaves the rest to its host. What users and agents write is not logged; of errors their kind, message and place, without
the values of variables.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TextIO

from brain.postgres.connection_setup import log_pools_briefly

if TYPE_CHECKING:  # of an extra
    from structlog.typing import Processor

LogFormat = Literal["json", "console"]

# What would steer a terminal, or end a line and begin one that nobody logged: a turn may have any name.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class LineFormatter(logging.Formatter):
    """A record as a line that nothing in it can end; a traceback behind it is indented, and passes for none."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's
        """The line, without a traceback."""
        return escaped(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's
        """The traceback."""
        return _indented("".join(traceback.format_exception(*ei)))


def configure(form: LogFormat = "json", level: int | str = logging.INFO, stream: TextIO | None = None) -> None:
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
    log_pools_briefly()
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def escaped(text: str) -> str:
    """A text on one line that cannot steer a terminal."""
    return _STEERING.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def bound(**about: str | None) -> AbstractContextManager[Any]:
    """What is logged while this is entered is about this: `request_id`, `agent_id`, `turn_id`; None is left out."""
    import structlog

    return structlog.contextvars.bound_contextvars(
        **{name: value for name, value in about.items() if value is not None}
    )


def _rendering(form: LogFormat) -> list[Processor]:
    import structlog

    if form == "console":
        return [_on_one_line, structlog.dev.ConsoleRenderer(exception_formatter=_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _on_one_line(_logger: Any, _method: str, event: Any) -> Any:
    return {name: escaped(value) if isinstance(value, str) else value for name, value in event.items()}


def _traceback(file: TextIO, of: Any) -> None:
    """Without the values of variables, which the pretty one prints."""
    file.write(_indented("".join(traceback.format_exception(*of))))


def _indented(trace: str) -> str:
    return "\n".join(f"  {escaped(line)}" for line in trace.rstrip().split("\n"))
