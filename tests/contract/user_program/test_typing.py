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

from cognitive import CognitiveLayer
from cognitive.client import CognitiveClient

PROGRAM = Path(__file__).with_name("program.py")
PROGRAMS = (PROGRAM, PROGRAM.with_name("every_method.py"))
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


def _with_wrong_calls() -> str:
    source = PROGRAM.read_text(encoding="utf-8")
    for right, wrong in WRONG.items():
        assert right in source
        source = source.replace(right, wrong)
    return source


def _lines_of_wrong_calls(source: str) -> set[int]:
    return {n for n, line in enumerate(source.splitlines(), 1) if any(wrong in line for wrong in WRONG.values())}


def test_programs_of_a_user_call_every_method_of_the_layer():
    source = "".join(program.read_text(encoding="utf-8") for program in PROGRAMS)
    members = {name: getattr(owner, name) for owner in (CognitiveLayer, CognitiveClient) for name in dir(owner)}
    methods = {name for name, member in members.items() if not name.startswith("_") and callable(member)}
    assert {name for name in methods if f".{name}(" not in source} == set()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program_of_a_user_passes_mypy_strict(check, program):
    assert check(program) == []


def test_wrong_calls_of_a_user_are_type_errors(check, tmp_path):
    source = _with_wrong_calls()
    (tmp_path / "wrong.py").write_text(source, encoding="utf-8")
    lines = {int(error.split(":")[1]) for error in check(tmp_path / "wrong.py")}
    assert lines == _lines_of_wrong_calls(source)


@pytest.fixture
def pyright(root, tmp_path):
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")

    def check(source: str) -> list[int]:
        """Return the lines at which strict pyright finds errors in a program."""
        packages = Path(pytest.__file__).parents[1]
        settings = {"include": ["program.py"], "typeCheckingMode": "strict", "extraPaths": [str(root), str(packages)]}
        (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        (tmp_path / "program.py").write_text(source, encoding="utf-8")
        command = ["pyright", "--outputjson", "-p", str(tmp_path)]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        assert report["summary"]["filesAnalyzed"] == 1
        return [each["range"]["start"]["line"] + 1 for each in report["generalDiagnostics"]]

    return check


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program_of_a_user_passes_pyright_strict(pyright, program):
    assert pyright(program.read_text(encoding="utf-8")) == []


def test_wrong_calls_of_a_user_are_errors_of_pyright(pyright):
    source = _with_wrong_calls()
    assert set(pyright(source)) == _lines_of_wrong_calls(source)
