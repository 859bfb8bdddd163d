"""Run the examples of agents in one process, so that each framework is imported once.

`tests/docs` runs the other examples.
"""

from __future__ import annotations

import importlib.util
import runpy

import pytest


@pytest.mark.filterwarnings("ignore")  # a framework's deprecation warnings are not errors of an example
@pytest.mark.parametrize(
    ("framework", "example"),
    [
        ("pydantic_ai", "pydantic_ai_agent"),
        ("agents", "openai_agents_agent"),
        ("langchain", "langchain_agent"),
        ("agent_framework", "agent_framework_agent"),
        ("google.adk", "google_adk_agent"),
        ("strands", "strands_agent"),
        ("llama_index.core", "llamaindex_agent"),
        ("smolagents", "smolagents_agent"),
    ],
)
def test_second_conversation_of_an_example_uses_memories_of_the_first(
    urls, root, framework, example, monkeypatch, capsys
):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.app)
    runpy.run_path(str(root / "examples" / f"{example}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "holds the bare words: False" not in printed
    monday, tuesday = printed.splitlines()[-2:]
    assert monday == "monday: completed, 0 shown, 0 used"
    assert tuesday.startswith("tuesday: completed, ")
    assert not tuesday.endswith(" 0 used")
