"""The code blocks of the documentation and the examples run."""

from __future__ import annotations

import ast
import shlex
import sys
from pathlib import Path

import click
import pytest
from pages import commands, page_files, scripts

from cognitive.cli.main import cli

ROOT = Path(__file__).parent.parent.parent
PAGES = page_files(ROOT, ("README.md", "docs/integrations/*.md", "docs/*.md"))
WITH_OUTPUT = ("docs/users.md",)  # run by a test that compares their output, once, as the agents' names are fixed
OTHER_TESTS = [
    (ROOT / "tests" / name).read_text(encoding="utf-8")  # they run the examples that they name
    for name in ("runtimes/test_agent_examples.py", "integration/test_mcp_transports.py")
]
EXAMPLES = [
    path
    for path in page_files(ROOT, ("examples/*.py",))
    if not any(f'"{name}"' in text for name in (path.stem, path.name) for text in OTHER_TESTS)
]
_LONG_RUNNING = {"serve", "mcp", "hook"}  # not started; only their options are checked
_TOP_LEVEL_AWAIT_RUNNER = """
import ast, asyncio, inspect, sys
with open(sys.argv[1], encoding="utf-8") as file:
    code = compile(file.read(), sys.argv[1], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
made = eval(code, {"__name__": "__main__"})
if code.co_flags & inspect.CO_COROUTINE:
    asyncio.run(made)
"""


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


PYTHON = [
    pytest.param(page, source, id=f"{page_id(page)}:{line}")
    for page in PAGES
    if page_id(page) not in WITH_OUTPUT
    for line, source in scripts(page.read_text(encoding="utf-8")).items()
]


@pytest.mark.parametrize(("page", "source"), PYTHON)
def test_python_block_runs_when_pasted_into_a_file(page, source, run, tmp_path):
    file = tmp_path / f"page_{page.stem}.py"  # a file mcp.py would hide the package mcp
    file.write_text(source, encoding="utf-8")
    ran = run(sys.executable, *(("-c", _TOP_LEVEL_AWAIT_RUNNER) if _has_top_level_await(source) else ()), file)
    assert "without memory" not in ran.stderr


def _has_top_level_await(source: str) -> bool:
    """Return whether the source awaits outside of a function, as in a notebook."""
    try:
        compile(source, "page", "exec")
    except SyntaxError:
        compile(source, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return True
    return False


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page.read_text("utf-8"))], ids=page_id)
def test_commands_of_a_page_run_in_order(page, run):
    for line in commands(page.read_text(encoding="utf-8")):
        if line.split()[1] in _LONG_RUNNING:
            _parse(line)
        else:
            assert "without memory" not in run("sh", "-ec", line).stderr


def _parse(line: str) -> None:
    """Raise if the command or one of its options does not exist."""
    command: click.Command = cli
    context, words = click.Context(cli), shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group):
        name, child, words = command.resolve_command(context, words)
        assert child is not None, line
        context, command = click.Context(child, context, name), child
    command.make_context(context.info_name, words)


@pytest.mark.parametrize("example", EXAMPLES, ids=page_id)
def test_example_runs_and_prints_something(example, run):
    assert run(sys.executable, example).stdout


# --- the harness itself ---

PAGE = """# A page

```python
first = 1
```

```text
never
```

<!-- not run: it needs a key -->

```python
raise SystemExit
```

```sh
cognitive recall x \\
  --agent a
pip install it
```

```python
print(await two())
```
"""


def test_scripts_of_a_page_keep_line_numbers_and_skips_marked_blocks():
    first, second = scripts(PAGE).items()
    assert first == (4, "\n\n\nfirst = 1\n")
    assert second == (24, "\n" * 23 + "print(await two())\n")
    assert commands(PAGE) == ["cognitive recall x    --agent a"]
    assert _has_top_level_await(second[1])
    assert not _has_top_level_await("print(1)")


def test_broken_page_fails_and_missing_framework_skips(run):
    with pytest.raises(AssertionError, match="broken"):
        run(sys.executable, "-c", "raise ValueError('broken')")
    with pytest.raises(AssertionError):
        run("sh", "-ec", "cognitive recall --no-such-option x")
    with pytest.raises(pytest.skip.Exception):
        run(sys.executable, "-c", "import a_framework_that_is_not_there")
