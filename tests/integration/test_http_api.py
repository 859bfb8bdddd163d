"""The API over real HTTP: routes act as the layer's methods do and report errors in one format."""

from __future__ import annotations

import uuid

import asyncpg
import httpx
import pytest

from brain.artifacts import Artifacts, NewArtifact
from brain.postgres.database import Database
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.server.config import ServerConfig
from tests.serving import running, token_for

UNKNOWN = "6f0f1f0e-5a0b-4d5c-9d55-2b1b5f8c7a31"  # an unknown id; the same in every process that collects tests
DECISION = {"type": "decision", "content": "We chose Postgres over MongoDB for the billing service."}
QUESTION = "Which database did we choose for the billing service?"


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    patient = Policy(deadline_ms=10_000)  # these tests do not measure time
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=patient) as layer:
        yield layer


@pytest.fixture(scope="module")
async def http(layer, tmp_path_factory):
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    admin = token_for(tokens, None)
    config = ServerConfig(port=0, tokens=tokens)
    async with running(layer, config) as (url, _), httpx.AsyncClient(base_url=url, headers=admin, timeout=30) as client:
        yield client


@pytest.fixture
def at(agent):
    return f"/api/v1/agents/{agent}"


async def store_memories(http, at, *memories):
    answer = await http.post(f"{at}/memories", json={"memories": memories or [DECISION]})
    assert answer.status_code == 201
    return answer.json()["ids"]


async def recorded_runtimes(urls, at):
    """Return the recorded runtimes of the agent's turns."""
    connection = await asyncpg.connect(urls.admin)
    rows = await connection.fetch("SELECT runtime FROM cognitive.turn WHERE agent_id = $1", at.rsplit("/")[-1])
    await connection.close()
    return [row["runtime"] for row in rows]


async def test_turn_is_prepared_recorded_explained_and_rated(http, urls, at):
    (id,) = await store_memories(http, at)
    prepared = await http.post(f"{at}/turns", json={"session_id": "s1", "text": QUESTION})
    assert prepared.status_code == 200
    turn = prepared.json()
    assert [shown["memory_id"] for shown in turn["shown"]] == [id]
    assert DECISION["content"] in turn["prompt"]["sent"]
    assert turn["prompt"]["user_message"] == QUESTION
    assert await recorded_runtimes(urls, at) == ["http"]

    outcome = f"{at}/turns/{turn['turn_id']}/outcome"
    response = {"response": "We chose Postgres over MongoDB for the billing service."}
    first = (await http.put(outcome, json=response)).json()
    assert first["recorded"]
    assert not first["duplicate"]
    assert [each["referenced"] for each in first["attributions"]] == [True]
    assert (await http.put(outcome, json=response)).json()["duplicate"]

    why = (await http.get(f"{at}/turns/{turn['turn_id']}/memories/{id}")).json()
    assert why["disposition"] == "shown"
    assert why["used"]
    results = (await http.get(f"{at}/turns/{turn['turn_id']}/memories")).json()
    assert [result["memory_id"] for result in results] == [id]
    rated = await http.put(f"{at}/turns/{turn['turn_id']}/memories/{id}/rating", json={"useful": False})
    assert rated.status_code == 204
    listed = (await http.get(f"{at}/turns")).json()
    assert [(row["turn_id"], row["status"]) for row in listed] == [(turn["turn_id"], "completed")]


async def test_memories_are_searched_read_updated_and_deleted(http, at):
    first, second = await store_memories(http, at, DECISION, {"type": "fact", "content": "The cat is called Tom."})
    found = (await http.post(f"{at}/memories/search", json={"query": "billing database", "limit": 1})).json()
    assert [hit["memory_id"] for hit in found["memories"]] == [first]
    assert found["more"] == 1
    assert (await http.get(f"{at}/memories/{second}")).json()["content"] == "The cat is called Tom."
    both = await http.get(f"{at}/memories", params={"id": [second, str(uuid.uuid4()), first]})
    assert [memory["id"] for memory in both.json()] == [second, first]

    changed = await http.patch(f"{at}/memories/{second}", json={"content": "The cat is called Tim."})
    assert changed.json()["content"] == "The cat is called Tim."
    assert changed.json()["type"] == "fact"
    [retired] = (await http.post(f"{at}/memories/retire", json={"ids": [second]})).json()
    assert (retired["id"], retired["hidden_reason"]) == (second, "retired")
    again = await http.post(f"{at}/memories/retire", json={"ids": [second]})
    assert (again.status_code, "hidden since" in again.json()["detail"]) == (422, True)
    assert (await http.post(f"{at}/memories/restore", json={"ids": [second]})).json()[0]["hidden_at"] is None
    merged = await http.post(f"{at}/memories/merge", json={"ids": [second], "into": first})
    assert (merged.status_code, "is a fact" in merged.json()["detail"]) == (422, True)
    assert (await http.delete(f"{at}/memories/{second}")).json()["memories"] == 1
    assert (await http.post(f"{at}/memories/forget", json={"ids": [first]})).json()["memories"] == 1
    assert (await http.get(f"{at}/memories/{first}")).status_code == 404


