"""A memory type is one row of one table, and all lists of types derive from it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from brain.memory_types import MEMORY_TYPES, TYPE_ROWS
from brain.types import ATTRIBUTES
from cognitive.policy.tables import FrameBudget

ROW = """    TypeRow(
        name="reminder", heading="Reminders", colour="teal", attributes={"due": "label", "state": ("open", "done")},
        tokens=dict.fromkeys(("conversation", "question", "task", "decision", "creative", "debug"), 70),
    ),
)
MEMORY_TYPES:"""
CHECKS = """
from brain.analytics.memories import _LISTS
from brain.types import ATTRIBUTES, MEMORY_TYPES, NewMemory
from cognitive.cli.options import TYPE
from cognitive.context.render import EMPTY_BLOCK, HEADINGS
from cognitive.dashboard.rendering import _TYPES_CSS
from cognitive.errors import InvalidInput
from cognitive.policy import Policy
from cognitive.policy.live import live_settings
from cognitive.runtimes.mcp.tools import REMEMBER

assert MEMORY_TYPES[-1] == "reminder"
kept = NewMemory(type="reminder", content="Call the harbour.", attributes={"due": "Monday", "state": "open"})
assert kept.attributes == {"due": "Monday", "state": "open"}
try:
    NewMemory(type="reminder", content="x", attributes={"state": "never"})
except InvalidInput as error:
    assert "ReminderAttributes" in str(error)
else:
    raise AssertionError("an invalid state was accepted")
assert HEADINGS["reminder"] == "Reminders" and "Reminders:" in EMPTY_BLOCK
assert {row.reminder for row in Policy().budgets.frames.values()} == {70}
assert "budgets.frames.task.reminder" in live_settings()
assert ".type.reminder::before { background: teal; }" in _TYPES_CSS
assert "type = 'reminder'" in _LISTS["walk_types"].sql
assert "decision, fact, procedure, episode or reminder" in str(REMEMBER.input_schema)
assert "reminder" in str(REMEMBER.input_schema["properties"]["type"])
"""


# These files name every type but do not list the types: hints by type, and shares of a generated workload.
EXCEPTED = {
    "cognitive/preflight/rules/signals.py",
    "cognitive/preflight/rules/listings.py",
    "cognitive/bench/workload.py",
}


def test_no_other_source_file_lists_the_types(root):
    sources = [path for package in ("brain", "cognitive") for path in (root / package).rglob("*")]
    listing = {
        path.relative_to(root).as_posix()
        for path in sources
        if path.suffix in {".py", ".sql", ".css", ".html", ".js"}
        and all(re.search(rf"""['".]{name}\b""", path.read_text(encoding="utf-8")) for name in MEMORY_TYPES)
    }
    assert listing - EXCEPTED == {"brain/memory_types.py"}


def test_every_type_has_attributes_and_a_budget_field():
    assert tuple(ATTRIBUTES) == MEMORY_TYPES
    assert set(FrameBudget.model_fields) == {"total", "window", *MEMORY_TYPES}
    assert len({row.colour for row in TYPE_ROWS}) == len({row.heading for row in TYPE_ROWS}) == len(TYPE_ROWS)


def test_new_type_needs_only_a_row_its_name_and_a_budget_field(root, tmp_path):
    for package in ("brain", "cognitive"):
        shutil.copytree(root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    edit(tmp_path / "brain" / "memory_types.py", '"episode"]', '"episode", "reminder"]')
    edit(tmp_path / "brain" / "memory_types.py", ")\nMEMORY_TYPES:", ROW)
    edit(
        tmp_path / "cognitive" / "policy" / "tables.py",
        "    episode: SectionTokens\n",
        "    episode: SectionTokens\n    reminder: SectionTokens\n",
    )
    ran = subprocess.run(
        [sys.executable, "-c", CHECKS],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
