"""Limits of the pages: requests per token, wrong logins, concurrent pages, bytes and rows."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from starlette.responses import PlainTextResponse

from cognitive.server import assembly
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.tokens import create
from tests.serving import inside, running


async def try_login(pages, token):
    login_page = await pages.get("/ui/login")
    key = re.search(r'name="form_key" value="([^"]+)"', login_page.text)[1]
    return await pages.post("/ui/login", data={"form_key": key, "token": token}, headers={"Origin": "http://localhost"})


async def refused_login(pages, token):
    """Return the answer to a login that the limit refuses. If a minute begins before it, one more is accepted."""
    answer = await try_login(pages, token)
    return answer if answer.status_code == 429 else await try_login(pages, token)


async def test_rate_limit_for_pages_applies_to_each_token(layer, mounts, tmp_path, sample_agent):
    tokens = tmp_path / "tokens.toml"
    config = ServerConfig(tokens=tokens, requests_per_minute=3)
    one, other = create(tokens, sample_agent)[1], create(tokens, sample_agent)[1]
    async with inside(layer, config, mounts) as pages:
        pages.cookies.set("cognitive_token", one, path="/ui")
        answers = [await pages.get(f"/ui/turns?agent={sample_agent}") for _ in range(7)]  # a minute may begin between
        pages.cookies.set("cognitive_token", other, path="/ui")
        another = await pages.get(f"/ui/turns?agent={sample_agent}")

    assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
    assert any(answer.status_code == 429 and "Too many requests" in answer.text for answer in answers)
    assert another.status_code == 200


async def test_login_says_why_the_token_of_a_user_is_refused(layer, tmp_path, sample_agent):
    tokens = tmp_path / "tokens.toml"
    token = create(tokens, sample_agent, user="ann")[1]
    async with inside(layer, ServerConfig(tokens=tokens), assembly.mounts(layer)) as pages:
        answer = await try_login(pages, token)

    assert (answer.status_code, "Users' tokens open no dashboard" in answer.text) == (401, True)


async def test_login_limits_wrong_tokens_and_accepts_a_valid_one(layer, mounts, tmp_path):
    tokens = tmp_path / "tokens.toml"
    token = create(tokens, None)[1]
    async with inside(layer, ServerConfig(tokens=tokens, auth_failures_per_minute=2), mounts) as pages:
        answers = [await try_login(pages, f"cog_0000000{n}_{'0' * 64}") for n in range(2)]
        refused = await refused_login(pages, "cog_wrong")
        valid = await try_login(pages, token)

    assert [answer.status_code for answer in (*answers, refused)] == [401, 401, 429]
    assert int(refused.headers["retry-after"]) >= 1
    assert valid.status_code == 303


async def test_refused_login_answers_browsers_with_html_and_clients_with_json(layer, mounts, tmp_path):
    tokens = tmp_path / "tokens.toml"
    create(tokens, None)
    browser_headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with inside(layer, ServerConfig(tokens=tokens, auth_failures_per_minute=1), mounts) as pages:
        first = await try_login(pages, "cog_wrong")
        program = await refused_login(pages, "cog_wrong")
        pages.headers.update(browser_headers)
        browser = await refused_login(pages, "cog_wrong")
        pages.headers["HX-Request"] = "true"
        part = await refused_login(pages, "cog_wrong")

    assert [answer.status_code for answer in (first, program, browser, part)] == [401, 429, 429, 429]
    assert program.headers["content-type"] == "application/problem+json"
    assert browser.headers["content-type"].startswith("text/html")
    assert "<h1>Too many requests</h1>" in browser.text
    assert "Try again in" in browser.text
    assert int(browser.headers["retry-after"]) >= 1
    assert "script-src 'self'" in browser.headers["content-security-policy"]
    assert "<html" not in part.text
    assert 'role="alert"' in part.text


async def test_page_limit_answers_503_and_leaves_the_api_available(layer):
    started, release = asyncio.Event(), asyncio.Event()

    async def slow_page(scope, receive, send):
        started.set()
        await release.wait()
        await PlainTextResponse("done")(scope, receive, send)

    async with inside(layer, ServerConfig(max_pages=1), (MountedApp("/ui", slow_page, own_login=True),)) as client:
        first = asyncio.create_task(client.get("/ui/x"))
        await started.wait()
        second, api = await client.get("/ui/y"), await client.get("/api/v1/context-budgets")
        release.set()

    assert (second.status_code, api.status_code) == (503, 200)
    assert (await first).status_code == 200


async def start_form(url, length):
    """Open a connection that has sent the head and the first byte of a login form. The server waits for the rest."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    head = f"POST /ui/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    writer.write(head.encode())
    assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
    await reader.readline()
    writer.write(b"f")
    return reader, writer


async def test_slow_form_upload_does_not_count_toward_the_page_limit(layer, mounts):
    config = ServerConfig(port=0, max_pages=1)
    async with running(layer, config, mounts) as (url, _), httpx.AsyncClient(base_url=url) as pages:
        uploads = [await start_form(url, length=2) for _ in range(3)]
        assert (await pages.get("/ui/", follow_redirects=True)).status_code == 200
        for reader, writer in uploads:
            writer.write(b"=")
            assert (await reader.readline()).startswith(b"HTTP/1.1 303"), "a server without tokens accepts the login"
            writer.close()


async def test_buffered_login_bytes_are_limited_and_leave_the_api_available(layer, mounts, agent):
    config = ServerConfig(port=0, max_buffered_bytes=100)
    async with running(layer, config, mounts) as (url, _), httpx.AsyncClient(base_url=url) as client:
        _, writer = await start_form(url, length=200)
        writer.write(b"o" * 98)
        # The server requests the body of this form after it got the bytes of the first one.
        _, another = await start_form(url, length=200)
        login = await client.post("/ui/login", content=b"form_key=x")
        api = await client.post(f"/api/v1/agents/{agent}/turns", json={"session_id": "s", "text": "hello"})
        for each in (writer, another):
            each.close()

    assert (login.status_code, api.status_code) == (503, 200)
    assert login.json()["detail"] == "body: the server is at its limit of bytes in unfinished bodies"


async def test_page_over_the_time_limit_answers_503(layer):
    async def endless_page(scope, receive, send):
        await asyncio.Event().wait()

    async with inside(
        layer, ServerConfig(request_seconds=0.05), (MountedApp("/ui", endless_page, own_login=True),)
    ) as client:
        assert (await client.get("/ui/x")).status_code == 503


@pytest.mark.parametrize("page", ["turns?limit=10000", "turns?limit=10000&range=90d", "catalog?limit=10000"])
async def test_limit_parameter_does_not_lengthen_a_page(layer, mounts, sample_agent, page):
    """Compare the number of rows with `limit=10000` and with `limit=1`."""
    async with inside(layer, mounts=mounts) as pages:
        limited, usual = [
            await pages.get(f"/ui/{each}&agent={sample_agent}") for each in (page, page.replace("10000", "1"))
        ]

    assert limited.status_code == 200
    assert limited.text.count("data-row") == usual.text.count("data-row")
