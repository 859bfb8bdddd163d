"""Pages that are generated say what the code says."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from cognitive.cli import settings_page
from cognitive.cli.main import cli
from cognitive.policy import Policy

PAGES = {"configuration.md": ("reference", "settings"), "cli.md": ("reference", "commands")}


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_as_its_command_prints_it(root, page):
    printed = CliRunner().invoke(cli, PAGES[page])
    assert printed.exit_code == 0
    committed = (root / "docs" / page).read_text(encoding="utf-8")
    assert committed == printed.stdout, f"cognitive {' '.join(PAGES[page])} > docs/{page}"


def test_every_tunable_is_in_the_reference_with_what_may_stand_there():
    entries = {entry.name: entry for entry in settings_page.tunables()}
    assert list(entries) == list(Policy.model_fields)
    assert entries["item_floor"].type == "number from 0 to 1"
    assert entries["item_floor"].section == "abstain"
    assert entries["placement"].type == "`user_tail` or `journaled` or `system`"
    assert entries["catalog_telling"].reason.endswith("that are needed"), "it goes on below its line"
    assert entries["keep_last_messages"].reason.endswith("(the seed's)"), "what begins anew is of the next"
    assert entries["keep_recent_ms"].reason.startswith("The seed keeps what is younger")
    assert entries["embed_share"].reason.startswith("of the deadline at most")


def test_the_reference_promises_nothing_empty(root):
    commands = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "### `cognitive hook install`" in commands, "it has no JSON"
    assert "``\n" not in commands.replace("```", "")
    assert "| , default" not in commands, "a flag takes nothing"
