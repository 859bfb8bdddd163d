"""The pages use different agents, so that a reader can run them all in one data directory."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pages import commands, page_files, scripts

ROOT = Path(__file__).parent.parent.parent
PAGES = page_files(ROOT, ("README.md", "docs/**/*.md"))


def agents(source: str) -> Iterator[str]:
    """Yield the agents of a script: `f(layer, "agent")`, `layer.method("agent", …)` and `f(agent_id="agent")`."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            of_layer = ast.unparse(call.func).startswith("layer.")
            with_layer = [ast.unparse(each) for each in call.args[:1]] == ["layer"]
            named = [each.value for each in call.keywords if each.arg == "agent_id"]
            for value in (*call.args[:1] * of_layer, *call.args[1:2] * with_layer, *named):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def agents_of(page: Path) -> set[str]:
    """Return the agents of a page's scripts."""
    return {agent for source in scripts(page.read_text("utf-8")).values() for agent in agents(source)}


def test_no_two_pages_use_the_same_agent():
    page_of: dict[str, Path] = {}
    for page in PAGES:
        for agent in agents_of(page):
            assert page_of.setdefault(agent, page) == page, agent
    assert len(page_of) > 20


def test_commands_of_a_page_name_the_agent_of_its_scripts():
    for page in PAGES:
        if page.name in ("quickstart.md", "memories.md"):
            named = re.findall(r"--agent ([\w-]+)", " ".join(commands(page.read_text("utf-8"))))
            assert named
            assert set(named) == agents_of(page)
