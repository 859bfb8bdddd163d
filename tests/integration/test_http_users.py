"""Users over HTTP: no route, present or future, serves or changes the rows of another user than the token permits."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress

import httpx
import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, ToolCall, Turn
from cognitive.client.client import CognitiveClient
from cognitive.client.transport import ApiTransport
from cognitive.errors import CognitiveError
from cognitive.server.app import create_app
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from cognitive.wire.problems import NotAllowed
from tests.integration.test_http_isolation import OF_AGENTS
from tests.serving import client_of

pytestmark = pytest.mark.promise(number=4)

OF_AGENT = "/api/v1/agents/{agent_id}"
LINES = {"conversation": [{"role": "user", "content": "Hello"}]}
SINCE = {"changes": {}, "since": "2026-11-01T00:00:00Z"}
# the body of each route; where its keyword `user_id` stands: in the query, the body, each memory or the path; and
# whether its answer to a user has words of that user
ROUTES: dict[tuple[str, str], tuple[dict | None, str, bool]] = {
    ("post", "/turns"): ({"session_id": "s", "text": "Where does the kanari sleep?"}, "body", True),
    ("get", "/turns"): (None, "query", True),
    ("post", "/turns/{turn_id}/window"): ({"session_id": "s", "message": "Hello", **LINES}, "body", False),
    ("put", "/turns/{turn_id}/outcome"): ({"response": "Hello"}, "query", False),
    ("get", "/turns/{turn_id}/memories"): (None, "query", False),
    ("get", "/turns/{turn_id}/memories/{memory_id}"): (None, "query", False),
    ("put", "/turns/{turn_id}/memories/{memory_id}/rating"): ({"useful": True}, "query", False),
    ("post", "/memories"): ({"memories": [{"type": "fact", "content": "A cow."}]}, "memory", False),
    ("post", "/memories/conversation"): ({"messages": [{"role": "user", "content": "A cow."}]}, "body", False),
    ("post", "/memories/search"): ({"query": "Where does the kanari sleep?"}, "body", True),
    ("post", "/memories/find"): ({}, "body", True),
    ("get", "/memories"): (None, "query", True),
    ("get", "/memories/{memory_id}"): (None, "query", True),
    ("patch", "/memories/{memory_id}"): ({"pinned": True}, "query", True),
    ("post", "/memories/retire"): ({"ids": ["{memory_id}"]}, "query", True),
    ("post", "/memories/restore"): ({"ids": ["{memory_id}"]}, "query", True),
    ("post", "/memories/merge"): ({"ids": ["{memory_id}"], "into": "{other_id}"}, "query", True),
    ("post", "/memories/share"): ({"ids": ["{memory_id}"]}, "query", False),
    ("get", "/memories/{memory_id}/revisions"): (None, "query", True),
    ("get", "/upkeep/duplicates"): (None, "query", True),
    ("get", "/upkeep/contradictions"): (None, "query", True),
    ("get", "/upkeep/stale"): (None, "query", False),
    ("get", "/sessions"): (None, "query", False),
    ("get", "/sessions/{session_id}"): (None, "query", True),
    ("get", "/sessions/{session_id}/artifacts"): (None, "query", False),
    ("get", "/artifacts/{id}"): (None, "query", True),
    ("post", "/artifacts/{id}/search"): ({"literal": "line 7"}, "body", True),
    ("get", "/plans"): (None, "query", True),
    ("post", "/plans/search"): ({"message": "Where does the kanari sleep?"}, "body", True),
    ("post", "/sessions/{session_id}/end"): (None, "query", False),
    ("delete", "/sessions/{session_id}"): (None, "query", False),
    ("post", "/memories/forget"): ({"ids": ["{memory_id}"]}, "query", False),
    ("delete", "/memories/{memory_id}"): (None, "query", False),
    ("delete", "/users/{user_id}"): (None, "path", False),
}
# routes of the agent as a whole, which refuse a token of a user
OF_HOSTS = {
    ("get", "/policies"): None,
    ("get", "/policies/candidates"): None,
    ("get", "/policies/candidates/{version}"): None,
    ("get", "/policies/versions/{version}"): None,
    ("get", "/policies/versions/{version}/agreement"): None,
    ("get", "/policies/{role}/activations"): None,
    ("post", "/policies/what-if"): SINCE,
    ("post", "/policies/candidates"): {"changes": {}},
    ("put", "/policies/{role}/activation"): {"version": None},
    ("post", "/policies/{role}/rollback"): {},
    ("get", "/users"): None,
    ("delete", ""): None,
}
REFUSED_TO_USERS = {*OF_HOSTS, ("post", "/memories/share")}
CHANGING = {"/memories/forget", "/users/{user_id}"}  # they follow the others


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    policy = Policy(deadline_ms=20_000, abstention=False, dedup={"enabled": False})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    file = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    create(file, None)
    return file


@pytest.fixture(scope="module")
async def http(layer, tokens):
    config = ServerConfig(tokens=tokens, auth_failures_per_minute=100_000, requests_per_minute=1_000_000)
    async with client_of(create_app(layer, config)) as http:
        yield http


def bearer(tokens, *named, **rights) -> dict[str, str]:
    return {"Authorization": f"Bearer {create(tokens, *named, **rights)[1]}"}


def canary(user: str) -> str:
    return f"kanari{user}"


async def fill(layer: CognitiveLayer, agent: str, user: str) -> dict[str, str]:
    """Give a user rows of every kind whose texts have the user's canary; return the ids for the paths of routes."""
    word = canary(user)
    rest = ("sleeps in a barn", "sleeps in a shed", "works at Siemens", "works at Bosch", "is blue", "is blue")
    facts = [f"{word.capitalize()} {each}." for each in rest]
    sources = [{"source": f"s{n}"} for n in range(6)]
    ids = await layer.remember(
        agent,
        [NewMemory(type="fact", content=fact, user_id=user, **own) for fact, own in zip(facts, sources, strict=True)],
    )
    await layer.update(agent, ids[0], content=f"The {word} sleeps in a tree.", user_id=user)
    log = "\n".join(f"{word} line {n}" for n in range(3_000))
    calls = (
        Message(role="assistant", tool_calls=(ToolCall(id="c", name="read"),)),
        Message(role="tool", content=log, tool_call_id="c"),
        Message(role="user", content="Go on."),
    )
    turn = Turn(
        agent_id=agent, session_id="s", turn_id="t", user_id=user, text=f"Where does the kanari sleep, the {word}?"
    )
    context = await layer.pre_turn(turn.model_copy(update={"conversation": calls}))
    outcome = Outcome(response=f"The {word} is in the barn.", tool_calls=(ToolCall(id="d", name="read"),))
    await layer.post_turn(context, outcome)
    [artifact, *_] = await layer.sessions.artifacts(agent, "s", user_id=user)
    return {
        "agent_id": agent,
        "memory_id": str(ids[0]),
        "other_id": str(ids[1]),
        "turn_id": "t",
        "session_id": "s",
        "id": str(artifact.id),
        "user_id": user,
        "role": "live",
        "version": "0f1e2d3c4b5a",
    }


