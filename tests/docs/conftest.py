"""What a reader has: a database, a directory, and the command on the path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

_MAX_SECONDS = 180


@pytest.fixture
def run(urls, root, tmp_path) -> Run:
    """Runs a command in a directory of its own; skips the test where a framework is missing, fails with the output."""
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
        ran = subprocess.run(
            list(map(str, words)),
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
