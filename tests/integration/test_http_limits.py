"""Checks before the routes: host names, origins, authentication and limits."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest

from cognitive.errors import InvalidInput, PolicyError
from cognitive.server.app import create_app
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.turn import MAX_ATTACHMENTS, MAX_TOOL_CALLS
from cognitive.wire.models import MAX_MESSAGES, MAX_TOOLS, PolicyVersionBody
from cognitive.wire.problems import MEDIA_TYPE
from tests.serving import client_of, inside, running, token_for

BUDGETS = "/api/v1/context-budgets"


@pytest.fixture(scope="module")
def app(layer):
    """Return a server without tokens that allows the pages of one site."""
    return create_app(layer, ServerConfig(allowed_origins=("https://app.example/",)))


@pytest.fixture
async def http(app):
    async with client_of(app) as client:
        yield client


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765", "[::1]"])
async def test_local_host_names_are_accepted(http, host):
    assert (await http.get(BUDGETS, headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8765",
        "",
        "[::2]",
        "evil.example:localhost",
        "localhost:evil",
    ],
)
async def test_foreign_host_name_is_refused(http, host):
    answer = await http.get(BUDGETS, headers={"Host": host})
    assert answer.status_code == 421
    assert "--allow-host" in answer.json()["detail"]


async def test_allowed_hosts_are_configurable_and_a_wildcard_needs_tokens(layer, tmp_path):
    async with inside(layer, ServerConfig(allowed_hosts=("Memory.internal",))) as http:
        assert (await http.get(BUDGETS, headers={"Host": "memory.internal:443"})).status_code == 200
        assert (await http.get(BUDGETS, headers={"Host": "other.internal"})).status_code == 421
    file = tmp_path / "tokens.toml"
    any_name = ServerConfig(allowed_hosts=("*",), tokens=file)
    async with inside(layer, any_name, headers=token_for(file, "a")) as http:
        assert (await http.get(BUDGETS, headers={"Host": "other.internal"})).status_code == 200
    with pytest.raises(PolicyError, match="any Host"):
        inside(layer, ServerConfig(allowed_hosts=("*",)))


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 200),
        ("https://app.example", 200),
        ("https://app.example.evil", 403),
        ("null", 403),
        ("http://evil.example", 403),
        ("http://localhost:3000", 403),
        ("http://localhost@evil.example", 403),
        ("http://[", 403),
    ],
)
async def test_only_own_and_allowed_origins_may_call(http, origin, status):
    assert (await http.get(BUDGETS, headers={"Origin": origin})).status_code == status


async def test_open_server_accepts_only_direct_local_requests(http, app):
    for header in ("Forwarded", "X-Forwarded-For", "X-Real-IP"):
        answer = await http.get(BUDGETS, headers={header: "10.0.0.1"})
        assert answer.status_code == 403
        assert "token create" in answer.json()["detail"]
    elsewhere = httpx.ASGITransport(app, client=("10.0.0.1", 1))
    async with httpx.AsyncClient(transport=elsewhere, base_url="http://localhost") as stranger:
        assert (await stranger.get(BUDGETS)).status_code == 403
        assert (await stranger.get("/healthz")).status_code == 200


async def test_responses_carry_restrictive_browser_headers(http):
    for path in (BUDGETS, "/healthz", "/nothing", "/api/v1/openapi.json"):
        headers = (await http.get(path)).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "server" not in headers


async def test_oversized_body_is_refused_whether_announced_or_streamed(layer, agent):
    chunks = []

    async def endless():
        while True:
            chunks.append(1)
            yield b" " * 1000

    async with inside(layer, ServerConfig(max_body_bytes=10_000)) as http:
        url = f"/api/v1/agents/{agent}/turns"
        announced = await http.post(url, content=b" " * 10_001)
        streamed = await http.post(url, content=endless(), headers={"Content-Type": "application/json"})
        fits = await http.post(url, json={"session_id": "s", "text": "x" * 9_000})
    assert (announced.status_code, streamed.status_code, fits.status_code) == (413, 413, 200)
    assert streamed.json()["detail"] == "body: longer than 10000 bytes"
    assert len(chunks) <= 12


@pytest.mark.parametrize(
    ("field", "each", "limit"),
    [
        ("conversation", {"role": "user", "content": "a"}, MAX_MESSAGES),
        ("tools", {"name": "a"}, MAX_TOOLS),
        ("attachments", 1, MAX_ATTACHMENTS),
    ],
)
async def test_overlong_list_is_refused_by_field_name(http, agent, field, each, limit):
    turn = {"session_id": "s", "text": "x", field: [each] * (limit + 1)}
    answer = await http.post(f"/api/v1/agents/{agent}/turns", json=turn)
    assert answer.status_code == 422
    assert f"{field}: " in answer.json()["detail"]


async def test_tool_calls_count_towards_the_messages_of_a_conversation(http, agent):
    calling = {"role": "assistant", "tool_calls": [{"name": "a"}] * (MAX_TOOL_CALLS - 1)}
    turn = {"session_id": "s", "text": "x", "conversation": [calling] * 2 + [{"role": "user", "content": "a"}]}
    answer = await http.post(f"/api/v1/agents/{agent}/turns", json=turn)
    assert answer.status_code == 422
    assert f"conversation: has {MAX_MESSAGES + 1} messages and tool calls; at most {MAX_MESSAGES}" in answer.text


async def test_request_is_read_up_to_the_first_wrong_id(http, agent):
    answer = await http.post(f"/api/v1/agents/{agent}/memories/forget", json={"ids": [1, 1]})
    assert answer.status_code == 422
    assert "ids.0" in answer.json()["detail"]
    assert "ids.1" not in answer.json()["detail"]


def test_number_of_changed_settings_is_checked_before_their_values():
    with pytest.raises(InvalidInput, match="changes: has 201 keys; at most 200"):
        PolicyVersionBody(changes=dict.fromkeys(map(str, range(201)), "x"))


async def test_rate_limit_applies_per_token(layer, tmp_path):
    file = tmp_path / "tokens.toml"
    one, other = token_for(file, "a"), token_for(file, "b")
    async with inside(layer, ServerConfig(tokens=file, requests_per_minute=3)) as http:
        answers = [await http.get(BUDGETS, headers=one) for _ in range(7)]  # a minute may begin among them
        assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
        refused = next(answer for answer in answers if answer.status_code != 200)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.headers["content-type"] == MEDIA_TYPE
        assert (await http.get(BUDGETS, headers=other)).status_code == 200


async def test_open_server_has_no_rate_limit(layer):
    async with inside(layer, ServerConfig(requests_per_minute=1)) as http:
        assert [(await http.get(BUDGETS)).status_code for _ in range(3)] == [200, 200, 200]


async def test_failed_authentication_is_rate_limited(layer, tmp_path, caplog):
    file = tmp_path / "tokens.toml"
    known = token_for(file, "a")
    async with inside(layer, ServerConfig(tokens=file, auth_failures_per_minute=2)) as http:
        mistakes = [await http.get(f"{BUDGETS}/none", headers=known) for _ in range(3)]
        assert [answer.status_code for answer in mistakes] == [404, 404, 404]
        guesses = [await http.get(BUDGETS, headers={"Authorization": f"Bearer cog_{n}_x"}) for n in range(9)]
        answered = [answer.status_code for answer in guesses]
        assert (answered[:2], answered.count(429) >= 5) == ([401, 401], True)  # a minute may begin between
        assert len(caplog.records) <= 2, "callers must not fill the log"
        assert int(guesses[-1].headers["retry-after"]) >= 1
        assert "www-authenticate" not in guesses[-1].headers
        assert (await http.get(BUDGETS, headers=known)).status_code == 200


async def test_open_server_requires_a_token_once_one_exists(layer, tmp_path, monkeypatch):
    file = tmp_path / "tokens.toml"
    monkeypatch.setenv("COGNITIVE_TOKEN_FILE", str(file))
    async with inside(layer) as http:
        assert (await http.get(BUDGETS)).status_code == 200
        mine = token_for(file, "a")
        assert (await http.get(BUDGETS)).status_code == 401
        assert (await http.get(BUDGETS, headers=mine)).status_code == 200
        file.unlink()
        assert (await http.get(BUDGETS)).status_code == 401


@asynccontextmanager
async def waiting_app(path):
    """Yield an app whose requests wait, a semaphore of the waiting requests, and the event that releases them."""
    waiting, gone = asyncio.Semaphore(0), asyncio.Event()

    async def app(scope, receive, send):
        waiting.release()
        await gone.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    yield MountedApp(path, app), waiting, gone


async def test_request_beyond_the_concurrency_limit_is_refused_at_once(layer):
    async with (
        waiting_app("/api/slow") as (slow, waiting, gone),
        inside(layer, ServerConfig(max_concurrent_requests=2), [slow]) as http,
    ):
        running = [asyncio.create_task(http.get("/api/slow")) for _ in range(2)]
        for _ in running:
            await waiting.acquire()
        busy = await http.get(BUDGETS)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert (await http.get("/healthz")).status_code == 200
        gone.set()
        assert [(await task).status_code for task in running] == [204, 204]
        assert (await http.get(BUDGETS)).status_code == 200


async def test_streams_do_not_count_as_concurrent_requests(layer):
    config = ServerConfig(max_concurrent_requests=1, max_streams=1)
    async with waiting_app("/mcp") as (stream, waiting, gone), inside(layer, config, [stream]) as http:
        running = asyncio.create_task(http.get("/mcp"))
        await waiting.acquire()
        assert (await http.get("/mcp")).status_code == 503
        assert (await http.get("/healthz")).status_code == 200
        assert (await http.get(BUDGETS)).status_code == 200
        gone.set()
        assert (await running).status_code == 204


async def test_slow_request_times_out_but_a_stream_does_not(layer):
    async with (
        waiting_app("/api/slow") as (slow, _, _),
        waiting_app("/mcp") as (stream, waiting, gone),
        inside(layer, ServerConfig(request_seconds=0.01, max_concurrent_requests=1), [slow, stream]) as http,
    ):
        open_ended = asyncio.create_task(http.get("/mcp"))
        await waiting.acquire()
        for _ in range(2):  # the timed-out request frees its place
            late = await http.get("/api/slow")
            assert (late.status_code, late.json()["detail"]) == (503, "request: not finished within 0.01 s")
        gone.set()
        assert (await open_ended).status_code == 204


async def test_slow_request_body_times_out(layer, agent):
    async with running(layer, ServerConfig(port=0, body_seconds=0.05)) as (url, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        head = f"POST /api/v1/agents/{agent}/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{"
        writer.write(head.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 503")
        writer.close()


@pytest.mark.parametrize(
    "partial_request", [b"", b"GET /healthz HTT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "]
)
async def test_silent_connection_is_closed(layer, partial_request):
    async with running(layer, ServerConfig(port=0, header_seconds=0.05)) as (url, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + partial_request if partial_request else b"")
        assert (await reader.read()).count(b"HTTP/1.1 200") == bool(partial_request)
        writer.close()


async def test_connections_beyond_the_limit_are_closed(layer):
    async with running(layer, ServerConfig(port=0, max_connections=2)) as (url, _), httpx.AsyncClient() as http:
        assert (await http.get(f"{url}/healthz")).status_code == 200
        port = int(url.rpartition(":")[2])
        _, first = await asyncio.open_connection("127.0.0.1", port)
        reader, second = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        assert (await http.get(f"{url}/healthz")).status_code == 200
        for writer in (first, second):
            writer.close()


async def test_slow_request_body_of_a_stream_times_out(layer):
    async with (
        waiting_app("/mcp") as (mcp, _, _),
        running(layer, ServerConfig(port=0, body_seconds=0.05), [mcp]) as (url, _),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert (await reader.readline()).startswith(b"HTTP/1.1 503")
        writer.close()


async def test_unix_socket_is_private_to_its_owner(layer, tmp_path, agent):
    path = tmp_path / "s"
    async with running(layer, ServerConfig(socket=path)) as (url, _):
        assert url == f"unix:{path}"
        assert path.stat().st_mode & 0o777 == 0o600
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path))) as http:
            assert (await http.get(f"http://localhost/api/v1/agents/{agent}/turns")).json() == []
