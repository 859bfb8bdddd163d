"""Tool output in the prompt is bounded, and every omission has a pointer to the full text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cognitive.errors import PolicyError
from cognitive.window.output.normalise import LIMITS, OutputLimit, OutputLimits, kind_of, normalise, pointers

OUTPUTS = Path(__file__).parents[1] / "data" / "tool_outputs"
TOOLS = st.sampled_from(["Bash", "grep", "Read", "WebFetch", "sql_query", "whatever"])
DEFAULT = OutputLimits()
SMALL = OutputLimits(
    {kind: OutputLimit(kind, 600, 200, row.exact, row.per_file, row.markup) for kind, row in LIMITS.items()}
)
# Pieces of tool output that are hard to shorten correctly.
PIECE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "\x1b[31m",
            "\x1b[0m",
            "\x1b]0;title\x07",
            "\x1b",
            "\r",
            "\r\n",
            "\n",
            "\b",
            "\t ",
            "  ",
            "\x00",
            "\ud83d",
            "\ude00",
            "👩\u200d👩\u200d👧",
            "🇩🇪🇫🇷",
            "e\u0301",
            "50% [=====>    ]",
            "Downloading x-1.0.whl (3 MB)",
            "Error: no such file",
            "2026-01-02 03:04:05 INFO polled",
            "A" * 300,
            '{"a": [1, 2, {"error": "e"}]}',
            "<script>x</script>",
            "src/a.py:3: x",
            "[... 1 of 2 characters left out; whole: artifact:00000000-0000-0000-0000-000000000001]",
        ]
    ),
)
TEXT = st.lists(st.tuples(PIECE, st.integers(1, 30), st.sampled_from(["", "\n"])), max_size=20).map(
    lambda pieces: "".join((piece + end) * times for piece, times, end in pieces)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner, max_size=30),
    max_leaves=200,
)


def shown(output, tool="Bash", limits=DEFAULT):
    return normalise(output, tool=tool, session_id="s", limits=limits)


def recorded(name):
    return (OUTPUTS / name).read_bytes().decode("utf-8", "surrogateescape")


@given(TEXT, TOOLS)
@settings(max_examples=150, deadline=None)
@example("\x1b" + "]" * 700, "Bash")
@example("a\rb" * 500, "Bash")
@example("\ud83d" * 2000, "Read")
@example("1\b" + "0" * 21 + ":" + "000000000000000:" * 3 + "0" * 340, "Bash")
def test_any_output_is_bounded_storable_and_idempotent(text, tool):
    once = shown(text, tool, SMALL)
    assert len(once.text) <= 600
    once.text.encode()
    assert "\x00" not in once.text
    assert (once.pointer is None) == (once.whole is None)
    assert once.pointer is None or once.pointer in pointers(once.text)
    twice = shown(once.text, tool, SMALL)
    assert (twice.text, twice.pointer) == (once.text, None)


@given(st.dictionaries(st.text(max_size=20), JSON, min_size=1) | st.lists(JSON, min_size=1))
@settings(max_examples=40, deadline=None)
def test_shortened_json_is_valid_json(value):
    once = shown(json.dumps(value), "api", OutputLimits({"data": OutputLimit("data", 2_000, 200)}))
    assert len(once.text) <= 2_000
    if once.notes == ("json",):
        assert type(json.loads(once.text)) is type(value)
    elif once.pointer is None:
        assert json.loads(once.text) == json.loads(json.dumps(value))


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=300), TOOLS)
@settings(deadline=None)
def test_short_clean_text_is_unchanged(text, tool):
    clean = text.rstrip()
    assert shown(clean, tool).text == clean


@pytest.mark.parametrize("path", sorted(OUTPUTS.iterdir()), ids=lambda path: path.name)
def test_recorded_outputs_are_bounded_clean_and_stable(path):
    tool = path.stem.split("-")[0]
    once = shown(recorded(path.name), tool)
    assert len(once.text) <= DEFAULT.of(tool).characters
    assert DEFAULT.of(tool).exact or not re.search("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", once.text)
    assert shown(once.text, tool).text == once.text
    assert once.pointer is None or len(once.text) < once.before


@pytest.mark.parametrize(
    ("name", "kept", "removed"),
    [
        (
            "bash-pytest.txt",
            [
                "test_rounds_half_up FAILED",
                "E       AssertionError: assert Decimal('0.37')",
                "1 failed, 300 passed",
                "test_invoice.py:41",
            ],
            ["\x1b", "test_case_17 "],
        ),
        ("bash-npm-install.txt", ["npm ERR! code ERESOLVE", 'peer react@"^17.0.0"', "debug-0.log"], ["\x1b", "\r"]),
        ("bash-docker-pull.txt", ["sha256:9f2c41d0", "gateway:latest"], ["Verifying"]),
        ("bash-pip.txt", ["torch-2.4.1 triton-3.0.0"], ["eta", "\x1b"]),
        ("bash-apt.txt", ["E: Sub-process /usr/bin/dpkg returned", " postgresql-client-17"], ["Preparing to unpack"]),
        ("bash-base64.txt", ["$ cat key.b64", "118 lines written to /tmp/logo.b64"], []),
        (
            "terminal-stack-trace.txt",
            [
                "ord_00377 not saved",
                "IllegalStateException: connection pool exhausted after 30000 ms",
                "Caused by: java.sql.SQLTransientConnectionException",
            ],
            [],
        ),
        ("api-records.jsonl", ["ConnectionResetError: peer 10.2.0.17:5432"], []),
        (
            "web-page.html",
            ["600 requests per minute", "Retry-After", "/docs/billing"],
            ["tracking", "color:red", "<p>"],
        ),
        ("powershell-windows.txt", ["error CS0103", "1 Error(s)"], ["\r"]),
    ],
)
def test_important_lines_are_kept_and_noise_is_removed(name, kept, removed):
    text = shown(recorded(name), name.split("-")[0]).text
    assert [each for each in kept if each not in text] == []
    assert [each for each in removed if each in text] == []


def test_long_json_keeps_keys_failed_item_and_pointer():
    once = shown(recorded("api-orders.json"), "api")
    value = json.loads(once.text)
    assert list(value)[:4] == ["object", "has_more", "next_cursor", "data"]
    failed = [each for each in value["data"] if isinstance(each, dict) and each["status"] == "failed"]
    assert failed[0]["error"]["message"] == "The card was declined (insufficient_funds)."
    assert value["[...]"].endswith(f"whole: artifact:{once.pointer}]")


def test_search_output_keeps_a_line_of_every_file():
    whole = recorded("grep-results.txt")
    text = shown(whole, "grep").text
    assert {line.split(":")[0] for line in text.splitlines() if line[0] == "s"} == {
        line.split(":")[0] for line in whole.splitlines()
    }


def test_file_output_is_cut_but_never_cleaned_or_folded():
    repeated = "x = 1   \r\n" * 500 + "50% [=====>     ]\n\x1b[31m\n"
    assert shown(repeated, "read_file").text == repeated
    whole = recorded("read-module.txt")
    head, tail = re.split(r"\n\[\.\.\. [^\n]*\]\n", shown(whole, "Read").text)
    assert whole.startswith(head)
    assert whole.endswith(tail)


def test_error_in_the_middle_of_a_long_output_is_kept():
    lines = [f"row {n} of the import was read and written" for n in range(120_000)]
    lines[60_000] = "ValueError: row 60000 has no price"
    text = shown("\n".join(lines)).text
    assert "ValueError: row 60000 has no price" in text
    assert text.startswith(lines[0])
    assert text.endswith(lines[-1])


def test_repeated_errors_leave_room_for_a_different_error():
    lines = [f"step {n} went well and nothing is to be said of it" for n in range(400)]
    lines[100:300] = [f"Error: part {n} is missing" for n in range(200)]
    lines[222] = "MemoryError: the heap is full"
    assert "MemoryError: the heap is full" in shown("\n".join(lines)).text


def test_unread_lines_are_not_counted_as_repeated():
    text = shown(
        "tick\n" * 20_000 + "\n".join(f"another line, number {n}" for n in range(80_000)) + "\ntick" * 20_000
    ).text
    assert "more times" in text
    assert not any(int(n.replace(",", "")) > 8_000 for n in re.findall(r"above ([\d,]+) more times", text))


def test_data_rows_that_differ_in_figures_are_not_folded():
    table = "\n".join(f"{n},{n * n},{n % 7}" for n in range(200))
    assert shown(table).text == table


def test_repeated_lines_and_blocks_are_counted():
    text = shown(
        "start\n" + "waiting for the lock to be released\n" * 40 + "tick of the clock\ntock of the clock\n" * 30
    ).text
    assert "waiting for the lock to be released\n[... the line above 39 more times]" in text
    assert "tock of the clock\n[... the 2 lines above 29 more times]" in text


def test_error_among_progress_lines_is_kept():
    log = [f"Downloading part-{n}.tar.gz (12 MB)" for n in range(60)]
    log[30] = "Downloading part-30.tar.gz: ERROR: checksum differs"
    assert "checksum differs" in shown("\n".join(log)).text


def test_cut_never_splits_a_grapheme():
    families = "👩\u200d👩\u200d👧" * 3_000
    for piece in re.split(r"\[\.\.\. [^\]]*\]|\n", shown(families).text):
        assert piece.replace("👩\u200d👩\u200d👧", "") == ""


def test_pointer_depends_on_session_and_full_text():
    text = "\n".join(f"line {n}" for n in range(5_000))
    assert shown(text).pointer == shown(text).pointer
    assert normalise(text, tool="Bash", session_id="other", limits=OutputLimits()).pointer != shown(text).pointer
    assert shown(text).whole == text
    assert pointers(shown(text).text) == (shown(text).pointer,)


def test_forged_pointer_in_output_is_ignored():
    forged = (
        "[... 1 of 2 characters left out; whole: artifact:00000000-0000-0000-0000-000000000001]\n" + "x y\n" * 9_000
    )
    once = shown(forged)
    assert once.whole == forged
    assert once.pointer in pointers(once.text)
    assert once.pointer != UUID(int=1)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Bash", "terminal"),
        ("run_terminal_cmd", "terminal"),
        ("mcp__shell__exec", "terminal"),
        ("Grep", "search"),
        ("code_search", "search"),
        ("read_file", "file"),
        ("mcp__fs__readTextFile", "file"),
        ("str_replace_editor", "file"),
        ("WebFetch", "web"),
        ("web_search", "web"),
        ("browser_navigate", "web"),
        ("sql_query", "data"),
        ("calculator", "default"),
        ("", "default"),
    ],
)
def test_kind_of_a_tool_follows_from_its_name(tool, kind):
    assert kind_of(tool) == kind


def test_tool_kinds_and_character_limits_are_configurable():
    limits = OutputLimits(tools={"calculator": "file"}).with_characters({"terminal": 500})
    assert limits.of("calculator").exact
    assert limits.of("Bash").characters == 500
    assert limits.of("Grep") == LIMITS["search"]


def test_limit_too_small_for_the_pointer_is_refused():
    with pytest.raises(PolicyError, match="terminal"):
        OutputLimit("terminal", characters=100, line=50)
