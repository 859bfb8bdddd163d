"""Memories in a real browser: finding what to delete, deleting it, changing one and seeing how it was changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

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
async def stocked(layer, agent):
    """One memory that every answer uses, four that none uses, and one whose words are an attack."""
    memories = [NewMemory(type="decision", content=DEPLOY, tags=("deploys",))]
    memories += [NewMemory(type="fact", content=WASTE.format(n), tags=("harbour",)) for n in range(4)]
    memories += [NewMemory(type="episode", content=f"Deploys say {EVIL}", speaker=EVIL, tags=(EVIL,))]
    ids = await layer.remember(agent, memories)
    for n in range(5):
        now = datetime.now(UTC) - timedelta(hours=20 - n)
        turn = Turn(agent_id=agent, session_id="s", text="When do we deploy?", turn_id=f"t{n}", now=now)
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Then.", citations=ids[:1]))
    return agent, ids


async def test_three_memories_to_delete_are_found_and_deleted(page, url, layer, stocked):
    agent, _ = stocked
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
    assert "15" in await page.locator(".receipt dt:text('Showings in turns') + dd").inner_text()
    left = [row.content for row in (await layer.explain.analytics.memories(agent)).rows]
    assert [WASTE.format(n) in left for n in range(4)] == [False, False, False, True]


async def test_a_memory_is_changed_and_its_history_tells_how(page, url, stocked):
    agent, _ = stocked
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


async def test_a_verdict_is_given_where_the_question_stands(page, url, layer, stocked):
    agent, ids = stocked
    await page.goto(f"{url}/ui/memory?agent={agent}&id={ids[1]}")
    await page.get_by_role("button", name="Useful in this turn", exact=True).first.click()

    await page.get_by_text("The rating counts").wait_for()
    assert (await layer.explain.analytics.showings(agent, ids[1])).rows[0].rating is True
    await page.get_by_role("link", name="When do we deploy?").first.click()
    await page.wait_for_url("**/turn?*id=t4*")


async def test_the_keyboard_chooses_and_opens(page, url, stocked):
    agent, _ = stocked
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


async def looked_at(url, stocked):
    agent, ids = stocked
    names = (
        "memories?",
        "memories?q=deploy&",
        "memories?group=ignored&",
        "memories?tag=none&",
        "memory?id=none&",
        *(f"memory?id={id}&" for id in (ids[0], ids[5])),
    )
    return [f"{url}/ui/{name}agent={agent}" for name in names]


async def test_what_a_memory_says_stays_inert(page, url, stocked):
    for address in await looked_at(url, stocked):
        await page.goto(address)
        assert await page.locator("main img, main script").count() == 0
        assert await page.title() != "owned"


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_nothing_is_wider_than_the_screen(page, url, stocked, width):
    await page.set_viewport_size({"width": width, "height": 900})
    for address in await looked_at(url, stocked):
        await page.goto(address)
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, address


@pytest.mark.skipif(not browsing.AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(page, url, stocked, axe, theme):
    await page.emulate_media(color_scheme=theme)
    agent, _ = stocked
    for address in [*await looked_at(url, stocked), ""]:
        if address:
            await page.goto(address)
        else:
            await page.goto(f"{url}/ui/memories?agent={agent}")
            await page.get_by_label("All on this page").check()
            await page.get_by_role("button", name="Forget selected").click()
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        await page.evaluate(axe)
        found = (await page.evaluate("axe.run()"))["violations"]
        told = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]
        assert told == [], address or "forget"
