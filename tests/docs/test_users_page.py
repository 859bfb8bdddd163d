"""The examples of the page on users print what the page shows."""

from __future__ import annotations

import sys

import pytest
from pages import Block, blocks

AGENTS = ["support-desk", "assistant", "companion", "shop-repository"]  # of the examples, in their order


def examples(text: str) -> list[tuple[Block, Block]]:
    """Return each Python block of a page with the block of its output, which follows it."""
    found = list(blocks(text))
    return [(code, found[n + 1]) for n, code in enumerate(found) if code.language == "python"]


@pytest.mark.parametrize("agent", AGENTS)
def test_each_user_sees_what_the_page_shows(agent, root, run, tmp_path):
    code, output = examples((root / "docs/users.md").read_text(encoding="utf-8"))[AGENTS.index(agent)]
    run("cognitive", "agent", "erase", agent, "--yes")  # another test may have run the example before
    file = tmp_path / "example.py"
    file.write_text("\n".join(code.lines), encoding="utf-8")
    assert run(sys.executable, file).stdout.splitlines() == list(output.lines)


def test_every_example_of_the_page_has_an_output(root):
    assert [output.language for _, output in examples((root / "docs/users.md").read_text("utf-8"))] == ["text"] * 4
