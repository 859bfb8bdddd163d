"""No route, present or future, serves an agent's memory to another agent's token or without a token."""

from __future__ import annotations

import re
import uuid

import pytest

from cognitive import CognitiveLayer, NewMemory
from cognitive.server.app import create_app
from cognitive.server.auth import caller_of
from cognitive.server.config import PUBLIC, MountedApp, ServerConfig
from cognitive.server.tokens import create
from cognitive.wire.problems import MEDIA_TYPE
from tests.conftest import PATIENT
from tests.serving import client_of, inside, token_for

OF_NOBODY = {"/api/v1/context-budgets", "/api/v1/agents"}  # a table without agent data; the agents of the token
POLICIES = "/api/v1/agents/{agent_id}/policies"
CHOOSING = {
    ("post", f"{POLICIES}/candidates"),
    ("put", f"{POLICIES}/{{role}}/activation"),
    ("post", f"{POLICIES}/{{role}}/rollback"),
}
OF_ADMINS = {
    ("get", "/metrics"),
    ("get", "/api/v1/agents/{agent_id}/users"),
    ("delete", "/api/v1/agents/{agent_id}"),
    *CHOOSING,
}
BODIES = {
    "/candidates": {"changes": {"usage.half_life_days": 3}},
    "/activation": {"version": None},
    "/rollback": {},
    "/what-if": {"changes": {}, "since": "2026-11-01T00:00:00Z"},
    "/turns": {"session_id": "s", "text": "Hello"},
    "/window": {"session_id": "s", "message": "Hello", "conversation": []},
    "/outcome": {"response": "Hello"},
    "/rating": {"useful": True},
    "/memories": {"memories": [{"type": "fact", "content": "secret"}]},
    "/memories/conversation": {"messages": [{"role": "user", "content": "A secret."}]},
    "/forget": {"ids": []},
    "/retire": {"ids": []},
    "/share": {"ids": []},
    "/restore": {"ids": []},
    "/merge": {"ids": [], "into": str(uuid.uuid4())},
    "/artifacts/{id}/search": {"literal": "secret"},
    "/search": {"query": "secret", "message": "secret"},
}


def routes():
    """Return every (method, path) of the app from its OpenAPI description."""
    paths = create_app(None, ServerConfig()).openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


ALL = routes()
OF_AGENTS = [route for route in ALL if "{agent_id}" in route[1]]


def filled_path(path, agent):
    """Return a path with its parameters filled in."""
    names = {"agent_id": agent, "role": "live"}
    return re.sub(r"{(\w+)}", lambda name: names.get(name[1]) or str(uuid.uuid4()), path)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """Return the token file of `app`, with an admin's token."""
    file = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    create(file, None)
    return file


@pytest.fixture(scope="module")
def app(layer, tokens):
    """Return a server that needs a token and does not limit the failed requests of these tests."""
    config = ServerConfig(
        tokens=tokens,
        auth_failures_per_minute=100_000,
        metrics=lambda accept: (b"turns 1\n", "text/plain"),
    )
    return create_app(layer, config)


@pytest.fixture
async def http(app):
    async with client_of(app) as client:
        yield client


def body_of(path):
    return next((body for end, body in BODIES.items() if path.endswith(end)), None)


def test_every_route_belongs_to_an_agent_or_is_listed_as_shared():
    others = {path for _, path in ALL if "{agent_id}" not in path}
    assert others == OF_NOBODY | {"/metrics", "/healthz", "/readyz"}
    assert {route for route in ALL if route in OF_ADMINS} == OF_ADMINS


@pytest.mark.parametrize(("method", "path"), OF_AGENTS)
async def test_token_of_another_agent_is_refused(http, tokens, agent, method, path):
    headers = token_for(tokens, "another")
    answer = await http.request(method, filled_path(path, agent), json=body_of(path), headers=headers)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert agent not in answer.text


@pytest.mark.parametrize(("method", "path"), OF_AGENTS)
async def test_refusal_does_not_reveal_whether_an_agent_exists(http, tokens, layer, agent, method, path):
    await layer.remember(agent, [NewMemory(type="fact", content="secret")])
    headers = token_for(tokens, "another")
    answers = [
        await http.request(method, filled_path(path, whose), json=body_of(path), headers=headers)
        for whose in (agent, "there-never-was-one")
    ]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize(("method", "path"), [route for route in ALL if route[1] not in PUBLIC])
