"""The list of all agents, the switcher, and the state of an agent."""

from __future__ import annotations

import re
from uuid import uuid4

import asyncpg
import pytest

from brain.analytics.recent import RecentState
from brain.postgres import roles
from cognitive import NewMemory, Outcome, Turn
from cognitive.dashboard import state


@pytest.fixture
async def granted(urls):
    """Grant the role that reads the counts of all agents, and revoke it after the test."""
    await roles.create(urls.admin, ["cognitive_app"])
    yield
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    await admin.close()


@pytest.fixture
async def three_agents(layer):
    """Return the common part of the names of three agents, with 2, 1 and 0 turns."""
    name = f"fleet-{uuid4().hex[:8]}"
    for suffix, turns in (("busy", 2), ("calm", 1), ("newborn", 0)):
        agent = f"{name}-{suffix}"
        await layer.remember(agent, [NewMemory(type="fact", content="The canteen serves soup on Mondays.")])
        for _ in range(turns):
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What does the canteen serve?"))
            await layer.post_turn(context, Outcome(response="Soup."))
    return name


def names(page, prefix):
    return re.findall(rf'data-row href="[^"]+">{prefix}-(\w+)<', page.text)


async def test_agents_are_listed_sorted_and_searched_whatever_the_period(granted, pages, three_agents):
    by_turns = await pages.get(f"/ui/?q={three_agents}")
    by_name = await pages.get(f"/ui/agents?q={three_agents}&sort=name", headers={"HX-Request": "true"})
    long_ago = "since=2020-01-01T00:00:00%2B00:00&until=2020-02-01T00:00:00%2B00:00"
    before = await pages.get(f"/ui/?q={three_agents}&{long_ago}")
    one = await pages.get(f"/ui/agents?q={three_agents}+CALM")

    assert names(by_turns, three_agents) == ["busy", "calm", "newborn"]
    assert names(by_name, three_agents) == ["busy", "calm", "newborn"]
    assert sorted(names(before, three_agents)) == ["busy", "calm", "newborn"]
    assert names(one, three_agents) == ["calm"]
    assert '<td><div class="measured">' in by_turns.text, "a cell that is a grid itself leaves its row"
    assert "<html" not in by_name.text
    assert "No agent’s name contains" in (await pages.get("/ui/agents?q=no%25such_agent")).text
    assert (await pages.get("/ui/?sort=colour")).status_code == 422


async def test_list_of_agents_is_a_file_and_fills_the_switcher(granted, pages, three_agents):
    rows = (await pages.get(f"/ui/agents.file?q={three_agents}&as=json")).json()
    found = await pages.get(f"/ui/agents/find?q={three_agents}&sort=last")

    assert {row["agent"].rpartition("-")[2]: row["turns"] for row in rows} == {"busy": 2, "calm": 1, "newborn": 0}
    assert found.text.count("/ui/overview?agent=") == 3


async def test_state_is_that_of_the_last_fifteen_minutes(pages, layer, three_agents):
    busy = await pages.get(f"/ui/state?agent={three_agents}-busy")
    newborn = await pages.get(f"/ui/state?agent={three_agents}-newborn")

    assert "15 min: 2 turns" in busy.text
    assert "15 min: no turns" in newborn.text


def test_state_is_good_only_if_every_turn_went_well():
    assert state.describe(RecentState(0, 0, 0, None)) == ("none", "no turns")
    assert state.describe(RecentState(3, 0, 0, 41.0)) == ("good", "3 turns, p95 41 ms")
    assert state.describe(RecentState(12, 3, 1, 90.0)) == ("warn", "3 degraded and 1 failed of 12 turns")
