"""What a turn had to do without, and what became of its tools: each is told with what to do, or by what it was cut."""

from __future__ import annotations

import re
from html import unescape

import pytest

from brain.postgres.database import Database
from cognitive import CognitiveLayer, Outcome, Policy, Tool, ToolCall, Turn
from cognitive.dashboard.degradation_labels import DEGRADATION_LABELS, degradation_label
from cognitive.dashboard.tools_view import turn_tools
from cognitive.degradation import DEGRADATION_CODES, Degradation, part
from cognitive.server import assembly
from cognitive.telemetry.metrics import STAGES
from cognitive.trace import Trim
from tests.serving import inside


def of(agent, page):
    return f"/ui/{page}{'&' if '?' in page else '?'}agent={agent}"


@pytest.fixture
async def lacking(urls, played):
    """The agent, one of whose turns lacked every part that there is."""
    database, codes = Database(urls.app), list(DEGRADATION_CODES)
    reasons = [Degradation(code, "no answer in time") for code in codes]
    sql = "UPDATE cognitive.turn SET degraded = $2, degraded_codes = $3 WHERE agent_id = $1 AND turn_id = 't/1'"
    await database.run(played, lambda c: c.execute(sql, played, reasons, codes))
    await database.close()
    return played


def test_every_part_that_a_turn_can_lack_says_what_it_meant_and_what_to_do():
    assert set(DEGRADATION_LABELS) == set(STAGES) == {part(code) for code in DEGRADATION_CODES} - {"server"} | {"other"}
    assert all(
        sentence.endswith(".") for each in DEGRADATION_LABELS.values() for sentence in (each.meaning, each.remedy)
    )


def test_a_part_that_has_no_row_is_told_as_others_are():
    assert degradation_label("reranker_late") == degradation_label("other") != degradation_label("memory_failed")


async def test_a_turn_says_what_it_lacked_and_what_to_do_about_it(pages, lacking):
    page = unescape((await pages.get(of(lacking, "turn?id=t/1"))).text)

    assert "embedding: no answer in time" in page
    assert DEGRADATION_LABELS["embedding"].remedy in page
    whole = (await pages.get(of(lacking, "turn?id=t/2"))).text
    assert "Degraded." not in whole


async def test_a_turn_that_was_recorded_without_codes_says_what_it_lacked(pages, lacking, urls):
    database = Database(urls.app)
    sql = "UPDATE cognitive.turn SET degraded_codes = DEFAULT WHERE agent_id = $1"
    await database.run(lacking, lambda c: c.execute(sql, lacking))
    await database.close()
    page = unescape((await pages.get(of(lacking, "turn?id=t/1"))).text)

    assert "embedding: no answer in time" in page
    assert DEGRADATION_LABELS["embedding"].remedy in page


async def test_a_response_that_was_withheld_is_told_to_be_so(urls, embedder, agent):
    def broken(text):
        raise ValueError(text)

    policy = Policy(deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, redact=broken) as layer:
        turn = Turn(agent_id=agent, session_id="s", text="Who has the key?", turn_id="t/9")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="Ada has the key."))
        async with inside(layer, mounts=assembly.mounts(layer)) as pages:
            page = unescape((await pages.get(of(agent, "turn?id=t/9"))).text)

    assert "The response was not stored, because the redactor failed" in page
    assert DEGRADATION_LABELS["redaction"].meaning in page
    assert "the key" not in page


def test_a_tool_that_was_called_though_it_was_left_out_says_how():
    trim = Trim(8_000, 20_000, 7_900, ("examples", "1 of 3 tools by relevance"), ("mail",), ("meaning",), 0.2)
    told = turn_tools({"removed": ["web"]}, trim.as_json(), ["web", "mail", "read"])

    assert [(each.name, each.absent) for each in told.called] == [("web", "removed"), ("mail", "cut"), ("read", "")]
    assert (told.fitted.cut, told.fitted.cut_count, told.fitted.notes) == (("mail",), 1, ())


def test_a_doubtful_cut_says_what_is_doubtful():
    trim = Trim(8_000, 20_000, 7_900, cut=("mail",), low_confidence=True, gap="no tool seems to be for this", late=True)
    told = turn_tools({}, trim.as_json(), [])

    assert [each.split()[0] for each in told.fitted.notes] == ["There", "A", "No"]


def test_of_a_turn_without_tools_there_is_nothing_to_tell():
    assert turn_tools({}, {}, []).empty


async def test_a_turn_tells_what_became_of_its_tools(pages, layer, played):
    offered = [Tool(name=name, description=name) for name in ("read_file", "send_email", "memory_search")]
    turn = Turn(agent_id=played, session_id="s", text="Fix the failing test", tools=offered, turn_id="t/3")
    context = await layer.pre_turn(turn)
    [gone, *_] = context.plan.removed
    await layer.post_turn(context, Outcome(response="Done.", tool_calls=[ToolCall(name=gone, result="ok")]))
    page = (await pages.get(of(played, "turn?id=t/3"))).text

    assert f'<span class="pill mono">{gone}</span>' in page
    assert re.search(rf">{gone}</a><span class=\"pill warn\">was removed</span>", page)
    assert "No tool was removed, cut or called." in (await pages.get(of(played, "turn?id=t/1"))).text
