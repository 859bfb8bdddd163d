"""What a page says is tested has a test of that name."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
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
