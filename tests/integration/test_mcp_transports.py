"""The MCP server over its transports: stdio and HTTP with tokens."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

import httpx2
import pytest
from click.testing import CliRunner
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from cognitive import NewMemory, Turn
from cognitive.cli.main import cli
from cognitive.runtimes.mcp import TURN, Endpoint, McpScope, bearer

CANARY = "The canary sings at 05:17 in the boiler room."
URL = "http://127.0.0.1:8766/mcp"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"accept": "application/json, text/event-stream"}


async def recall(client, query: str = "canary in the boiler room", **fields):
    return await client.call_tool("recall_context", {"query": query}, **fields)


def contents(result) -> list[str]:
    assert not result.is_error, result.content
    return [memory["content"] for memory in result.structured_content["memories"]]


def command(agent: str, *options: str) -> list[str]:
    return ["-m", "cognitive.cli.main", "mcp", "--agent", agent, *options]


# --- standard input and output ---


@asynccontextmanager
async def process(agent: str, database_url: str, *options: str):
    environment = {**os.environ, "COGNITIVE_DATABASE_URL": database_url}
    server = StdioServerParameters(command=sys.executable, args=command(agent, *options), env=environment)
    async with Client(stdio_client(server)) as client:
        yield client


async def test_stdio_agent_remembers_and_recalls(urls, agent):
    async with process(agent, urls.app, "--allow-remember") as client:
        await client.call_tool("remember", {"content": CANARY})
        assert contents(await recall(client)) == [CANARY]
        assert json.loads((await client.read_resource("cognitive://turn/last")).contents[0].text) is None


async def test_stdio_recall_joins_the_turn_of_its_session(layer, urls, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=CANARY)])
    mine, _ = [await layer.pre_turn(Turn(agent_id=agent, session_id=s, text="hello")) for s in ("s1", "s2")]
    async with process(agent, urls.app, "--session", "s1") as client:
        result = await recall(client)
    assert result.structured_content["turn_id"] == mine.turn_id
    account = await layer.explain.turn(agent, mine.turn_id)
    assert [(memory.content, memory.via) for memory in account.shown] == [(CANARY, "recall")]


async def test_stdio_unreachable_database_becomes_a_tool_error(agent):
    async with process(agent, "postgresql://nobody@127.0.0.1:9/none") as client:
        result = await recall(client)
        again = await recall(client)
    assert result.is_error
    assert again.is_error
    assert "Go on without it" in result.content[0].text


async def test_stdout_carries_only_the_protocol_and_eof_ends_the_process(urls, agent):
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *command(agent),
        env={**os.environ, "COGNITIVE_DATABASE_URL": urls.app},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    running.stdin.write(f"{json.dumps(hello)}\nthis is no JSON\n".encode())
    await running.stdin.drain()
    answer = json.loads(await running.stdout.readline())
    running.stdin.close()
    rest, errors = await running.communicate()
    assert answer["result"]["serverInfo"]["name"] == "cognitive-layer"
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert running.returncode == 0
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--agent", " "], "agent_id"), ([], "--agent"), (["--agent", "a", "--http", "--token-file", "short"], "token")],
)
def test_invalid_options_fail_at_start(options, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("abc")
    result = CliRunner().invoke(cli, ["mcp", *options])
    assert result.exit_code != 0
    assert named in result.output


# --- HTTP ---


@pytest.fixture
async def tokens(layer, agent):
    """Return the scopes of two tokens: one agent may remember, the other has a memory."""
    other = f"{agent}-other"
    await layer.remember(other, [NewMemory(type="fact", content=CANARY)])
    return {"mine": McpScope(agent, may_remember=True), "theirs": McpScope(other)}


@pytest.fixture
def endpoint(layer, tokens) -> Endpoint:
    return Endpoint(layer, bearer(tokens.get))


def transport_to(endpoint) -> httpx2.ASGITransport:
    """Return a transport to the endpoint in an app, without a socket."""
    return httpx2.ASGITransport(Starlette(routes=[Route("/mcp", endpoint)]))


@asynccontextmanager
async def holder(endpoint, token: str, mode: str = "auto"):
    async with (
        httpx2.AsyncClient(transport=transport_to(endpoint), headers={"authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
    ):
        yield client


async def status(endpoint, method: str = "POST", body=CALL, **headers: str) -> int:
    async with asyncio.timeout(60), endpoint.running(), httpx2.AsyncClient(transport=transport_to(endpoint)) as http:
        return (await http.request(method, URL, json=body, headers={**HEADERS, **headers})).status_code


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_http_token_sees_only_its_agent(endpoint, tokens, layer, mode):
    theirs = tokens["theirs"].agent_id
    turn = await layer.pre_turn(Turn(agent_id=theirs, session_id="s", text="hello"))
    async with endpoint.running(), holder(endpoint, "theirs", mode) as client:
        [memory] = (await recall(client)).structured_content["memories"]
        assert memory["content"] == CANARY
        assert [tool.name for tool in (await client.list_tools()).tools] == ["recall_context"]
    async with endpoint.running(), holder(endpoint, "mine", mode) as client:
        assert contents(await recall(client)) == []
        assert contents(await recall(client, meta={TURN: turn.turn_id})) == []
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource(f"cognitive://memory/{memory['id']}")
        assert (await client.read_resource("cognitive://turn/last")).contents[0].text == "null"
        assert len((await client.list_tools()).tools) == 3


async def test_concurrent_agents_stay_separate(endpoint, tokens, layer):
    for n, scope in enumerate(tokens.values()):
        await layer.remember(scope.agent_id, [NewMemory(type="fact", content=f"Room {n} is heated by the boiler.")])
    async with (
        endpoint.running(),
        holder(endpoint, "mine") as mine,
        holder(endpoint, "theirs") as theirs,
    ):
        answers = await asyncio.gather(*(recall(client, "room boiler") for client in (mine, theirs) * 10))
    assert {tuple(contents(answer)) for answer in answers[::2]} == {("Room 0 is heated by the boiler.",)}
    assert all("Room 0 is heated by the boiler." not in contents(answer) for answer in answers[1::2])


async def test_http_request_without_a_valid_token_is_refused(endpoint):
    assert await status(endpoint) == 401
    assert await status(endpoint, authorization="Bearer wrong") == 401
    assert await status(endpoint, authorization="Basic mine") == 401
    assert await status(endpoint, authorization="Bearer ") == 401
    assert await status(endpoint, authorization="Bearer mine") == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:8766"},
        {"origin": "http://evil.example"},
        {"host": "evil.example", "mcp-protocol-version": "2026-07-28"},
    ],
)
async def test_foreign_host_or_origin_is_refused(endpoint, headers):
    assert await status(endpoint, authorization="Bearer mine", **headers) in (403, 421)


async def test_outer_server_may_handle_authentication_and_hosts(layer, agent):
    endpoint = Endpoint(layer, lambda request: McpScope(agent) if request["path"] == "/mcp" else None, hosts=None)
    assert await status(endpoint, host="memory.example") == 200


async def test_get_stream_is_not_offered(endpoint):
    assert await status(endpoint, "GET", authorization="Bearer mine") == 405


async def test_oversized_request_is_refused(endpoint):
    body = {**CALL, "params": {"x": "x" * 1_000_001}}
    assert await status(endpoint, body=body, authorization="Bearer mine") == 413


async def test_endpoint_returns_503_before_it_runs(endpoint):
    async with httpx2.AsyncClient(transport=transport_to(endpoint)) as http:
        assert (await http.post(URL, json=CALL, headers={"authorization": "Bearer mine"})).status_code == 503


async def test_http_command_prints_its_address_and_requires_its_token(layer, urls, agent, tmp_path):
    await layer.remember(agent, [NewMemory(type="fact", content=CANARY)])
    (tmp_path / "token").write_text("a-token-of-some-length\n")
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        *command(agent, "--http", "--port", "0", "--token-file", str(tmp_path / "token")),
        env={**os.environ, "COGNITIVE_DATABASE_URL": urls.app},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        url = (await running.stderr.readline()).decode().strip()
        async with httpx2.AsyncClient(headers={"authorization": "Bearer a-token-of-some-length"}, timeout=60) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                assert contents(await recall(client)) == [CANARY]
            assert (await http.post(url, json=CALL, headers={"authorization": "Bearer no"})).status_code == 401
    finally:
        running.terminate()
        _, errors = await running.communicate()
    assert b"Traceback" not in errors


# --- the example ---


async def test_mcp_example_shows_one_memory_and_recalls_another(urls, root):
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        str(root / "examples" / "mcp_server.py"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "COGNITIVE_DATABASE_URL": urls.app, "PYTHONPATH": str(root)},
    )
    printed, _ = await running.communicate()
    assert running.returncode == 0
    assert printed.decode().splitlines()[-3:] == [
        "in the turn: True",
        "shown: ['We stay with Stripe: Adyen would save too little.']",
        "recalled: ['Refunds take five days.']",
    ]
