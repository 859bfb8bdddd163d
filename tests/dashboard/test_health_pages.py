"""The health page: checks, delays and slow stages, for each kind of token and without Postgres."""

from __future__ import annotations

import asyncio
import re
from html import unescape

import pytest

from brain.analytics.recent import Degradations, VectorCoverage
from brain.analytics.turn_rows import AgentHealth, Total
from brain.postgres.database import Database
from brain.rollups import RollupCounts
from brain.users import Scope
from cognitive import CognitiveLayer
from cognitive.dashboard import health
from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create
from cognitive.dashboard.degradation_labels import DEGRADATION_LABELS
from cognitive.dashboard.params import PageQuery
from cognitive.doctor.examine import CHECKS, Finding
from cognitive.server.auth import needs_no_token, visitor_of
from cognitive.server.config import MountedApp, ServerConfig
from cognitive.server.limits import within_rate_limit
from cognitive.server.tokens import create as create_token
from tests.conftest import NOW
from tests.internals import internals
from tests.serving import inside

STORE = AgentHealth(1_000_000, 1_000_000, 9, 0, "18.1", "0.8.1", "0004", 1)


def pages_of(layer, config=None):
    mounted = MountedApp(
        "/ui",
        create(layer, layer.explain.analytics, AccessControl(visitor_of, needs_no_token, within_rate_limit)),
        own_login=True,
    )
    return inside(layer, config, (mounted,))


def of(agent, page="health"):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


@pytest.fixture
async def degraded_agent(urls, sample_agent):
    """Return the agent after two turns, one of which ran without memory."""
    database = Database(urls.app)
    assignments = "degraded = '{memory: TimeoutError}', degraded_codes = '{memory_failed}'"
    sql = f"UPDATE cognitive.turn SET {assignments} WHERE agent_id = $1 AND turn_id = 't/1'"
    await database.run(Scope(sample_agent), lambda c: c.execute(sql, sample_agent))
    await database.close()
    return sample_agent


async def test_server_without_tokens_shows_every_check_and_the_store(pages, sample_agent):
    page = await pages.get(of(sample_agent))

    assert page.status_code == 200
    for name in CHECKS:
        assert f"<b>{name}" in page.text
    for text in ("pgvector", "Oldest transaction", "Tables and indexes", "in use", "retrieve"):
        assert text in page.text


async def test_token_of_an_agent_sees_nothing_about_the_server(layer, tmp_path, sample_agent):
    tokens = tmp_path / "tokens.toml"
    token = create_token(tokens, sample_agent)[1]
    async with pages_of(layer, ServerConfig(tokens=tokens)) as pages:
        pages.cookies.set("cognitive_token", token, path="/ui")
        page = await pages.get(of(sample_agent))

    assert page.status_code == 200
    assert "Slow stages" in page.text
    for text in ("cognitive doctor", "Tables and indexes", "data directory", "Oldest transaction"):
        assert text not in page.text


async def test_degradation_reasons_link_to_their_turns(pages, degraded_agent):
    page = await pages.get(of(degraded_agent))
    rows = re.search(r'href="(/ui/turns\?[^"]*degradation=memory_failed)"', page.text)[1].replace("&amp;", "&")

    assert "In the 2 turns" in page.text
    assert DEGRADATION_LABELS["memory"].meaning in page.text
    assert DEGRADATION_LABELS["memory"].remedy in unescape(page.text)
    assert (await pages.get(rows)).text.count("data-row") == 1
    file = await pages.get(of(degraded_agent, "health-chart?id=degradation"))
    assert file.text.splitlines()[0] == "step,memory_failed"
    assert ",0.5" in file.text


async def test_turns_of_a_model_that_forms_memories_are_counted(urls, pages, sample_agent):
    assert "Formation by a model" not in (await pages.get(of(sample_agent))).text
    states = ("UPDATE cognitive.turn SET model_state = $2 WHERE agent_id = $1 AND turn_id = $3", "t/1", "t/2")
    tokens = "UPDATE cognitive.agent_state SET model_tokens = 4321, model_day = (now() AT TIME ZONE 'UTC')::date"
    database = Database(urls.app)
    for state, turn in zip(("parked", "read"), states[1:], strict=True):
        await database.run(Scope(sample_agent), lambda c, a=(state, turn): c.execute(states[0], sample_agent, *a))
    await database.run(Scope(sample_agent), lambda c: c.execute(f"{tokens} WHERE agent_id = $1", sample_agent))
    await database.close()
    panel = (await pages.get(of(sample_agent))).text.partition("Formation by a model")[2].partition("</section>")[0]
    assert re.findall(r"<dd>(.*?)</dd>", panel) == ["1", "0", "1", "4,321"]
    assert "cognitive agent form --parked" in panel
    of_user = (await pages.get(f"{of(sample_agent)}&user=ada")).text  # the tokens are those of all users
    assert ("Formation by a model" in of_user, "4,321" in of_user) == (True, False)


