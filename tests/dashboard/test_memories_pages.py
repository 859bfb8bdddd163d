"""The pages of memories over HTTP: what they find, what they tell, what may be done from them, and by whom."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from uuid import uuid4

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import UnknownMemory
from cognitive.server import assembly
from cognitive.server.tokens import create
from tests.dashboard.conftest import EVIL
from tests.serving import client_of, inside, token_for

POLICY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
PAGES = ("memories", "memories?q=pump", "memories?group=ignored", "memory?id={}", "memory/chart?id={}&chart=boost")
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
PUMP, SEAL, LAMP = "The pump of berth 2 was sealed in May.", "The seal of the pump is made of rubber.", "Lamps glow."
ATTACK = f"The pump says {EVIL} on deploy days."


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def shelf(layer, agent):
    """An agent with memories of each fate, by what they are there for."""
    ids = await layer.remember(
        agent,
        [
            NewMemory(type="decision", content=PUMP, tags=("pump", "dock"), occurred_at=NOW - 40 * DAY),
            NewMemory(type="fact", content=SEAL, tags=("pump",), session_id="s1", occurred_at=NOW - 2 * DAY),
            NewMemory(type="fact", content=ATTACK, tags=(EVIL,), occurred_at=NOW - 3 * DAY),
        ],
    )
    known = dict(zip(("rising", "ignored", "evil"), ids, strict=True))
    for n in range(5):
        turn = Turn(
            agent_id=agent,
            session_id="s",
            text="Which pump was sealed?",
            turn_id=f"t{n}",
            now=NOW - timedelta(hours=30 - n),
        )
        context = await layer.pre_turn(turn)
        await layer.post_turn(context, Outcome(response="Done.", citations=[known["rising"]]))
    unseen = NewMemory(type="episode", content=LAMP, speaker="Ada", occurred_at=NOW - 400 * DAY)
    [known["never"]] = await layer.remember(agent, [unseen])
    return agent, known


async def test_a_search_that_is_not_done_in_time_says_what_makes_it_fast(urls, embedder, shelf):
    agent, _ = shelf
    hurried = POLICY.changed({"deadlines.recall_ms": 0.001})
    async with (
        CognitiveLayer.open(urls.app, policy=hurried, embedder=embedder) as layer,
        inside(layer, mounts=assembly.mounts(layer)) as pages,
    ):
        answer = await pages.get(of(agent, "memories?q=pump"))

    assert answer.status_code == 200
    assert "The search timed out" in answer.text
    assert f"cognitive db index --agent {agent}" in answer.text


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


def listed(answer):
    """The ids of a list's rows, in order."""
    return re.findall(r'name="id" value="([0-9a-f-]{36})" aria-label', answer.text)


async def key(pages, agent):
    answer = await pages.get(of(agent, "memories"))
    return re.search(r'name="form_key" value="([^"]+)"', answer.text)[1]


async def send(pages, agent, page, **fields):
    data = {"form_key": await key(pages, agent), **fields}
    return await pages.post(of(agent, page), data=data, headers={"Origin": "http://localhost"})


async def test_a_search_is_the_agents_own_recall_with_its_scores_and_leaves_no_trace(pages, layer, shelf):
    agent, known = shelf
    before = (await layer.explain.analytics.life(agent, known["ignored"])).memory
    answer = await pages.get(of(agent, "memories?q=what is the seal made of"))

    hits = await layer.recall(agent, "what is the seal made of", limit=25)
    assert listed(answer) == [str(hit.memory_id) for hit in hits]
    assert f"<b>{hits[0].score:.3f}</b>" in answer.text
    assert "semantic" in answer.text
    assert "content cosine" in answer.text
    after = (await layer.explain.analytics.life(agent, known["ignored"])).memory
    assert (after.times_shown, after.shown) == (before.times_shown, before.shown)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", ["ignored", "evil", "rising", "never"]),
        ("type=fact", ["ignored", "evil"]),
        ("tag=dock", ["rising"]),
        ("age=7d", ["ignored", "evil"]),
        ("age=over30d", ["rising", "never"]),
        ("session=s1", ["ignored"]),
        ("type=fact&age=over30d", []),
        ("group=never", ["never"]),
        ("group=rising", ["rising"]),
        ("group=stale", []),
        ("group=ignored&type=fact", ["ignored", "evil"]),
        ("group=ignored&type=episode", []),
        ("group=never&tag=dock", []),
        ("q=pump&type=decision", ["rising"]),
        ("q=pump&session=s1", ["ignored"]),
        ("q=pump&tag=dock", ["rising"]),
        ("q=pump&age=over30d&type=decision", ["rising"]),
    ],
)
async def test_filters_and_groups_hold_the_memories_that_they_name(pages, shelf, asked, found):
    agent, known = shelf
    answer = await pages.get(of(agent, f"memories?{asked}"))

    assert answer.status_code == 200
    ids = listed(answer)
    assert sorted(ids) == sorted(str(known[name]) for name in found)
    if not asked:
        assert ids == [str(known[name]) for name in found]  # the newest first


