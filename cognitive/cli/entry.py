"""Where the command `cognitive` begins: a hook goes its own way, since importing the rest costs more than its call."""

from __future__ import annotations

import os
import sys

from cognitive.hook.protocol import EVENTS


def main() -> None:
    """The entry point."""
    if sys.argv[1:2] == ["hook"] and sys.argv[2:3] and sys.argv[2] in EVENTS:
        from cognitive.hook.client import main as hook

        os._exit(hook(sys.argv[2:]))  # all is written, and taking the interpreter down properly takes milliseconds
    from cognitive.cli.main import main as everything_else

    everything_else()


if __name__ == "__main__":
    main()
