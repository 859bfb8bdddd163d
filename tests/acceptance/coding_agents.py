"""Claude Code and Codex as programs, offline, with a scripted model on a loopback port."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWER = "The calendar of the harbour office has the dates of all releases."


class Model(ThreadingHTTPServer):
    """A model that always gives the same answer. `requests` holds the bodies of the requests of conversations."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body.get("tools"):  # others are beside the conversation, such as a title for the session
            self.server.requests.append(body)
        events = _responses() if "responses" in self.path else _messages()
        sent = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        if "responses" not in self.path and not body.get("stream"):
            sent = json.dumps({**_MESSAGE, "content": [{"type": "text", "text": ANSWER}]})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if sent.startswith("event") else "application/json")
        self.end_headers()
        self.wfile.write(sent.encode())


_MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def _messages():
    """Return the events of an answer in Anthropic's protocol."""
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**_MESSAGE, "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _responses():
    """Return the events of an answer in OpenAI's protocol."""
    content = [{"type": "output_text", "text": ANSWER}]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {
            "type": "response.output_item.done",
            "item": {"type": "message", "role": "assistant", "id": "m", "content": content},
        },
        {"type": "response.completed", "response": {"id": "r", "usage": usage}},
    ]


@dataclass(frozen=True)
class CodingAgent:
    """A coding agent's program, the options that install its hooks, and the name of its settings file at home."""

    program: str
    options: tuple[str, ...]
    settings: str

    def environment(self, home, model):
        """Return the variables with which the agent calls the model, after writing its configuration."""
        if self.settings == ".codex/hooks.json":
            (home / ".codex").mkdir(exist_ok=True)
            (home / ".codex" / "config.toml").write_text(_CODEX_CONFIG.format(url=model.url))
        return {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "sk-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def say(self, env, folder, prompt):
        """Run the agent for one prompt in a session of its own; raise an error if the agent fails."""
        subprocess.run(
            [self.program, *_PROMPT[self.settings], prompt],
            env=env,
            cwd=folder,
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )


_PROMPT = {
    ".claude/settings.json": ["-p"],
    ".codex/hooks.json": ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"],
}
_CODEX_CONFIG = """
model = "gpt-5-codex"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""


def claude_code():
    """Return Claude Code from the PATH, or else from its SDK's wheel; None if neither has it."""
    found = shutil.which("claude")
    sdk = importlib.util.find_spec("claude_agent_sdk")
    if found is None and sdk is not None:
        bundled = Path(sdk.origin).parent / "_bundled" / "claude"
        found = str(bundled) if os.access(bundled, os.X_OK) else None
    return found and CodingAgent(found, (), ".claude/settings.json")


def codex():
    """Return Codex from the PATH, or None if it is not there."""
    found = shutil.which("codex")
    return found and CodingAgent(found, ("--codex",), ".codex/hooks.json")