async def test_request_without_a_valid_token_is_refused(http, method, path):
    wrong = [
        {},
        {"Authorization": "Bearer cog_00000000_" + "0" * 64},
        {"Authorization": "Basic YTpi"},
        {"X-Api-Key": "x"},
    ]
    for headers in wrong:
        answer = await http.request(method, filled_path(path, "a"), json=body_of(path), headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "path"), [route for route in OF_AGENTS if route not in OF_ADMINS])
async def test_token_of_the_agent_is_accepted(http, tokens, agent, method, path):
    headers = token_for(tokens, agent)
    answer = await http.request(method, filled_path(path, agent), json=body_of(path), headers=headers)
    assert answer.status_code not in (401, 403, 405)


@pytest.mark.parametrize(("method", "path"), sorted(OF_ADMINS))
async def test_admin_routes_refuse_an_agents_token(http, tokens, agent, method, path):
    url, body = filled_path(path, agent), body_of(path)
    assert (await http.request(method, url, json=body, headers=token_for(tokens, agent))).status_code == 403
    answer = await http.request(method, url, json=body, headers=token_for(tokens, None))
    assert (
        answer.status_code in (200, 201) or "no live activation" in answer.text
    )  # there is no activation to roll back


async def test_token_in_the_query_string_is_ignored(http, tokens):
    (value,) = token_for(tokens, None).values()
    token = value.removeprefix("Bearer ")
    for query in ({"token": token}, {"access_token": token}, {"Authorization": value}):
        assert (await http.get("/api/v1/context-budgets", params=query)).status_code == 401


