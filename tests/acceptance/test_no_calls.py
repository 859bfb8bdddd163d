"""Promise P1: a turn calls no model and connects to Postgres only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise(number=1)

CHECKOUT = Path(__file__).parents[2]

GUARDED = """
import asyncio, json, sys
from datetime import UTC, datetime

MODELS = {"openai", "anthropic", "google.genai", "litellm", "httpx", "requests", "aiohttp", "urllib3", "transformers",
          "langchain", "boto3", "mistralai", "cohere", "ollama", "urllib.request", "http.client"}
watching, events = False, []

def watch(event, arguments):
    if not watching:
        return
    if event == "socket.connect":
        events.append(["connect", str(arguments[1])])
    elif event in ("socket.getaddrinfo", "socket.sendto", "socket.bind", "subprocess.Popen", "os.system", "os.exec",
                   "os.posix_spawn", "os.fork", "urllib.Request", "http.client.connect"):
        events.append([event, str(arguments)])
    elif event == "import" and arguments[0] in MODELS:
        events.append(["import", arguments[0]])

sys.addaudithook(watch)
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, Turn

async def main():
    global watching
    url, agent, cold = sys.argv[1], sys.argv[2], sys.argv[3] == "cold"
    talk = [Message(role="user", content="The amber kettle was moved. See https://example.com/kettle."),
            Message(role="assistant", content="Where to?")]
    tools = [Tool(name="fetch", description="Fetch http://example.com/x", parameters={"type": "object"})]
    policy = Policy(abstention=False, deadline_ms=20_000, capture="exchange")
    async with CognitiveLayer.open(url, policy=policy) as layer:
        if not cold:
            await layer.remember(agent, [NewMemory(type="fact", content="The kettle is at https://example.com/cellar.",
                                                   occurred_at=datetime(2026, 9, 1, tzinfo=UTC))])
        watching = True
        for n, text in enumerate(["Where is the kettle?", "Hello!", "Fetch https://example.com/kettle and sum it up.",
                                  "What did we decide last week?", "continue"]):
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text, conversation=talk,
                                                tools=tools, model="openai/gpt-5"))
            assert not context.degraded, context.degraded
            await layer.post_turn(context, Outcome(response="In the cellar, see https://example.com/cellar."))
        await layer.recall(agent, "kettle")
        watching = False
    print(json.dumps(events))

asyncio.run(main())
"""


def guarded(url: str, agent: str, how: str) -> list[list[str]]:
    """Run whole turns in a process with an audit hook.

    Returns its events: connections, name lookups, started processes and imports of model clients.
    """
    ran = subprocess.run(
        [sys.executable, "-c", GUARDED, url, agent, how],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_turns_connect_to_postgres_only(urls, agent):
    socket = urls.app.partition("host=")[2].partition("&")[0]
    unexpected = [
        [kind, target]
        for kind, target in guarded(urls.app, agent, "warm")
        if not (kind == "connect" and target.startswith(socket))
    ]
    assert unexpected == []


def test_turns_without_postgres_connect_nowhere_else(tmp_path, agent):
    """The only address that is tried is that of the missing server."""
    script = (
        GUARDED.replace("assert not context.degraded, context.degraded", "assert context.degraded")
        .replace('        await layer.recall(agent, "kettle")\n', "")
        .replace("deadline_ms=20_000", 'deadline_ms=300, deadlines={"post_turn_ms": 300}')
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, f"postgresql://nobody@/nothing?host={tmp_path}&port=5432", agent, "cold"],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "COGNITIVE_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    events = json.loads(ran.stdout)
    assert {kind for kind, _ in events} <= {"connect"}
    assert all(target.startswith(str(tmp_path)) for _, target in events)
