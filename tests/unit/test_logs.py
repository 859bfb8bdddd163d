"""The logs of the server: one format, the ids of the request, and no values of variables."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import structlog

from cognitive.telemetry import logs


@pytest.fixture
def stream():
    """Provide a stream for logs and restore the logging configuration afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []  # otherwise pytest's handlers would be closed too
    yield io.StringIO()
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def lines(stream) -> list[dict]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_log_records_are_one_json_object_per_line(stream):
    logs.configure(stream=stream)
    logging.getLogger("cognitive.layer").warning("turn %s goes to the journal", "t1")
    structlog.get_logger("cognitive.server").info("listening", port=8700)
    first, second = lines(stream)
    assert {name: first[name] for name in ("event", "level", "logger")} == {
        "event": "turn t1 goes to the journal",
        "level": "warning",
        "logger": "cognitive.layer",
    }
    assert (second["event"], second["port"]) == ("listening", 8700)
    assert first["timestamp"].endswith("Z")


def test_bound_ids_appear_in_log_records_within_the_context(stream):
    logs.configure(stream=stream)
    with logs.bound(request_id="r1", agent_id="a", turn_id=None):
        logging.getLogger("cognitive").info("within")
    logging.getLogger("cognitive").info("after")
    within, after = lines(stream)
    assert (within["request_id"], within["agent_id"]) == ("r1", "a")
    assert "turn_id" not in within
    assert "request_id" not in after


@pytest.mark.parametrize("form", ["json", "console"])
def test_logged_error_has_type_and_place_but_no_variable_values(stream, form):
    logs.configure(form, stream=stream)
    written_by_a_user = " ".join(["my", "secret"])
    try:
        int(written_by_a_user[:0])
    except ValueError:
        logging.getLogger("cognitive").exception("it failed")
        structlog.get_logger("cognitive").exception("it failed again")
    output = stream.getvalue()
    assert output.count("ValueError") >= 2
    assert "test_logs.py" in output
    assert "my secret" not in output


DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
FORGED = f"t\n2026-01-01 ERROR forged\x1b[2J\x07\u2028{DIRECTIONS}"


def test_logged_ids_cannot_forge_lines_or_send_control_codes(stream):
    log = logging.getLogger("cognitive.feedback.outcomes")
    logs.configure("console", stream=stream)
    plain = io.StringIO()
    logging.getLogger().addHandler(handler := logging.StreamHandler(plain))
    handler.setFormatter(logs.LineFormatter("%(levelname)s %(message)s"))
    try:
        raise ValueError(FORGED)
    except ValueError:
        log.exception("turn %s goes to the journal", FORGED)
    for output in (stream.getvalue(), plain.getvalue()):
        assert "\\x1b[2J" in output
        assert not any(each in output for each in ("\x1b[2J", "\x07", "\u2028", *DIRECTIONS))
        assert "\\u202e" in output
        assert not any(line.startswith("2026-01-01") for line in output.splitlines())
        assert "ValueError" in output


def test_records_below_the_level_are_not_logged(stream):
    logs.configure(level="WARNING", stream=stream)
    logging.getLogger("cognitive").info("classified")
    structlog.get_logger("cognitive").info("listening")
    assert stream.getvalue() == ""


def test_library_is_silent_until_the_host_configures_logging(root: Path):
    program = "import logging, cognitive.layer; logging.getLogger('cognitive.layer').warning('said')"
    run = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert run.stderr == ""
