"""The example of memory formation by a model asks each kind of server in that server's own form."""

from __future__ import annotations

import json
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("httpx")

QUOTE = "Port 5433 is where staging listens"
ANSWER = json.dumps({"memories": [{"kind": "fact", "text": "Staging listens on port 5433", "quote": QUOTE}]})
BODIES = {
    "/v1/chat/completions": {"choices": [{"message": {"content": f"```json\n{ANSWER}\n```"}}]},
    "/v1/messages": {"content": [{"type": "text", "text": ANSWER}]},
}


@pytest.fixture
def models():
    """Serve the scripted answers; the result is the address and the list of requests: path, headers and body."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append((self.path, self.headers, body))
            answer = json.dumps(BODIES[self.path]).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}", requests
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.mark.parametrize(
    ("kind", "variables", "header"),
    [
        ("openai", {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": "k"}, ("authorization", "Bearer k")),
        ("local", {"LOCAL_BASE_URL": "{}/v1"}, ("authorization", "Bearer none")),
        ("anthropic", {"ANTHROPIC_BASE_URL": "{}", "ANTHROPIC_API_KEY": "k"}, ("x-api-key", "k")),
    ],
)
def test_model_of_the_server_forms_a_memory(root, urls, models, monkeypatch, capsys, kind, variables, header):
    address, requests = models
    for name, value in {**variables, "COGNITIVE_DATABASE_URL": urls.app}.items():
        monkeypatch.setenv(name, value.format(address))
    monkeypatch.setattr("sys.argv", ["formation_by_model.py", kind])
    runpy.run_path(str(root / "examples/formation_by_model.py"), run_name="__main__")
    assert f"small/1: Staging listens on port 5433  ('{QUOTE}')" in capsys.readouterr().out
    [(_, headers, body)] = requests
    assert headers[header[0]] == header[1]
    assert QUOTE in body["messages"][0]["content"]
