"""The Claude Agent SDK with memory, on the Claude Code that it brings along; a loopback server stands for the model.

python examples/claude_agent.py
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

from cognitive import CognitiveLayer, Policy
from cognitive.runtimes.claude import CognitiveHooks

HOOK = "UserPromptSubmit hook"  # what Claude Code puts before what a hook adds
AGENT = "example-claude"
ANSWERS = ["Noted.", "It hangs behind the brass barometer."]
TOLD = "By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


class Model(BaseHTTPRequestHandler):
    """Stands where Anthropic's API is; it prints what Claude Code says of memory."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [part["text"] for part in asked["messages"][-1]["content"] if part["type"] == "text"]
        injected = [text[text.find(HOOK) :] for text in texts if HOOK in text]
        print("\nThe model sees, of memory:", *(injected or ["nothing"]), sep="\n")
        said = {"type": "text_delta", "text": ANSWERS.pop(0)}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
        usage = {"input_tokens": 1, "output_tokens": 1}
        events: list[dict[str, Any]] = [
            {
                "type": "message_start",
                "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": said},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())

    def log_message(self, *said: Any) -> None: ...


async def ask(hooks: CognitiveHooks, options: ClaudeAgentOptions, text: str) -> None:
    async with ClaudeSDKClient(hooks.options(options)) as client:
        await client.query(text)
        async for message in hooks.track(client.receive_response()):
            if isinstance(message, ResultMessage):
                print("\nAnswer:", message.result)


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        offline = {
            "HOME": home,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
        }
        options = ClaudeAgentOptions(tools=[], setting_sources=[], cwd=home, env=offline)  # without env: the real model
        async with CognitiveLayer.open(
            policy=Policy(capture="user", placement="journaled", deadline_ms=5_000)
        ) as layer:
            hooks = CognitiveHooks(layer, AGENT)
            for text in (TOLD, ASKED):
                await ask(hooks, options, text)
                await layer.flush()  # only here, so that the second turn comes after the first was counted
            for turn in reversed(await layer.explain.turns(AGENT)):
                shown = [
                    candidate
                    for candidate in await layer.explain.candidates(AGENT, turn.turn_id)
                    if candidate.disposition == "shown"
                ]
                print(f"{turn.status}: {len(shown)} shown, {sum(bool(candidate.used) for candidate in shown)} used")
            await layer.erase_agent(AGENT)
    server.shutdown()


if __name__ == "__main__":
    asyncio.run(main())
