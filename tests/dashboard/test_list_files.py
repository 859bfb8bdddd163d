"""Lists as files, and links that survive the sign-in."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import parse_qs, urlsplit

from cognitive import NewMemory, Outcome, Turn
from cognitive.server.tokens import create
from tests.dashboard.conftest import DEPLOY


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


def rows_of(answer):
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_turns_are_saved_with_the_filters_of_the_page(pages, sample_agent):
    every = (await pages.get(of(sample_agent, "turns.file?as=json"))).json()
    some = rows_of(await pages.get(of(sample_agent, "turns.file?q=which")))
    linked = re.search(r'href="([^"]+as=csv[^"]*)"', (await pages.get(of(sample_agent, "turns?q=which"))).text)[1]

    assert [row["turn_id"] for row in every] == ["t/2", "t/1"]
    assert (every[1]["message"], every[1]["status"], every[1]["used"]) == ("When do we deploy?", "completed", 1)
    assert [row["turn_id"] for row in some] == ["t/2"]
    assert parse_qs(urlsplit(linked.replace("&amp;", "&")).query)["q"] == ["which"]


async def test_memories_and_candidates_are_saved_as_files(pages, layer, sample_agent):
    await layer.remember(sample_agent, [NewMemory(type="fact", content="=1+1 is a formula", tags=("a", "b"))])
    memories = rows_of(await pages.get(of(sample_agent, "memories.file")))
    hits = (await pages.get(of(sample_agent, "memories.file?q=soup&as=json"))).json()
    candidates = (await pages.get(of(sample_agent, "turn/candidates?id=t/1&as=json"))).json()

    assert len(memories) == 4
    assert [row["tags"] for row in memories if row["content"] == "'=1+1 is a formula"] == ["a, b"]
    assert "soup" in hits[0]["content"]
    assert {row["content"]: row["disposition"] for row in candidates}[DEPLOY] == "shown"
    assert (await pages.get(of(sample_agent, "turns.file?as=xml"))).status_code == 422


async def sign_in(guarded, token, page):
    form = (await guarded.get(f"/ui/login{page}")).text
    fields = dict(re.findall(r'name="(form_key|page)" value="([^"]*)"', form))
    data = {**{name: value.replace("&amp;", "&") for name, value in fields.items()}, "token": token}
    return await guarded.post("/ui/login", data=data, headers={"Origin": "http://localhost"})


async def test_sign_in_returns_to_the_requested_page(guarded, tokens, sample_agent):
    wanted = f"/turns?agent={sample_agent}&q=soup"
    refused = await guarded.get(f"/ui{wanted}")
    assert refused.headers["location"].startswith("/ui/login?page=")
    answer = await sign_in(guarded, create(tokens, None)[1], f"?{urlsplit(refused.headers['location']).query}")

    assert (answer.status_code, answer.headers["location"]) == (303, f"/ui{wanted}")


async def test_sign_in_leads_to_no_other_site(guarded, tokens):
    token = create(tokens, None)[1]
    for page in ("//evil.example", "https://evil.example", "/\\evil.example", "evil", ""):
        guarded.cookies.clear()
        answer = await sign_in(guarded, token, f"?page={page}")
        assert answer.headers["location"] == "/ui/", page


async def test_users_and_sessions_are_saved_as_files(pages, guarded, tokens, layer, agent):
    for user in ("ada", "bob"):
        facts = [NewMemory(type="fact", content=f"Boat {n}.", user_id=user) for n in range(1 + (user == "bob"))]
        await layer.remember(agent, facts)
        turn = Turn(agent_id=agent, session_id=f"of-{user}", text="Which boat?", user_id=user)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="None."))
    users = rows_of(await pages.get(of(agent, "users.file?sort=memories")))
    found = (await pages.get(of(agent, "users.file?q=ad&as=json"))).json()
    sessions = rows_of(await pages.get(of(agent, "user/sessions.file?user=ada")))
    guarded.cookies.set("cognitive_token", create(tokens, agent)[1])

    assert [(row["user_id"], row["memories"], row["turns"]) for row in users] == [("bob", "2", "1"), ("ada", "1", "1")]
    assert [row["user_id"] for row in found] == ["ada"]
    assert [row["session_id"] for row in sessions] == ["of-ada"]
    assert (await guarded.get(of(agent, "users.file"))).status_code == 403


async def test_policies_are_saved_as_files(pages, layer, sample_agent):
    saved = await layer.policies.save(sample_agent, {"evidence.threshold": 1.0}, by="ada", note="=less")
    await layer.policies.activate(sample_agent, saved.version, by="ada")
    [candidate] = rows_of(await pages.get(of(sample_agent, "policies.file")))
    [activation] = (await pages.get(of(sample_agent, "policies.file?of=history&as=json"))).json()
    [turns] = rows_of(await pages.get(of(sample_agent, "policies.file?of=turns")))

    assert (candidate["version"], candidate["note"]) == (saved.version, "'=less")
    assert (activation["role"], activation["version"], activation["author"]) == ("live", saved.version, "ada")
    assert turns["turns"] == "2"
    assert (await pages.get(of(sample_agent, "policies.file?of=none"))).status_code == 422
