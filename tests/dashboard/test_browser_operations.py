"""The operator's pages in a real browser: tools, health, all agents; by hand, by keyboard, at every width."""

from __future__ import annotations

import pytest

from cognitive import Outcome, Tool, ToolCall, Turn
from tests.dashboard.conftest import EVIL
from tests.dashboard.test_browser import AXE, axe, browser, page, pytestmark, url  # noqa: F401  # fixtures, and the skip

PAGES = ("catalog?range=7d&", "health?range=7d&", "?", "turns?tools_cut=yes&model=acme-70b&", "catalog?range=24h&")


@pytest.fixture
async def worked(layer, played):
    """The agent, with a turn more: it called a tool that is named like an attack."""
    tools = [Tool(name=name) for name in ("read_file", "memory_search", EVIL[:60])]
    turn = Turn(
        agent_id=played, session_id="s", text="Fix the failing test", tools=tools, model="acme-70b", turn_id="t/3"
    )
    context = await layer.pre_turn(turn)
    calls = [ToolCall(name=name, result="ok") for name in ("read_file", EVIL[:60])]
    await layer.post_turn(context, Outcome(response="Done.", tool_calls=calls))
    return played


async def test_from_the_overview_to_the_turns_of_a_tool(page, url, worked):  # noqa: F811
    await page.goto(f"{url}/ui/overview?agent={worked}")
    await page.get_by_role("link", name="Tools", exact=True).click()
    await page.get_by_role("link", name="read_file").click()
    await page.get_by_role("link", name="Fix the failing test").click()

    assert await page.get_by_role("heading", level=1).inner_text() == "Fix the failing test"


async def test_what_a_tool_is_called_stays_inert(page, url, worked):  # noqa: F811
    await page.goto(f"{url}/ui/catalog?agent={worked}")

    assert await page.locator("main img, main script").count() == 0
    assert await page.title() != "owned"
    assert await page.locator(".heat").inner_text()


async def test_health_says_that_all_is_well_and_where_it_knows_that_from(page, url, worked):  # noqa: F811
    await page.goto(f"{url}/ui/health?agent={worked}")

    assert await page.locator(".checks li").count() >= 16
    assert await page.locator(".check b", has_text="row level security").is_visible()


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_no_page_of_operators_is_wider_than_the_screen(page, url, worked, width):  # noqa: F811
    await page.set_viewport_size({"width": width, "height": 900})
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={worked}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.skipif(not AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_on_pages_of_operators(page, url, worked, axe, theme):  # noqa: F811
    await page.emulate_media(color_scheme=theme)
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={worked}")
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        await page.evaluate(axe)
        found = (await page.evaluate("axe.run()"))["violations"]
        assert [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found] == [], name
