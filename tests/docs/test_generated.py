"""Generated pages match the code, and commands named on pages exist."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cognitive.cli import settings_page
from cognitive.cli.main import cli
from cognitive.cli.reference import command
from cognitive.hook.protocol import EVENTS
from cognitive.policy.policy import settings

PAGES = {"configuration.md": "settings", "cli.md": "commands"}


@pytest.mark.parametrize("page", PAGES)
def test_generated_page_equals_the_output_of_its_command(root, page):
    printed = CliRunner().invoke(command, [PAGES[page]])
    assert printed.exit_code == 0
    committed = (root / "docs" / page).read_text(encoding="utf-8")
    assert committed == printed.stdout, f"python -m cognitive.cli.reference {PAGES[page]} > docs/{page}"


def test_reference_lists_every_setting_with_its_values():
    entries = {entry.name: entry for entry in settings_page.policy()}
    assert entries.keys() == settings().keys()
    assert entries["evidence.min_item_share"].type == "number from 0 to 1"
    assert entries["evidence.min_item_share"].group == "evidence"
    assert entries["placement"].type == "`user_tail` or `journaled` or `system`"
    assert all(entry.effect.endswith(".") for entry in (*entries.values(), *settings_page.settings()))


def test_command_reference_has_no_empty_cells(root):
    commands = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    assert "### `cognitive hook install`" in commands, "the reference omits `cognitive hook install`"
    assert "``\n" not in commands.replace("```", "")
    assert "| , default" not in commands, "a flag has no default value to show"


NAMED = re.compile(r"(?:`|^|\$ |-- )cognitive\s+([a-z][a-z-]+)(?:\s+([a-z][a-z-]+))?", re.MULTILINE)


def texts(root: Path) -> list[Path]:
    documents = [root / "README.md", *(root / "docs").rglob("*.md")]
    return documents + [path for package in ("brain", "cognitive") for path in (root / package).rglob("*.py")]


def exists(words: tuple[str, str]) -> bool:
    context = click.Context(cli)
    named = cli.get_command(context, words[0])
    if not isinstance(named, click.Group) or not words[1]:
        return named is not None
    return words[1] in named.list_commands(context) or (words[0] == "hook" and words[1] in EVENTS)


def test_commands_named_by_pages_and_messages_exist(root):
    named = {(file.name, words) for file in texts(root) for words in NAMED.findall(file.read_text(encoding="utf-8"))}
    assert len(named) > 50
    assert [each for each in sorted(named) if not exists(each[1])] == []
