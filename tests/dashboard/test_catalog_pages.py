"""The page of tools and models: counts, missed tools, and links from the numbers to their turns."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from html import unescape

import pytest

from brain.analytics.recent import ModelUsage, ModelUsageList
from brain.analytics.turn_rows import OmittedTool, Total
from brain.rollups import RollupCounts
from cognitive import Outcome, Tool, ToolCall, Turn
from cognitive.dashboard import catalog
from cognitive.dashboard.params import PageQuery
from cognitive.policy.models import ModelRow
from tests.dashboard.conftest import EVIL

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
TOOLS = [Tool(name=name) for name in ("read_file", "run_tests", "memory_search", "own_tool")]
CODING = "Fix the failing test in the parser module"


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


def rows_of(page):
    return page.text.count("data-row")


def link(page, pattern):
    """Return the unescaped address of a link in a page."""
    return unescape(re.search(pattern, page.text)[1])


@pytest.fixture
async def tool_agent(layer, agent):
    """Return the agent after three coding turns. The last one called a tool that the plan had removed."""
    turns = (
        ("t/1", "claude-sonnet-5", ["read_file", "run_tests"]),
        ("t/2", "acme-70b", ["read_file"]),
        ("t/3", None, ["memory_search"]),
    )
    for turn_id, model, calls in turns:
        turn = Turn(agent_id=agent, session_id="s", text=CODING, turn_id=turn_id, tools=TOOLS, model=model)
        context = await layer.pre_turn(turn)
        calls = [ToolCall(name=name, result="ok") for name in calls]
        await layer.post_turn(context, Outcome(response="Done.", tool_calls=calls))
    return agent


async def test_heat_map_cell_links_to_the_turns_it_counts(pages, tool_agent):
    page = await pages.get(of(tool_agent, "catalog"))

    assert page.status_code == 200
    cell = re.search(r'<a class="cell h5" href="([^"]*tool=read_file[^"]*category=coding[^"]*)"[^>]*>(\d+)<', page.text)
    assert cell[2] == "2"
    assert rows_of(await pages.get(unescape(cell[1]))) == 2


async def test_heat_map_counts_no_turn_of_two_categories_twice(layer, pages, agent):
    turn = Turn(agent_id=agent, session_id="s", text="What is my insurance number?", tools=TOOLS, turn_id="t/1")
    context = await layer.pre_turn(turn)
    assert len(context.plan.categories) == 2
    await layer.post_turn(context, Outcome(response="AB-1.", tool_calls=[ToolCall(name="own_tool", result="ok")]))
    page = await pages.get(of(agent, "catalog"))

    table = re.search(r'<table class="heat">.*?</table>', page.text, re.DOTALL)[0]
    counted = re.findall(r'<a [^>]*href="([^"]*tool=own_tool[^"]*)"[^>]*>(\d+)<', table)
    assert len(counted) == 2
    for address, turns in counted:
        assert rows_of(await pages.get(unescape(address))) == int(turns)


async def test_call_of_a_removed_tool_is_listed_with_its_turn(pages, tool_agent):
    page = await pages.get(of(tool_agent, "catalog"))

    row = re.search(r'<tr><th scope="row" class="mono">memory_search</th>.*?</tr>', page.text, re.DOTALL)[0]
    cells = [re.sub(r"<[^>]+>|\s", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
    assert cells[:6] == ["coding", "3", "0", "1", "0", "33%"]
    assert "id=t%2F3" in row
    assert "<small>1 time</small>" in page.text
    assert "id=t%2F1" not in row


async def test_models_show_their_budgets_and_link_to_their_turns(pages, tool_agent):
    page = await pages.get(of(tool_agent, "catalog"))

    assert "<code>claude-sonnet</code>" in page.text
    assert '<span class="pill warn">default</span>' in page.text
    assert "not named" in page.text
    listed = await pages.get(link(page, r'href="(/ui/turns\?[^"]*model=acme-70b)"'))
    assert rows_of(listed) == 1
    assert "acme-70b" in listed.text


@pytest.mark.parametrize(("table", "column"), [("tools", "turns"), ("left-out", "removed"), ("models", "turns")])
async def test_tables_download_as_csv(pages, tool_agent, table, column):
    answer = await pages.get(of(tool_agent, f"catalog.csv?of={table}"))

    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-type"].startswith("text/csv")
    assert sum(float(row[column]) for row in rows) > 0


async def test_tool_and_model_names_are_escaped(layer, pages, agent):
    tools = [Tool(name="t"), Tool(name="<b>tool</b>")]
    turn = Turn(agent_id=agent, session_id="s", text=f"{CODING} {EVIL}", tools=tools, model="<b>model</b>")
    context = await layer.pre_turn(turn)
    await layer.post_turn(context, Outcome(tool_calls=[ToolCall(name="<b>tool</b>", result="ok")]))
    page = await pages.get(of(agent, "catalog"))

    assert "<b>tool" not in page.text
    assert "<b>model" not in page.text
    assert "&lt;b&gt;model" in page.text


async def test_page_of_an_agent_without_turns_explains_how_to_pass_tools(pages, agent):
    page = await pages.get(of(agent, "catalog"))

    assert "Turn(tools=" in page.text


@pytest.mark.parametrize(
    ("page", "status"), [("catalog?range=8y", 422), ("catalog.csv?of=x", 404), ("turns?tools_cut=maybe", 422)]
)
async def test_invalid_parameter_is_refused(pages, tool_agent, page, status):
    assert (await pages.get(of(tool_agent, page))).status_code == status


def model_usage(model, turns=1):
    return ModelUsage(model, turns, 0, 0, NOW)


def catalog_data(**changed):
    defaults = {"tools": [], "categories": [], "left_out": [], "left_looked": 0, "models": ModelUsageList((), 0, None)}
    return catalog.CatalogData(**defaults | changed)


def test_model_with_a_row_in_the_policy_is_known():
    models = ModelUsageList((model_usage("acme-70b", 4), model_usage("", 2)), 6, NOW)
    query = PageQuery("a", NOW)

    assert catalog.view(catalog_data(models=models), {}, query).unknown == 4
    own = {"acme-": ModelRow(input_tokens=50_000, output_tokens=1_000)}
    page = catalog.view(catalog_data(models=models), own, query)
    assert page.unknown == 0
    assert page.models[0].budget.input_tokens == 50_000
    assert [each.name for _, rows in page.tiers for each in rows if each.own] == ["acme-"]


def test_tool_used_by_several_categories_has_one_shaded_row():
    counts = {"coding/run": 9, "none/run": 1, "media/draw": 0}
    totals = [Total(value, RollupCounts(turns=turns)) for value, turns in counts.items()]
    page = catalog.view(
        catalog_data(tools=totals, categories=[Total("coding", RollupCounts(turns=18))]), {}, PageQuery("a", NOW)
    )

    assert [tool.name for tool in page.tools] == ["run", "draw"]
    assert [name for name, _ in page.columns] == ["coding", "none", "media"]
    assert [cell.shade for cell in page.tools[0].cells] == [5, 1, 0]
    assert page.tools[0].cells[0].share == 0.5
    assert page.tools[0].cells[1].link is None  # turns cannot be filtered by a missing category


def test_missed_and_needless_shares_count_removed_tools():
    shell = OmittedTool("coding", "shell", 8, 2, 1, 1, (("t1", "ada"),), (("t2", None),))
    left_out = [shell, OmittedTool("coding", "draw", 10, 0, 0)]
    page = catalog.view(catalog_data(left_out=left_out, left_looked=20), {}, PageQuery("a", NOW))

    assert (page.wanted, page.removed, page.needless_share) == (2, 20, 0.1)
    assert page.missed[0].share == 0.2
    assert page.missed[0].turns == (("t1", "/turn?agent=a&user=ada&id=t1"),)
