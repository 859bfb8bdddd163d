"""The command `cognitive`: each command in a file of its own, loaded when it is called."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from importlib import import_module
from typing import Any

import click

from cognitive.errors import CognitiveError

# name -> one line of help; the module of the same name holds the command
COMMANDS = {
    "db": "Migrate the database, show how to reach it, or let others look.",
    "demo": "Watch whole turns on a conversation, memory by memory.",
    "evaluate": "Estimate what another policy would have been worth.",
    "mcp": "Serve an agent's memory to MCP clients, over stdio or HTTP.",
    "recall": "Search an agent's memories.",
    "remember": "Store memories, one or a file of them.",
    "replay": "Run recorded turns again, under their own policy or another.",
    "shadow": "Show how far a policy that runs as a shadow agrees with the live one.",
    "tune": "Search a better policy on recorded turns.",
    "why": "Explain what a turn showed, and what it did not.",
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"cognitive.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy)
@click.version_option(package_name="cognitive-layer")
def cli() -> None:
    """The cognitive layer: what should the model see in this turn, and what was worth showing?

    The database is COGNITIVE_DATABASE_URL, or else an embedded Postgres in the user's data directory.
    """


def run(work: Coroutine[Any, Any, None]) -> None:
    """Runs a command's work; an error that we raise on purpose is a message, not a stack trace."""
    try:
        asyncio.run(work)
    except CognitiveError as error:
        click.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(1)


def main() -> None:
    """The entry point."""
    cli()


if __name__ == "__main__":
    main()
