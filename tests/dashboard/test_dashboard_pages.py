"""The pages over HTTP: content, access, and what a browser is allowed to do."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.dashboard import conversation
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
    "conversation?session=s",
    "turn/why?id=t/1&why=soup",
    "turn/prompt?id=t/1",
    "turn/replay?id=t/1",
)
FILES = ("chart?id=turns", "chart?id=use&as=svg", "breakdown.csv?by=frame", "breakdown.csv?by=stage")


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


async def sign_in(guarded, token):
    login_page = await guarded.get("/ui/login")
    key = re.search(r'name="form_key" value="([^"]+)"', login_page.text)[1]
    return await guarded.post(
        "/ui/login", data={"form_key": key, "token": token}, headers={"Origin": "http://localhost"}
    )


async def test_missing_page_fragment_is_a_one_line_alert(pages, sample_agent):
    part = await pages.get(of(sample_agent, "turn/prompt?id=none"), headers={"HX-Request": "true"})

    assert part.status_code == 404
    assert "<html" not in part.text
    assert 'role="alert"' in part.text


async def test_linked_static_files_exist(pages, sample_agent):
    for page, own in (("turns", "turns.css"), ("memories", "memories.js"), ("what-if", "what-if.js"), ("overview", "")):
        text = (await pages.get(of(sample_agent, page))).text
        linked = re.findall(r'(?:href|src)="(/ui/static/[^"]+)"', text)
        assert any("/app.css?" in each for each in linked)
        assert any(own in each for each in linked)
        assert [(await pages.get(each)).status_code for each in linked] == [200] * len(linked)


@pytest.mark.parametrize("page", PAGES)
async def test_pages_allow_only_scripts_of_this_server(pages, sample_agent, page):
    answer = await pages.get(of(sample_agent, page))

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
async def test_stored_scripts_are_escaped(pages, sample_agent, page):
    answer = await pages.get(of(sample_agent, page))

    assert "<script>document" not in answer.text
    assert "<img" not in answer.text
    assert "&lt;script&gt;document" in answer.text


@pytest.mark.parametrize(
    "page",
    [f"turns?q={EVIL}", f"turns?frame={EVIL}", f"turn?id=t/1&why={EVIL}", f"overview?range={EVIL}", f"turn?id={EVIL}"],
)
async def test_scripts_in_query_parameters_are_escaped(pages, sample_agent, page):
    answer = await pages.get(of(sample_agent, page))

    assert "<script>document" not in answer.text


async def test_overview_counts_turns_and_links_to_them(pages, sample_agent):
    answer = await pages.get(of(sample_agent, "overview"))

    assert re.search(r'<span class="name">Turns</span>\s*<span class="value">2</span>', answer.text)
    rows = re.search(r'href="(/ui/turns\?[^"]*runtime=langgraph)"', answer.text)[1].replace("&amp;", "&")
    listed = await pages.get(rows)
    assert listed.text.count("data-row") == 2


async def test_numbers_of_the_period_before_do_not_link_to_turns_of_this_one(pages, sample_agent):
    page = (await pages.get(of(sample_agent, "overview"))).text
    table = re.search(r"<th[^>]*>period before</th>.*?</table>", page, re.DOTALL)[0]

    assert re.findall(r'<tr>.*?<td><a href="[^>]*>[02]</a></td><td class="dim">0</td></tr>', table)
    assert "<td>0</td>" not in table


async def test_share_of_used_memories_has_one_name_on_all_pages(pages, sample_agent):
    for name in ("overview", "policies"):
        page = (await pages.get(of(sample_agent, name))).text
        assert ">Used</" in page, name
        assert "Referenced" not in page, name


async def test_turn_page_shows_message_memories_and_response(pages, sample_agent):
    answer = await pages.get(of(sample_agent, "turn?id=t/1"))

    assert answer.status_code == 200
    for text in ("When do we deploy?", DEPLOY, "Shown at rank", f"{DEPLOY}</mark>"):
        assert text in answer.text.replace("&#39;", "'"), text
    numbered = re.search(r'id="shown-(\d)".*</mark><a class="of" href="#shown-\1"', answer.text, re.DOTALL)
    assert numbered
    assert answer.text.index(f"{DEPLOY}</mark>") < answer.text.index('id="candidates"')


async def test_turn_page_draws_the_threshold_of_each_irrelevant_memory(pages, sample_agent, layer):
    answer = await pages.get(of(sample_agent, "turn?id=t/1"))
    candidates = await layer.explain.candidates(sample_agent, "t/1")
    irrelevant = [each for each in candidates if each.disposition == "irrelevant"]

    assert all(f"{each.match:.3f}" in answer.text for each in candidates)
    assert all(each.match < each.threshold for each in irrelevant)
    assert answer.text.count('class="threshold"') == len(irrelevant) < len(candidates)
    assert answer.text.count('class="bar scale below"') == len(irrelevant)


async def test_turn_page_calls_pinned_those_memories_only_that_are(pages, layer, agent):
    wish = NewMemory(type="fact", content="Ada wants short replies.", user_id="ada", attributes={"kind": "preference"})
    await layer.remember(agent, [wish])
    turn = Turn(agent_id=agent, session_id="s", turn_id="t", text="How short are my replies?", user_id="ada")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Short."))
    page = (await pages.get("/ui/turn", params={"agent": agent, "user": "ada", "id": "t"})).text
    assert "1 memory in the system message of every turn" in page
    assert "In system message" in page
    assert not re.search(r">[^<]*[Pp]inned", page)


async def test_saved_turn_is_one_file_that_loads_nothing(pages, sample_agent):
    answer = await pages.get(of(sample_agent, "turn/file?id=t/1"))

    assert answer.headers["content-disposition"] == 'attachment; filename="turn-t-1.html"'
    for text in ("When do we deploy?", f"{DEPLOY}</mark>", "canteen"):
        assert text in answer.text.replace("&#39;", "'"), text
    assert not re.search(r"<script|<link|<img|@import|<\w+[^>]*\ssrc=|href=\"(?!#shown-)", answer.text)
    assert (await pages.get(of(sample_agent, "turn/file?id=none"))).status_code == 404


async def test_session_reads_as_a_conversation(pages, sample_agent, monkeypatch):
    page = (await pages.get(of(sample_agent, "conversation?session=s"))).text
    monkeypatch.setattr(conversation, "PAGE", 1)
    first = (await pages.get(of(sample_agent, "conversation?session=s"))).text
    following = re.search(r'<a class="button plain" href="([^"]+)" rel="next"', first)[1].replace("&amp;", "&")
    second = (await pages.get(following)).text

    assert page.index("When do we deploy?") < page.index(DEPLOY) < page.index("Which deploy day has")
    assert ("When do we deploy?" in first, "Which deploy day has" in first) == (True, False)
    assert ("When do we deploy?" in second, "Which deploy day has" in second) == (False, True)
    assert (await pages.get(of(sample_agent, "conversation?session=none"))).status_code == 404


async def test_passages_are_marked_by_the_policy_of_the_turn(pages, urls, embedder, agent):
    # Under this policy the whole response is one passage. The policy of the pages marks the sentence alone.
    policy = Policy(deadline_ms=20_000, feedback={"attribution": "jaccard"})
    response = f"{DEPLOY} Moss grows. Rain falls. Soup is served. Birds sing. Fridays are long."
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as other_layer:
        await other_layer.remember(agent, [NewMemory(type="decision", content=DEPLOY)])
        turn = Turn(agent_id=agent, session_id="s", text="When do we deploy?", turn_id="t/1")
        await other_layer.post_turn(await other_layer.pre_turn(turn), Outcome(response=response))

    assert f"{response}</mark>" in (await pages.get(of(agent, "turn?id=t/1"))).text


@pytest.mark.parametrize(("part", "text"), [("prompt", "identical"), ("replay", "The same memories in the same order")])
async def test_prompt_and_replay_are_computed_on_demand(pages, sample_agent, part, text):
    page, path = await pages.get(of(sample_agent, "turn?id=t/1")), f"turn/{part}?id=t/1"
    assert text not in page.text

    alone = await pages.get(of(sample_agent, path))
    inside = await pages.get(of(sample_agent, path), headers={"HX-Request": "true"})

    assert text in alone.text
    assert text in inside.text
    assert ("<html" in alone.text, "<html" in inside.text) == (True, False)
    assert (await pages.get(of(sample_agent, f"turn/{part}?id=none"))).status_code == 404


async def test_turn_list_explains_why_a_memory_was_not_shown(pages, layer, sample_agent):
    soup = (await layer.recall(sample_agent, "canteen soup"))[0].memory_id
    for query in ("canteen soup", str(soup)):
        answer = await pages.get(of(sample_agent, f"turns/why?why={query}"))
        assert "The canteen serves soup on Mondays." in answer.text
        assert len(re.findall(r"</span> Not shown", answer.text)) == 2
        one = await pages.get(of(sample_agent, f"turn/why?id=t/1&why={query}"))
        assert "The canteen serves soup on Mondays." in one.text
        assert "Not shown" in one.text
    gone = await pages.get(of(sample_agent, f"turns/why?why={uuid4()}"))
    assert gone.text.count("no memory of this id") == 2


async def test_every_number_of_the_overview_links_to_its_turns(pages, sample_agent):
    page = (await pages.get(of(sample_agent, "overview"))).text
    links = [link.replace("&amp;", "&") for link in re.findall(r'<td><a href="([^"]+)"', page)]

    assert re.findall(r"<td>\s*[\d.,]+[%a-z ]*\s*</td>", page) == []
    for link in dict.fromkeys(links):
        assert (await pages.get(link)).status_code == 200, link


async def test_pages_of_an_agent_without_turns_suggest_the_demo(pages, agent):
    for page in ("overview", "turns"):
        answer = await pages.get(of(agent, page))
        assert answer.status_code == 200
        assert "cognitive demo" in answer.text


@pytest.mark.parametrize("file", FILES)
async def test_charts_and_tables_can_be_downloaded(pages, sample_agent, file):
    answer = await pages.get(of(sample_agent, file))

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
async def test_missing_or_invalid_pages_answer_with_an_error_status(pages, sample_agent, page, status):
    answer = await pages.get(of(sample_agent, page))

    assert answer.status_code == status
    assert "Traceback" not in answer.text


async def test_pages_without_a_token_redirect_to_the_login(guarded, sample_agent):
    for page in (*PAGES, *FILES):
        answer = await guarded.get(of(sample_agent, page))
        assert (answer.status_code, urlsplit(answer.headers["location"]).path) == (303, "/ui/login")
        assert sample_agent not in answer.text
    part = await guarded.get(of(sample_agent, "live"), headers={"HX-Request": "true"})
    assert (part.content, part.headers["hx-redirect"]) == (b"", "/ui/login")


async def test_token_opens_only_the_pages_of_its_agent(guarded, tokens, sample_agent):
    response = await sign_in(guarded, create(tokens, "somebody-else")[1])

    assert response.status_code == 303
    assert (await guarded.get("/ui/")).headers["location"] == "/ui/overview?agent=somebody-else"
    for page in (*PAGES, *FILES):
        answer = await guarded.get(of(sample_agent, page))
        assert answer.status_code == 403
        assert DEPLOY not in answer.text
    own = await guarded.get("/ui/turn?agent=somebody-else&id=t/1")
    assert own.status_code == 404


async def test_token_cookie_is_http_only_and_same_site(guarded, tokens, sample_agent):
    _, token = create(tokens, sample_agent)
    response = await sign_in(guarded, token)

    cookie = next(each for each in response.headers.get_list("set-cookie") if each.startswith("cognitive_token="))
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/ui" in cookie
    assert (await guarded.get(of(sample_agent, "turns"))).status_code == 200
    assert (await guarded.get(f"/api/v1/agents/{sample_agent}/turns")).status_code == 401  # the API refuses the cookie


async def test_signing_out_and_revoking_end_access(guarded, tokens, sample_agent):
    id, token = create(tokens, sample_agent)
    await sign_in(guarded, token)
    page = await guarded.get(of(sample_agent, "turns"))
    key = re.search(r'name="form_key" value="([^"]+)"', page.text)[1]
    cookies = httpx.Cookies(guarded.cookies)
    assert (await guarded.post("/ui/logout", data={"form_key": key})).status_code == 303
    assert (await guarded.get(of(sample_agent, "turns"))).status_code == 303

    guarded.cookies = cookies
    assert (await guarded.get(of(sample_agent, "turns"))).status_code == 200
    revoke(tokens, id)
    assert (await guarded.get(of(sample_agent, "turns"))).status_code == 303


async def test_wrong_token_is_refused(guarded):
    answer = await sign_in(guarded, "cog_00000000_" + "0" * 64)

    assert answer.status_code == 401
    assert "This token is unknown or revoked" in answer.text
    assert "cognitive_token" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize(
    ("form_key", "origin"), [("", "http://localhost"), ("guessed", "http://localhost"), (None, "http://evil.example")]
)
async def test_cross_site_form_is_refused(guarded, tokens, sample_agent, form_key, origin):
    await sign_in(guarded, create(tokens, sample_agent)[1])
    page = await guarded.get(of(sample_agent, "turns"))
    key = re.search(r'name="form_key" value="([^"]+)"', page.text)[1] if form_key is None else form_key

    answer = await guarded.post("/ui/logout", data={"form_key": key}, headers={"Origin": origin})

    assert answer.status_code == 403
    assert (await guarded.get(of(sample_agent, "turns"))).status_code == 200


async def test_rebound_host_name_is_refused(guarded):
    assert (await guarded.get("/ui/login", headers={"Host": "evil.example"})).status_code == 421


async def test_static_files_exist_and_versioned_ones_are_cached(pages, sample_agent):
    page = await pages.get(of(sample_agent, "overview"))

    for path in re.findall(r'(?:src|href)="(/ui/static/[^"]+)"', page.text):
        answer = await pages.get(path)
        assert answer.status_code == 200
        if "?" in path:
            assert "immutable" in answer.headers["cache-control"]
