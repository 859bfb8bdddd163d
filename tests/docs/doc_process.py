"""Run Python or the command in forks of one process that has imported the product.

This is not in conftest.py: a fork imports this module by its name, and there are several modules named conftest.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# importing the product takes a second; the processes of the fork server have it imported
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["cognitive.bootstrap", "cognitive.cli.main"])


def run_forked(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], max_seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run Python or the command in a fork of a process that has imported the product."""
    output, errors = folder / "stdout", folder / "stderr"
    process = _FORKS.Process(target=_execute, args=(arguments, folder, dict(environment), output, errors))
    process.start()
    process.join(max_seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
    texts = (path.read_text(encoding="utf-8") if path.exists() else "" for path in (output, errors))
    return subprocess.CompletedProcess(arguments, process.exitcode or 0, *texts)


def _execute(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path, errors: Path
) -> None:
    """Execute `python FILE`, `python -c CODE` or `cognitive` in this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for path, descriptor in ((output, 1), (errors, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    if arguments[0] == "cognitive":
        from cognitive.cli.entry import main

        sys.argv = list(arguments)
        main()
    elif arguments[1] == "-c":
        sys.argv = ["-c", *arguments[3:]]
        exec(arguments[2], {"__name__": "__main__"})
    else:
        sys.argv = list(arguments[1:])
        sys.path.insert(0, str(Path(arguments[1]).parent))
        runpy.run_path(arguments[1], run_name="__main__")
