"""Lists of turns and users in other orders, page by page, and the place of a page in its list."""

from __future__ import annotations

import html
import re

import asyncpg
import pytest

from brain.analytics.turns import TurnAnalytics
from brain.analytics.users import UserAnalytics, UserPage
from brain.users import Scope
from cognitive import NewMemory, Outcome, Turn
from cognitive.dashboard import sorting, users
from cognitive.dashboard import turns as turn_list
from tests.internals import internals

LENGTHS = {"a": 3, "b": 1, "c": 2}  # facts that the turn is shown, by turn id


@pytest.fixture
async def three_turns(layer, agent):
    """Return an agent with three turns, of different numbers of memories, in the order of LENGTHS."""
    for turn_id, count in LENGTHS.items():
        user = f"user-{turn_id}"
        facts = [
            NewMemory(type="fact", content=f"Boat {turn_id}{n} is moored at pier {n}.", user_id=user)
            for n in range(count)
        ]
        await layer.remember(agent, facts)
        turn = Turn(agent_id=agent, session_id="s", text="Which boat is moored?", turn_id=turn_id, user_id=user)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response=" ".join(each.content for each in facts)))
    return agent


@pytest.fixture
def pages_of_one(monkeypatch):
    """Show one row on each page of a list."""
    monkeypatch.setattr(turn_list, "PAGE", 1)
    monkeypatch.setattr(users, "PAGE", 1)


@pytest.mark.parametrize(("skip", "rows", "total", "more", "text"), [
    (0, 50, 241, False, "1–50 of 241"),
    (240, 1, 241, False, "241 of 241"),
    (50, 50, 5050, True, "51–100 of at least 5,050"),
    (0, 0, 0, False, ""),
])  # fmt: skip
def test_place_of_a_page_counts_from_one(skip, rows, total, more, text):
    assert sorting.place(skip, rows, total, more=more) == text


async def walk(pages, address: str, name: str) -> tuple[list[str], list[str]]:
    """Follow the links to the next page; return the values of a link parameter in the rows, and the places of pages."""
    rows, places = [], []
    while address:
        page = await pages.get(address)
        assert page.status_code == 200, page.text
        rows += re.findall(
            rf'href="[^"]*[?;&]{name}=([^"&]+)[^"]*" data-row|data-row href="[^"]*{name}=([^"&]+)', page.text
        )
        places += re.findall(r"(\d+) of \d", page.text)[:1]
        address = next(iter(re.findall(r'href="([^"]+)" rel="next"', page.text)), "")
        address = html.unescape(address)
    return ["".join(each) for each in rows], places


@pytest.mark.parametrize(
    ("order", "first_to_last"),
    [("newest", "cba"), ("oldest", "abc"), ("tokens", "acb"), ("used", "acb")],
)
async def test_turns_in_an_order_are_listed_page_by_page(pages, three_turns, pages_of_one, order, first_to_last):
    rows, places = await walk(pages, f"/ui/turns?agent={three_turns}&sort={order}", "id")
    assert "".join(rows) == first_to_last
    assert places == ["1", "2", "3"]


async def test_slowest_turns_come_first(layer, three_turns):
    analytics: TurnAnalytics = layer.explain.analytics
    page = await analytics.turns(Scope.all_users(three_turns), order="slowest")
    took = [row.milliseconds for row in page.rows]
    assert took == sorted(took, reverse=True)
    assert page.matching == len(took) == 3


@pytest.mark.parametrize(("order", "first_to_last"), [("id", "abc"), ("memories", "acb"), ("latest", "cba")])
async def test_users_in_an_order_are_listed_page_by_page(pages, three_turns, pages_of_one, order, first_to_last):
    rows, places = await walk(pages, f"/ui/users?agent={three_turns}&sort={order}", "user")
    assert rows == [f"user-{each}" for each in first_to_last]
    assert places == ["1", "2", "3"]


async def test_users_are_ordered_by_the_time_that_is_shown(layer, three_turns, urls):
    users_of = UserAnalytics(internals(layer).database)
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(
        "UPDATE cognitive.session SET last_at = now() + interval '1 day' WHERE agent_id = $1 AND user_id = 'user-a'",
        three_turns,
    )
    await admin.close()
    page = await users_of.page(three_turns, order="latest")
    shown = [each.last_at for each in page.rows]
    assert shown == sorted(shown, reverse=True)
    assert [(await users_of.counts(Scope(three_turns, each.user_id))).last_at for each in page.rows] == shown
    assert await users_of.page(three_turns, skip=9) == UserPage((), 3)
    assert (await users_of.page(three_turns, "nobody")).matching == 0


@pytest.mark.parametrize(
    "address", ["turns?sort=best", "users?sort=best", "turns?skip=-1", "users?skip=99999", "user?skip=x&user=ada"]
)
async def test_unknown_order_or_place_is_named(pages, agent, address):
    page = await pages.get(f"/ui/{address}&agent={agent}")
    assert (page.status_code, address.partition("?")[2].partition("=")[0] + ":" in page.text) == (422, True)
