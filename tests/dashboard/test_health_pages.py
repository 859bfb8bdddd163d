"""Health: what is well, what waits, what is slow; for those who may see it, and when nothing answers."""

from __future__ import annotations

import asyncio
import re
from html import unescape

import pytest

from brain.analytics.recent import Degradations, VectorCoverage
from brain.analytics.turn_rows import AgentHealth
from brain.postgres.database import Database
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
async def degraded(urls, played):
    """The agent, one of whose two turns lacked its memory."""
    database = Database(urls.app)
    set_ = "degraded = '{memory: TimeoutError}', degraded_codes = '{memory_failed}'"
    sql = f"UPDATE cognitive.turn SET {set_} WHERE agent_id = $1 AND turn_id = 't/1'"
    await database.run(played, lambda c: c.execute(sql, played))
    await database.close()
    return played


async def test_whoever_may_see_all_sees_every_check_and_the_store(pages, played):
    page = await pages.get(of(played))

    assert page.status_code == 200
    for name in CHECKS:
        assert f"<b>{name}" in page.text
    for told in ("pgvector", "Oldest transaction", "Tables and indexes", "in use", "retrieve"):
        assert told in page.text


async def test_an_agents_token_sees_its_own_and_nothing_of_the_server(layer, tmp_path, played):
    tokens = tmp_path / "tokens.toml"
    token = create_token(tokens, played)[1]
    async with pages_of(layer, ServerConfig(tokens=tokens)) as pages:
        pages.cookies.set("cognitive_token", token, path="/ui")
        page = await pages.get(of(played))

    assert page.status_code == 200
    assert "Slow stages" in page.text
    for told in ("cognitive doctor", "Tables and indexes", "data directory", "Oldest transaction"):
        assert told not in page.text


async def test_reasons_of_degradation_lead_to_their_turns(pages, degraded):
    page = await pages.get(of(degraded))
    rows = re.search(r'href="(/ui/turns\?[^"]*degradation=memory_failed)"', page.text)[1].replace("&amp;", "&")

    assert "In the 2 turns" in page.text
    assert DEGRADATION_LABELS["memory"].meaning in page.text
    assert DEGRADATION_LABELS["memory"].remedy in unescape(page.text)
    assert (await pages.get(rows)).text.count("data-row") == 1
    file = await pages.get(of(degraded, "health-chart?id=degradation"))
    assert file.text.splitlines()[0] == "step,memory_failed"
    assert ",0.5" in file.text


async def test_what_is_parked_is_told_to_its_own_agent(layer, pages, played):
    journal = internals(layer).journal
    journal.put(played, "t/9", outcome="{}")
    journal.park(journal.find(played, "t/9"), "the turn was never opened")
    try:
        own, other = await pages.get(of(played)), await pages.get(of("somebody-else"))
    finally:
        journal.erase(played)

    assert "the turn was never opened" in own.text
    assert "the turn was never opened" not in other.text


async def test_the_page_answers_when_postgres_does_not(embedder, played):
    """A port that takes connections and never says a word: the page must not wait for it."""
    held = []
    silent = await asyncio.start_server(lambda reader, writer: held.append(writer), "127.0.0.1", 0)
    url = f"postgresql://somebody:secret@127.0.0.1:{silent.sockets[0].getsockname()[1]}/nowhere"
    try:
        async with CognitiveLayer.open(url, embedder=embedder) as layer, pages_of(layer) as pages:
            async with asyncio.timeout(20):
                page = await pages.get(of(played))
    finally:
        for writer in held:
            writer.transport.abort()
        silent.close()

    assert page.status_code == 200
    assert "Postgres does not answer" in page.text
    assert "no answer within 2.5 s" in page.text
    assert "Waiting for Postgres" in page.text  # of the journal, which is on this machine
    assert "secret" not in page.text


def told(**changed):
    kept = {
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
    return health.HealthData(**kept | changed)


def test_a_model_that_is_in_use_is_told_before_any_vector_is_made_with_it():
    page = health.view(told(embedded=VectorCoverage({"old": 2_000}, 2_000)), PageQuery("a", NOW))

    assert [(each.model, each.share, each.current) for each in page.models] == [("new", 0.0, True), ("old", 1.0, False)]
    assert page.estimated
    assert page.models[1].passages == 1_000_000


def test_all_is_as_well_as_the_worst_check():
    def verdict(*statuses, **more):
        findings = tuple(Finding(str(n), status, "") for n, status in enumerate(statuses))
        return health.view(told(findings=findings, **more), PageQuery("a", NOW)).verdict

    assert verdict("ok", "ok") == "All checks pass"
    assert verdict("ok", "warning", "unknown") == "2 warnings"
    assert verdict("failure", "warning") == "1 check fails"
    assert verdict("ok", health=None) == "Postgres does not answer"


def test_reasons_are_shares_of_the_turns_that_were_looked_at():
    day = NOW.replace(hour=0)
    lately = Degradations({day: {"memory_failed": 1, "tools_late": 2}}, {day: 4})
    page = health.view(told(degraded=lately), PageQuery("a", NOW, params={"range": "7d"}))

    assert [(each.name, each.turns) for each in page.reasons] == [("tools_late", 2), ("memory_failed", 1)]
    assert [each.label for each in page.reasons] == [DEGRADATION_LABELS["tools"], DEGRADATION_LABELS["memory"]]
    assert [line.name for line in page.chart.lines] == ["tools_late", "memory_failed"]
    assert [value for value in page.chart.lines[0].values if value is not None] == [0.5]
