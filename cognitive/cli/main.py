"""The command `cognitive`: its commands, each loaded when it is called.

What a command needs of the layer it imports when it runs: help and completion do not wait for a model's runtime.
"""

from __future__ import annotations

from importlib import import_module

import click
from click.shell_completion import CompletionItem

from cognitive.cli.answers import CommandGroup

# name -> the module and the attribute that hold the command, and one line of help
COMMANDS = {
    "demo": ("demo.command", "Watch whole turns on a conversation, memory by memory."),
    "doctor": ("doctor.command", "Check all that the layer stands on, and say how to mend it."),
    "config": ("config.command", "Show the settings and the policy in effect, and where each value comes from."),
    "serve": ("servers.serve", "Serve the layer over HTTP."),
    "dashboard": ("servers.dashboard", "Open the dashboard in the browser, and serve it."),
    "mcp": ("servers.mcp", "Serve an agent's memory to MCP clients, over stdio or HTTP."),
    "hook": ("hook.command", "Give coding agents a memory: install the hooks, see how they do."),
    "remember": ("memory.remember", "Store memories, one or a file of them."),
    "recall": ("memory.recall", "Search an agent's memories."),
    "memory": ("memory.command", "Read, change or forget single memories."),
    "session": ("session.command", "Show a session, or end it."),
    "why": ("why.command", "List an agent's turns, or explain what a turn showed and what it did not."),
    "replay": ("replay.command", "Run recorded turns again, under their own policy or another."),
    "evaluate": ("evaluate.command", "Estimate what another policy would have been worth."),
    "tune": ("tune.command", "Search a better policy on recorded turns."),
    "policy": ("policy.command", "Save a policy for an agent, try it as a shadow, activate it, roll it back."),
    "agent": ("agent.command", "Show what an agent's turns taught, or erase everything of it."),
    "token": ("token.command", "Create, list and revoke the tokens of a server."),
    "db": ("db.command", "Migrate the database, export and import memories, or rebuild an agent's indexes."),
    "bench": ("bench.command", "Measure how long turns take, and how that grows."),
}


class _Lazy(CommandGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(".")
        command: click.Command = getattr(import_module(f"cognitive.cli.{module}"), attribute)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """From the table: whoever waits for a completion does not wait for every command to be loaded."""
        rows = [CompletionItem(name, help=help) for name, (_, help) in COMMANDS.items() if name.startswith(incomplete)]
        return rows + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])


@click.group(cls=_Lazy)
@click.version_option(package_name="cognitive-layer")
def cli() -> None:
    """The cognitive layer: what should the model see in this turn, and what was worth showing?

    The database is COGNITIVE_DATABASE_URL, or else an embedded Postgres in the user's data directory. Most commands
    need --agent, or COGNITIVE_AGENT in the environment. Every command
    takes --json. Exit codes: 0 done, 1 an error, 2 a command line that makes no sense, 3 the answer is no.
    """


def main() -> None:
    """The entry point."""
    cli(prog_name="cognitive")


if __name__ == "__main__":
    main()
