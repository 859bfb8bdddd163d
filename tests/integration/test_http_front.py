"""What a newcomer finds on a server: its front page, the pages of the API, and lists to begin with."""

from __future__ import annotations

import re

import asyncpg

from brain.postgres import roles
from cognitive import NewMemory, Outcome, Turn
from cognitive.client import CognitiveClient
from cognitive.client.transport import ApiTransport
from cognitive.server.assembly import mounts
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from tests.serving import inside, token_for

HTML = {"Accept": "text/html,application/xhtml+xml"}


async def talk(layer, agent, session):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id=session, text="Where does the key hang?"))
    await layer.post_turn(context, Outcome(response="It hangs there."))


async def test_front_page_leads_browsers_to_the_dashboard_and_lists_the_paths(layer):
    async with inside(layer, mounts=mounts(layer)) as client:
        browser = await client.get("/", headers=HTML)
        assert (browser.status_code, browser.headers["location"]) == (307, "/ui/")
        described = (await client.get("/")).json()
        assert described["name"] == "cognitive-layer"
        assert {"api", "openapi", "docs", "dashboard", "mcp", "health"} == set(described["links"])
        for path in (described["links"][name] for name in ("openapi", "docs", "health")):
            assert (await client.get(path)).status_code == 200


async def test_every_link_of_the_front_page_answers(layer):
    apps = mounts(layer)
    async with apps[0].lifespan(), inside(layer, mounts=apps) as client:
        links = (await client.get("/")).json()["links"]
        codes = {name: (await client.get(path, follow_redirects=True)).status_code for name, path in links.items()}
    assert codes == {**dict.fromkeys(links, 200), "mcp": 405}  # MCP takes POST only


async def test_server_without_a_dashboard_describes_itself_to_browsers_too(layer):
    async with inside(layer) as client:
        links = (await client.get("/", headers=HTML)).json()["links"]
    assert not {"dashboard", "mcp"} & set(links)


async def test_docs_page_lists_every_route_without_a_token(layer, tmp_path):
    token_for(tmp_path / "tokens.toml", None)
    async with inside(layer, ServerConfig(tokens=tmp_path / "tokens.toml")) as client:
        page = await client.get("/docs")
        routes = (await client.get("/api/v1/openapi.json")).json()["paths"]
        assert (await client.get("/api/v1/agents")).status_code == 401
    assert page.headers["content-type"].startswith("text/html")
    named = set(re.findall(r"<code>([A-Z]+ /[^<]*)</code>", page.text))
    assert named == {f"{method.upper()} {path}" for path, methods in routes.items() for method in methods}
    assert "<script" not in page.text


async def test_docs_page_links_each_schema_to_its_fields_and_shows_examples(layer):
    async with inside(layer) as client:
        page = (await client.get("/docs")).text
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r' id="([^"]+)"', page))
    find = page.partition('<h3 id="FindBody">')[2].partition("<h3")[0]
    assert "<code>limit</code><td>integer<td>default 100" in find
    route = page.partition("/memories/find</code></h3>")[2].partition("<h3")[0]
    assert '<a href="#FindBody">FindBody</a>' in route
    assert "metadata.priority" in route
    assert "`" not in page


async def test_sessions_are_listed_by_page_last_used_first(layer, agent):
    for session in ("one", "two", "three"):
        await talk(layer, agent, session)
    async with inside(layer) as client:
        first = (await client.get(f"/api/v1/agents/{agent}/sessions?limit=2")).json()
        rest = (await client.get(f"/api/v1/agents/{agent}/sessions?limit=2&offset=2")).json()
        await layer.sessions.end(agent, "three")
        open_ = (await client.get(f"/api/v1/agents/{agent}/sessions?words=T&ended=false")).json()
        ended = (await client.get(f"/api/v1/agents/{agent}/sessions?ended=true")).json()
        assert (await client.get(f"/api/v1/agents/{agent}/sessions?limit=0")).status_code == 422
    assert [each["session_id"] for each in first + rest] == ["three", "two", "one"]
    assert [each["turns"] for each in first] == [1, 1]
    assert [[each["session_id"] for each in found] for found in (open_, ended)] == [["two"], ["three"]]