async def test_session_state_and_artifacts_are_served_and_cleared(http, at):
    conversation = [
        {"role": "user", "content": "Read the log"},
        {"role": "assistant", "tool_calls": [{"name": "read", "id": "c1"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "\n".join(f"line {n} is ERROR {n * n}" for n in range(4000))},
        {"role": "assistant", "content": "It is long."},
    ]
    turn = {
        "session_id": "s/1",
        "text": "What does it say of ERROR 49?",
        "conversation": conversation,
        "turn_id": "t/1",
    }
    prepared = (await http.post(f"{at}/turns", json=turn)).json()
    await http.put(f"{at}/turns/t%2F1/outcome", json={"response": "Line 7."})
    assert "artifact:" in str(prepared["messages"])

    artifacts = (await http.get(f"{at}/sessions/s%2F1/artifacts")).json()
    assert [artifact["characters"] for artifact in artifacts] == [len(conversation[2]["content"])]
    id = artifacts[0]["id"]
    page = (await http.get(f"{at}/artifacts/{id}", params={"start": 5, "length": 10})).json()
    assert page["text"] == conversation[2]["content"][5:15]
    lines = (await http.post(f"{at}/artifacts/{id}/search", json={"literal": "ERROR 49"})).json()
    assert lines[0]["number"] == 8

    resumed = (await http.get(f"{at}/sessions/s%2F1")).json()
    assert resumed["recent"][0][0] == "t/1"
    assert (await http.post(f"{at}/sessions/s%2F1/end")).json() == {"ended": True}
    assert (await http.delete(f"{at}/sessions/s%2F1")).json()["artifacts"] == 1
    assert (await http.get(f"{at}/sessions/never")).json() is None


async def test_window_route_fits_a_grown_conversation(http, at):
    conversation = [
        {"role": "user", "content": "Go on"},
        {"role": "assistant", "tool_calls": [{"name": "ls", "id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "a.txt"},
    ]
    body = {"session_id": "s1", "message": "Go on", "conversation": conversation, "iteration": 1}
    window = (await http.post(f"{at}/turns/t1/window", json=body)).json()
    assert [message["role"] for message in window["messages"]] == ["user", "assistant", "tool"]


async def test_plans_and_context_budgets_are_served(http, at):
    prepared = (await http.post(f"{at}/turns", json={"session_id": "s1", "text": "Deploy it to staging"})).json()
    outcome = {"response": "Done.", "tool_calls": [{"name": "deploy", "arguments": {"to": "staging"}}]}
    await http.put(f"{at}/turns/{prepared['turn_id']}/outcome", json=outcome)
    assert (await http.get(f"{at}/plans")).json()[0]["tools"] == [["deploy", 1]]
    like = await http.post(f"{at}/plans/search", json={"message": "Deploy it to staging"})
    assert [plan["message"] for plan in like.json()] == ["Deploy it to staging"]
    assert (await http.post(f"{at}/plans/search", json={"message": "What is love?"})).json() == []
    assert (await http.get("/api/v1/context-budgets")).json()["default"]["input_tokens"] > 0


async def test_an_agent_is_erased_with_a_receipt(http, at, agent, layer):
    await store_memories(http, at)
    receipt = (await http.delete(at)).json()
    assert (receipt["agent_id"], receipt["memories"]) == (agent, 1)
    assert await layer.recall(agent, "billing database") == ()


async def test_agent_ids_may_contain_any_character(http, layer):
    agent = f"team/süd {uuid.uuid4()}%2F?#"
    at = "/api/v1/agents/" + "".join(f"%{byte:02X}" for byte in agent.encode())
    (id,) = await store_memories(http, at)
    (memory,) = await layer.get(agent, [id])
    assert memory.content == DECISION["content"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "culprit"),
    [
        ("POST", "/turns", {"session_id": "s1"}, 422, "text"),
        ("POST", "/turns", {"session_id": "s1", "text": "Hello", "txet": ""}, 422, "txet"),
        ("POST", "/turns", {"session_id": "s1", "text": "Hello", "agent_id": "another"}, 422, "agent_id"),
        ("POST", "/turns", {"session_id": "s1", "text": "nul \0"}, 422, "NUL"),
        ("POST", "/turns", {"session_id": "s1", "text": "Hello", "now": "2026-01-01T00:00:00"}, 422, "now"),
        ("POST", "/memories", {"memories": [{**DECISION, "type": "rumour"}]}, 422, "type"),
        ("POST", "/memories", {"memories": [DECISION] * 1001}, 422, "memories"),
        ("POST", "/memories/search", {"query": "x", "limit": 201}, 422, "limit"),
        ("POST", "/memories/search", {"query": " "}, 422, "query"),
        ("GET", "/turns?limit=0", None, 422, "limit"),
        ("GET", "/memories/not-an-id", None, 422, "memory_id"),
        ("GET", f"/memories/{UNKNOWN}", None, 404, "memory_id"),
        ("PATCH", f"/memories/{UNKNOWN}", {"pinned": True}, 404, "memory"),
        ("PATCH", f"/memories/{UNKNOWN}", {"source": "x"}, 422, "source"),
        ("PUT", "/turns/never/outcome", {"response": "Done."}, 404, "turn_id"),
        ("GET", f"/turns/never/memories/{UNKNOWN}", None, 404, "turn_id"),
        ("PUT", f"/turns/never/memories/{UNKNOWN}/rating", {"useful": True}, 404, "turn_id"),
        ("GET", f"/artifacts/{UNKNOWN}", None, 404, "id"),
        ("GET", "/nothing", None, 404, "Not Found"),
        ("PUT", "/turns", {}, 405, "Method Not Allowed"),
    ],
)
async def test_errors_are_problem_documents_that_name_the_field(http, at, method, path, body, status, culprit):
    answer = await http.request(method, at + path, json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert culprit in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"session_id": "s", "text": "\\ud800"}',
        b"\xff",
        b'{"session_id": "s", "text": "x", "tools": [{"name": "t", "parameters": {"a": NaN}}]}',
    ],
)
async def test_invalid_json_is_refused(http, at, body):
    answer = await http.post(f"{at}/turns", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


async def test_plain_text_body_is_refused(http, at):
    """A web page may post `text/plain` to any site without a preflight request."""
    body = b'{"session_id": "s1", "text": "Hello"}'
    answer = await http.post(f"{at}/turns", content=body, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert (await http.get(f"{at}/turns")).json() == []


async def test_lone_surrogates_in_artifacts_are_preserved(http, at, agent, urls):
    """JSON can represent lone surrogates; UTF-8 cannot."""
    database, id = Database(urls.app, pool_size=1), uuid.uuid4()
    await Artifacts(database).put(Scope(agent), "s", [NewArtifact(id, "half \ud83d and \0", "read")])
    await database.close()
    assert (await http.get(f"{at}/artifacts/{id}")).json()["text"] == "half \ud83d and \0"


async def test_health_and_readiness_are_reported(http):
    assert (await http.get("/healthz")).json()["status"] == "ok"
    ready = await http.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"] == {"database": "ok", "schema": "ok", "model": "ok"}


async def test_memory_stored_by_the_layer_is_served_over_http(http, at, agent, layer):
    (id,) = await layer.remember(agent, [NewMemory(**DECISION)])
    assert (await http.get(f"{at}/memories/{id}")).json()["content"] == DECISION["content"]


async def test_undeclared_json_and_missing_ids_say_what_to_send(http, at):
    plain = await http.post(f"{at}/memories", content=b'{"memories": []}')
    assert (plain.status_code, "Content-Type: application/json" in plain.json()["detail"]) == (422, True), plain.text
    declared = await http.post(f"{at}/memories", json=[])
    assert (declared.status_code, "Content-Type" in declared.json()["detail"]) == (422, False)
    unnamed = await http.get(f"{at}/memories")
    assert (unnamed.status_code, "POST to /memories/find" in unnamed.json()["detail"]) == (422, True)
