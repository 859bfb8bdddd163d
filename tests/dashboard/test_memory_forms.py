"""The forms of a memory's page over HTTP: rate, edit, replace, retire and forget."""

from __future__ import annotations

import re
from html import unescape
from uuid import uuid4

import pytest

from brain.users import Scope
from cognitive.server.tokens import create
from tests.dashboard.test_memories_pages import (
    FORMS,
    LAMP,
    SEAL,
    agent_and_ids,
    key,
    layer,
    of,
    send,
)
from tests.serving import client_of

__all__ = ["agent_and_ids", "layer"]  # fixtures


async def test_rating_is_stored_and_shown(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    response = await send(pages, agent, "memory/rate", id=memory_ids["ignored"], turn="t4", useful="yes")

    assert response.status_code == 303
    rated = (await layer.explain.analytics.showings(Scope(agent), memory_ids["ignored"])).rows[0]
    assert (rated.turn_id, rated.rating, rated.used) == ("t4", True, True)
    page = await pages.get(response.headers["location"].partition("#")[0])
    assert "The rating counts" in page.text
    assert page.text.count('aria-pressed="true"') == 1


async def test_edit_stores_a_revision_with_the_previous_values(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    fields = {
        "content": "The seal is of rubber.\r\nSince May.",
        "speaker": "",
        "context": "",
        "confidence": "0.5",
        "tags": "pump,  seal",
        "pinned": "yes",
        "version": "0",
    }
    response = await send(pages, agent, "memory/edit", id=memory_ids["ignored"], **fields)

    assert response.status_code == 303
    [memory] = await layer.get(agent, [memory_ids["ignored"]])
    assert (memory.content, memory.tags, memory.confidence, memory.pinned, memory.speaker) == (
        "The seal is of rubber.\nSince May.",
        ("pump", "seal"),
        0.5,
        True,
        None,
    )
    [revision] = await layer.admin.revisions(agent, memory_ids["ignored"])
    assert set(revision.previous) == {"content", "tags", "confidence", "pinned"}
    page = unescape((await pages.get(of(agent, f"memory?id={memory_ids['ignored']}"))).text)
    assert f"<del>{SEAL}</del><ins>The seal is of rubber." in page
    again = await send(pages, agent, "memory/edit", id=memory_ids["ignored"], **{**fields, "version": "1"})
    assert "done=same" in again.headers["location"]
    assert len(await layer.admin.revisions(agent, memory_ids["ignored"])) == 1


async def test_edit_of_an_outdated_version_is_refused(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    await layer.update(agent, memory_ids["never"], content="Lamps shine.")
    response = await send(pages, agent, "memory/edit", id=memory_ids["never"], content="Lamps are out.", version="0")

    assert response.status_code == 409
    assert (await layer.get(agent, [memory_ids["never"]]))[0].content == "Lamps shine."


async def test_invalid_value_is_refused_with_the_name_of_its_field(pages, agent_and_ids):
    agent, memory_ids = agent_and_ids
    for field, value in (("confidence", "high"), ("confidence", "7"), ("content", "   ")):
        fields = {"content": LAMP, "speaker": "Ada", "context": "", "confidence": "1", "tags": "", "version": "0"}
        response = await send(pages, agent, "memory/edit", id=memory_ids["never"], **{**fields, field: value})
        assert response.status_code == 422
        assert field in response.text


async def test_refused_form_links_to_the_page_that_posted_it(pages, agent_and_ids):
    agent, memory_ids = agent_and_ids
    page = of(agent, f"memory?id={memory_ids['never']}")
    form = {"form_key": await key(pages, agent), "id": str(memory_ids["never"]), "version": "0"}
    for site, linked in (("http://localhost", True), ("https://elsewhere.example", False)):
        headers = {"Origin": "http://localhost", "Referer": f"{site}{page}"}
        refused = await pages.post(of(agent, "memory/edit"), data=form, headers=headers)
        assert (refused.status_code, f'href="{page.replace("&", "&amp;")}" data-back' in refused.text) == (422, linked)


async def test_memory_is_superseded_once(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    response = await send(
        pages, agent, "memory/supersede", id=memory_ids["rising"], content="The pump of berth 2 leaks."
    )

    new = re.search(r"id=([0-9a-f-]{36})", response.headers["location"])[1]
    [old] = await layer.get(agent, [memory_ids["rising"]])
    [newer] = await layer.get(agent, [new])
    assert (str(old.replaced_by), newer.supersedes, newer.type) == (new, memory_ids["rising"], "decision")
    assert newer.tags == old.tags
    again = await send(pages, agent, "memory/supersede", id=memory_ids["rising"], content="The pump is gone.")
    assert again.status_code == 409


async def test_memory_is_retired_and_restored_on_its_page(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    id = memory_ids["rising"]
    assert (await send(pages, agent, "memory/retire", id=id)).status_code == 303
    page = (await pages.get(of(agent, f"memory?id={id}"))).text
    assert "Retired since" in page
    assert "memory/supersede" not in page
    assert (await send(pages, agent, "memory/retire", id=id)).status_code == 422
    assert (await send(pages, agent, "memory/restore", id=id)).status_code == 303
    [memory] = await layer.get(agent, [id])
    assert memory.hidden_at is None


async def test_token_without_erase_permission_cannot_forget_memories(layer, guarded, tokens, agent_and_ids):
    agent, memory_ids = agent_and_ids
    token, id = create(tokens, agent, erase=False)[1], str(memory_ids["evil"])
    guarded.cookies.set("cognitive_token", token, path="/ui")
    responses = [await send(guarded, agent, "memories/forget", id=id, sure=sure) for sure in ("", "yes")]

    assert [answer.status_code for answer in responses] == [403, 403]
    assert len(await layer.get(agent, [memory_ids["evil"]])) == 1


async def test_buttons_follow_the_permissions_of_the_token(guarded_app, tokens, agent_and_ids):
    agent, memory_ids = agent_and_ids
    page = of(agent, f"memory?id={memory_ids['ignored']}")
    pages_by_token = {}
    for name, permissions in (("all", {}), ("no erase", {"erase": False}), ("talk", {"trust": "talk"})):
        token = create(tokens, agent, **permissions)[1]
        async with client_of(guarded_app) as pages:
            pages.cookies.set("cognitive_token", token, path="/ui")
            pages_by_token[name] = ((await pages.get(of(agent, "memories"))).text, (await pages.get(page)).text)

    may_forget = {name: tuple("memories/forget" in each for each in texts) for name, texts in pages_by_token.items()}
    assert may_forget == {"all": (True, True), "no erase": (False, False), "talk": (True, True)}
    assert {name: "memory/edit" in texts[1] for name, texts in pages_by_token.items()} == {
        "all": True,
        "no erase": True,
        "talk": False,
    }
    assert "may not erase" in pages_by_token["no erase"][1]
    assert "higher than your token" in pages_by_token["talk"][1]


async def test_forgetting_asks_for_confirmation_and_shows_a_receipt(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    ids = [str(memory_ids["ignored"]), str(memory_ids["evil"])]
    preview = await send(pages, agent, "memories/forget", id=ids)

    announced = rows_of(preview)
    assert announced["Memories"] == "2"
    assert announced["Times shown"] == "10"
    assert SEAL in preview.text
    assert len(await layer.get(agent, ids)) == 2  # nothing is deleted yet
    done = await send(pages, agent, "memories/forget", id=ids, sure="yes")
    assert announced == rows_of(done)
    assert SEAL not in done.text
    assert await layer.get(agent, ids) == []
    assert (await send(pages, agent, "memories/forget", id=ids, sure="yes")).status_code == 404


def rows_of(answer):
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", answer.text))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("form_key", [{}, {"form_key": "guessed"}])
async def test_cross_site_form_changes_nothing(pages, layer, agent_and_ids, form, form_key):
    agent, memory_ids = agent_and_ids
    await key(pages, agent)
    fields = {"id": str(memory_ids["ignored"]), **FORMS[form], **form_key}
    wrong_key = await pages.post(of(agent, form), data=fields, headers={"Origin": "http://localhost"})
    with_key = {**fields, "form_key": await key(pages, agent)}
    cross_site = await pages.post(of(agent, form), data=with_key, headers={"Origin": "http://evil.example"})

    assert wrong_key.status_code == cross_site.status_code == 403
    assert (await pages.get(of(agent, form))).status_code == 405  # forms do not accept GET
    [memory] = await layer.get(agent, [memory_ids["ignored"]])
    assert (memory.content, memory.replaced_by) == (SEAL, None)
    assert (await layer.explain.analytics.showings(Scope(agent), memory_ids["ignored"])).rows[0].rating is None


async def test_forgetting_no_or_too_many_memories_is_refused(pages, agent_and_ids):
    agent, _ = agent_and_ids
    assert "choose" in (await send(pages, agent, "memories/forget")).text
    many = [str(uuid4()) for _ in range(201)]
    assert (await send(pages, agent, "memories/forget", id=many)).status_code == 422
