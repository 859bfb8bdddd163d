"""`cognitive dashboard`: it prints the address, serves the dashboard, and detects a running server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner

from cognitive.cli import servers
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from tests.serving import running

_MAX_SECONDS = 60


@contextmanager
def started(urls, folder, *words):
    """Run the command; its output begins with the lines printed before it serves."""
    environment = os.environ | {"COGNITIVE_DATABASE_URL": urls.app, "COGNITIVE_DATA_DIR": str(folder)}
    command = [sys.executable, "-u", "-m", "cognitive.cli.main", "dashboard", "--port", "0", *words]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    late = threading.Timer(_MAX_SECONDS, process.kill)
    late.start()
    try:
        assert process.stdout.readline() == "Starting the dashboard …\n"
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0, process.stdout.read()
    finally:
        late.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def test_dashboard_command_serves_the_page_it_prints(urls, tmp_path, agent):
    with started(urls, tmp_path, "--no-open", "--agent", agent) as process:
        url = process.stdout.readline().strip().removeprefix("The dashboard: ")
        with urllib.request.urlopen(url, timeout=_MAX_SECONDS) as page:
            assert agent in page.read().decode()


def test_dashboard_command_explains_how_to_create_a_token(urls, tmp_path):
    create(tmp_path / "tokens.toml", None)
    with started(urls, tmp_path, "--no-open") as process:
        lines = [process.stdout.readline() for _ in range(2)]
    assert "cognitive token create" in lines[1]


async def test_running_server_is_detected(layer):
    async with running(layer, ServerConfig(port=0)) as (url, _):
        port = url.rpartition(":")[2]
        result = await _invoked("--no-open", "--port", port, "--agent", "a b")
    assert result.exit_code == 0
    assert f"A server already runs at http://127.0.0.1:{port}." in result.output
    assert f"{url}/ui/overview?agent=a+b" in result.output


async def _invoked(*words):
    """Run the command in a thread, because the server that it queries runs in this one."""
    import asyncio

    return await asyncio.to_thread(CliRunner().invoke, servers.dashboard, list(words))


class _Other(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "fine"}')

    def log_message(self, *arguments):
        pass


@pytest.fixture
def other():
    """Yield the URL of a foreign server."""
    server = HTTPServer(("127.0.0.1", 0), _Other)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_foreign_server_is_not_mistaken_for_ours(other):
    assert not servers.is_serving(other)
    assert not servers.is_serving("http://127.0.0.1:1")
