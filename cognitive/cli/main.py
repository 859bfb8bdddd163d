"""The command `cognitive`: each command in a file of its own, loaded when it is called.

What a command needs of the layer it imports when it runs: help and completion do not wait for a model's runtime.
"""

from __future__ import annotations

from importlib import import_module

import click
from click.shell_completion import CompletionItem

from cognitive.cli.answers import Commands

# name -> one line of help; the module of the same name holds the command
COMMANDS = {
    "agent": "What an agent's turns taught, its past plans, and erasing all of it.",
    "artifact": "Read or search a whole tool output that the prompt only points to.",
    "bench": "Measure: how long turns take and how that grows.",
    "budgets": "Show what each model can carry.",
    "completion": "Print the completion script of a shell.",
    "config": "Show the settings and the policy in effect, and where each value comes from.",
    "dashboard": "Open the dashboard in the browser, and serve it.",
    "db": "Migrate the database, show how to reach it, or let others look.",
    "demo": "Watch whole turns on a conversation, memory by memory.",
    "doctor": "Check all that the layer stands on, and say how to mend it.",
    "evaluate": "Estimate what another policy would have been worth.",
    "hook": "Give coding agents a memory: install the hooks, see how they do.",
    "mcp": "Serve an agent's memory to MCP clients, over stdio or HTTP.",
    "memory": "Read, change or forget single memories.",
    "policy": "Save a policy for an agent, try it as a shadow, activate it, roll it back.",
    "recall": "Search an agent's memories.",
    "reference": "Print the reference of all settings, or of all commands, as Markdown.",
    "remember": "Store memories, one or a file of them.",
    "replay": "Run recorded turns again, under their own policy or another.",
    "serve": "Serve the layer over HTTP.",
    "session": "Take a session up, see what it keeps, end or clear it.",
    "shadow": "Show how far a policy that runs as a shadow agrees with the live one.",
    "token": "Create, list and revoke the tokens of a server.",
    "tune": "Search a better policy on recorded turns.",
    "turn": "Prepare and close turns by hand, list and rate them.",
    "why": "Explain what a turn showed, and what it did not.",
    "work": "A session's plan and subtasks.",
}


class _Lazy(Commands):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"cognitive.cli.{cmd_name}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """From the table: whoever waits for a completion does not wait for every command to be loaded."""
        rows = [CompletionItem(name, help=help) for name, help in COMMANDS.items() if name.startswith(incomplete)]
        return rows + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy)
@click.version_option(package_name="cognitive-layer")
def cli() -> None:
    """The cognitive layer: what should the model see in this turn, and what was worth showing?

    The database is COGNITIVE_DATABASE_URL, or else an embedded Postgres in the user's data directory. Every command
    takes --json. Exit codes: 0 done, 1 an error, 2 a command line that makes no sense, 3 the answer is no.
    """


def main() -> None:
    """The entry point."""
    cli(prog_name="cognitive")


if __name__ == "__main__":
    main()
