"""The promises page names existing test files, and the quick tier of each promise lists the files with its mark."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_ROW = re.compile(r"^\| P(\d+) \|[^|]*\|([^|]*)\|", re.MULTILINE)  # promise number and quick tier
_FILE = re.compile(r"[`/](test_\w+\.py)")


def test_test_files_named_by_the_promises_exist():
    files = {file.name for file in (ROOT / "tests").rglob("test_*.py")}
    named = _FILE.findall((ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))
    assert set(named) <= files
    assert len(named) > 50


def test_quick_tier_of_a_promise_lists_the_files_with_its_mark():
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    rows = _ROW.findall(page.partition("## Results")[0])
    named = {int(number): set(re.findall(r"tests/(\w+/test_\w+\.py)", cell)) for number, cell in rows}
    marked: dict[int, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for number in re.findall(r"mark\.promise\(number=(\d+)\)", file.read_text(encoding="utf-8")):
            marked.setdefault(int(number), set()).add(file.relative_to(ROOT / "tests").as_posix())
    assert sorted(named) == list(range(1, 11))
    assert named == marked