async def test_sessions_are_filtered_by_words_time_and_end(layer, agent):
    for session in ("tea-monday", "tea-friday", "boats"):
        await talk(layer, agent, session)
    await layer.end_session(agent, "tea-monday")
    [boats, friday, _] = await layer.sessions.list(agent)
    async with inside(layer) as client:
        remote = CognitiveClient(ApiTransport(client, seconds=5, attempts=1), pre_turn_seconds=5)
        for filters, found in (
            ({"words": "TEA"}, ["tea-friday", "tea-monday"]),
            ({"words": "tea mon"}, ["tea-monday"]),
            ({"words": "t%"}, []),
            ({"ended": True}, ["tea-monday"]),
            ({"ended": False, "words": "tea"}, ["tea-friday"]),
            ({"since": boats.last_at}, ["boats"]),
            ({"until": friday.last_at}, ["tea-monday"]),
        ):
            assert [each.session_id for each in await remote.sessions.list(agent, **filters)] == found, filters
        assert (await client.get(f"/api/v1/agents/{agent}/sessions?since=today")).status_code == 422


async def test_agents_are_listed_to_an_admin_and_only_itself_to_an_agent(urls, layer, agent, tmp_path):
    await roles.create(urls.admin, ["cognitive_app"])
    await talk(layer, agent, "s")
    await talk(layer, agent, "s2")
    await layer.remember(f"{agent}-other", [NewMemory(type="fact", content="It has memories only.")])
    tokens = tmp_path / "tokens.toml"
    admin, own = token_for(tokens, None), token_for(tokens, agent)
    async with inside(layer, ServerConfig(tokens=tokens)) as client:
        everyone = (await client.get(f"/api/v1/agents?words={agent}", headers=admin)).json()
        named = (await client.get(f"/api/v1/agents?words=OTHER {agent}", headers=admin)).json()
        alone = (await client.get(f"/api/v1/agents?words={agent}", headers=own)).json()
        assert (await client.get("/api/v1/agents?words=none", headers=own)).json() == []
    assert [(each["agent_id"], each["turns"]) for each in everyone] == [(agent, 2), (f"{agent}-other", 0)]
    assert [each["agent_id"] for each in named] == [f"{agent}-other"]
    assert [(each["agent_id"], each["turns"]) for each in alone] == [(agent, 2)]
    connection = await asyncpg.connect(urls.admin)
    await connection.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    for table in ("rollup", "agent_state"):
        await connection.execute(f"DROP POLICY IF EXISTS overview ON cognitive.{table}")
    await connection.close()


async def test_users_are_listed_to_operators_by_words_and_page(layer, agent, tmp_path):
    for user in ("ada", "ann", "bob"):
        await layer.remember(agent, [NewMemory(type="fact", content="Tea at four.", user_id=user)])
    await layer.remember(agent, [NewMemory(type="fact", content="The office is closed.")])
    tokens = tmp_path / "tokens.toml"
    operator = {"Authorization": f"Bearer {create(tokens, agent, operator=True)[1]}"}
    async with inside(layer, ServerConfig(tokens=tokens)) as client:
        path = f"/api/v1/agents/{agent}/users"
        first = (await client.get(f"{path}?limit=2", headers=operator)).json()
        rest = (await client.get(f"{path}?after=ann", headers=operator)).json()
        found = (await client.get(f"{path}?words=A%20N", headers=operator)).json()
        assert (await client.get(path, headers=token_for(tokens, agent))).status_code == 403
    assert [(each["user_id"], each["memories"]) for each in (*first, *rest)] == [("ada", 1), ("ann", 1), ("bob", 1)]
    assert [each["user_id"] for each in found] == ["ann"]


async def test_memories_are_listed_by_filter_and_page(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=f"Fact {n}.", tags=[f"t{n % 2}"]) for n in range(4)])
    async with inside(layer) as client:
        body = {"where": {"tags": {"in": ["t1"]}}, "limit": 1, "offset": 1}
        found = (await client.post(f"/api/v1/agents/{agent}/memories/find", json=body)).json()
    assert [each["content"] for each in found] == ["Fact 3."]
