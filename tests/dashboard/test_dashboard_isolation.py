"""Attacks on the pages: guessed names of other agents, and forms, frames and host names of other sites."""

from __future__ import annotations

from itertools import product
from uuid import uuid4

import pytest

from cognitive import NewMemory, Outcome, Turn
from cognitive.server.tokens import create
from tests.dashboard.test_dashboard_attacks import FORMS, PATHS, REQUIRED_PARAMS, SECRET, required_params

# --- other agents ---


@pytest.fixture(scope="module")
async def other_agent(layer):
    """Return an agent with a secret, and the id of the memory that has it."""
    other = f"agent-{uuid4().hex[:12]}-other"
    (secret,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    turn = Turn(agent_id=other, session_id="s", text="What opens the vault?", turn_id="t")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=SECRET))
    return other, secret


@pytest.mark.parametrize("path", PATHS)
async def test_pages_do_not_reveal_memories_of_another_agent(guarded, layer, agent, other_agent, tokens, path):
    other, secret = other_agent
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    required = required_params(path, secret, layer, agent)

    for name, more in product((other, agent), ({}, {"why": str(secret)}, {"q": "vault"}, {"session": "s"})):
        answer = await guarded.get(f"/ui{path}", params={"agent": name, **required, **more})
        own = (403,) if path == "/users.file" else (200, 404)  # the list of users is for operators
        assert answer.status_code in ((403,) if name == other else own)
        assert "Kestrel" not in answer.text


@pytest.mark.parametrize("path", ["/memory", "/memory/chart", "/turn/why", "/turns/why", "/policy", *FORMS])
async def test_foreign_and_missing_ids_get_the_same_response(guarded, layer, agent, tokens, path):
    other, id = f"{agent}-other", "t"
    (foreign,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    candidate = await layer.policies.save(other, {"dedup.threshold": 0.7}, by="somebody")
    for name in (agent, other):
        turn = Turn(agent_id=name, session_id="s", text="What opens the vault?", turn_id=id)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Nobody knows."))
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)

    async def result_of(memory: str, policy: str) -> tuple[int, str]:
        params = {"id": id if path == "/turn/why" else memory, "why": memory, "chart": "boost", "version": policy}
        form = {**params, "form_key": "k" * 43, "turn": id, "useful": "yes", "content": "Mine.", "sure": "yes"}
        path_url, query = f"/ui{path}", {"agent": agent, **params}
        answer = await (
            guarded.post(path_url, params=query, data=form) if path in FORMS else guarded.get(path_url, params=query)
        )
        return answer.status_code, answer.text.replace(memory, "M").replace(policy, "P")

    assert await result_of(str(foreign), candidate.version) == await result_of(
        str(uuid4()), "0" * len(candidate.version)
    )
    assert [each.content for each in await layer.get(other, [foreign])] == [SECRET]


@pytest.mark.parametrize("path", FORMS)
async def test_forms_cannot_write_to_another_agent(guarded, layer, agent, tokens, path):
    other = f"{agent}-other"
    (foreign,) = await layer.remember(other, [NewMemory(type="fact", content=SECRET)])
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)
    form = {"form_key": "k" * 43, "id": str(foreign), "sure": "yes", "version": "0", "content": "Mine.", "agent": agent}

    answer = await guarded.post(f"/ui{path}?agent={agent}&agent={other}", data=form)

    assert answer.status_code == 403
    assert [each.content for each in await layer.get(other, [foreign])] == [SECRET]


@pytest.mark.parametrize("agent_of_query", ["a&agent=", "", "%00", "%ff", "a" * 5_000, "..%2f..", "*"])
async def test_malformed_agent_name_opens_no_page(guarded, tokens, agent, agent_of_query):
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])

    answer = await guarded.get(f"/ui/turns?agent={agent_of_query}")

    assert answer.status_code in (200, 303, 403, 422)
    assert "data-row" not in answer.text


@pytest.mark.parametrize("path", ["static/../app.py", "static/%2e%2e/app.py", "static/..%2f..%2fpolicy.py"])
async def test_path_traversal_is_refused(pages, path):
    answer = await pages.get(f"/ui/{path}")

    assert answer.status_code in (401, 404)
    assert "import" not in answer.text


# --- other sites ---


@pytest.mark.parametrize("path", [*FORMS, "/login", "/logout"])
@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {}]
)
async def test_cross_site_form_is_refused(guarded, tokens, agent, path, headers):
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)

    answer = await guarded.post(f"/ui{path}?agent={agent}", data={"form_key": "guessed"}, headers=headers)

    assert answer.status_code == 403


@pytest.mark.parametrize("path", [*FORMS, "/login"])
async def test_multipart_form_with_a_charset_is_refused(guarded, tokens, agent, path):
    """Python needed a minute to decode 200 kB of this character set, and the login accepts forms from every client."""
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])
    guarded.cookies.set("cognitive_form", "k" * 43)
    parts = 'multipart/form-data; boundary="b"; charset=punycode'
    body = b'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + b"b" * 1_000 + b"\r\n--b--\r\n"

    answer = await guarded.post(f"/ui{path}?agent={agent}", content=body, headers={"Content-Type": parts})

    assert answer.status_code == 415


@pytest.mark.parametrize("path", [*PATHS, "/login", "/static/app.js", "/nowhere"])
async def test_pages_forbid_framing_and_leak_no_referrer(pages, agent, path):
    answer = await pages.get(f"/ui{path}?agent={agent}&{REQUIRED_PARAMS.get(path, '')}")

    assert answer.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", ""])
async def test_rebound_host_name_is_refused(pages, agent, host):
    for path in ("/", "/login", "/turns", "/static/app.js"):
        assert (await pages.get(f"/ui{path}?agent={agent}", headers={"Host": host})).status_code == 421
