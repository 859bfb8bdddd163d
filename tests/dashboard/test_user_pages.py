"""The pages of users over HTTP: list, search, one user, and what a token may do."""

from __future__ import annotations

import html
import re

import pytest

from cognitive import NewMemory, Outcome, Turn
from cognitive.server.tokens import create as create_token
from tests.dashboard.conftest import EVIL

OWN = {"ada": "Ada keeps the spare key behind the barometer.", "bob": f"Bob keeps it behind {EVIL} accordions."}
SHARED = "The boat house is locked at night."


@pytest.fixture
async def agent_with_users(layer, agent):
    own = [NewMemory(type="fact", content=content, user_id=user) for user, content in OWN.items()]
    await layer.remember(agent, [NewMemory(type="fact", content=SHARED), *own])
    for user in OWN:
        turn = Turn(agent_id=agent, session_id=f"of-{user}", text=f"Where is the key of {user}?", user_id=user)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="There."))
    return agent


def form_of(page: str) -> dict[str, str]:
    return {"form_key": re.search(r'name="form_key" value="([^"]+)"', page)[1]}


async def test_list_has_counts_of_each_user_and_is_searched(pages, agent_with_users):
    page = await pages.get("/ui/users", params={"agent": agent_with_users})
    assert page.status_code == 200
    for user in OWN:
        row = page.text.split(f"{user}</a>")[1].split("</tr>")[0]
        assert re.findall(r"<td>(\d+)</td>", row) == ["1", "1", "1"]
    found = await pages.get("/ui/users", params={"agent": agent_with_users, "q": "ad"})
    assert ("user=ada" in found.text, "user=bob" in found.text) == (True, False)
    typed = await pages.get("/ui/users", params={"agent": agent_with_users, "q": "bo"}, headers={"HX-Request": "true"})
    assert ("user=bob" in typed.text, "user=ada" in typed.text, "<html" in typed.text) == (True, False, False)
    none = await pages.get("/ui/users", params={"agent": agent_with_users, "q": "nobody%"})
    assert "No matching users" in none.text


@pytest.mark.parametrize("user", OWN)
async def test_page_of_a_user_has_nothing_of_another_one(pages, agent_with_users, user):
    page = await pages.get("/ui/user", params={"agent": agent_with_users, "user": user})
    assert page.status_code == 200
    other = next(each for each in OWN if each != user)
    for text in (f"Where is the key of {user}?", f"of-{user}", OWN[user][:20]):
        assert text in page.text
    for text in (f"Where is the key of {other}?", f"of-{other}", OWN[other][:20], SHARED, EVIL):
        assert text not in page.text


async def test_sessions_of_a_user_continue_on_further_pages(pages, layer, agent):
    for n in range(23):
        turn = Turn(agent_id=agent, session_id=f"visit-{n:02}", text="Is the kiosk open?", user_id="ada")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Yes."))
    first = (await pages.get("/ui/user", params={"agent": agent, "user": "ada"})).text
    assert "Sessions 1–20 of 23" in first
    older = html.unescape(re.search(r'href="([^"]+)" rel="next">Older sessions', first)[1])
    second = (await pages.get(older)).text
    assert "Sessions 21–23 of 23" in second
    listed = [set(re.findall(r">(visit-\d\d)</a>", page)) for page in (first, second)]
    assert [len(each) for each in listed] == [20, 3]
    assert len(listed[0] | listed[1]) == 23
    assert "Older sessions" not in second


async def test_unknown_user_has_an_empty_page_and_no_user_is_an_error(pages, agent_with_users):
    unknown = await pages.get("/ui/user", params={"agent": agent_with_users, "user": "eve"})
    assert (unknown.status_code, "This user has no memories." in unknown.text) == (200, True)
    for user in ("", " ", "x" * 1_001):
        assert (await pages.get("/ui/user", params={"agent": agent_with_users, "user": user})).status_code == 422


async def test_forgetting_a_user_leaves_the_others(pages, layer, agent_with_users):
    named = {"agent": agent_with_users, "user": "ada"}
    form = form_of((await pages.get("/ui/user", params=named)).text)
    asked = await pages.post("/ui/user/forget", params=named, data=form)
    assert "will be forgotten permanently" in asked.text
    assert await layer.recall(agent_with_users, "spare key", user_id="ada")
    done = await pages.post("/ui/user/forget", params=named, data={**form, "sure": "yes"})
    assert "was forgotten" in done.text
    found = {user: [hit.content for hit in await layer.recall(agent_with_users, "key", user_id=user)] for user in OWN}
    assert (OWN["ada"] in found["ada"], OWN["bob"] in found["bob"]) == (False, True)


async def test_memory_is_forgotten_by_its_own_users_page_only(pages, layer, agent_with_users):
    [ada] = await layer.recall(agent_with_users, "Ada's spare key barometer", limit=1, user_id="ada")
    form = form_of((await pages.get("/ui/user", params={"agent": agent_with_users, "user": "bob"})).text)
    form |= {"id": str(ada.memory_id), "sure": "yes"}
    named = {"agent": agent_with_users, "user": "bob"}
    assert (await pages.post("/ui/memories/forget", params=named, data=form)).status_code == 404
    done = await pages.post("/ui/memories/forget", params=named | {"user": "ada"}, data=form)
    assert "was forgotten" in done.text
    assert await layer.get(agent_with_users, [ada.memory_id], user_id="ada") == []


async def test_token_of_an_agent_names_users_but_lists_none(guarded, tokens, agent_with_users):
    guarded.cookies.set("cognitive_token", create_token(tokens, agent_with_users, erase=False)[1])
    listed = await guarded.get("/ui/users", params={"agent": agent_with_users})
    assert (listed.status_code, "user=ada" in listed.text) == (200, False)
    named = {"agent": agent_with_users, "user": "ada"}
    page = await guarded.get("/ui/user", params=named)
    assert (page.status_code, "Forget this user" in page.text) == (200, False)
    other = await guarded.get("/ui/user", params={"agent": "another", "user": "ada"})
    assert other.status_code == 403
