"""In a real browser: find out what a threshold of 0.2 would change, activate it, and take it back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cognitive.server.config import ServerConfig
from tests.serving import running

driver = pytest.importorskip("playwright.async_api", reason="pip install playwright, to look with a browser")
CHROMIUM = os.environ.get("BROWSER_TESTS_CHROMIUM") or shutil.which("chromium") or ""
AXE = Path(os.environ.get("BROWSER_TESTS_AXE", "axe.min.js"))  # of npm's axe-core; it is not part of this project
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine")
SLIDER = "Attribution threshold (relative)"


@pytest.fixture
async def url(layer, mounts):
    async with running(layer, ServerConfig(port=0), mounts) as (url, _):
        yield url


@pytest.fixture
async def page():
    """What it complains of fails the test."""
    async with driver.async_playwright() as playing:
        browser = await playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page, said = await browser.new_page(viewport={"width": 1280, "height": 900}), []
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        yield page
        await browser.close()
    assert said == []


@pytest.fixture
def axe():
    return AXE.read_text()


async def chosen(page, agent, layer):
    """From the list of policies to one that is live, by hand and with the keyboard."""
    await page.get_by_role("link", name="What if…").click()
    await page.locator("#answer .finding").wait_for()
    slider = page.get_by_role("slider", name=SLIDER, exact=True)
    await slider.focus()
    for _ in range(9):
        await page.keyboard.press("ArrowLeft")
    await page.get_by_text("The threshold changes what counts as used.").wait_for()
    await page.get_by_role("button", name="Save as candidate").click()
    await page.get_by_text("Activate…").click()
    await page.get_by_role("button", name="Activate").click()
    await page.get_by_role("status").wait_for()


async def test_a_threshold_is_tried_saved_activated_and_rolled_back(page, url, played, layer):
    base = layer.policies.base(played)
    await page.goto(f"{url}/ui/policies?agent={played}")
    await chosen(page, played, layer)
    live = (await layer.policies.effective(played)).live
    assert live.attribution_threshold == 0.2

    await page.get_by_text("Roll back…").click()
    assert "0.2" in await page.locator(".confirm[open] table").inner_text()
    await page.get_by_role("button", name=f"Roll back to {base.version[:6]}").click()
    await page.get_by_text("the host's policy,").first.wait_for()
    assert (await layer.policies.effective(played)).live.version == base.version


async def test_a_threshold_is_saved_and_activated_in_one_go_and_asked_about_once(page, url, played, layer):
    await page.goto(f"{url}/ui/what-if?agent={played}&feedback.attribution_thresholds.relative=0.2")
    await page.get_by_role("button", name="Save and activate…").click()
    assert "0.2" in await page.locator(".confirm[open] table").inner_text()
    assert (await layer.policies.effective(played)).live.version == layer.policies.base(played).version
    await page.locator(".confirm[open]").get_by_role("button", name="Activate").click()
    await page.wait_for_url("**/policies?*done=live*")

    assert (await layer.policies.effective(played)).live.attribution_threshold == 0.2


async def test_the_number_beside_a_slider_moves_it_and_reset_brings_it_back(page, url, played):
    await page.goto(f"{url}/ui/what-if?agent={played}")
    figure, slider = (
        page.get_by_label("Half-life of use, as a number"),
        page.get_by_label("Half-life of use", exact=True),
    )
    await figure.fill("3")
    await figure.press("Tab")
    await page.wait_for_url("**usage.half_life_days=3*")
    assert await slider.input_value() == "3"
    assert await page.locator(".slider.moved").count() == 1

    await page.get_by_role("button", name="Reset").click()
    await page.wait_for_url(lambda url: "usage.half_life_days" not in url)
    assert (await slider.input_value(), await page.locator(".slider.moved").count()) == ("7", 0)


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_nothing_is_wider_than_the_screen(page, url, played, layer, width):
    svg_file = await layer.policies.save(
        played, {"evidence.threshold": 1.0, "usage.half_life_days": 3}, by="ada", note="w" * 400
    )
    await layer.policies.activate(played, svg_file.version, by="ada")
    await page.set_viewport_size({"width": width, "height": 900})
    for name in ("policies?", "what-if?evidence.min_item_share=0.9&", f"policy?version={svg_file.version}&"):
        await page.goto(f"{url}/ui/{name}agent={played}")
        if "what-if" in name:
            await page.locator("#answer .finding").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.skipif(not AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(page, url, played, layer, axe, theme):
    svg_file = await layer.policies.save(played, {"evidence.threshold": 1.0}, by="ada")
    await layer.policies.activate(played, svg_file.version, by="ada")
    base = layer.policies.base(played).version
    await page.emulate_media(color_scheme=theme)
    for name in (
        "policies?done=live&",
        "what-if?feedback.attribution_thresholds.relative=0.2&evidence.threshold=1.2&",
        f"policy?version={svg_file.version}&compare_with={base}&",
        f"policy?version={base}&saved=yes&",
    ):
        await page.goto(f"{url}/ui/{name}agent={played}")
        if "what-if" in name:
            await page.locator("#answer .finding").wait_for()
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        await page.evaluate(axe)
        found = (await page.evaluate("axe.run()"))["violations"]
        assert [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found] == [], name


async def test_without_scripts_the_answer_is_one_press_away(url, played):
    async with driver.async_playwright() as playing:
        browser = await playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(java_script_enabled=False, viewport={"width": 1280, "height": 900})
        await page.goto(f"{url}/ui/what-if?agent={played}")
        await page.get_by_label("Evidence threshold, as a number").fill("1.9")
        await page.locator("#answer").get_by_role("button", name="See what would change").click()
        found = await page.locator(".finding .facts").inner_text()
        await browser.close()

    assert "Memories removed" in found