def request_of(route, ids, user=None, **more):
    """Return the arguments of a request to a route; with `user` in the place where the route takes it."""
    (method, path), (body, place, _) = route, ROUTES.get(route, (OF_HOSTS.get(route), "query", False))
    body, query = json.loads(json.dumps(body).replace("{memory_id}", ids["memory_id"])), dict(more)
    if body is not None and "into" in body:
        body["into"] = ids["other_id"]
    if (method, path) == ("get", "/memories"):
        query["id"] = ids["memory_id"]
    if user is not None and place == "memory":
        body["memories"][0]["user_id"] = user
    elif user is not None and place == "body":
        body["user_id"] = user
    elif user is not None and place == "query":
        query["user_id"] = user
    return method, f"{OF_AGENT}{path}".format(**ids), {"json": body, "params": query}


def test_every_route_of_an_agent_is_in_the_table():
    listed = {(method, f"{OF_AGENT}{path}") for method, path in (*ROUTES, *OF_HOSTS)}
    assert listed == set(OF_AGENTS), "add the new route to ROUTES or OF_HOSTS"


@pytest.mark.parametrize("bound", [True, False], ids=["token of bob", "token of the agent, naming bob"])
async def test_no_route_serves_or_changes_the_rows_of_another_user(http, tokens, layer, agent, bound):
    anns, bobs = [await fill(layer, agent, user) for user in ("ann", "bob")]
    before = await everything(layer, agent, "ann")
    headers = bearer(tokens, agent, user="bob") if bound else bearer(tokens, agent)
    for route in sorted(ROUTES, key=lambda route: (route[0] == "delete", route[1] in CHANGING)):
        named = {**anns, "user_id": "bob"}
        method, url, content = request_of(route, named, None if bound else "bob")
        answer = await http.request(method, url, headers=headers, **content)
        assert canary("ann") not in answer.text.lower(), route
    assert await everything(layer, agent, "ann") == before
    assert [row.turn_id for row in await layer.explain.turns(agent, user_id="bob")] == []  # the last route erased bob
    assert bobs["turn_id"] == anns["turn_id"]


