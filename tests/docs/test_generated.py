"""Pages that are generated say what the code says."""

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


def test_every_command_that_a_page_or_a_message_names_exists(root):
    found = {(file.name, words) for file in texts(root) for words in NAMED.findall(file.read_text(encoding="utf-8"))}
    assert len(found) > 50
    assert [each for each in sorted(found) if not exists(each[1])] == []
