"""What the documentation shows is run."""

from __future__ import annotations

import ast
import shlex
import sys
from pathlib import Path

import click
import pytest
from pages import commands, found, script

from cognitive.cli.main import cli

ROOT = Path(__file__).parent.parent.parent
PAGES = found(ROOT, ("README.md", "docs/integrations/*.md", "docs/*.md"))
EXAMPLES = found(ROOT, ("examples/*.py",))
_LASTING = {"serve", "mcp", "hook"}  # they end when somebody ends them: their options are checked
_AWAITING = """
import ast, asyncio, inspect, sys
with open(sys.argv[1], encoding="utf-8") as file:
    code = compile(file.read(), sys.argv[1], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
made = eval(code, {"__name__": "__main__"})
if code.co_flags & inspect.CO_COROUTINE:
    asyncio.run(made)
"""


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if script(page.read_text("utf-8"))], ids=named)
def test_the_python_of_a_page_is_a_script_that_runs(page, run, tmp_path):
    source = script(page.read_text(encoding="utf-8"))
    file = tmp_path / f"page_{page.stem}.py"  # its folder comes first when it imports: mcp.py would be what it imports
    file.write_text(source, encoding="utf-8")
    run(sys.executable, *(("-c", _AWAITING) if _awaits(source) else ()), file)


def _awaits(source: str) -> bool:
    """Whether it waits outside of a function, as in a notebook."""
    try:
        compile(source, "page", "exec")
    except SyntaxError:
        compile(source, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return True
    return False


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page.read_text("utf-8"))], ids=named)
def test_the_commands_of_a_page_run_one_after_the_other(page, run):
    for line in commands(page.read_text(encoding="utf-8")):
        if line.split()[1] in _LASTING:
            _parsed(line)
        else:
            run("sh", "-ec", line)


def _parsed(line: str) -> None:
    """Raises where the command or one of its options is not there."""
    command: click.Command = cli
    context, words = click.Context(cli), shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group):
        name, child, words = command.resolve_command(context, words)
        assert child is not None, line
        context, command = click.Context(child, context, name), child
    command.make_context(context.info_name, words)


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_runs_and_says_something(example, run):
    assert run(sys.executable, example).stdout


# --- the harness itself ---

PAGE = """# A page

<!-- run:
def brought():
    return 1
-->

```python
first = brought()
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
print(first + await two())
```
"""


def test_a_page_is_run_at_its_own_lines_and_what_is_not_to_run_is_not():
    lines = script(PAGE).splitlines()
    assert [(n, line) for n, line in enumerate(lines, 1) if line] == [
        (4, "def brought():"),
        (5, "    return 1"),
        (9, "first = brought()"),
        (29, "print(first + await two())"),
    ]
    assert commands(PAGE) == ["cognitive recall x    --agent a"]
    assert _awaits(script(PAGE))
    assert not _awaits("print(1)")


def test_a_page_that_goes_wrong_fails(run):
    with pytest.raises(AssertionError, match="broken"):
        run(sys.executable, "-c", "raise ValueError('broken')")
    with pytest.raises(AssertionError):
        run("sh", "-ec", "cognitive recall --no-such-option x")
    with pytest.raises(pytest.skip.Exception):
        run(sys.executable, "-c", "import a_framework_that_is_not_there")
