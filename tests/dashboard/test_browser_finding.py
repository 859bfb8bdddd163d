"""In a real browser: hover links, the arrow keys, the palette, and pages that fit from 360 to 1,920 pixels."""

from __future__ import annotations

import pytest

from cognitive import Outcome, Turn
from tests.dashboard.conftest import DEPLOY
from tests.dashboard.test_browser import browser, page, pytestmark, url

__all__ = ["browser", "page", "pytestmark", "url"]  # fixtures, and the condition to run at all
PAGES = (
    "overview?",
    "turns?",
    "turn?id=t/1&",
    "conversation?session=s&",
    "memories?",
    "users?",
    "catalog?",
    "policies?",
    "what-if?",
    "health?",
)


async def test_pointing_at_a_passage_marks_its_memory(page, url, sample_agent):
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/1")
    mark = page.locator("mark[data-of]").first
    number = (await mark.get_attribute("data-of")).split()[0]
    await mark.hover()
    assert "lit" in await page.locator(f"#shown-{number}").get_attribute("class")
    await page.locator("h1").hover()
    assert "lit" not in await page.locator(f"#shown-{number}").get_attribute("class")
    await page.locator(f"#shown-{number} .body").hover()
    assert "lit" in await mark.get_attribute("class")


async def test_arrow_keys_walk_the_session(page, url, layer, sample_agent):
    turn = Turn(agent_id=sample_agent, session_id="s", text="And on Fridays?", turn_id="t/3")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=DEPLOY))
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/2")
    await page.keyboard.press("ArrowRight")
    await page.wait_for_url("**id=t%2F3*")
    assert await page.get_by_role("heading", level=1).inner_text() == "And on Fridays?"
    await page.keyboard.press("ArrowLeft")
    await page.wait_for_url("**id=t%2F2*")
    assert (await page.get_by_role("heading", level=1).inner_text()).startswith("Which deploy day")


async def test_palette_opens_a_page_by_its_name(page, url, sample_agent):
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    await page.keyboard.press("Control+k")
    await page.locator(".palette input").fill("heal")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/ui/health?*")
    assert await page.get_by_role("heading", level=1).inner_text() == "Health"


@pytest.mark.parametrize("width", [360, 1280, 1920])
async def test_pages_fit_their_window(page, url, sample_agent, width):
    await page.set_viewport_size({"width": width, "height": 900})
    for each in PAGES:
        await page.goto(f"{url}/ui/{each}agent={sample_agent}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), each


async def test_question_memories_and_answer_are_on_the_first_screen(page, url, sample_agent):
    await page.set_viewport_size({"width": 1440, "height": 900})
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/1")
    for each in ("h1", ".shown li", ".response"):
        box = await page.locator(each).first.bounding_box()
        assert box["y"] + box["height"] <= 900, each
