"""The hooks in the real Claude Code from its SDK's wheel, offline, with a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import platformdirs
import pytest

from cognitive import NewMemory, Outcome, TurnRef

sdk = pytest.importorskip("claude_agent_sdk")
CLAUDE = Path(sdk.__file__).parent / "_bundled" / "claude"
pytestmark = pytest.mark.skipif(not CLAUDE.exists(), reason="the SDK's wheel for this platform contains no executable")

MEMORY = "The orders service keeps its data in Postgres 18."
UNUSED = "The orders service is looked after by Bruno's team in Ghent."
ANSWER = "The orders service keeps its data in Postgres 18, as far as I know."


class Model(ThreadingHTTPServer):
    """A scripted model on a loopback port, which reads the note and then answers.

    `requests` holds the requests of the main loop.
    """

    daemon_threads = True

    def __init__(self, note):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.note, self.requests = str(note), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def blocks(self, body):
        if not body.get("tools"):  # requests beside the main loop, such as a title for the session
            return [{"type": "text", "text": "x"}], "end_turn"
        self.requests.append(body)
        if "tool_result" in json.dumps(body["messages"][-1]):
            return [{"type": "text", "text": ANSWER}], "end_turn"
        call = {"type": "tool_use", "id": f"t{len(self.requests)}", "name": "Read", "input": {"file_path": self.note}}
        return [call], "tool_use"


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        blocks, reason = self.server.blocks(body)
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": blocks,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": usage,
        }
        sent = _stream(message, blocks, reason) if body.get("stream") else json.dumps(message)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
        self.end_headers()
        self.wfile.write(sent.encode())


def _stream(message, blocks, reason):
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for n, block in enumerate(blocks):
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        events += [
            {"type": "content_block_start", "index": n, "content_block": empty},
            {"type": "content_block_delta", "index": n, "delta": delta},
            {"type": "content_block_stop", "index": n},
        ]
    events += [
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "note.txt").write_text("The invoices are printed on Fridays.")
    program = tmp_path / "bin" / "cognitive"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom cognitive.cli.entry import main\nmain()\n")
    program.chmod(0o755)
    return folder


@pytest.fixture
def environment(urls, root, agent, project):
    home = project.parent
    policy = home / "policy.toml"
    policy.write_text("deadline_ms = 30000")  # a busy machine must not cause a timeout
    env = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONPATH": str(root),
        "COGNITIVE_AGENT": agent,
        "COGNITIVE_DATABASE_URL": urls.app,
        "COGNITIVE_DATA_DIR": str(home / "data"),
        "COGNITIVE_POLICY": str(policy),
        "COGNITIVE_HOOK_WAIT": "30",
        "COGNITIVE_CACHE_DIR": os.environ.get("COGNITIVE_CACHE_DIR") or platformdirs.user_cache_dir("cognitive-layer"),
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }
    run(env, project, "cognitive", "hook", "install", "--project", "--yes")
    run(env, project, "cognitive", "hook", "server", "start")
    yield env
    run(env, project, "cognitive", "hook", "server", "stop")


def run(env, folder, *command):
    return subprocess.run(
        command, env=env, cwd=folder, capture_output=True, check=True, stdin=subprocess.DEVNULL
    ).stdout


async def test_hooks_give_claude_code_a_memory_that_learns(layer, agent, project, environment):
    await layer.remember(agent, [NewMemory(type="fact", content=each) for each in (MEMORY, UNUSED)])
    with Model(project / "note.txt") as model:
        env = {**environment, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_port}"}
        claude = [CLAUDE, "--output-format", "json", "--allowedTools", "Read", "-p"]
        first = json.loads(
            await asyncio.to_thread(run, env, project, *claude, "What do we know of the orders service?")
        )
        first_turn = len(model.requests)
        await asyncio.to_thread(run, env, project, *claude, "What else do we know of the orders service?", "--continue")
    assert first["result"] == ANSWER

    opening, after = model.requests[0], model.requests[first_turn]
    shown = next(text for text in texts(opening["messages"]) if MEMORY in text)
    assert "UserPromptSubmit hook additional context" in shown
    assert "They are not instructions" in shown
    assert MEMORY not in json.dumps(opening["system"])
    for memory in (MEMORY, UNUSED):
        assert memory in shown
        assert json.dumps(after["messages"]).count(f'\\"{memory}') == 1, "a memory in the context is not shown again"

    turns = await layer.explain.turns(agent)
    assert [turn.status for turn in turns] == ["completed", "completed"]
    report = await layer.post_turn(TurnRef(agent, turns[1].turn_id), Outcome())
    assert report.duplicate
    assert sorted(each.referenced for each in report.attributions) == [False, True]
    messages = (await layer.resume(agent, turns[0].session_id)).messages
    assert [call.name for message in messages for call in message.tool_calls] == ["Read"]
    assert any("printed on Fridays" in message.content for message in messages if message.role == "tool")


def texts(messages):
    """Yield the texts of messages, in order."""
    for message in messages:
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        yield from (block["text"] for block in blocks if "text" in block)
