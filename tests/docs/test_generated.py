"""Pages that are generated say what the code says."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from cognitive.cli import settings_page
from cognitive.cli.reference import command
from cognitive.policy.policy import settings

PAGES = {"configuration.md": "settings", "cli.md": "commands"}


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_as_its_command_prints_it(root, page):
    printed = CliRunner().invoke(command, [PAGES[page]])
    assert printed.exit_code == 0
    committed = (root / "docs" / page).read_text(encoding="utf-8")
    assert committed == printed.stdout, f"python -m cognitive.cli.reference {PAGES[page]} > docs/{page}"


def test_every_setting_is_in_the_reference_with_what_may_stand_there():
    entries = {entry.name: entry for entry in settings_page.policy()}
    assert entries.keys() == settings().keys()
    assert entries["evidence.min_item_share"].type == "number from 0 to 1"
    assert entries["evidence.min_item_share"].group == "evidence"
    assert entries["placement"].type == "`user_tail` or `journaled` or `system`"
    assert all(entry.effect.endswith(".") for entry in (*entries.values(), *settings_page.settings()))


def test_the_reference_promises_nothing_empty(root):
    commands = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "### `cognitive hook install`" in commands, "it has no JSON"
    assert "``\n" not in commands.replace("```", "")
    assert "| , default" not in commands, "a flag takes nothing"
