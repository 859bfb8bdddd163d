"""The examples of agents, run as a newcomer runs them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("framework", "example"), [("pydantic_ai", "pydantic_ai_agent"), ("langchain", "langchain_agent")]
)
async def test_the_second_conversation_is_shown_what_the_first_was_told(urls, root, framework, example):
    pytest.importorskip(framework)
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, f"examples/{example}.py"], cwd=root, capture_output=True, text=True,
        timeout=120, env={**os.environ, "COGNITIVE_DATABASE_URL": urls.app, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "holds the bare words: True" in ran.stdout
    monday, tuesday = ran.stdout.splitlines()[-2:]
    assert monday == "monday: completed, 0 shown, 0 used"
    assert tuesday.startswith("tuesday: completed, ")
    assert not tuesday.endswith(" 0 used")
