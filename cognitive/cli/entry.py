"""The entry point of the command `cognitive`.

Claude Code and Codex call it at each of their hook events. These calls skip the other commands, because importing the
commands takes longer than a hook should take.
"""

from __future__ import annotations

import os
import sys

from cognitive.hook.protocol import EVENTS


def main() -> None:
    """Run the command line, or handle a hook event of a coding agent."""
    if sys.argv[1:2] == ["hook"] and sys.argv[2:3] and sys.argv[2] in EVENTS:
        from cognitive.hook.client import main as hook

        os._exit(hook(sys.argv[2:]))  # all output is written; a regular exit of the interpreter takes milliseconds
    from cognitive.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
