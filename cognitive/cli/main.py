"""The command `cognitive`: the table of its subcommands, each imported when it is called.

A subcommand imports the memory layer only when it runs, so that help and shell completion do not load an embedding
model's runtime.
"""

from __future__ import annotations

from importlib import import_module

import click
from click.shell_completion import CompletionItem

from cognitive.cli.answers import CommandGroup

# Command name -> module and attribute of the command, and its help in one line.
COMMANDS = {
    "demo": ("demo.command", "Play whole turns of a conversation and show every stage."),
    "doctor": ("doctor.command", "Check settings, model and database, and print remedies."),
    "config": ("config.command", "Show the settings and the policy in effect, with their sources."),
    "serve": ("servers.serve", "Serve the layer over HTTP."),
    "dashboard": ("servers.dashboard", "Open the dashboard in the browser and serve it."),
    "mcp": ("servers.mcp", "Serve an agent's memory to MCP clients, over stdio or HTTP."),
    "hook": ("hook.command", "Give coding agents a memory: install the hooks and show their status."),
    "remember": ("memory.remember", "Store a memory, or a file of memories."),
    "recall": ("recall.command", "Search an agent's memories."),
    "memory": ("memory.command", "Read, change or erase single memories, or store a conversation."),
    "session": ("session.command", "Show a session, or end it."),
    "why": ("why.command", "List an agent's turns, or explain why a turn showed a memory or not."),
    "replay": ("replay.command", "Run recorded turns again, under their own policy or another."),
    "evaluate": ("evaluate.command", "Estimate the worth of another policy from recorded turns."),
    "tune": ("tune.command", "Search for a better policy on recorded turns."),
    "policy": ("policy.command", "Save a policy for an agent, try it as a shadow, activate it, roll it back."),
    "agent": ("agent.command", "Show what was learned from an agent's turns, form memories, or erase all data."),
    "user": ("user.command", "List the users of an agent, or erase all data of one."),
    "token": ("token.command", "Create, list and revoke the tokens of a server."),
    "db": ("db.command", "Migrate the database, export and import memories, or rebuild an agent's indexes."),
    "bench": ("bench.command", "Measure the duration of turns, and its growth with the memories."),
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
        """Return shell completions from the table of subcommands, without importing the subcommands."""
        rows = [CompletionItem(name, help=help) for name, (_, help) in COMMANDS.items() if name.startswith(incomplete)]
        return rows + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])


@click.group(cls=_Lazy)
@click.version_option(package_name="cognitive-layer")
def cli() -> None:
    """Memory for agents: run it, inspect it, evaluate it.

    The database is COGNITIVE_DATABASE_URL, or an embedded Postgres in the user's data directory. Most commands need
    --agent, or COGNITIVE_AGENT in the environment. Without --user, they see what all users share. Every command takes
    --json. Exit codes: 0 done, 1 an error, 2 an invalid command line, 3 a negative answer.
    """


def main() -> None:
    """Run the command line with the arguments of the process."""
    cli(prog_name="cognitive")


if __name__ == "__main__":
    main()
