"""`cognitive reference`: what may be configured and what may be called, as the pages of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import Answering, answer

_ENTRY = "[{section, name, type, default?, reason}]"


@click.group()
def command() -> None:
    """Print the reference of all settings, or of all commands, as Markdown."""


@command.command(
    cls=Answering, shape=f"{{settings: {_ENTRY}, tunables: {_ENTRY}, tables: [{{name, reason, rows: [{{name, value, "
    "reason}]}]}"
)  # fmt: skip
def settings() -> None:
    """Print all settings and every tunable of the policy: types, bounds, defaults and their reasons."""
    from cognitive.cli import settings_page as page

    told = {"settings": page.settings(), "tunables": page.tunables(), "tables": page.tables()}
    answer(told, lambda _: _show(page.markdown()))


@command.command(
    cls=Answering, shape="{commands: [{name, usage, help, json, options: [{names, takes?, default?, help}]}]}"
)
@click.pass_context
def commands(context: click.Context) -> None:
    """Print all commands: usage, options, the JSON that each gives, and the exit codes."""
    from cognitive.cli import commands_page as page

    root = context.find_root().command
    if not isinstance(root, click.Group):
        raise click.UsageError("call it as `cognitive reference commands`")
    told: Mapping[str, Any] = {"commands": page.commands(root)}
    answer(told, lambda _: _show(page.markdown(told["commands"])))


def _show(markdown: str) -> None:
    click.echo(printing.safe(markdown), nl=False)
