"""The filters of the list of turns over HTTP."""

from __future__ import annotations

import pytest

from cognitive import Outcome, Turn
from tests.dashboard.test_dashboard_pages import of


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ("", 2),
        ("q=when", 1),
        ("q=nothing", 0),
        ("status=failed", 0),
        ("session=s", 2),
        ("user=ines", 0),
        ("user=nobody", 0),
        ("shown_type=episode", 0),
        ("stage=retrieve", 2),
        ("stage=retrieve&min_ms=60000", 0),
        ("stage=none", 0),
        ("dropped=trimmed", 0),
        ("status=unfinished", 0),
        ("from=2000-01-01T00:00&to=2001-01-01T00:00", 0),
        ("from=2000-01-01T00:00", 2),
    ],
)
async def test_turn_list_is_filtered(pages, sample_agent, filters, count):
    assert (await pages.get(of(sample_agent, f"turns?{filters}"))).text.count("data-row") == count


async def test_turns_are_filtered_by_the_type_of_a_shown_memory(pages, layer, sample_agent):
    await layer.post_turn(
        await layer.pre_turn(Turn(agent_id=sample_agent, session_id="s", text="Thanks!", turn_id="t/3")), Outcome()
    )
    turns = [await layer.explain.turn(sample_agent, f"t/{n}") for n in (1, 2, 3)]
    decisions = [[each.used for each in turn.shown if each.type == "decision"] for turn in turns]
    assert (decisions[0], decisions[2]) == ([True], [])
    for filters, wanted in (("", bool), ("&used=yes", any), ("&used=no", lambda used: not any(used))):
        page = await pages.get(of(sample_agent, f"turns?shown_type=decision{filters}"))
        assert page.text.count("data-row") == sum(wanted(used) for used in decisions if used), filters
