"""The hooks in Claude Code: the binary of the SDK, with a local server in place of the model."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, create_sdk_mcp_server, tool

from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.claude import CognitiveHooks

KEY = "The spare key of the boat house hangs behind the brass barometer of the captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
USAGE = {"usage": {"input_tokens": 1, "output_tokens": 1}}


def _text(text):
    return {"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn"


def _tool_call(name, **arguments):
    block = {"type": "tool_use", "id": f"toolu_{name}_{len(arguments)}", "name": f"mcp__{name}", "input": {}}
    return block, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use"


def _events(block, delta, stop):
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, "stop_sequence": None, **USAGE}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, **USAGE}
    yield {"type": "message_stop"}


@pytest.fixture
def model():
    """Yield the script, the requests and the port of a server that answers by the script. Without a script it fails."""
    script, requests = [], []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200 if script else 400)
            self.send_header("content-type", "text/event-stream" if script else "application/json")
            self.end_headers()
            events = _events(*script.pop(0)) if script else ()
            self.wfile.write("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())

        def log_message(self, *arguments): ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield script, requests, server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


async def test_claude_code_runs_with_the_hooks(urls, embedder, agent, tmp_path, model):
    script, requests, port = model
    called = []

    @tool("lookup", "Looks something up.", {"q": str})
    async def lookup(arguments):
        called.append("lookup")
        return {"content": [{"type": "text", "text": f"tool-says-{arguments['q']}"}]}

    @tool("exec", "Runs a shell command.", {"command": str})
    async def exec_(arguments):
        called.append("exec")
        return {"content": []}

    env = {
        "HOME": str(tmp_path),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    own = ClaudeAgentOptions(
        tools=[],
        allowed_tools=["mcp__shop__lookup", "mcp__shop__exec"],
        setting_sources=[],
        cwd=tmp_path,
        env=env,
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[lookup, exec_])},
        strict_mcp_config=True,
    )
    policy = Policy(abstention=False, deadline_ms=20_000, placement="journaled")
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        [key] = await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
        hooks = CognitiveHooks(layer, agent)

        async def ask(client):
            await client.query(ASK)
            [result] = [m async for m in hooks.track(client.receive_response()) if isinstance(m, ResultMessage)]
            return result

        async with ClaudeSDKClient(hooks.options(own)) as client:
            recall = _tool_call("cognitive__recall_context", query="the captain")
            script += [_tool_call("shop__lookup", q="x"), _tool_call("shop__exec", command="x"), recall, _text(KEY)]
            assert (await ask(client)).result == KEY
            messages = requests[0]["messages"]
            assert KEY in json.dumps(messages)
            assert KEY not in json.dumps(requests[0]["system"])
            assert json.dumps(requests[-1]["messages"]).count('"tool_result"') == 3
            assert called == ["lookup"], "the plan of this message removes exec"
            requests.clear()
            assert (await ask(client)).is_error
            shown = json.dumps(requests[0]["messages"]).count("<memory-records>")
            assert shown == 1, "a memory in the conversation is not repeated"
        await layer.flush()
        failed, completed = await layer.explain.turns(agent)
        assert (completed.status, failed.status) == ("completed", "failed")
        assert (await layer.why(agent, completed.turn_id, key)).used is True
