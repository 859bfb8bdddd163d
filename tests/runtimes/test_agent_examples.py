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
def test_conversations_of_an_example_use_memories_of_the_same_user(urls, root, framework, example, monkeypatch, capsys):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    monkeypatch.setenv("COGNITIVE_DATABASE_URL", urls.app)
    runpy.run_path(str(root / "examples" / f"{example}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "holds the bare words: False" not in printed
    monday, tuesday, wednesday = printed.splitlines()[-3:]
    assert monday == "ada on monday: completed, 0 shown, 0 used"
    assert tuesday.startswith("ada on tuesday: completed, ")
    assert not tuesday.endswith(" 0 used")
    shared = 1 if framework == "langchain" else 0  # what is in the LangGraph store
    assert wednesday.startswith(f"bob on wednesday: completed, {shared} shown, ")
