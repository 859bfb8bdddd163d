"""The importance of output lines: a batch of lines is classified like each line alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cognitive.window.output import importance

BITS = [
    "",
    " ",
    "\t",
    "x",
    "✗",
    "✗ ",
    "ok",
    "ok ",
    "copying",
    "copying b",
    "12%",
    "12 % ",
    "#### 3",
    "E  ",
    "E  boom",
    "ERROR",
    '"error":',
    '"error": "q"',
    "error: x",
    "3 passed",
    "==== 3 passed ====",
    "2026-01-02 10:00:01 did 7",
    "INFO",
    "?INFO",
    "Total",
    "Traceback (most recent call last)",
    "a" * 40,
    "\r",
    "\x0c",
    "\u2028",
    "…",
    "⠁",
    "\ufffd",
]


@pytest.mark.parametrize("kind", ["severe", "notable", "progress", "routine", "record"])
@given(lines=st.lists(st.lists(st.sampled_from(BITS), max_size=3).map("".join), max_size=12))
@example(lines=["✗", "creating a"])
@example(lines=["", "2026-01-02 10:00:01 did 7", "ok", "✗"])
def test_batch_search_matches_the_search_of_each_line(kind, lines):
    kind = getattr(importance, kind)
    assert kind.among(lines) == {n for n, line in enumerate(lines) if kind.search(line)}
