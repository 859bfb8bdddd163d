"""The pages of memories in a real browser: search, deletion, edits, ratings and history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from tests.dashboard import test_browser as browsing
from tests.dashboard.conftest import DEPLOY, EVIL

pytestmark = browsing.pytestmark
axe, browser, page, url = browsing.axe, browsing.browser, browsing.page, browsing.url
WASTE = "We deploy from the harbour office, berth {}."


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    policy = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def agent_and_ids(layer, agent):
    """Return the agent and the ids of its memories: one is used by every turn, four by none, one contains a script."""
    memories = [NewMemory(type="decision", content=DEPLOY, tags=("deploys",))]
    memories += [NewMemory(type="fact", content=WASTE.format(n), tags=("harbour",)) for n in range(4)]
    memories += [NewMemory(type="episode", content=f"Deploys say {EVIL}", speaker=EVIL, tags=(EVIL,))]
    ids = await layer.remember(agent, memories)
    for n in range(5):
        now = datetime.now(UTC) - timedelta(hours=20 - n)
        turn = Turn(agent_id=agent, session_id="s", text="When do we deploy?", turn_id=f"t{n}", now=now)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Then.", citations=ids[:1]))
    return agent, ids


async def test_three_ignored_memories_are_selected_and_forgotten(page, url, layer, agent_and_ids):
    agent, _ = agent_and_ids
    await page.goto(f"{url}/ui/overview?agent={agent}")
    await page.get_by_role("link", name="Memories", exact=True).click()
    await page.get_by_role("link", name="Always ignored").click()
    for n in (0, 1, 2):
        await page.get_by_label(f"Select: {WASTE.format(n)}").check()
    assert await page.get_by_text("3 selected").is_visible()
    await page.get_by_role("button", name="Forget selected").click()
    assert await page.get_by_role("heading", level=1).inner_text() == "3 memories will be forgotten permanently"
    await page.get_by_role("button", name="Forget 3 memories").click()

    await page.get_by_role("heading", name="3 memories were forgotten").wait_for()
    assert "15" in await page.locator(".receipt dt:text('Times shown') + dd").inner_text()
    remaining = [row.content for row in (await layer.explain.analytics.memories(Scope(agent))).rows]
    assert [WASTE.format(n) in remaining for n in range(4)] == [False, False, False, True]


async def test_edited_memory_shows_the_change_in_its_history(page, url, agent_and_ids):
    agent, _ = agent_and_ids
    await page.goto(f"{url}/ui/memories?agent={agent}&q=when do we deploy")
    await page.get_by_role("link", name=DEPLOY).click()
    await page.get_by_text("text, tags, pinned").click()
    await page.get_by_label("Content").fill("We deploy on Wednesdays.")
    await page.get_by_label("Pinned").check()
    await page.get_by_role("button", name="Save").click()

    await page.get_by_text("Saved.").wait_for()
    assert await page.get_by_role("heading", level=1).inner_text() == "We deploy on Wednesdays."
    assert DEPLOY in await page.locator("#history del").first.inner_text()
    assert "We deploy on Wednesdays." in await page.locator("#history ins").first.inner_text()


async def test_refused_edit_goes_back_to_what_was_typed(page, url, agent_and_ids):
    agent, ids = agent_and_ids
    await page.goto(f"{url}/ui/memory?agent={agent}&id={ids[0]}")
    await page.get_by_text("text, tags, pinned").click()
    await page.get_by_label("Content").fill("We deploy on Wednesdays.")
    await page.get_by_label("Confidence").fill("7")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name="Back to the form").click()

    await page.wait_for_url("**/memory?*")
    assert await page.locator("[name=content]").first.input_value() == "We deploy on Wednesdays."


async def test_showing_is_rated_on_the_memory_page(page, url, layer, agent_and_ids):
    agent, ids = agent_and_ids
    await page.goto(f"{url}/ui/memory?agent={agent}&id={ids[1]}")
    await page.get_by_role("button", name="Useful in this turn", exact=True).first.click()

    await page.get_by_text("The rating counts").wait_for()
    assert (await layer.explain.analytics.showings(Scope(agent), ids[1])).rows[0].rating is True
    await page.get_by_role("link", name="When do we deploy?").first.click()
    await page.wait_for_url("**/turn?*id=t4*")


async def test_memories_are_selected_and_opened_by_keyboard(page, url, agent_and_ids):
    agent, _ = agent_and_ids
    await page.goto(f"{url}/ui/memories?agent={agent}")
    await page.keyboard.press("/")
    await page.keyboard.type("deploy")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**q=deploy*")
    for key in ("j", "x", "j", "x"):
        await page.keyboard.press(key)
    assert await page.get_by_text("2 selected").is_visible()
    await page.keyboard.press("Enter")

    await page.wait_for_url("**/memory?*")


async def page_urls(url, agent_and_ids):
    agent, ids = agent_and_ids
    names = (
        "memories?",
        "memories?q=deploy&",
        "memories?group=ignored&",
        "memories?tag=none&",
        "memory?id=none&",
        *(f"memory?id={id}&" for id in (ids[0], ids[5])),
    )
    return [f"{url}/ui/{name}agent={agent}" for name in names]


async def test_scripts_in_memories_do_not_run(page, url, agent_and_ids):
    for address in await page_urls(url, agent_and_ids):
        await page.goto(address)
        assert await page.locator("main img, main script").count() == 0
        assert await page.title() != "owned"


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_pages_fit_the_screen_width(page, url, agent_and_ids, width):
    await page.set_viewport_size({"width": width, "height": 900})
    for address in await page_urls(url, agent_and_ids):
        await page.goto(address)
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, address


@pytest.mark.skipif(not browsing.AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_pages_pass_the_axe_accessibility_check(page, url, agent_and_ids, axe, theme):
    await page.emulate_media(color_scheme=theme)
    agent, _ = agent_and_ids
    for address in [*await page_urls(url, agent_and_ids), ""]:
        if address:
            await page.goto(address)
        else:
            await page.goto(f"{url}/ui/memories?agent={agent}")
            await page.get_by_label("All on this page").check()
            await page.get_by_role("button", name="Forget selected").click()
        assert await browsing.axe_violations(page, axe) == [], address or "forget"
