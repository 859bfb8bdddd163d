"""What a page says is tested has a test of that name, and each promise a quick tier of the files that are named."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_ROW = re.compile(r"^\| P(\d+) \|[^|]*\|([^|]*)\|", re.MULTILINE)  # the number of a promise, and its quick tier
_NAMED = re.compile(r"`(?=test_|::)(test_\w+\.py)?(?:::(test_[\w*]+))?`")


def test_every_test_that_the_promises_name_is_there():
    files = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py")}
    file, named = "", 0
    for other, test in _NAMED.findall((ROOT / "docs" / "promises.md").read_text(encoding="utf-8")):
        file = other or file  # a test alone is of the file that was named last
        assert file in files
        name = re.escape(test).replace(r"\*", r"\w*")
        assert not test or re.search(rf"def {name}\(", files[file]), f"{file}::{test}"
        named += 1
    assert named > 50


def test_the_quick_tier_of_a_promise_is_what_carries_its_mark():
    rows = _ROW.findall((ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))
    named = {int(number): set(re.findall(r"tests/(\w+/test_\w+\.py)", cell)) for number, cell in rows}
    marked: dict[int, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for number in re.findall(r"mark\.promise\(number=(\d+)\)", file.read_text(encoding="utf-8")):
            marked.setdefault(int(number), set()).add(file.relative_to(ROOT / "tests").as_posix())
    assert sorted(named) == list(range(1, 11))
    assert named == marked