async def test_what_is_pinned_and_what_was_replaced_are_groups_of_their_own(pages, layer, shelf):
    agent, known = shelf
    await layer.update(agent, known["never"], pinned=True)
    await layer.remember(agent, [NewMemory(type="fact", content="It is of silicone.", supersedes=known["ignored"])])

    assert listed(await pages.get(of(agent, "memories?group=pinned"))) == [str(known["never"])]
    assert listed(await pages.get(of(agent, "memories?group=superseded"))) == [str(known["ignored"])]
    tabs = (await pages.get(of(agent, "memories"))).text
    counts = dict(re.findall(r">([A-Z][a-z ]+) <b>([^<]+)</b></a>", tabs))
    assert counts == {
        "All": "5",
        "Never shown": "1",
        "Always ignored": "2",
        "Rising": "1",
        "Stale": "0",
        "Pinned": "1",
        "Superseded": "1",
    }


async def test_what_was_not_looked_at_as_a_whole_says_so(pages, layer, shelf, monkeypatch):
    agent, _ = shelf
    monkeypatch.setattr(
        type(layer.explain.analytics), "group_sizes", sampled(type(layer.explain.analytics).group_sizes)
    )
    answer = await pages.get(of(agent, "memories?group=ignored"))

    assert "≈ 200" in answer.text
    assert "From a random sample" in answer.text


def sampled(read):
    """The same sizes, of an agent that has a hundred times as many memories."""

    async def read_some(figures, agent, habit, now):
        sizes = await read(figures, agent, habit, now)
        return type(sizes)(
            sizes.looked,
            100 * sizes.memories,
            *(getattr(sizes, name) for name in ("never", "ignored", "rising", "stale")),
        )

    return read_some


async def test_pages_follow_one_another_without_gap_or_repetition(pages, layer, agent, monkeypatch):
    many = [NewMemory(type="fact", content=f"Berth {n} is free.", occurred_at=NOW - n * DAY) for n in range(7)]
    ids = [str(id) for id in await layer.remember(agent, many)]
    monkeypatch.setattr("cognitive.dashboard.memories.PAGE", 3)
    for group in ("", "group=never&"):
        page, seen = f"/ui/memories?{group}agent={agent}", []
        while page:
            answer = await pages.get(page)
            seen += listed(answer)
            following = re.search(r'href="([^"]+)" rel="next"', answer.text)
            page = unescape(following[1]) if following else None
        assert seen == ids if not group else sorted(seen) == sorted(ids)


async def test_a_memory_tells_its_life(pages, layer, shelf):
    agent, known = shelf
    [twin] = await layer.remember(agent, [NewMemory(type="fact", content=f"{PUMP} Yes.")])
    [newer] = await layer.remember(
        agent, [NewMemory(type="decision", content="Berth 2 has no pump.", supersedes=known["rising"])]
    )
    answer = await pages.get(of(agent, f"memory?id={known['rising']}"))
    page = unescape(answer.text)

    for told in (
        PUMP,
        "used in 5 of 5 turns",
        "Which pump was sealed?",
        "Superseded by a newer memory",
        "Berth 2 has no pump.",
        f"memory?agent={agent}&id={newer}",
        f"memory?agent={agent}&id={twin}",
        f"turn?agent={agent}&id=t4",
    ):
        assert told in page, told
    assert "Supersedes an older memory" in (await pages.get(of(agent, f"memory?id={newer}"))).text


