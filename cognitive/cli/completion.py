"""`cognitive completion`: what a shell needs to complete our commands, made by click."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cognitive.cli import printing
from cognitive.cli.answers import Answering, answer

_SHELLS = {
    "bash": 'eval "$(cognitive completion bash)"          # in ~/.bashrc',
    "zsh": 'eval "$(cognitive completion zsh)"           # in ~/.zshrc, behind compinit',
    "fish": "cognitive completion fish > ~/.config/fish/completions/cognitive.fish",
}


@click.command(cls=Answering, shape="{shell, script}")
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script of SHELL; its first line says where it goes.

    \b
    bash:  eval "$(cognitive completion bash)"     in ~/.bashrc
    zsh:   eval "$(cognitive completion zsh)"      in ~/.zshrc, behind compinit
    fish:  cognitive completion fish > ~/.config/fish/completions/cognitive.fish
    """
    kind = get_completion_class(shell)
    root = context.find_root()
    if kind is None:
        raise click.UsageError(f"click completes no {shell}")
    script = f"# {_SHELLS[shell]}\n{kind(root.command, {}, 'cognitive', '_COGNITIVE_COMPLETE').source()}"
    answer({"shell": shell, "script": script}, lambda told: click.echo(printing.safe(told["script"])))
