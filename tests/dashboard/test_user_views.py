"""The view of a page: an operator sees all users, a user's rows open in that user's view, others see shared rows."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import asyncpg
import pytest

from cognitive import NewMemory, Outcome, Policy, Turn
from cognitive.dashboard import policies
from cognitive.dashboard.params import PageQuery
from cognitive.server.tokens import create as create_token
from tests.dashboard.test_user_pages import OWN, agent_with_users, form_of

__all__ = ["agent_with_users"]  # a fixture


def links_to(page: str, path: str) -> list[dict[str, str]]:
    """Return the parameters of the page's links to a path, in order and each once."""
    links = dict.fromkeys(html.unescape(each) for each in re.findall(r'href="(/ui/[^"]+)"', page))
    parts = [urlsplit(each) for each in links]
    return [{k: v[0] for k, v in parse_qs(each.query).items()} for each in parts if each.path == f"/ui/{path}"]


def of_user(user: str) -> str:
    return f"Where is the key of {user}?"


async def test_operator_sees_the_turns_and_memories_of_all_users(pages, agent_with_users):
    named = {"agent": agent_with_users}
    for path in ("overview", "turns", "turns.file", "latest"):
        page = await pages.get(f"/ui/{path}", params=named)
        assert [of_user(user) in html.unescape(page.text) for user in OWN] == [True, True], path
    listed = html.unescape((await pages.get("/ui/memories", params=named)).text)
    assert [OWN[user][:20] in listed for user in OWN] == [True, True]


async def test_links_of_a_turn_stay_in_its_users_view(pages, agent_with_users):
    listed = await pages.get("/ui/turns", params={"agent": agent_with_users})
    links = links_to(listed.text, "turn")
    assert {each.get("user") for each in links} == set(OWN)
    own = next(each for each in links if each["user"] == "ada")
    turn = await pages.get("/ui/turn", params=own)
    assert (turn.status_code, of_user("ada") in turn.text) == (200, True)
    for path in ("memory", "conversation", "turn/file", "turn/prompt", "turn/replay", "turn/candidates"):
        for link in links_to(turn.text, path):
            page = await pages.get(f"/ui/{path}", params=link)
            assert (page.status_code, link["user"]) == (200, "ada"), path
    assert OWN["ada"] in turn.text
    assert OWN["bob"][:20] not in turn.text


async def test_turn_of_a_user_is_unknown_in_another_view(pages, agent_with_users):
    listed = await pages.get("/ui/turns", params={"agent": agent_with_users})
    own = next(each for each in links_to(listed.text, "turn") if each["user"] == "ada")
    assert "of ada" in (await pages.get("/ui/turn", params=own)).text  # whose memory was shown
    for user in ("bob", ""):
        assert (await pages.get("/ui/turn", params=own | {"user": user})).status_code == 404


async def test_operator_changes_a_users_memory(pages, layer, agent_with_users):
    listed = await pages.get("/ui/memories", params={"agent": agent_with_users})
    own = next(each for each in links_to(listed.text, "memory") if each.get("user") == "ada")
    page = await pages.get("/ui/memory", params=own)
    form = form_of(page.text) | {"id": own["id"]}
    done = await pages.post("/ui/memory/supersede", params=own, data=form | {"content": "Ada gave the key away."})
    assert done.status_code == 303
    newer = parse_qs(urlsplit(done.headers["location"]).query)
    assert newer["user"] == ["ada"]
    [stored] = await layer.get(agent_with_users, [UUID(newer["id"][0])], user_id="ada")
    assert (stored.user_id, str(stored.supersedes)) == ("ada", own["id"])
    await pages.post("/ui/memory/retire", params=own, data=form | {"id": str(stored.id)})
    [retired] = await layer.get(agent_with_users, [stored.id], user_id="ada")
    assert retired.hidden_reason == "retired"