@pytest.mark.parametrize("chart", ["shown", "boost"])
async def test_charts_of_a_memory_can_be_taken_away(pages, layer, shelf, chart):
    agent, known = shelf
    table = await pages.get(of(agent, f"memory/chart?id={known['rising']}&chart={chart}"))
    rows = list(csv.reader(io.StringIO(table.text)))[1:]
    drawn = await pages.get(of(agent, f"memory/chart?id={known['rising']}&chart={chart}&as=svg"))

    if chart == "shown":
        assert (sum(float(row[1]) for row in rows), sum(float(row[2]) for row in rows)) == (5, 5)
    else:
        hit = next(hit for hit in await layer.recall(agent, PUMP) if hit.memory_id == known["rising"])
        assert float(rows[-1][1]) > float(rows[0][1]) > 1  # the boost of an agent's turn knows similar turns beside
        assert hit.scores["boost"] > 1
    assert drawn.text.startswith("<svg")
    assert "Content-Disposition" in drawn.headers


async def test_a_verdict_counts_and_is_told(pages, layer, shelf):
    agent, known = shelf
    sent = await send(pages, agent, "memory/rate", id=known["ignored"], turn="t4", useful="yes")

    assert sent.status_code == 303
    rated = (await layer.explain.analytics.showings(agent, known["ignored"])).rows[0]
    assert (rated.turn_id, rated.rating, rated.used) == ("t4", True, True)
    page = await pages.get(sent.headers["location"].partition("#")[0])
    assert "The rating counts" in page.text
    assert page.text.count('aria-pressed="true"') == 1


async def test_an_edit_changes_what_was_changed_and_keeps_what_it_said(pages, layer, shelf):
    agent, known = shelf
    fields = {
        "content": "The seal is of rubber.\r\nSince May.",
        "speaker": "",
        "context": "",
        "confidence": "0.5",
        "tags": "pump,  seal",
        "pinned": "yes",
        "version": "0",
    }
    sent = await send(pages, agent, "memory/edit", id=known["ignored"], **fields)

    assert sent.status_code == 303
    [now] = await layer.get(agent, [known["ignored"]])
    assert (now.content, now.tags, now.confidence, now.pinned, now.speaker) == (
        "The seal is of rubber.\nSince May.",
        ("pump", "seal"),
        0.5,
        True,
        None,
    )
    [kept] = await layer.admin.revisions(agent, known["ignored"])
    assert set(kept.previous) == {"content", "tags", "confidence", "pinned"}
    page = unescape((await pages.get(of(agent, f"memory?id={known['ignored']}"))).text)
    assert f"<del>{SEAL}</del><ins>The seal is of rubber." in page
    again = await send(pages, agent, "memory/edit", id=known["ignored"], **{**fields, "version": "1"})
    assert "done=same" in again.headers["location"]
    assert len(await layer.admin.revisions(agent, known["ignored"])) == 1


async def test_an_edit_of_what_somebody_else_changed_meanwhile_is_refused(pages, layer, shelf):
    agent, known = shelf
    await layer.update(agent, known["never"], content="Lamps shine.")
    sent = await send(pages, agent, "memory/edit", id=known["never"], content="Lamps are out.", version="0")

    assert sent.status_code == 409
    assert (await layer.get(agent, [known["never"]]))[0].content == "Lamps shine."


async def test_what_cannot_be_stored_is_refused_by_name(pages, shelf):
    agent, known = shelf
    for field, value in (("confidence", "high"), ("confidence", "7"), ("content", "   ")):
        given = {"content": LAMP, "speaker": "Ada", "context": "", "confidence": "1", "tags": "", "version": "0"}
        sent = await send(pages, agent, "memory/edit", id=known["never"], **{**given, field: value})
        assert sent.status_code == 422
        assert field in sent.text


