"""The pages of memories over HTTP: search, groups, content and permissions."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from uuid import uuid4

import pytest

from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import UnknownMemory
from cognitive.server import assembly
from tests.dashboard.conftest import EVIL
from tests.serving import inside, token_for

POLICY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
PAGES = ("memories", "memories?q=pump", "memories?group=ignored", "memory?id={}", "memory/chart?id={}&chart=boost")
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
PUMP, SEAL, LAMP = "The pump of berth 2 was sealed in May.", "The seal of the pump is made of rubber.", "Lamps glow."
ATTACK = f"The pump says {EVIL} on deploy days."
FORMS = {
    "memory/rate": {"turn": "t4", "useful": "yes"},
    "memory/edit": {"content": "Gone.", "version": "0"},
    "memory/supersede": {"content": "Gone."},
    "memories/forget": {"sure": "yes"},
}


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def agent_and_ids(layer, agent):
    """Return the agent and the ids of its memories by their kind of use."""
    ids = await layer.remember(
        agent,
        [
            NewMemory(type="decision", content=PUMP, tags=("pump", "dock"), occurred_at=NOW - 40 * DAY),
            NewMemory(type="fact", content=SEAL, tags=("pump",), session_id="s1", occurred_at=NOW - 2 * DAY),
            NewMemory(type="fact", content=ATTACK, tags=(EVIL,), occurred_at=NOW - 3 * DAY),
        ],
    )
    memory_ids = dict(zip(("rising", "ignored", "evil"), ids, strict=True))
    for n in range(5):
        turn = Turn(
            agent_id=agent,
            session_id="s",
            text="Which pump was sealed?",
            turn_id=f"t{n}",
            now=NOW - timedelta(hours=30 - n),
        )
        context = await layer.pre_turn(turn)
        await layer.post_turn(context, Outcome(response="Done.", citations=[memory_ids["rising"]]))
    unseen = NewMemory(type="episode", content=LAMP, speaker="Ada", occurred_at=NOW - 400 * DAY)
    [memory_ids["never"]] = await layer.remember(agent, [unseen])
    return agent, memory_ids


async def test_search_that_times_out_suggests_an_index(urls, embedder, agent_and_ids):
    agent, _ = agent_and_ids
    short_deadline = POLICY.changed({"deadlines.recall_ms": 0.001})
    async with (
        CognitiveLayer.open(urls.app, policy=short_deadline, embedder=embedder) as layer,
        inside(layer, mounts=assembly.mounts(layer)) as pages,
    ):
        answer = await pages.get(of(agent, "memories?q=pump"))

    assert answer.status_code == 200
    assert "The search timed out" in answer.text
    assert f"cognitive db index --agent {agent}" in answer.text


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


def listed(answer):
    """Return the ids of the rows of a list, in order."""
    return re.findall(r'name="id" value="([0-9a-f-]{36})" aria-label', answer.text)


async def key(pages, agent):
    answer = await pages.get(of(agent, "memories"))
    return re.search(r'name="form_key" value="([^"]+)"', answer.text)[1]


async def send(pages, agent, page, **fields):
    data = {"form_key": await key(pages, agent), **fields}
    return await pages.post(of(agent, page), data=data, headers={"Origin": "http://localhost"})


async def test_search_equals_recall_and_is_not_counted_as_a_showing(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    before = (await layer.explain.analytics.lifecycle(Scope(agent), memory_ids["ignored"])).memory
    answer = await pages.get(of(agent, "memories?q=what is the seal made of"))

    hits = await layer.recall(agent, "what is the seal made of", limit=25)
    assert listed(answer) == [str(hit.memory_id) for hit in hits]
    assert f"<b>{hits[0].score:.3f}</b>" in answer.text
    assert "semantic" in answer.text
    assert "content cosine" in answer.text
    after = (await layer.explain.analytics.lifecycle(Scope(agent), memory_ids["ignored"])).memory
    assert (after.times_shown, after.shown) == (before.times_shown, before.shown)


async def test_scores_of_a_search_add_up_and_their_bars_have_one_scale(pages, layer, agent_and_ids):
    agent, _ = agent_and_ids
    page = unescape((await pages.get(of(agent, "memories?q=what is the seal made of"))).text)
    legend = re.findall(r'<li class="c(\d)">([^<]+)</li>', page.split('legend factors"')[1].split("</ul>")[0])
    hits = await layer.recall(agent, "what is the seal made of", limit=25)
    rows = page.split('<details class="score">')[1:]
    assert len(rows) == len(hits) > 1
    lengths = []
    for row in rows:
        summary = row.split("</summary>")[0]
        score, relevance = (float(re.search(each, summary)[1]) for each in (r"<b>([\d.]+)</b>", r"relevance ([\d.]+)"))
        change = re.search(r"use and rules ([+−])([\d.]+)", summary)
        added = float(change[2]) * (-1 if change[1] == "−" else 1) if change else 0.0
        assert score == pytest.approx(relevance + added, abs=1e-9)
        drawn = re.findall(
            r'<rect class="c(\d)" x="[\d.]+%" width="([\d.]+)%" height="100%"><title>([a-z ]+) ', summary
        )
        assert {(colour, name) for colour, _, name in drawn} <= set(legend)
        lengths.append(sum(float(width) for _, width, _ in drawn))
    assert max(lengths) == pytest.approx(100, abs=0.1)
    assert min(lengths) < 95


@pytest.mark.parametrize(
    ("query", "names"),
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
async def test_filters_and_groups_list_the_matching_memories(pages, agent_and_ids, query, names):
    agent, memory_ids = agent_and_ids
    answer = await pages.get(of(agent, f"memories?{query}"))

    assert answer.status_code == 200
    ids = listed(answer)
    assert sorted(ids) == sorted(str(memory_ids[name]) for name in names)
    if not query:
        assert ids == [str(memory_ids[name]) for name in names]  # newest first


async def test_pinned_and_hidden_memories_have_groups(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    await layer.update(agent, memory_ids["never"], pinned=True)
    await layer.remember(
        agent, [NewMemory(type="fact", content="It is of silicone.", supersedes=memory_ids["ignored"])]
    )

    assert listed(await pages.get(of(agent, "memories?group=pinned"))) == [str(memory_ids["never"])]
    assert listed(await pages.get(of(agent, "memories?group=hidden"))) == [str(memory_ids["ignored"])]
    tabs = (await pages.get(of(agent, "memories"))).text
    counts = dict(re.findall(r">([A-Z][a-z ]+) <b>([^<]+)</b></a>", tabs))
    assert counts == {
        "All": "5",
        "Never shown": "1",
        "Always ignored": "2",
        "Rising": "1",
        "Stale": "0",
        "Pinned": "1",
        "Hidden": "1",
    }


async def test_estimated_group_sizes_are_marked(pages, layer, agent_and_ids, monkeypatch):
    agent, _ = agent_and_ids
    monkeypatch.setattr(
        type(layer.explain.analytics), "group_sizes", sampled(type(layer.explain.analytics).group_sizes)
    )
    answer = await pages.get(of(agent, "memories?group=ignored"))

    assert "≈ 200" in answer.text
    assert "From a random sample" in answer.text


def sampled(read):
    """Wrap a read of group sizes so that the agent appears to have a hundred times as many memories."""

    async def read_scaled(figures, agent, habit, now):
        sizes = await read(figures, agent, habit, now)
        return type(sizes)(
            sizes.looked,
            100 * sizes.memories,
            *(getattr(sizes, name) for name in ("never", "ignored", "rising", "stale")),
        )

    return read_scaled


async def test_result_pages_have_no_gap_and_no_repetition(pages, layer, agent, monkeypatch):
    memories = [NewMemory(type="fact", content=f"Berth {n} is free.", occurred_at=NOW - n * DAY) for n in range(7)]
    ids = [str(id) for id in await layer.remember(agent, memories)]
    monkeypatch.setattr("cognitive.dashboard.memories.PAGE", 3)
    for group in ("", "group=never&"):
        page, seen = f"/ui/memories?{group}agent={agent}", []
        while page:
            answer = await pages.get(page)
            seen += listed(answer)
            following = re.search(r'href="([^"]+)" rel="next"', answer.text)
            page = unescape(following[1]) if following else None
        assert seen == ids if not group else sorted(seen) == sorted(ids)


async def test_memory_page_shows_use_history_and_related_memories(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    [twin] = await layer.remember(agent, [NewMemory(type="fact", content=f"{PUMP} Yes.")])
    [newer] = await layer.remember(
        agent, [NewMemory(type="decision", content="Berth 2 has no pump.", supersedes=memory_ids["rising"])]
    )
    answer = await pages.get(of(agent, f"memory?id={memory_ids['rising']}"))
    page = unescape(answer.text)

    for text in (
        PUMP,
        "used in 5 of 5 turns",
        "Which pump was sealed?",
        "Superseded since",
        "Berth 2 has no pump.",
        f"memory?agent={agent}&id={newer}",
        f"memory?agent={agent}&id={twin}",
        f"turn?agent={agent}&id=t4",
    ):
        assert text in page, text
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Has berth 2 a pump?"))
    await layer.post_turn(context, Outcome(response="No.", citations=[newer]))
    page = (await pages.get(of(agent, f"memory?id={newer}"))).text
    assert "Supersedes an older memory" in page
    assert "<span>1 turn</span>" in page


@pytest.mark.parametrize("chart", ["shown", "boost"])
async def test_charts_of_a_memory_can_be_downloaded(pages, layer, agent_and_ids, chart):
    agent, memory_ids = agent_and_ids
    table = await pages.get(of(agent, f"memory/chart?id={memory_ids['rising']}&chart={chart}"))
    rows = list(csv.reader(io.StringIO(table.text)))[1:]
    svg = await pages.get(of(agent, f"memory/chart?id={memory_ids['rising']}&chart={chart}&as=svg"))

    if chart == "shown":
        assert (sum(float(row[1]) for row in rows), sum(float(row[2]) for row in rows)) == (5, 5)
    else:
        hit = next(hit for hit in await layer.recall(agent, PUMP) if hit.memory_id == memory_ids["rising"])
        assert float(rows[-1][1]) > float(rows[0][1]) > 1  # a turn's boost also counts similar turns
        assert hit.scores["boost"] > 1
    assert svg.text.startswith("<svg")
    assert "Content-Disposition" in svg.headers


async def test_memories_of_another_agent_look_like_missing_ones(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    other, missing, foreign = f"{agent}-other", str(uuid4()), str(memory_ids["ignored"])
    await layer.remember(other, [NewMemory(type="fact", content="Tea is at four.")])
    for page in ("memory?id={}", "memory/chart?id={}&chart=shown"):
        answers = [await pages.get(of(other, page.format(id))) for id in (foreign, missing)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text == answers[1].text.replace(missing, foreign)
    for form, fields in FORMS.items():
        answers = [await send(pages, other, form, id=id, **fields) for id in (foreign, missing)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert SEAL not in answers[0].text
    assert (await layer.get(agent, [foreign]))[0].content == SEAL
    assert SEAL not in (await pages.get(of(other, "memories?q=seal of the pump"))).text
    with pytest.raises(UnknownMemory):
        await layer.admin.revisions(other, foreign)


async def test_memory_pages_and_forms_require_the_token_of_the_agent(layer, guarded, tokens, agent_and_ids):
    agent, memory_ids = agent_and_ids
    for page in PAGES:
        answer = await guarded.get(of(agent, page.format(memory_ids["never"])))
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/ui/login")
    guarded.cookies.set("cognitive_token", token_for(tokens, "somebody-else")["Authorization"].split()[1])
    for page in PAGES:
        assert (await guarded.get(of(agent, page.format(memory_ids["never"])))).status_code == 403
    for form, fields in FORMS.items():
        assert (await guarded.post(of(agent, form), data={"id": str(memory_ids["never"]), **fields})).status_code == 403
    assert (await layer.get(agent, [memory_ids["never"]]))[0].content == LAMP


async def test_scripts_in_memories_are_escaped(pages, layer, agent_and_ids):
    agent, memory_ids = agent_and_ids
    await layer.update(agent, memory_ids["evil"], content=f"{ATTACK} Twice.", speaker=EVIL, context=EVIL)
    confirm = await send(pages, agent, "memories/forget", id=str(memory_ids["evil"]))
    addresses = (
        "memories",
        "memories?q=pump deploy",
        f"memories?tag={EVIL}",
        f"memory?id={memory_ids['evil']}",
        f"memories?q={EVIL}",
        f"memory?id={EVIL}",
        f"memories?session={EVIL}",
    )
    for answer in (confirm, *[await pages.get(of(agent, page)) for page in addresses]):
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
async def test_missing_or_invalid_pages_answer_with_an_error_status(pages, agent_and_ids, page, status):
    agent, memory_ids = agent_and_ids
    answer = await pages.get(of(agent, page.format(memory_ids["never"])))

    assert answer.status_code == status
    assert "Traceback" not in answer.text


async def test_pages_of_an_agent_without_memories_give_advice(pages, agent):
    assert "cognitive demo" in (await pages.get(of(agent, "memories"))).text
    assert "finds nothing" in (await pages.get(of(agent, "memories?q=pump"))).text
    assert "No memory is pinned" in (await pages.get(of(agent, "memories?group=pinned"))).text