async def test_parked_journal_entries_are_shown_only_to_their_agent(layer, pages, sample_agent):
    journal = internals(layer).journal
    journal.put(Scope(sample_agent), "t/9", outcome="{}")
    journal.park(journal.find(Scope(sample_agent), "t/9"), "the turn was never opened")
    try:
        own, other = await pages.get(of(sample_agent)), await pages.get(of("somebody-else"))
    finally:
        journal.erase(Scope(sample_agent))

    assert "the turn was never opened" in own.text
    assert "the turn was never opened" not in other.text


async def test_health_page_answers_while_postgres_does_not(embedder, sample_agent):
    """Use a server that accepts connections and never answers. The page must not wait for it."""
    connections = []
    silent = await asyncio.start_server(lambda reader, writer: connections.append(writer), "127.0.0.1", 0)
    url = f"postgresql://somebody:secret@127.0.0.1:{silent.sockets[0].getsockname()[1]}/nowhere"
    try:
        async with CognitiveLayer.open(url, embedder=embedder) as layer, pages_of(layer) as pages:
            async with asyncio.timeout(20):
                page = await pages.get(of(sample_agent))
    finally:
        for writer in connections:
            writer.transport.abort()
        silent.close()

    assert page.status_code == 200
    assert "Postgres does not answer" in page.text
    assert "no answer within 2.5 s" in page.text
    assert "Waiting for Postgres" in page.text  # from the journal, a file on this machine
    assert "secret" not in page.text


def health_data(**changed):
    defaults = {
        "findings": (),
        "database": None,
        "health": STORE,
        "embedded": None,
        "stages": [],
        "degraded": None,
        "granted": None,
        "backlog": None,
        "model": "new",
    }
    return health.HealthData(**defaults | changed)


def test_current_model_is_listed_before_it_has_vectors():
    page = health.view(health_data(embedded=VectorCoverage({"old": 2_000}, 2_000)), PageQuery("a", NOW))

    assert [(each.model, each.share, each.current) for each in page.models] == [("new", 0.0, True), ("old", 1.0, False)]
    assert page.estimated
    assert page.models[1].passages == 1_000_000


def test_verdict_is_that_of_the_worst_check():
    def verdict(*statuses, **more):
        findings = tuple(Finding(str(n), status, "") for n, status in enumerate(statuses))
        return health.view(health_data(findings=findings, **more), PageQuery("a", NOW)).verdict

    assert verdict("ok", "ok") == "All checks pass"
    assert verdict("ok", "warning", "unknown") == "2 warnings"
    assert verdict("failure", "warning") == "1 check fails, 1 warning"
    assert verdict("ok", "skipped") == "1 check not made here"
    assert verdict("ok", turns=Total("", RollupCounts(turns=300, degraded=12))) == "12 of 300 turns degraded"
    assert verdict("ok", health=None) == "Postgres does not answer"


def test_checks_that_need_action_are_listed_first_and_those_not_made_last():
    statuses = ("skipped", "ok", "unknown", "warning", "failure")
    findings = tuple(Finding(status, status, "") for status in statuses)
    listed = health.view(health_data(findings=findings), PageQuery("a", NOW)).findings
    assert [each.status for each in listed] == ["failure", "warning", "unknown", "ok", "skipped"]


def test_degradation_reasons_are_shares_of_the_turns():
    day = NOW.replace(hour=0)
    degradations = Degradations({day: {"memory_failed": 1, "tools_late": 2}}, {day: 4})
    page = health.view(health_data(degraded=degradations), PageQuery("a", NOW, params={"range": "7d"}))

    assert [(each.name, each.turns) for each in page.reasons] == [("tools_late", 2), ("memory_failed", 1)]
    assert [each.label for each in page.reasons] == [DEGRADATION_LABELS["tools"], DEGRADATION_LABELS["memory"]]
    assert [line.name for line in page.chart.lines] == ["tools_late", "memory_failed"]
    assert [value for value in page.chart.lines[0].values if value is not None] == [0.5]