async def test_a_memory_is_replaced_by_a_newer_one(pages, layer, shelf):
    agent, known = shelf
    sent = await send(pages, agent, "memory/supersede", id=known["rising"], content="The pump of berth 2 leaks.")

    new = re.search(r"id=([0-9a-f-]{36})", sent.headers["location"])[1]
    [old] = await layer.get(agent, [known["rising"]])
    [newer] = await layer.get(agent, [new])
    assert (str(old.superseded_by), newer.supersedes, newer.type) == (new, known["rising"], "decision")
    assert newer.tags == old.tags
    again = await send(pages, agent, "memory/supersede", id=known["rising"], content="The pump is gone.")
    assert again.status_code == 409


async def test_a_token_that_may_not_erase_forgets_nothing_by_a_form(layer, guarded, tokens, shelf):
    agent, known = shelf
    token, id = create(tokens, agent, erase=False)[1], str(known["evil"])
    guarded.cookies.set("cognitive_token", token, path="/ui")
    asked = [await send(guarded, agent, "memories/forget", id=id, sure=sure) for sure in ("", "yes")]

    assert [answer.status_code for answer in asked] == [403, 403]
    assert len(await layer.get(agent, [known["evil"]])) == 1


async def test_a_visitor_sees_no_button_for_what_its_token_may_not_do(guarded_app, tokens, shelf):
    agent, known = shelf
    page = of(agent, f"memory?id={known['ignored']}")
    seen = {}
    for name, may in (("all", {}), ("keeps", {"erase": False}), ("talk", {"trust": "talk"})):
        token = create(tokens, agent, **may)[1]
        async with client_of(guarded_app) as pages:
            pages.cookies.set("cognitive_token", token, path="/ui")
            seen[name] = ((await pages.get(of(agent, "memories"))).text, (await pages.get(page)).text)

    may = {name: tuple("memories/forget" in each for each in told) for name, told in seen.items()}
    assert may == {"all": (True, True), "keeps": (False, False), "talk": (True, True)}
    assert {name: "memory/edit" in told[1] for name, told in seen.items()} == {
        "all": True,
        "keeps": True,
        "talk": False,
    }
    assert "may not erase" in seen["keeps"][1]
    assert "higher than your token" in seen["talk"][1]


async def test_forgetting_asks_first_says_what_goes_and_shows_the_receipt(pages, layer, shelf):
    agent, known = shelf
    ids = [str(known["ignored"]), str(known["evil"])]
    asked = await send(pages, agent, "memories/forget", id=ids)

    will = rows_of(asked)
    assert will["Memories"] == "2"
    assert will["Showings in turns"] == "10"
    assert SEAL in asked.text
    assert len(await layer.get(agent, ids)) == 2  # nothing went yet
    done = await send(pages, agent, "memories/forget", id=ids, sure="yes")
    assert will.items() <= rows_of(done).items()  # and what it was cut out of, which nobody knew before
    assert SEAL not in done.text
    assert await layer.get(agent, ids) == []
    assert (await send(pages, agent, "memories/forget", id=ids, sure="yes")).status_code == 404


def rows_of(answer):
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", answer.text))