async def test_routes_serve_the_rows_of_their_user(http, tokens, layer, agent):
    """Else the test before could not fail."""
    ids, headers = await fill(layer, agent, "ann"), bearer(tokens, agent, user="ann")
    for route, (_, _, shows) in ROUTES.items():
        if shows:
            method, url, content = request_of(route, ids)
            answer = await http.request(method, url, headers=headers, **content)
            assert canary("ann") in answer.text.lower(), (route, answer.text[:300])


async def everything(layer: CognitiveLayer, agent: str, user: str):
    """Return what the layer stores of a user, to compare."""
    memories = await layer.admin.find(agent, user_id=user)
    turns = await layer.explain.turns(agent, user_id=user)
    return memories, turns, await layer.resume(agent, "s", user_id=user)


@pytest.mark.parametrize("route", [*ROUTES, *OF_HOSTS], ids=lambda route: " ".join(route))
async def test_token_of_a_user_cannot_name_another_user(http, tokens, agent, route):
    ids = {"agent_id": agent, "memory_id": "6f0f1f0e-5a0b-4d5c-9d55-2b1b5f8c7a31", "turn_id": "t", "session_id": "s"}
    ids |= {"id": ids["memory_id"], "other_id": ids["memory_id"], "user_id": "ann", "role": "live", "version": "0" * 12}
    method, url, content = request_of(route, ids, "ann")
    answer = await http.request(method, url, headers=bearer(tokens, agent, user="bob"), **content)
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:cognitive:problem:NotAllowed")


ALL_USERS = [
    ("get", "/turns"),
    ("get", "/memories/{memory_id}"),
    ("post", "/memories/find"),
    ("get", "/plans"),
    ("post", "/plans/search"),
    ("get", "/upkeep/duplicates"),
]


@pytest.mark.parametrize("route", ALL_USERS, ids=" ".join)
async def test_all_users_need_a_token_of_an_operator(http, tokens, layer, agent, route):
    ids = await fill(layer, agent, "ann")
    answers = {}
    for name, headers in {
        "agent": bearer(tokens, agent),
        "user": bearer(tokens, agent, user="ann"),
        "operator": bearer(tokens, agent, operator=True),
        "admin": bearer(tokens, None),
    }.items():
        method, url, content = request_of(route, ids)
        if content["json"] is None:
            content["params"]["all_users"] = True
        else:
            content["json"]["all_users"] = True
        answers[name] = await http.request(method, url, headers=headers, **content)
    codes = {name: answer.status_code for name, answer in answers.items()}
    assert codes == {"agent": 403, "user": 403, "operator": 200, "admin": 200}
    assert canary("ann") in answers["operator"].text.lower()


async def test_all_users_and_a_user_cannot_be_named_together(http, tokens, agent):
    query, headers = {"all_users": True, "user_id": "ann"}, bearer(tokens, agent, operator=True)
    answer = await http.get(f"/api/v1/agents/{agent}/turns", params=query, headers=headers)
    assert (answer.status_code, "all_users" in answer.text) == (422, True)


async def test_token_of_a_user_writes_rows_of_that_user_only(http, tokens, layer, agent):
    [shared] = await layer.remember(agent, [NewMemory(type="fact", content="The gate is open.")])
    path, headers = f"/api/v1/agents/{agent}/memories", bearer(tokens, agent, user="ann")
    memory = {"type": "fact", "content": "The gate is closed."}
    stored = await http.post(path, json={"memories": [memory]}, headers=headers)
    assert (await layer.get(agent, stored.json()["ids"], user_id="ann"))[0].user_id == "ann"
    refused = [
        await http.post(path, json={"memories": [{**memory, "user_id": None}]}, headers=headers),
        await http.post(
            path, json={"memories": [{**memory, "content": "It is shut.", "supersedes": str(shared)}]}, headers=headers
        ),
        await http.patch(f"{path}/{shared}", json={"pinned": True}, headers=headers),
        await http.post(f"{path}/retire", json={"ids": [str(shared)]}, headers=headers),
        await http.delete(f"{path}/{shared}", headers=headers),
    ]
    assert {answer.status_code for answer in refused} <= {403, 404, 422}
    assert all(answer.json()["type"].startswith("urn:cognitive:problem:") for answer in refused)
    [kept] = await layer.get(agent, [shared])
    assert (kept.content, kept.pinned, kept.replaced_by, kept.hidden_at) == ("The gate is open.", False, None, None)


