"""Configure the logs of the server's process: one format for all records, with the ids of request, agent and turn.

Only the server's own process is configured. In a host's process, the library logs through `logging` and leaves the
configuration to the host. Texts by users and agents are not logged. Errors are logged with their type, message and
traceback, without the values of variables.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TextIO

from cognitive.extras import extra

if TYPE_CHECKING:  # of an extra
    from structlog.typing import Processor

LogFormat = Literal["json", "console"]

# Characters that change the direction of writing, for a regular expression: text could look like other text.
DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# With control characters and line separators: in an id, they could steer a terminal or forge a log line.
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{DIRECTIONS}]")


class LineFormatter(logging.Formatter):
    """A log formatter that writes each record as a single line, followed by an indented traceback if there is one.

    Control characters are escaped, so that no text can end the line or look like another record.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's
        """Return the line of a log record, without its traceback, with control characters escaped."""
        return escaped(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's
        """Return the traceback of an exception, indented and with control characters escaped."""
        return _indented("".join(traceback.format_exception(*ei)))


def configure(form: LogFormat = "json", level: int | str = logging.INFO, stream: TextIO | None = None) -> None:
    """Configure logging so that all log records of this process are written to a stream, by default standard error.

    In the form "json", each record is a JSON object on one line with timestamp (UTC, ISO 8601), level, logger, event,
    and the ids added by `bound`. The form "console" is for people. Records of `logging` and of structlog are written
    alike.

    Raises:
        ImportError: structlog is not installed; it comes with the extra `server`.
    """
    with extra("server"):
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


def escaped(text: str) -> str:
    """Return a text with its control characters escaped: on one line, and harmless to a terminal."""
    return _CONTROL.sub(escape, text)


def escape(match: re.Match[str]) -> str:
    r"""Return the escape sequence of a matched character, such as `\x1b` or `\u202e`."""
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def bound(**ids: str | None) -> AbstractContextManager[Any]:
    """Add ids to all records that are logged inside the block: `request_id`, `agent_id`, `turn_id`.

    An id that is None is left out.
    """
    import structlog

    return structlog.contextvars.bound_contextvars(**{name: value for name, value in ids.items() if value is not None})


def _rendering(form: LogFormat) -> list[Processor]:
    import structlog

    if form == "console":
        return [_on_one_line, structlog.dev.ConsoleRenderer(exception_formatter=_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _on_one_line(_logger: Any, _method: str, event: Any) -> Any:
    return {name: escaped(value) if isinstance(value, str) else value for name, value in event.items()}


def _traceback(file: TextIO, exc_info: Any) -> None:
    """Write an exception's traceback to the file, without the values of variables that structlog prints by default."""
    file.write(_indented("".join(traceback.format_exception(*exc_info))))


def _indented(trace: str) -> str:
    return "\n".join(f"  {escaped(line)}" for line in trace.rstrip().split("\n"))
