"""A type checker accepts a user's program, and refuses wrong calls in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("program.py")
WRONG = {
    'layer.recall("a", "key", limit=3)': 'layer.recall("a", "key", limit="3")',
    "layer.flush(context)": 'layer.flush("context")',
    'layer.remember("a", [memory([])])': 'layer.remember("a", memory([]))',
    "Blocking.start(policy=Policy())": 'Blocking.start(policy="none")',
}


@pytest.fixture(scope="module")
def check(root, tmp_path_factory):
    cache = tmp_path_factory.mktemp("mypy")

    def check(program: Path) -> list[str]:
        """Return the errors that mypy finds in a program, without the settings of this project."""
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", program]
        environment = os.environ | {"MYPYPATH": str(root)}
        ran = subprocess.run(command, cwd=cache, env=environment, capture_output=True, text=True, check=False)
        assert not ran.stderr
        return [line for line in ran.stdout.splitlines() if ": error:" in line]

    return check


def test_packages_say_that_they_are_typed():
    assert all((files(package) / "py.typed").is_file() for package in ("cognitive", "brain"))


def test_program_of_a_user_passes_mypy_strict(check):
    assert check(PROGRAM) == []


def test_wrong_calls_of_a_user_are_type_errors(check, tmp_path):
    source = PROGRAM.read_text(encoding="utf-8")
    for right, wrong in WRONG.items():
        assert right in source
        source = source.replace(right, wrong)
    (tmp_path / "wrong.py").write_text(source, encoding="utf-8")
    lines = {int(error.split(":")[1]) for error in check(tmp_path / "wrong.py")}
    assert lines == {
        n for n, line in enumerate(source.splitlines(), 1) if any(wrong in line for wrong in WRONG.values())
    }


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_program_of_a_user_passes_pyright_strict(root, tmp_path):
    packages = Path(pytest.__file__).parents[1]
    settings = {"include": [str(PROGRAM)], "typeCheckingMode": "strict", "extraPaths": [str(root), str(packages)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = ["pyright", "--outputjson", "-p", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(ran.stdout)["generalDiagnostics"] == []