async def test_operator_rates_a_memory_in_a_users_turn(pages, layer, agent_with_users):
    [shown] = [each async for each in _shown(layer, agent_with_users, "ada")]
    named = {"agent": agent_with_users, "id": str(shown)}
    page = await pages.get("/ui/memory", params=named)
    form = re.search(r'action="([^"]*/memory/rate[^"]*)">(.*?)</form>', page.text, re.S)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', html.unescape(form[2])))
    done = await pages.post(html.unescape(form[1]), data=fields)
    assert done.status_code == 303
    [turn] = (await layer.explain.turns(agent_with_users, user_id="ada"))[:1]
    explained = await layer.explain.turn(agent_with_users, turn.turn_id, user_id="ada")
    assert [each.rating for each in explained.shown if each.memory_id == shown] == [True]


async def _shown(layer, agent, user):
    [turn] = await layer.explain.turns(agent, 1, user_id=user)
    explained = await layer.explain.turn(agent, turn.turn_id, user_id=user)
    for each in explained.shown[:1]:
        yield each.memory_id


async def test_running_policy_is_that_of_users_turns(pages, layer, agent_with_users):
    query = PageQuery(agent_with_users, (await layer.explain.turns(agent_with_users, user_id="ada"))[0].at)
    shown = policies.view(await policies.read(layer, layer.explain.analytics, query), query)
    assert shown.running.run.turns == len(OWN)
    assert shown.running.policy.version == Policy(deadline_ms=20_000).version


async def test_token_of_an_agent_sees_shared_rows_and_is_told_so(guarded, tokens, layer, agent_with_users):
    turn = Turn(agent_id=agent_with_users, session_id="s", text="Is the boat house locked?")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response="At night."))
    guarded.cookies.set("cognitive_token", create_token(tokens, agent_with_users)[1])
    page = await guarded.get("/ui/turns", params={"agent": agent_with_users})
    assert ("Is the boat house locked?" in page.text, of_user("ada") in page.text) == (True, False)
    assert "--operator" in page.text
    guarded.cookies.set("cognitive_token", create_token(tokens, agent_with_users, operator=True)[1])
    page = await guarded.get("/ui/turns", params={"agent": agent_with_users})
    assert (of_user("ada") in page.text, "--operator" in page.text) == (True, False)


@pytest.mark.parametrize("words", ["", "spare key"])
async def test_memories_of_a_view_are_those_that_its_user_sees(pages, layer, agent_with_users, words):
    await layer.remember(agent_with_users, [NewMemory(type="fact", content="A spare key hangs in the boat house.")])
    page = await pages.get("/ui/memories", params={"agent": agent_with_users, "user": "ada", "q": words})
    text = html.unescape(page.text)
    assert ("boat house" in text, OWN["ada"] in text, OWN["bob"][:20] in text) == (True, True, False)


async def test_operator_searches_the_memories_of_all_users(pages, guarded, tokens, agent_with_users):
    named = {"agent": agent_with_users, "q": "key"}
    found = html.unescape((await pages.get("/ui/memories", params=named)).text)
    assert [OWN[user][:20] in found for user in OWN] == [True, True]
    guarded.cookies.set("cognitive_token", create_token(tokens, agent_with_users)[1])
    shared = html.unescape((await guarded.get("/ui/memories", params=named)).text)
    assert [OWN[user][:20] in shared for user in OWN] == [False, False]


@pytest.fixture
async def no_operator_role(urls):
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("REVOKE cognitive_operator FROM cognitive_app")
    yield
    await admin.execute("GRANT cognitive_operator TO cognitive_app WITH INHERIT FALSE, SET TRUE")
    await admin.close()


async def test_missing_role_of_operators_is_named_on_the_page(pages, agent_with_users, no_operator_role):
    page = await pages.get("/ui/turns", params={"agent": agent_with_users})
    assert page.status_code == 503
    assert "GRANT cognitive_operator TO cognitive_app" in html.unescape(page.text)
    assert (await pages.get("/ui/user", params={"agent": agent_with_users, "user": "ada"})).status_code == 200
