"""The pages over HTTP: what they hold, whom they let in, what they let a browser do."""

from __future__ import annotations

import csv
import io
import re
from uuid import uuid4

import httpx
import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.server.tokens import create, revoke
from tests.dashboard.conftest import DEPLOY, EVIL

PAGES = (
    "overview",
    "live",
    "latest",
    "turns",
    "turns?why=soup",
    "turns/why?why=soup",
    "turn?id=t/1",
    "turn/why?id=t/1&why=soup",
    "turn/prompt?id=t/1",
    "turn/replay?id=t/1",
)
FILES = ("chart?id=turns", "chart?id=use&as=svg", "breakdown.csv?by=frame", "breakdown.csv?by=stage")


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


async def sign_in(guarded, token):
    door = await guarded.get("/ui/login")
    key = re.search(r'name="form_key" value="([^"]+)"', door.text)[1]
    return await guarded.post(
        "/ui/login", data={"form_key": key, "token": token}, headers={"Origin": "http://localhost"}
    )


async def test_a_part_that_cannot_be_had_is_told_in_a_line_and_not_as_a_page_within_a_page(pages, played):
    part = await pages.get(of(played, "turn/prompt?id=none"), headers={"HX-Request": "true"})

    assert part.status_code == 404
    assert "<html" not in part.text
    assert 'role="alert"' in part.text


async def test_a_page_links_what_is_shared_and_what_is_its_own_and_all_of_it_is_there(pages, played):
    for page, own in (("turns", "turns.css"), ("memories", "memories.js"), ("what-if", "what-if.js"), ("overview", "")):
        text = (await pages.get(of(played, page))).text
        linked = re.findall(r'(?:href|src)="(/ui/static/[^"]+)"', text)
        assert any("/app.css?" in each for each in linked)
        assert any(own in each for each in linked)
        assert [(await pages.get(each)).status_code for each in linked] == [200] * len(linked)


