"""Users over MCP: the host's scope or the token names the user, and no argument of a call can name another."""

from __future__ import annotations

import json

import pytest
from mcp import Client, MCPError

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, ToolCall, Turn
from cognitive.errors import InvalidInput
from cognitive.runtimes.mcp import McpScope, create_server, resources
from cognitive.server.assembly import mounts
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from tests.serving import inside

pytestmark = pytest.mark.promise(number=4)

QUESTION = "Where does the kanari sleep?"
CALLS = {  # the arguments of each tool
    "recall_context": {"query": QUESTION},
    "remember": {"content": "The kanari sleeps in a tree."},
    "correct": {"id": "{id}", "content": "The kanari{user} sleeps in a ship."},
    "forget": {"id": "{id}"},
    "remember_conversation": {
        "messages": [{"role": "user", "content": "The heron{user} nests in a reed."}],
        "session_id": "heron",
    },
}


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    policy = Policy(deadline_ms=20_000, abstention=False, dedup={"enabled": False})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def users(layer, agent):
    """Give the users ann and bob a memory and two turns each; one turn of each is open."""
    ids = {}
    for user in ("ann", "bob"):
        text = f"The kanari{user} sleeps in a barn."
        [ids[user]] = await layer.remember(agent, [NewMemory(type="fact", content=text, user_id=user, trust="agent")])
        for turn_id in ("t1", "t2"):
            turn = Turn(agent_id=agent, session_id="s", user_id=user, turn_id=turn_id, text=f"{QUESTION} kanari{user}")
            context = await layer.pre_turn(turn)
            if turn_id == "t1":
                await layer.post_turn(context, Outcome(response="In a barn.", tool_calls=(ToolCall(name="look"),)))
        later = f"The kanari{user} sleeps in a shed on Mondays."  # the open turn doesn't show it
        await layer.remember(agent, [NewMemory(type="fact", content=later, user_id=user)])
    return ids


def connect(layer, agent, user):
    server = create_server(layer, McpScope(agent, user_id=user, may_remember=True, may_change=True))
    return Client(server, mode="legacy")


def filled(arguments, id, user):
    """Return the arguments of a call with a memory's id and a user's name."""
    return json.loads(json.dumps(arguments).replace("{id}", str(id)).replace("{user}", user))


async def texts(client, ids, user: str) -> str:
    """Call every tool, read every resource, and return all answers as one text."""
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == set(CALLS), "add the new tool to CALLS"
    calls = {name: filled(arguments, ids[user], user) for name, arguments in CALLS.items()}
    answers = [repr(await client.call_tool(name, arguments)) for name, arguments in calls.items()]
    answers += [repr(await client.read_resource(uri)) for uri in resources.ROWS]
    for id in ids.values():
        try:
            answers.append(repr(await client.read_resource(f"cognitive://memory/{id}")))
        except MCPError as error:
            answers.append(str(error))
    return "\n".join(answers)


@pytest.mark.parametrize(("user", "other"), [("ann", "bob"), ("bob", "ann")])
async def test_tools_and_resources_serve_the_rows_of_their_user(layer, agent, users, user, other):
    async with connect(layer, agent, user) as client:
        answers = await texts(client, users, user)
    assert f"kanari{other}" not in answers
    assert answers.count(f"kanari{user}") >= 4  # the tool, the last turn, the plans and the memory
    [turn, *_] = await layer.explain.turns(agent, 1, user_id=user)
    assert "turn_id': 't2'" in answers
    assert turn.status == "open"


async def test_client_without_a_user_has_the_shared_view(layer, agent, users):
    async with connect(layer, agent, None) as client:
        answers = await texts(client, users, "ann")
    assert "kanariann" not in answers
    assert "kanaribob" not in answers


async def test_remembered_memory_belongs_to_the_user_of_the_scope(layer, agent, users):
    async with connect(layer, agent, "ann") as client:
        await client.call_tool("remember", CALLS["remember"])
    [stored] = [each for each in await layer.admin.find(agent, user_id="ann") if "tree" in each.content]
    assert stored.user_id == "ann"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("field", ["user_id", "user", "all_users"])
async def test_user_in_an_argument_of_a_tool_is_refused(layer, agent, users, name, field):
    async with connect(layer, agent, "bob") as client:
        arguments = filled(CALLS[name], users["bob"], "bob")
        result = await client.call_tool(name, {**arguments, field: "ann"})
    assert result.is_error
    assert field in result.content[0].text
    assert "kanariann" not in repr(result)