async def test_turn_with_a_token_of_a_user_is_that_users(http, tokens, layer, agent):
    url, headers = f"/api/v1/agents/{agent}/turns", bearer(tokens, agent, user="ann")
    turn = {"session_id": "s", "text": "Where is the gate?", "turn_id": "t"}
    assert (await http.post(url, json=turn, headers=headers)).json()["user_id"] == "ann"
    assert (await http.put(f"{url}/t/outcome", json={"response": "Here."}, headers=headers)).json()["recorded"]
    assert [row.status for row in await layer.explain.turns(agent, user_id="ann")] == ["completed"]
    assert await layer.explain.turns(agent) == []


async def test_client_of_a_users_token_needs_not_name_the_user(http, tokens, layer, agent):
    http.headers.update(bearer(tokens, agent, user="ann"))
    client = CognitiveClient(ApiTransport(http, 30, 1), 30)
    [id] = await client.remember(agent, [NewMemory(type="fact", content="The gate is open.")])
    assert (await client.get(agent, [id]))[0].user_id == "ann"
    assert [hit.user_id for hit in await client.recall(agent, "gate")] == ["ann"]
    with pytest.raises(NotAllowed):
        await client.recall(agent, "gate", user_id="bob")
    with pytest.raises(NotAllowed):
        await client.remember(agent, [NewMemory(type="fact", content="It is shared.", user_id=None)])


# --- 200 users at once ---

USERS, CALLS, AT_ONCE = 200, 500, 16


class Caller:
    """Makes random requests as one user; half of the users have a token of their own."""

    def __init__(self, http: httpx.AsyncClient, agent: str, user: str, headers: dict[str, str], bound: bool) -> None:
        self._http, self._base, self._headers = http, f"/api/v1/agents/{agent}", headers
        self._user = {} if bound else {"user_id": user}
        self._word = canary(user)

    async def call(self, chance: random.Random, number: int) -> str:
        kind = chance.choice((self.turn, self.turn, self.remember, self.search, self.find, self.forget, self.resume))
        return await kind(number)

    async def _send(self, method: str, path: str, body=None, **query) -> httpx.Response:
        return await self._http.request(method, self._base + path, json=body, params=query, headers=self._headers)

    async def turn(self, number: int) -> str:
        body = {"session_id": "s", "text": f"Where does the {self._word} sleep?", "turn_id": f"t{number % 3}"}
        prepared = await self._send("POST", "/turns", {**body, **self._user})
        response = {"response": f"The {self._word} sleeps in barn {number}."}
        report = await self._send("PUT", f"/turns/t{number % 3}/outcome", response, **self._user)
        return prepared.text + report.text

    async def remember(self, number: int) -> str:
        memory = {"type": "fact", "content": f"The {self._word} sleeps in barn {number}.", "source": f"s{number % 4}"}
        return (await self._send("POST", "/memories", {"memories": [{**memory, **self._user}]})).text

    async def search(self, number: int) -> str:
        query = {"query": "Which one sleeps in the barn?", "limit": 50, **self._user}
        return (await self._send("POST", "/memories/search", query)).text

    async def find(self, number: int) -> str:
        return (await self._send("POST", "/memories/find", self._user)).text

    async def resume(self, number: int) -> str:
        listed = await self._send("GET", "/turns", **self._user)
        return listed.text + (await self._send("GET", "/sessions/s", **self._user)).text

    async def forget(self, number: int) -> str:
        found = (await self._send("POST", "/memories/find", {"limit": 1, **self._user})).json()
        return (
            await self._send("POST", "/memories/forget", {"ids": [each["id"] for each in found]}, **self._user)
        ).text


async def test_200_users_over_http_see_only_their_own_words(http, tokens, layer, agent):
    chance, of_agent = random.Random(11), bearer(tokens, agent)
    names = [f"{n:03}" for n in range(USERS)]
    callers = [
        Caller(http, agent, name, bearer(tokens, agent, user=name) if n % 2 else of_agent, bool(n % 2))
        for n, name in enumerate(names)
    ]
    running, answers = asyncio.Semaphore(AT_ONCE), 0

    async def one(number: int) -> None:
        nonlocal answers
        user = chance.randrange(USERS // 4) * 4 + number % 4
        async with running:
            with suppress(CognitiveError):
                answer = await callers[user].call(chance, number)
                others = {name for name in names if canary(name) in answer} - {names[user]}
                assert not others, (number, others)
                answers += canary(names[user]) in answer

    await asyncio.gather(*map(one, range(CALLS)))
    assert answers > CALLS / 4