@pytest.mark.parametrize("page", PAGES)
async def test_pages_let_a_browser_run_nothing_but_our_own_file(pages, played, page):
    answer = await pages.get(of(played, page))

    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert not re.search(r"<[^>]+\s(style|on\w+)=", answer.text)
    assert not re.search(r"<script(?! src=\"/ui/static/)", answer.text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", answer.text)


@pytest.mark.parametrize(
    "page", ["turns", "latest", "overview", "turn?id=t/2", "turns/why?why=runbook", "turn/why?id=t/2&why=runbook"]
)
async def test_what_is_stored_is_text(pages, played, page):
    answer = await pages.get(of(played, page))

    assert "<script>document" not in answer.text
    assert "<img" not in answer.text
    assert "&lt;script&gt;document" in answer.text


@pytest.mark.parametrize(
    "given",
    [f"turns?q={EVIL}", f"turns?frame={EVIL}", f"turn?id=t/1&why={EVIL}", f"overview?range={EVIL}", f"turn?id={EVIL}"],
)
async def test_what_is_asked_is_text(pages, played, given):
    answer = await pages.get(of(played, given))

    assert "<script>document" not in answer.text


async def test_the_overview_counts_and_leads_to_the_rows(pages, played):
    answer = await pages.get(of(played, "overview"))

    assert re.search(r'<span class="name">Turns</span>\s*<span class="value">2</span>', answer.text)
    rows = re.search(r'href="(/ui/turns\?[^"]*runtime=langgraph)"', answer.text)[1].replace("&amp;", "&")
    listed = await pages.get(rows)
    assert listed.text.count("data-row") == 2


async def test_a_turn_tells_its_story(pages, played):
    answer = await pages.get(of(played, "turn?id=t/1"))

    assert answer.status_code == 200
    for told in ("When do we deploy?", DEPLOY, "Shown at rank", f"{DEPLOY}</mark>"):
        assert told in answer.text.replace("&#39;", "'"), told
    assert re.search(r'</mark><a class="of" href="#shown-(\d)".*id="shown-\1"', answer.text, re.DOTALL)


async def test_passages_are_marked_as_the_policy_of_the_turn_measured_them(pages, urls, embedder, agent):
    whole = Policy(
        deadline_ms=20_000, feedback={"attribution": "jaccard"}
    )  # the policy of the pages finds the sentence alone
    response = f"{DEPLOY} Moss grows. Rain falls. Soup is served. Birds sing. Fridays are long."
    async with CognitiveLayer.open(urls.app, policy=whole, embedder=embedder) as elsewhere:
        await elsewhere.remember(agent, [NewMemory(type="decision", content=DEPLOY)])
        turn = Turn(agent_id=agent, session_id="s", text="When do we deploy?", turn_id="t/1")
        await elsewhere.post_turn(await elsewhere.pre_turn(turn), Outcome(response=response))

    assert f"{response}</mark>" in (await pages.get(of(agent, "turn?id=t/1"))).text


@pytest.mark.parametrize(("part", "told"), [("prompt", "identical"), ("replay", "The same memories in the same order")])
async def test_what_takes_running_a_turn_again_is_told_on_demand(pages, played, part, told):
    page, path = await pages.get(of(played, "turn?id=t/1")), f"turn/{part}?id=t/1"
    assert told not in page.text

    alone = await pages.get(of(played, path))
    inside = await pages.get(of(played, path), headers={"HX-Request": "true"})

    assert told in alone.text
    assert told in inside.text
    assert ("<html" in alone.text, "<html" in inside.text) == (True, False)
    assert (await pages.get(of(played, f"turn/{part}?id=none"))).status_code == 404


async def test_a_list_says_why_a_memory_was_not_shown_in_each_of_its_turns(pages, layer, played):
    soup = (await layer.recall(played, "canteen soup"))[0].memory_id
    for asked in ("canteen soup", str(soup)):
        answer = await pages.get(of(played, f"turns/why?why={asked}"))
        assert "The canteen serves soup on Mondays." in answer.text
        assert len(re.findall(r"</span> Not shown", answer.text)) == 2
        one = await pages.get(of(played, f"turn/why?id=t/1&why={asked}"))
        assert "The canteen serves soup on Mondays." in one.text
        assert "Not shown" in one.text
    gone = await pages.get(of(played, f"turns/why?why={uuid4()}"))
    assert gone.text.count("no memory of this id is stored") == 2


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("user=ines", 1),
        ("user=nobody", 0),
        ("shown_type=decision", 1),
        ("shown_type=episode", 0),
        ("shown_type=decision&used=yes", 1),
        ("shown_type=decision&used=no", 0),
        ("stage=retrieve", 2),
        ("stage=retrieve&min_ms=60000", 0),
        ("stage=none", 0),
        ("dropped=trimmed", 0),
        ("status=unfinished", 0),
        ("from=2000-01-01T00:00&to=2001-01-01T00:00", 0),
        ("from=2000-01-01T00:00", 2),
    ],
)
async def test_a_list_is_filtered_by_whatever_the_overview_counts(pages, played, filters, found):
    assert (await pages.get(of(played, f"turns?{filters}"))).text.count("data-row") == found


async def test_every_number_of_the_overview_leads_to_rows(pages, played):
    page = (await pages.get(of(played, "overview"))).text
    links = [link.replace("&amp;", "&") for link in re.findall(r'<td><a href="([^"]+)"', page)]

    assert re.findall(r"<td>\s*[\d.,]+[%a-z ]*\s*</td>", page) == []
    for link in dict.fromkeys(links):
        assert (await pages.get(link)).status_code == 200, link


async def test_a_list_is_searched_and_filtered(pages, played):
    lists = ("turns", "turns?q=when", "turns?q=nothing", "turns?status=failed", "turns?session=s")
    found = [(await pages.get(of(played, page))).text.count("data-row") for page in lists]

    assert found == [2, 1, 0, 0, 2]


async def test_an_agent_without_turns_is_told_what_to_do(pages, agent):
    for page in ("overview", "turns"):
        answer = await pages.get(of(agent, page))
        assert answer.status_code == 200
        assert "cognitive demo" in answer.text


