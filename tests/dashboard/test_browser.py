"""The pages in a real browser. A test fails if a page logs an error or violates its content security policy."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain.users import Scope
from cognitive import Outcome, Turn
from cognitive.server.config import ServerConfig
from cognitive.server.tokens import create
from tests.dashboard.conftest import DEPLOY
from tests.serving import running

driver = pytest.importorskip("playwright.async_api", reason="pip install playwright, to look with a browser")
CHROMIUM = os.environ.get("BROWSER_TESTS_CHROMIUM") or shutil.which("chromium") or ""
AXE = Path(os.environ.get("BROWSER_TESTS_AXE", "axe.min.js"))  # from the npm package axe-core, not part of this project
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium on this machine")
PAGES = ("overview?", "turns?", "turn?id=t/1&why=soup&", "turns?why=soup&", "turns?q=nothing&", "turn?id=none&")


@pytest.fixture
async def url(layer, mounts):
    async with running(layer, ServerConfig(port=0), mounts) as (url, _):
        yield url


@pytest.fixture
async def browser():
    async with driver.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def axe():
    return AXE.read_text()


async def axe_violations(page, axe):
    """Return the accessibility violations that axe finds on the page with all details open."""
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    await page.evaluate(axe)
    violations = (await page.evaluate("axe.run()"))["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in violations]


@pytest.fixture
async def page(browser, url):
    """Yield a page in the time zone of Tokyo. Its errors and warnings fail the test.

    It depends on the server, which is therefore stopped after the page is closed: a late request would be an error.
    """
    context = await browser.new_context(timezone_id="Asia/Tokyo", viewport={"width": 1280, "height": 900})
    page, errors = await context.new_page(), []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    await context.close()
    assert [each for each in errors if "404" not in each and "422" not in each] == []


async def test_overview_leads_to_the_reason_a_memory_was_not_shown(page, url, sample_agent):
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    await page.get_by_role("link", name="All turns").click()
    await page.get_by_role("link", name="When do we deploy?").click()
    search_box = page.get_by_role("searchbox", name="Why was it not shown")
    await search_box.fill("canteen soup")
    await search_box.press("Enter")
    await page.locator(".answer summary").first.click()

    assert "canteen" in await page.locator(".answer blockquote").first.inner_text()
    assert await page.locator(".answer .summary").first.inner_text()


async def test_memory_page_links_to_the_reasons_it_was_not_shown(page, url, layer, sample_agent):
    [soup] = [
        row for row in (await layer.explain.analytics.memories(Scope(sample_agent))).rows if "soup" in row.content
    ]
    await page.goto(f"{url}/ui/memory?agent={sample_agent}&id={soup.id}")
    await page.get_by_role("link", name="Why was it not shown?").click()
    answer = page.locator(".answer .candidates li")
    await answer.first.wait_for()

    assert await answer.count() == 2
    assert "Not shown" in await answer.first.inner_text()


async def test_turn_page_links_to_the_pages_of_its_memories(page, url, sample_agent):
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/1")
    await page.locator("#outcome").get_by_role("link", name=DEPLOY).click()
    assert await page.get_by_role("heading", level=1).inner_text() == DEPLOY

    await page.go_back()
    await page.locator(".cand summary").first.click()
    await page.locator(".cand").first.get_by_role("link", name="Open this memory").click()
    await page.wait_for_url("**/memory?*")


async def test_stored_scripts_do_not_run(page, url, sample_agent):
    for name in ("turns", "turn?id=t/2&why=runbook"):
        await page.goto(f"{url}/ui/{name}{'&' if '?' in name else '?'}agent={sample_agent}")
        assert await page.locator("main img, main script").count() == 0
        assert await page.title() != "owned"


async def test_turns_can_be_searched_and_opened_by_keyboard(page, url, sample_agent):
    await page.goto(f"{url}/ui/turns?agent={sample_agent}")
    await page.keyboard.press("/")
    await page.keyboard.type("when do")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**q=when*")
    assert "status=" not in page.url  # empty filters are not in the address
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")

    await page.wait_for_url("**/turn?*")
    assert await page.get_by_role("heading", level=1).inner_text() == "When do we deploy?"


async def test_times_are_shown_in_the_time_zone_of_the_viewer(page, url, layer, sample_agent):
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")

    [turn] = await layer.explain.turns(sample_agent, 1)
    await page.get_by_text("Asia/Tokyo").wait_for()
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id={turn.turn_id}")
    local = turn.at.astimezone(ZoneInfo("Asia/Tokyo"))
    assert f"{local:%Y-%m-%d %H:%M} Asia/Tokyo" in await page.locator("time").first.inner_text()


async def test_chosen_theme_survives_a_reload(page, url, sample_agent):
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    light = await page.evaluate("getComputedStyle(document.body).color")
    await page.get_by_role("button", name="Theme").click()
    await page.reload()

    assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert await page.evaluate("getComputedStyle(document.body).color") != light


async def test_visible_overview_refreshes_its_numbers(page, url, layer, sample_agent):
    await page.clock.install()
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    first = page.locator(".card > a").first
    assert await first.locator(".value").inner_text() == "2"
    await first.focus()
    scroll_position = await page.evaluate("scrollTo({top: 200, behavior: 'instant'}), scrollY")
    turn = Turn(agent_id=sample_agent, session_id="s", text="And when do we deploy next?", turn_id="t/3")
    await layer.post_turn(await layer.pre_turn(turn), Outcome(response=DEPLOY))

    async with page.expect_response("**/ui/live?*") as answer:
        await page.clock.fast_forward(16_000)

    assert (await answer.value).status == 200
    await page.get_by_text("And when do we deploy next?").wait_for()
    assert await first.locator(".value").inner_text() == "3"
    assert await page.evaluate("document.activeElement.parentElement.className") == "card"
    assert await page.evaluate("scrollY") == scroll_position


async def test_hidden_tab_does_not_poll_the_server(page, url, sample_agent):
    requests = []
    page.on("request", lambda request: requests.append(request.url) if "/ui/l" in request.url else None)
    await page.clock.install()
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    await page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    await page.clock.fast_forward(60_000)
    await page.evaluate("fetch('/ui/static/mark.svg')")  # requests of earlier timers are sent before this one
    assert requests == []

    async with page.expect_response("**/ui/live?*"), page.expect_response("**/ui/latest?*"):
        await page.evaluate(
            "Object.defineProperty(document, 'hidden', {value: false});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )


async def test_chart_downloads_as_png(page, url, sample_agent, tmp_path):
    await page.goto(f"{url}/ui/overview?agent={sample_agent}")
    async with page.expect_download() as started:
        await page.get_by_role("link", name="Turns as PNG").click()
    download = await started.value
    await download.save_as(tmp_path / "turns.png")
    picture = (tmp_path / "turns.png").read_bytes()

    assert download.suggested_filename == "turns.png"
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (1800, 580)
    assert len(picture) > 5_000  # an empty image would be smaller


async def test_turn_list_search_leads_to_why_a_memory_was_not_shown(page, url, sample_agent):
    await page.goto(f"{url}/ui/turns?agent={sample_agent}")
    search_box = page.get_by_role("searchbox", name="Why was it not shown")
    await search_box.fill("canteen soup")
    await search_box.press("Enter")

    answers = page.locator(".candidates li")
    await answers.first.wait_for()
    assert await answers.count() == 2
    assert "Not shown" in await answers.first.inner_text()
    await answers.last.get_by_role("link").click()
    await page.locator(".answer summary").first.wait_for()


async def test_marked_passage_links_to_its_memory(page, url, sample_agent):
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/1")
    assert DEPLOY in await page.locator("mark").first.inner_text()
    reference = page.locator(".response a.of").first
    await reference.click()

    row = page.locator(f"#shown-{await reference.inner_text()}")
    assert DEPLOY in await row.inner_text()
    assert await row.evaluate("row => row.matches(':target')")


async def test_visitor_signs_in_and_out(page, layer, mounts, tmp_path, sample_agent):
    _, token = create(tmp_path / "tokens.toml", sample_agent)
    async with running(layer, ServerConfig(port=0, tokens=tmp_path / "tokens.toml"), mounts) as (url, _):
        await page.goto(f"{url}/ui/")
        await page.get_by_label("Token").fill(token)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("heading", name="Overview").wait_for()
        assert "cognitive_token" not in await page.evaluate("document.cookie")
        await page.get_by_role("button", name="Sign out").click()

        await page.get_by_label("Token").wait_for()


@pytest.mark.parametrize("width", [390, 820, 1440])
async def test_pages_fit_the_screen_width(page, url, sample_agent, width):
    await page.set_viewport_size({"width": width, "height": 900})
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={sample_agent}")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.skipif(not AXE.exists(), reason="BROWSER_TESTS_AXE names no axe.min.js")
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_pages_pass_the_axe_accessibility_check(page, url, sample_agent, axe, theme):
    await page.emulate_media(color_scheme=theme)
    for name in PAGES:
        await page.goto(f"{url}/ui/{name}agent={sample_agent}")
        assert await axe_violations(page, axe) == [], name


async def test_turn_page_shows_rank_prompt_and_replay(page, url, sample_agent):
    await page.goto(f"{url}/ui/turn?agent={sample_agent}&id=t/1")
    row = page.locator(".cand", has_text=DEPLOY).first
    await row.locator("summary").click()

    assert "Shown at rank" in await row.locator(".summary").inner_text()
    await page.get_by_role("link", name="Show the prompt").click()
    await page.get_by_text("identical").wait_for()
    await page.get_by_role("link", name="Run it again").click()
    await page.get_by_text("The same memories in the same order").wait_for()
    assert "/turn?" in page.url
