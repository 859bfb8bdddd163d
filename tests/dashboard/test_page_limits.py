"""How much the pages take: of a token, of those who guess, at a time, in one page."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from starlette.responses import PlainTextResponse

from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.tokens import create
from tests.serving import inside, running


async def attempt(pages, token):
    door = await pages.get("/ui/login")
    key = re.search(r'name="form_key" value="([^"]+)"', door.text)[1]
    return await pages.post("/ui/login", data={"form_key": key, "token": token}, headers={"Origin": "http://localhost"})


async def test_a_token_may_ask_for_so_many_pages_a_minute_and_others_are_not_held_up(layer, mounts, tmp_path, played):
    tokens = tmp_path / "tokens.toml"
    config = ServerConfig(tokens=tokens, requests_per_minute=3)
    one, other = create(tokens, played)[1], create(tokens, played)[1]
    async with inside(layer, config, mounts) as pages:
        pages.cookies.set("cognitive_token", one, path="/ui")
        answers = [await pages.get(f"/ui/turns?agent={played}") for _ in range(4)]
        pages.cookies.set("cognitive_token", other, path="/ui")
        another = await pages.get(f"/ui/turns?agent={played}")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "Too many requests" in answers[-1].text
    assert another.status_code == 200


async def test_who_guesses_tokens_at_the_door_is_soon_told_to_wait_and_who_has_one_is_let_in(layer, mounts, tmp_path):
    tokens = tmp_path / "tokens.toml"
    token = create(tokens, None)[1]
    async with inside(layer, ServerConfig(tokens=tokens, auth_failures_per_minute=2), mounts) as pages:
        answers = [await attempt(pages, f"cog_0000000{n}_{'0' * 64}") for n in range(3)]
        known = await attempt(pages, token)

    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert known.status_code == 303


async def test_a_browser_that_is_refused_at_the_door_reads_a_page_and_a_program_a_problem(layer, mounts, tmp_path):
    tokens = tmp_path / "tokens.toml"
    create(tokens, None)
    reading = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with inside(layer, ServerConfig(tokens=tokens, auth_failures_per_minute=1), mounts) as pages:
        first = await attempt(pages, "cog_wrong")
        program = await attempt(pages, "cog_wrong")
        pages.headers.update(reading)
        browser = await attempt(pages, "cog_wrong")
        pages.headers["HX-Request"] = "true"
        part = await attempt(pages, "cog_wrong")

    assert [answer.status_code for answer in (first, program, browser, part)] == [401, 429, 429, 429]
    assert program.headers["content-type"] == "application/problem+json"
    assert browser.headers["content-type"].startswith("text/html")
    assert "<h1>Too many requests</h1>" in browser.text
    assert "Try again in" in browser.text
    assert browser.headers["retry-after"] == program.headers["retry-after"]
    assert "script-src 'self'" in browser.headers["content-security-policy"]
    assert "<html" not in part.text
    assert 'role="alert"' in part.text


async def test_pages_beyond_their_places_are_told_so_and_the_api_is_not_held_up(layer):
    come, go = asyncio.Event(), asyncio.Event()

    async def slow(scope, receive, send):
        come.set()
        await go.wait()
        await PlainTextResponse("done")(scope, receive, send)

    async with inside(layer, ServerConfig(max_pages=1), (MountedApp("/ui", slow, own_login=True),)) as client:
        first = asyncio.create_task(client.get("/ui/x"))
        await come.wait()
        second, api = await client.get("/ui/y"), await client.get("/api/v1/context-budgets")
        go.set()

    assert (second.status_code, api.status_code) == (503, 200)
    assert (await first).status_code == 200


async def begun(url, length):
    """A form on its way to the door that the server waits for: it has asked for the body, and got one byte."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    head = f"POST /ui/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    writer.write(head.encode())
    assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
    await reader.readline()
    writer.write(b"f")
    return reader, writer


async def test_who_dribbles_a_form_takes_no_place_of_who_wants_a_page(layer, mounts):
    config = ServerConfig(port=0, max_pages=1)
    async with running(layer, config, mounts) as (url, _), httpx.AsyncClient(base_url=url) as pages:
        dribbling = [await begun(url, length=2) for _ in range(3)]
        assert (await pages.get("/ui/", follow_redirects=True)).status_code == 200
        for reader, writer in dribbling:
            writer.write(b"=")
            assert (await reader.readline()).startswith(b"HTTP/1.1 303"), "signing in to a server without tokens"
            writer.close()


async def test_what_strangers_send_to_the_door_is_bounded_and_keeps_no_agent_waiting(layer, mounts, agent):
    config = ServerConfig(port=0, max_buffered_bytes=100)
    async with running(layer, config, mounts) as (url, _), httpx.AsyncClient(base_url=url) as client:
        _, writer = await begun(url, length=200)
        writer.write(b"o" * 98)
        _, another = await begun(url, length=200)  # asked for its body after the first one's bytes were there
        error_pages = await client.post("/ui/login", content=b"form_key=x")
        api = await client.post(f"/api/v1/agents/{agent}/turns", json={"session_id": "s", "text": "hello"})
        for each in (writer, another):
            each.close()

    assert (error_pages.status_code, api.status_code) == (503, 200)
    assert error_pages.json()["detail"] == "body: the server is at its limit of bytes in unfinished bodies"


async def test_a_page_that_takes_too_long_is_given_up(layer):
    async def endless(scope, receive, send):
        await asyncio.Event().wait()

    async with inside(
        layer, ServerConfig(request_seconds=0.05), (MountedApp("/ui", endless, own_login=True),)
    ) as client:
        assert (await client.get("/ui/x")).status_code == 503


@pytest.mark.parametrize("page", ["turns?limit=10000", "turns?limit=10000&range=90d", "catalog?limit=10000"])
async def test_no_address_makes_a_page_longer(layer, mounts, played, page):
    """Two turns, and one row of a tool at most: what is asked for is not what a page holds."""
    async with inside(layer, mounts=mounts) as pages:
        asked, usual = [await pages.get(f"/ui/{each}&agent={played}") for each in (page, page.replace("10000", "1"))]

    assert asked.status_code == 200
    assert asked.text.count("data-row") == usual.text.count("data-row")
