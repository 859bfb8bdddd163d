"""Run pages as a reader would: with a database, a directory, and the command on the path."""

from __future__ import annotations

import multiprocessing
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

_MAX_SECONDS = 180
_SHELL = re.compile(r"[|&;<>$`*?~]")  # a line with one of these needs a shell
# importing the product takes a second; the processes of the fork server have it imported
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["cognitive.bootstrap", "cognitive.cli.main"])


@pytest.fixture
def run(urls, root, tmp_path) -> Run:
    """Return a function that runs a command in a temporary directory.

    The test is skipped if a framework is missing, and fails with the output if the command fails.
    """
    command = tmp_path / "bin" / "cognitive"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m cognitive.cli.main "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    (tmp_path / "patient.toml").write_text("deadline_ms = 5000\n", encoding="utf-8")  # the machine may be busy
    environment = os.environ | {
        "COGNITIVE_DATABASE_URL": urls.app,
        "COGNITIVE_DATA_DIR": str(tmp_path),
        "COGNITIVE_POLICY": str(tmp_path / "patient.toml"),
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(root),
    }

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        arguments = _without_shell([str(word) for word in words])
        if arguments[0] in (sys.executable, "cognitive"):
            ran = _forked(arguments, tmp_path, environment)
        else:
            ran = subprocess.run(
                arguments,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=_MAX_SECONDS,
            )
        last = ran.stderr.strip().rpartition("\n")[2]
        if last.startswith("ModuleNotFoundError") and "'cognitive" not in last and "'brain" not in last:
            pytest.skip(last)
        assert ran.returncode == 0, f"{words}\n{ran.stdout}\n{ran.stderr}"
        return ran

    return run


def _without_shell(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a shell command that needs no shell, and any other command unchanged."""
    if words[:2] != ["sh", "-ec"] or _SHELL.search(words[2]):
        return words
    return shlex.split(words[2], comments=True)


def _forked(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run Python or the command in a fork of a process that has imported the product."""
    output, errors = folder / "stdout", folder / "stderr"
    process = _FORKS.Process(target=_execute, args=(arguments, folder, dict(environment), output, errors))
    process.start()
    process.join(_MAX_SECONDS)
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