async def test_filter_cannot_name_a_user(layer, agent, users):
    async with connect(layer, agent, "bob") as client:
        arguments = {**CALLS["recall_context"], "where": {"user_id": {"eq": "ann"}}}
        result = await client.call_tool("recall_context", arguments)
    assert result.is_error
    assert "user_id" in result.content[0].text


async def test_memory_of_another_user_cannot_be_changed(layer, agent, users):
    before = await layer.get(agent, [users["ann"]], user_id="ann")
    calls = {name: filled(CALLS[name], users["ann"], "bob") for name in ("correct", "forget")}
    calls["remember"] = {**CALLS["remember"], "supersedes": str(users["ann"])}
    async with connect(layer, agent, "bob") as client:
        for name, arguments in calls.items():
            assert (await client.call_tool(name, arguments)).is_error, name
    assert await layer.get(agent, [users["ann"]], user_id="ann") == before


@pytest.mark.parametrize("user", ["", " ", "x" * 1_001])
def test_scope_with_an_invalid_user_is_refused(user):
    with pytest.raises(InvalidInput, match="user_id"):
        McpScope("a", user_id=user)


CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall_context", "arguments": CALLS["recall_context"]},
}
HEADERS = {"Accept": "application/json, text/event-stream"}


async def test_served_endpoint_takes_the_user_from_the_token(layer, agent, users, tmp_path):
    file = tmp_path / "tokens.toml"
    tokens = {user: create(file, agent, user=user)[1] for user in ("ann", "bob")}
    tokens["shared"] = create(file, agent)[1]
    apps = mounts(layer)
    async with apps[0].lifespan(), inside(layer, ServerConfig(tokens=file), apps) as http:
        for name, token in tokens.items():
            headers = {**HEADERS, "Authorization": f"Bearer {token}"}
            answer = await http.post("/mcp", json=CALL, headers=headers)
            assert answer.status_code == 200, answer.text
            found = {user for user in ("ann", "bob") if f"kanari{user}" in answer.text}
            assert found == {name} - {"shared"}
            for query in ({"user": "ann"}, {"user_id": "ann"}):
                refused = await http.post("/mcp", params=query, json=CALL, headers=headers)
                assert refused.status_code == 422


@pytest.mark.parametrize(
    ("rights", "trust", "tools"),
    [
        ({}, "host", set()),
        ({"may_remember": True}, "host", {"remember", "remember_conversation"}),
        (
            {"may_remember": True, "may_change": True},
            "agent",
            {"remember", "remember_conversation", "correct", "forget"},
        ),
        ({"may_remember": True, "may_change": True}, "talk", set()),
    ],
)
async def test_served_endpoint_offers_the_tools_that_host_and_token_allow(layer, agent, tmp_path, rights, trust, tools):
    file = tmp_path / "tokens.toml"
    headers = {**HEADERS, "Authorization": f"Bearer {create(file, agent, trust=trust)[1]}"}
    [noted] = await layer.remember(agent, [NewMemory(type="fact", content="Rex is the old name.", trust="agent")])
    apps = mounts(layer, **rights)
    forget = {**CALL, "params": {"name": "forget", "arguments": {"id": str(noted)}}}
    async with apps[0].lifespan(), inside(layer, ServerConfig(tokens=file), apps) as http:
        listed = await http.post("/mcp", json={**CALL, "method": "tools/list", "params": {}}, headers=headers)
        await http.post("/mcp", json=forget, headers=headers)
    assert {tool["name"] for tool in listed.json()["result"]["tools"]} == {"recall_context", *tools}
    [memory] = await layer.get(agent, [noted])
    assert (memory.hidden_reason == "retired") == ("forget" in tools)


async def test_dashboard_refuses_a_token_of_a_user(layer, agent, tmp_path):
    file = tmp_path / "tokens.toml"
    of_user, of_agent = create(file, agent, user="ann")[1], create(file, agent)[1]
    async with inside(layer, ServerConfig(tokens=file), mounts(layer)) as http:
        codes = []
        for token in (of_user, of_agent):
            http.cookies.set("cognitive_token", token)
            codes.append((await http.get("/ui/overview", params={"agent": agent})).status_code)
            http.cookies.clear()
    assert codes[0] in (303, 401, 403)
    assert codes[1] == 200
