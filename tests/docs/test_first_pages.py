"""The scripts of the front page and the quickstart show and use the memories that the pages name."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from pages import blocks

_CHANGING = re.compile(r"\d{4}-\d\d-\d\d|(?<=Seal: )\d+")  # dates, and the checksum of the text with them


@pytest.fixture
def output(root, run, tmp_path):
    """Return a function that runs the first script of a page and returns its output in lines.

    Its agent is erased before, because another test may have run the page.
    """

    def lines(page: str, agent: str) -> list[str]:
        run("cognitive", "agent", "erase", agent, "--yes")
        file = Path(tmp_path / "agent.py")
        file.write_text("\n".join(script(root / page)), encoding="utf-8")
        return run(sys.executable, file).stdout.splitlines()

    return lines


def script(page: Path) -> tuple[str, ...]:
    return next(each.lines for each in blocks(page.read_text("utf-8")) if each.language == "python")


def test_quickstart_shows_the_decision_and_measures_its_use(output):
    printed = output("docs/quickstart.md", "ticket-shop")
    prompt = printed[: printed.index("</memory-records>") + 1]
    attributions, missing, why_stripe, why_seats = printed[len(prompt) :]
    assert prompt[0] == "Which payment provider did we decide on?"
    assert any("We stay with Stripe" in line for line in prompt)
    assert not any("Seats" in line for line in prompt)
    [(is_stripe, overlap, referenced)] = ast.literal_eval(attributions)
    assert is_stripe
    assert referenced
    assert overlap > 0.5
    assert missing == "nothing was missing"
    assert why_stripe.startswith("Shown at rank 1")
    assert why_seats.startswith("Not shown")


def test_front_page_prints_the_output_that_it_shows(root, output):
    printed = output("README.md", "lamp-shop")
    page = list(blocks((root / "README.md").read_text("utf-8")))
    code = next(n for n, each in enumerate(page) if each.language == "python")
    shown = page[code + 1].lines
    assert [_CHANGING.sub("", line) for line in printed[: len(shown)]] == [_CHANGING.sub("", line) for line in shown]
    for_bob = "\n".join(printed[len(shown) :])
    assert "kettle" in for_bob
    assert "lamp" not in for_bob