async def test_two_authorization_headers_are_refused(http, tokens):
    (value,) = token_for(tokens, None).values()
    headers = [("Authorization", value), ("Authorization", value)]
    assert (await http.get("/api/v1/context-budgets", headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "path", ["{0}/../{1}/turns", "{0}%2F..%2F{1}/turns", "{0}/turns/..%2F{1}/outcome", "/{1}/turns"]
)
async def test_path_tricks_do_not_reach_another_agent(http, tokens, layer, agent, path):
    victim = f"victim-{agent}"
    await layer.remember(victim, [NewMemory(type="fact", content="secret")])
    answer = await http.get("/api/v1/agents/" + path.format(agent, victim), headers=token_for(tokens, agent))
    assert answer.status_code in (403, 404, 405)


async def test_agent_cannot_close_or_explain_another_agents_turn(http, tokens, agent):
    body = {"session_id": "s", "text": "Hello", "turn_id": "t"}
    mine, other = f"/api/v1/agents/{agent}", f"/api/v1/agents/{agent}-2"
    await http.post(f"{mine}/turns", json=body, headers=token_for(tokens, agent))
    headers = token_for(tokens, f"{agent}-2")
    assert (await http.put(f"{other}/turns/t/outcome", json={"response": "x"}, headers=headers)).status_code == 404
    assert (await http.get(f"{other}/turns/t/memories", headers=headers)).status_code == 404


async def test_token_limits_the_trust_of_stored_memories(http, tokens, layer, agent):
    path, bound = f"/api/v1/agents/{agent}/memories", {"Authorization": f"Bearer {create(tokens, agent, 'talk')[1]}"}
    [own] = await layer.remember(agent, [NewMemory(type="fact", content="The gate code is 4711.")])
    memory = {"type": "fact", "content": "The gate code is 1.", "trust": "host", "supersedes": str(own)}
    [id] = (await http.post(path, json={"memories": [memory]}, headers=bound)).json()["ids"]
    assert (await http.get(f"{path}/{id}", headers=bound)).json()["trust"] == "talk"
    answer = await http.patch(f"{path}/{own}", json={"content": "The gate is open."}, headers=bound)
    assert (answer.status_code, "trust" in answer.text) == (422, True)
    [kept] = await layer.get(agent, [own])
    assert (kept.content, kept.replaced_by) == ("The gate code is 4711.", None)
    whole = token_for(tokens, agent)
    assert (await http.patch(f"{path}/{own}", json={"content": "It is 4712."}, headers=whole)).status_code == 200


async def test_token_cannot_share_a_memory_of_higher_trust(http, tokens, layer, agent):
    path = f"/api/v1/agents/{agent}/memories/share?user_id=ann"
    own, foreign = await layer.remember(
        agent,
        [
            NewMemory(type="fact", content="The gate code is 4711.", user_id="ann"),
            NewMemory(type="fact", content="The gate is green.", user_id="ann", trust="foreign"),
        ],
    )
    bound = {"Authorization": f"Bearer {create(tokens, agent, 'agent')[1]}"}
    answer = await http.post(path, json={"ids": [str(foreign), str(own)]}, headers=bound)
    assert (answer.status_code, "cannot share a memory of 'host'" in answer.text) == (422, True)
    assert await layer.admin.find(agent) == []
    assert (await http.post(path, json={"ids": [str(foreign)]}, headers=bound)).status_code == 201


TEA = [{"role": "user", "content": "I prefer tea in the morning."}]
NO_TEA = [{"role": "user", "content": "I no longer prefer tea in the morning."}]


@pytest.mark.parametrize("trust", ["foreign", "talk"])
async def test_conversation_needs_a_token_with_the_trust_of_talk(http, tokens, layer, agent, trust):
    path = f"/api/v1/agents/{agent}/memories/conversation"
    bound = {"Authorization": f"Bearer {create(tokens, agent, trust)[1]}"}
    [formed] = (await layer.remember_conversation(agent, TEA, session_id="s1")).formed
    answer = await http.post(path, json={"messages": NO_TEA, "session_id": "s2"}, headers=bound)
    [memory] = await layer.get(agent, [formed])
    assert (answer.status_code, memory.hidden_reason) == ((201, "retired") if trust == "talk" else (403, None))
    assert len(await layer.admin.find(agent)) == (2 if trust == "foreign" else 3)


@pytest.mark.parametrize(("trust", "status"), [("foreign", 403), ("talk", 200)])
async def test_captured_turn_needs_a_token_with_the_trust_of_talk(urls, embedder, tokens, agent, trust, status):
    path, bound = f"/api/v1/agents/{agent}", {"Authorization": f"Bearer {create(tokens, agent, trust)[1]}"}
    policy = PATIENT.model_copy(update={"capture": "exchange"})
    async with (
        CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as capturing,
        inside(capturing, ServerConfig(tokens=tokens), headers=bound) as http,
    ):
        body = {"session_id": "s", "turn_id": "t", "text": "I prefer tea in the morning."}
        assert (await http.post(f"{path}/turns", json=body)).status_code == 200
        outcome = {"response": "Noted, tea it is."}
        assert (await http.put(f"{path}/turns/t/outcome", json=outcome)).status_code == status
        stored = await capturing.admin.find(agent)
        assert {memory.trust for memory in stored} == ({"talk"} if status == 200 else set())
        assert (await http.put(f"{path}/turns/t/outcome", json={"status": "failed"})).status_code == 200


async def test_token_without_erase_right_is_refused_by_erasing_routes(http, tokens, layer, agent):
    mine, admins = [{"Authorization": f"Bearer {create(tokens, whose, erase=False)[1]}"} for whose in (agent, None)]
    [kept] = await layer.remember(agent, [NewMemory(type="fact", content="The gate code is 4711.")])
    path = f"/api/v1/agents/{agent}"
    app = create_app(layer, ServerConfig(tokens=tokens))
    deleting = {route for route, methods in app.openapi()["paths"].items() if "delete" in methods}
    known = {
        "/memories/{memory_id}": f"/memories/{kept}",
        "/sessions/{session_id}": "/sessions/s",
        "/users/{user_id}": "/users/u",
        "": "",
    }
    assert deleting == {f"/api/v1/agents/{{agent_id}}{route}" for route in known}, (
        "add a new deleting route to this test"
    )

    responses = [await http.delete(path + to, headers=admins) for to in known.values()]
    responses += [await http.post(f"{path}/memories/forget", json={"ids": [str(kept)]}, headers=mine)]
    responses += [await http.delete(f"{path}/memories/{kept}", headers=mine)]

    assert {(answer.status_code, answer.json()["detail"]) for answer in responses} == {
        (403, "authorization: this token may not erase anything")
    }
    assert (await http.get(f"{path}/memories/{kept}", headers=mine)).status_code == 200


async def test_mounted_app_receives_the_authenticated_caller(layer, tokens):

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(caller_of(scope).agent).encode()})

    header = token_for(tokens, "a")
    async with inside(layer, ServerConfig(tokens=tokens), [MountedApp("/mcp", app)]) as client:
        assert (await client.post("/mcp")).status_code == 401
        assert (await client.post("/mcp", headers=header)).text == "a"
