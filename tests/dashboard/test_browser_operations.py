"""The operator's pages in a real browser: tools, health and all agents, at every width."""

from __future__ import annotations

import pytest

from cognitive import Outcome, Tool, ToolCall, Turn
from tests.dashboard.conftest import EVIL
from tests.dashboard.test_browser import AXE, axe, axe_violations, browser, page, pytestmark, url  # noqa: F401

PAGES = ("catalog?range=7d&", "health?range=7d&", "?", "turns?tools_cut=yes&model=acme-70b&", "catalog?range=24h&")


@pytest.fixture
async def tool_agent(layer, sample_agent):
    """Return the agent after a third turn, which called a tool with a script as its name."""
    tools = [Tool(name=name) for name in ("read_file", "memory_search", EVIL[:60])]
    turn = Turn(
        agent_id=sample_agent, session_id="s", text="Fix the failing test", tools=tools, model="acme-70b", turn_id="t/3"
    )
    context = await layer.pre_turn(turn)
    calls = [ToolCall(name=name, result="ok") for name in ("read_file", EVIL[:60])]
    await layer.post_turn(context, Outcome(response="Done.", tool_calls=calls))
    return sample_agent


async def test_overview_leads_to_the_turns_that_called_a_tool(page, url, tool_agent):  # noqa: F811
    await page.goto(f"{url}/ui/overview?agent={tool_agent}")
    await page.get_by_role("link", name="Tools", exact=True).click()
    await page.get_by_role("link", name="read_file").click()
    await page.get_by_role("link", name="Fix the failing test").click()

    assert await page.get_by_role("heading", level=1).inner_text() == "Fix the failing test"


async def test_script_in_a_tool_name_does_not_run(page, url, tool_agent):  # noqa: F811
    await page.goto(f"{url}/ui/catalog?agent={tool_agent}")

    assert await page.locator("main img, main script").count() == 0
    assert await page.title() != "owned"
    assert await page.locator(".heat").inner_text()


async def test_health_page_lists_the_checks(page, url, tool_agent):  # noqa: F811
    await page.goto(f"{url}/ui/health?agent={tool_agent}")

    assert await page.locator(".checks li").count() >= 16
    assert await page.locator(".check b", has_text="row level security").is_visible()


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_operator_pages_fit_the_screen_width(page, url, tool_agent, width):  # noqa: F811
    await page.set_viewport_size({"width": width, "height": 900})
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={tool_agent}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.skipif(not AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_operator_pages_pass_the_axe_accessibility_check(page, url, tool_agent, axe, theme):  # noqa: F811
    await page.emulate_media(color_scheme=theme)
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={tool_agent}")
        assert await axe_violations(page, axe) == [], name
