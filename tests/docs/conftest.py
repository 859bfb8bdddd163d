"""Run pages as a reader would: with a database, a directory, and the command on the path."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from doc_process import run_forked

Run = Callable[..., subprocess.CompletedProcess[str]]

_MAX_SECONDS = 180
_SHELL = re.compile(r"[|&;<>$`*?~]")  # a line with one of these needs a shell


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
            ran = run_forked(arguments, tmp_path, environment, _MAX_SECONDS)
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
