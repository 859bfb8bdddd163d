"""Labels of degradations with their remedies, and the tools that a turn removed, cut or called."""

from __future__ import annotations

import re
from html import unescape

import pytest

from brain.postgres.database import Database
from brain.users import Scope
from cognitive import CognitiveLayer, Outcome, Policy, Tool, ToolCall, Turn
from cognitive.dashboard.degradation_labels import DEGRADATION_LABELS, degradation_label
from cognitive.dashboard.tools_view import turn_tools
from cognitive.degradation import DEGRADATION_CODES, Degradation, part
from cognitive.server import assembly
from cognitive.telemetry.metrics import STAGES
from cognitive.tool import Trim
from tests.serving import inside


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


@pytest.fixture
async def degraded_agent(urls, sample_agent):
    """Return the agent with one turn that has every degradation."""
    database, codes = Database(urls.app), list(DEGRADATION_CODES)
    reasons = [Degradation(code, "no answer in time") for code in codes]
    sql = "UPDATE cognitive.turn SET degraded = $2, degraded_codes = $3 WHERE agent_id = $1 AND turn_id = 't/1'"
    await database.run(Scope(sample_agent), lambda c: c.execute(sql, sample_agent, reasons, codes))
    await database.close()
    return sample_agent


def test_every_degradation_has_a_label_with_meaning_and_remedy():
    assert set(DEGRADATION_LABELS) == set(STAGES) == {part(code) for code in DEGRADATION_CODES} - {"server"} | {"other"}
    assert all(
        sentence.endswith(".") for each in DEGRADATION_LABELS.values() for sentence in (each.meaning, each.remedy)
    )


def test_unknown_degradation_gets_the_general_label():
    assert degradation_label("reranker_late") == degradation_label("other") != degradation_label("memory_failed")


async def test_degraded_turn_shows_the_reason_and_the_remedy(pages, degraded_agent):
    page = unescape((await pages.get(of(degraded_agent, "turn?id=t/1"))).text)

    assert "embedding: no answer in time" in page
    assert DEGRADATION_LABELS["embedding"].remedy in page
    complete = (await pages.get(of(degraded_agent, "turn?id=t/2"))).text
    assert "Degraded." not in complete


async def test_degraded_turn_without_codes_shows_the_reason(pages, degraded_agent, urls):
    database = Database(urls.app)
    sql = "UPDATE cognitive.turn SET degraded_codes = DEFAULT WHERE agent_id = $1"
    await database.run(Scope(degraded_agent), lambda c: c.execute(sql, degraded_agent))
    await database.close()
    page = unescape((await pages.get(of(degraded_agent, "turn?id=t/1"))).text)

    assert "embedding: no answer in time" in page
    assert DEGRADATION_LABELS["embedding"].remedy in page


async def test_withheld_response_is_explained(urls, embedder, agent):
    def fail(text):
        raise ValueError(text)

    policy = Policy(deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, redact=fail) as layer:
        turn = Turn(agent_id=agent, session_id="s", text="Who has the key?", turn_id="t/9")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Ada has the key."))
        async with inside(layer, mounts=assembly.mounts(layer)) as pages:
            page = unescape((await pages.get(of(agent, "turn?id=t/9"))).text)

    assert "The answer was not stored, because the redactor failed" in page
    assert DEGRADATION_LABELS["redaction"].meaning in page
    assert "the key" not in page


def test_called_tool_that_was_removed_or_cut_is_marked():
    trim = Trim(8_000, 20_000, 7_900, ("examples", "1 of 3 tools by relevance"), ("mail",), ("meaning",), 0.2)
    view = turn_tools({"removed": ["web"]}, trim.as_json(), ["web", "mail", "read"])

    assert [(each.name, each.absent) for each in view.called] == [("web", "removed"), ("mail", "cut"), ("read", "")]
    assert (view.fitted.cut, view.fitted.cut_count, view.fitted.notes) == (("mail",), 1, ())


def test_uncertain_cut_lists_its_reasons():
    trim = Trim(8_000, 20_000, 7_900, cut=("mail",), low_confidence=True, gap="no tool seems to be for this", late=True)
    view = turn_tools({}, trim.as_json(), [])

    assert [each.split()[0] for each in view.fitted.notes] == ["There", "A", "No"]


def test_turn_without_tools_has_an_empty_view():
    assert turn_tools({}, {}, []).empty


async def test_turn_page_lists_removed_and_called_tools(pages, layer, sample_agent):
    tools = [Tool(name=name, description=name) for name in ("read_file", "send_email", "memory_search")]
    turn = Turn(agent_id=sample_agent, session_id="s", text="Fix the failing test", tools=tools, turn_id="t/3")
    context = await layer.pre_turn(turn)
    [removed_tool, *_] = context.plan.removed
    await layer.post_turn(context, Outcome(response="Done.", tool_calls=[ToolCall(name=removed_tool, result="ok")]))
    page = (await pages.get(of(sample_agent, "turn?id=t/3"))).text

    assert f'<span class="pill mono">{removed_tool}</span>' in page
    assert re.search(rf">{removed_tool}</a><span class=\"pill warn\">was removed</span>", page)
    assert "No tool was removed, cut or called." in (await pages.get(of(sample_agent, "turn?id=t/1"))).text
