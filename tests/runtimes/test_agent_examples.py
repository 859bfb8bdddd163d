"""The examples of agents, run as a newcomer runs them."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys

import pytest


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
async def test_the_second_conversation_is_shown_what_the_first_was_told(urls, root, framework, example):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, f"examples/{example}.py"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COGNITIVE_DATABASE_URL": urls.app, "PYTHONPATH": str(root)},
    )
    assert ran.returncode == 0, ran.stderr
    assert "holds the bare words: False" not in ran.stdout
    monday, tuesday = ran.stdout.splitlines()[-2:]
    assert monday == "monday: completed, 0 shown, 0 used"
    assert tuesday.startswith("tuesday: completed, ")
    assert not tuesday.endswith(" 0 used")