@pytest.mark.parametrize("file", FILES)
async def test_numbers_can_be_taken_away(pages, played, file):
    answer = await pages.get(of(played, file))

    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    if answer.headers["content-type"].startswith("text/csv"):
        assert len(list(csv.reader(io.StringIO(answer.text)))) > 1


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("turn?id=nothing", 404),
        ("chart?id=x", 404),
        ("breakdown.csv?by=x", 404),
        ("overview?range=8y", 422),
        ("turns?since=x", 422),
        ("turns?after=x", 422),
        ("static/../app.py", 404),
        ("nowhere", 404),
    ],
)
async def test_what_is_not_there_is_a_page_that_says_so(pages, played, page, status):
    answer = await pages.get(of(played, page))

    assert answer.status_code == status
    assert "Traceback" not in answer.text


async def test_nobody_sees_a_page_without_a_token(guarded, played):
    for page in (*PAGES, *FILES):
        answer = await guarded.get(of(played, page))
        assert (answer.status_code, answer.headers["location"]) == (303, "/ui/login")
        assert played not in answer.text
    part = await guarded.get(of(played, "live"), headers={"HX-Request": "true"})
    assert (part.content, part.headers["hx-redirect"]) == (b"", "/ui/login")


async def test_a_token_opens_the_pages_of_its_agent_and_of_no_other(guarded, tokens, played):
    signed = await sign_in(guarded, create(tokens, "somebody-else")[1])

    assert signed.status_code == 303
    assert (await guarded.get("/ui/")).headers["location"] == "/ui/overview?agent=somebody-else"
    for page in (*PAGES, *FILES):
        answer = await guarded.get(of(played, page))
        assert answer.status_code == 403
        assert DEPLOY not in answer.text
    own = await guarded.get("/ui/turn?agent=somebody-else&id=t/1")
    assert own.status_code == 404


async def test_a_token_is_kept_where_no_script_and_no_other_site_gets_it(guarded, tokens, played):
    _, token = create(tokens, played)
    signed = await sign_in(guarded, token)

    cookie = next(each for each in signed.headers.get_list("set-cookie") if each.startswith("cognitive_token="))
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/ui" in cookie
    assert (await guarded.get(of(played, "turns"))).status_code == 200
    assert (await guarded.get(f"/api/v1/agents/{played}/turns")).status_code == 401  # a cookie is for pages only


async def test_signing_out_and_revoking_shut_the_door(guarded, tokens, played):
    id, token = create(tokens, played)
    await sign_in(guarded, token)
    page = await guarded.get(of(played, "turns"))
    key = re.search(r'name="form_key" value="([^"]+)"', page.text)[1]
    kept = httpx.Cookies(guarded.cookies)
    assert (await guarded.post("/ui/logout", data={"form_key": key})).status_code == 303
    assert (await guarded.get(of(played, "turns"))).status_code == 303

    guarded.cookies = kept
    assert (await guarded.get(of(played, "turns"))).status_code == 200
    revoke(tokens, id)
    assert (await guarded.get(of(played, "turns"))).status_code == 303


async def test_a_wrong_token_is_not_let_in(guarded):
    answer = await sign_in(guarded, "cog_00000000_" + "0" * 64)

    assert answer.status_code == 401
    assert "This token is unknown or revoked" in answer.text
    assert "cognitive_token" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize(
    ("given", "origin"), [("", "http://localhost"), ("guessed", "http://localhost"), (None, "http://evil.example")]
)
async def test_a_form_of_another_site_changes_nothing(guarded, tokens, played, given, origin):
    await sign_in(guarded, create(tokens, played)[1])
    page = await guarded.get(of(played, "turns"))
    key = re.search(r'name="form_key" value="([^"]+)"', page.text)[1] if given is None else given

    answer = await guarded.post("/ui/logout", data={"form_key": key}, headers={"Origin": origin})

    assert answer.status_code == 403
    assert (await guarded.get(of(played, "turns"))).status_code == 200


async def test_a_page_whose_name_was_rebound_is_refused(guarded):
    assert (await guarded.get("/ui/login", headers={"Host": "evil.example"})).status_code == 421


async def test_what_pages_refer_to_may_be_kept_and_is_there(pages, played):
    page = await pages.get(of(played, "overview"))

    for path in re.findall(r'(?:src|href)="(/ui/static/[^"]+)"', page.text):
        answer = await pages.get(path)
        assert answer.status_code == 200
        if "?" in path:
            assert "immutable" in answer.headers["cache-control"]
