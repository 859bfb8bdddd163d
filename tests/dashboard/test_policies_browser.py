"""The pages of policies in a real browser: compare a threshold of 0.2, activate it and roll it back."""

from __future__ import annotations

import pytest

from tests.dashboard import test_browser as browsing

pytestmark = browsing.pytestmark
axe, browser, url = browsing.axe, browsing.browser, browsing.url
SLIDER = "Attribution threshold (relative)"


@pytest.fixture
async def page(browser):
    """Yield a page. Its errors and warnings fail the test."""
    page, errors = await browser.new_page(viewport={"width": 1280, "height": 900}), []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    await page.close()
    assert errors == []


async def activate_by_keyboard(page, agent, layer):
    """Go from the list of policies to an activated candidate. The slider is moved by keyboard."""
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


async def test_threshold_is_tried_saved_activated_and_rolled_back(page, url, sample_agent, layer):
    base = layer.policies.base(sample_agent)
    await page.goto(f"{url}/ui/policies?agent={sample_agent}")
    await activate_by_keyboard(page, sample_agent, layer)
    live = (await layer.policies.effective(sample_agent)).live
    assert live.attribution_threshold == 0.2

    await page.get_by_text("Roll back…").click()
    assert "0.2" in await page.locator(".confirm[open] table").inner_text()
    await page.get_by_role("button", name=f"Roll back to {base.version[:6]}").click()
    await page.get_by_text("the host's policy,").first.wait_for()
    assert (await layer.policies.effective(sample_agent)).live.version == base.version


async def test_threshold_is_saved_and_activated_with_one_confirmation(page, url, sample_agent, layer):
    await page.goto(f"{url}/ui/what-if?agent={sample_agent}&feedback.attribution_thresholds.relative=0.2")
    await page.get_by_role("button", name="Save and activate…").click()
    assert "0.2" in await page.locator(".confirm[open] table").inner_text()
    assert (await layer.policies.effective(sample_agent)).live.version == layer.policies.base(sample_agent).version
    await page.locator(".confirm[open]").get_by_role("button", name="Activate").click()
    await page.wait_for_url("**/policies?*done=live*")

    assert (await layer.policies.effective(sample_agent)).live.attribution_threshold == 0.2


async def test_number_field_moves_its_slider_and_reset_restores_it(page, url, sample_agent):
    await page.goto(f"{url}/ui/what-if?agent={sample_agent}")
    number, slider = (
        page.get_by_label("Half-life of use, as a number"),
        page.get_by_label("Half-life of use", exact=True),
    )
    await number.fill("3")
    await number.press("Tab")
    await page.wait_for_url("**usage.half_life_days=3*")
    assert await slider.input_value() == "3"
    assert await page.locator(".slider.moved").count() == 1

    await page.get_by_role("button", name="Reset").click()
    await page.wait_for_url(lambda url: "usage.half_life_days" not in url)
    assert (await slider.input_value(), await page.locator(".slider.moved").count()) == ("7", 0)


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_pages_fit_the_screen_width(page, url, sample_agent, layer, width):
    candidate = await layer.policies.save(
        sample_agent, {"evidence.threshold": 1.0, "usage.half_life_days": 3}, by="ada", note="w" * 400
    )
    await layer.policies.activate(sample_agent, candidate.version, by="ada")
    await page.set_viewport_size({"width": width, "height": 900})
    for name in ("policies?", "what-if?evidence.min_item_share=0.9&", f"policy?version={candidate.version}&"):
        await page.goto(f"{url}/ui/{name}agent={sample_agent}")
        if "what-if" in name:
            await page.locator("#answer .finding").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name
    base = layer.policies.base(sample_agent).version
    await page.goto(f"{url}/ui/policy?version={candidate.version}&compare_with={base}&agent={sample_agent}")
    head = await page.locator(".differences thead th", has_text=base).bounding_box()
    assert head["height"] < 30, "a version is on one line"


@pytest.mark.skipif(not browsing.AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_pages_pass_the_axe_accessibility_check(page, url, sample_agent, layer, axe, theme):
    candidate = await layer.policies.save(sample_agent, {"evidence.threshold": 1.0}, by="ada")
    await layer.policies.activate(sample_agent, candidate.version, by="ada")
    base = layer.policies.base(sample_agent).version
    await page.emulate_media(color_scheme=theme)
    for name in (
        "policies?done=live&",
        "what-if?feedback.attribution_thresholds.relative=0.2&evidence.threshold=0.9&",
        f"policy?version={candidate.version}&compare_with={base}&",
        f"policy?version={base}&saved=yes&",
    ):
        await page.goto(f"{url}/ui/{name}agent={sample_agent}")
        if "what-if" in name:
            await page.locator("#answer .finding").wait_for()
        assert await browsing.axe_violations(page, axe) == [], name


async def test_what_if_works_without_scripts(browser, url, sample_agent):
    page = await browser.new_page(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    await page.goto(f"{url}/ui/what-if?agent={sample_agent}")
    await page.get_by_label("Evidence threshold, as a number").fill("1")
    await page.locator("#answer").get_by_role("button", name="See what would change").click()
    facts = await page.locator(".finding .facts").inner_text()

    assert "Memories removed" in facts