FORMS = {
    "memory/rate": {"turn": "t4", "useful": "yes"},
    "memory/edit": {"content": "Gone.", "version": "0"},
    "memory/supersede": {"content": "Gone."},
    "memories/forget": {"sure": "yes"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", [{}, {"form_key": "guessed"}])
async def test_a_form_of_another_site_changes_nothing(pages, layer, shelf, form, given):
    agent, known = shelf
    await key(pages, agent)
    fields = {"id": str(known["ignored"]), **FORMS[form], **given}
    here = await pages.post(of(agent, form), data=fields, headers={"Origin": "http://localhost"})
    there = {**fields, "form_key": await key(pages, agent)}
    elsewhere = await pages.post(of(agent, form), data=there, headers={"Origin": "http://evil.example"})

    assert here.status_code == elsewhere.status_code == 403
    assert (await pages.get(of(agent, form))).status_code == 405  # no address does what a form does
    [same] = await layer.get(agent, [known["ignored"]])
    assert (same.content, same.superseded_by) == (SEAL, None)
    assert (await layer.explain.analytics.showings(agent, known["ignored"])).rows[0].rating is None


async def test_memories_of_another_agent_are_as_if_they_were_not(pages, layer, shelf):
    agent, known = shelf
    other, nobody, theirs = f"{agent}-other", str(uuid4()), str(known["ignored"])
    await layer.remember(other, [NewMemory(type="fact", content="Tea is at four.")])
    for page in ("memory?id={}", "memory/chart?id={}&chart=shown"):
        answers = [await pages.get(of(other, page.format(id))) for id in (theirs, nobody)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text == answers[1].text.replace(nobody, theirs)
    for form, fields in FORMS.items():
        answers = [await send(pages, other, form, id=id, **fields) for id in (theirs, nobody)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert SEAL not in answers[0].text
    assert (await layer.get(agent, [theirs]))[0].content == SEAL
    assert SEAL not in (await pages.get(of(other, "memories?q=seal of the pump"))).text
    with pytest.raises(UnknownMemory):
        await layer.admin.revisions(other, theirs)


async def test_nobody_sees_or_changes_a_memory_without_its_agents_token(layer, guarded, tokens, shelf):
    agent, known = shelf
    for page in PAGES:
        answer = await guarded.get(of(agent, page.format(known["never"])))
        assert (answer.status_code, answer.headers["location"]) == (303, "/ui/login")
    guarded.cookies.set("cognitive_token", token_for(tokens, "somebody-else")["Authorization"].split()[1])
    for page in PAGES:
        assert (await guarded.get(of(agent, page.format(known["never"])))).status_code == 403
    for form, fields in FORMS.items():
        assert (await guarded.post(of(agent, form), data={"id": str(known["never"]), **fields})).status_code == 403
    assert (await layer.get(agent, [known["never"]]))[0].content == LAMP


async def test_what_a_memory_says_is_text(pages, layer, shelf):
    agent, known = shelf
    await layer.update(agent, known["evil"], content=f"{ATTACK} Twice.", speaker=EVIL, context=EVIL)
    confirm = await send(pages, agent, "memories/forget", id=str(known["evil"]))
    asked = (
        "memories",
        "memories?q=pump deploy",
        f"memories?tag={EVIL}",
        f"memory?id={known['evil']}",
        f"memories?q={EVIL}",
        f"memory?id={EVIL}",
        f"memories?session={EVIL}",
    )
    for answer in (confirm, *[await pages.get(of(agent, page)) for page in asked]):
        assert "<script>document" not in answer.text
        assert "<img" not in answer.text
        assert not re.search(r"<[^>]+\s(style|on\w+)=", re.sub(r'"[^"]*"', '""', answer.text))


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("memories?group=x", 422),
        ("memories?type=dream", 422),
        ("memories?age=old", 422),
        ("memories?after=x", 422),
        ("memories?group=never&after=x~y", 422),
        ("memories?since=x", 422),
        ("memory?id=x", 404),
        ("memory", 404),
        ("memory?id={}&after=x", 422),
        ("memory/chart?id={}&chart=x", 404),
    ],
)
async def test_what_is_not_there_is_a_page_that_says_so(pages, shelf, page, status):
    agent, known = shelf
    answer = await pages.get(of(agent, page.format(known["never"])))

    assert answer.status_code == status
    assert "Traceback" not in answer.text


async def test_choosing_nothing_or_too_much_is_refused(pages, shelf):
    agent, _ = shelf
    assert "choose" in (await send(pages, agent, "memories/forget")).text
    many = [str(uuid4()) for _ in range(201)]
    assert (await send(pages, agent, "memories/forget", id=many)).status_code == 422


async def test_an_agent_without_memories_is_told_what_to_do(pages, agent):
    assert "cognitive demo" in (await pages.get(of(agent, "memories"))).text
    assert "finds nothing" in (await pages.get(of(agent, "memories?q=pump"))).text
    assert "No memory is pinned" in (await pages.get(of(agent, "memories?group=pinned"))).text
