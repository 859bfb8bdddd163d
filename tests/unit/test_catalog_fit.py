"""The ranked cut: it happens only if compaction is not enough, stays within the bytes and accounts for every tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schemas import TOOLS, complaints

from cognitive.catalog.compaction import STEPS
from cognitive.catalog.fit import cut_late, fit
from cognitive.catalog.ranking import TOOLS_WITH_FULL_SCHEMA, ToolRanking
from cognitive.catalog.tool_variants import ToolCatalog, ToolVariants
from cognitive.policy import Policy
from cognitive.tool import Tool

POLICY = Policy()
CATALOGS = st.lists(TOOLS, min_size=1, max_size=8).map(
    lambda tools: [tool.model_copy(update={"name": f"{tool.name}{n}"}) for n, tool in enumerate(tools)]
)


def size(tools) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


def plain(count: int, *, optional: int = 2, description: str = "Tells what is known of the thing that is asked for."):
    properties = {f"option_{n}": {"type": "string", "description": "Said of it."} for n in range(optional)}
    parameters = {"type": "object", "properties": {"query": {"type": "string"}, **properties}, "required": ["query"]}
    return [Tool(name=f"tool_{n}", description=description, parameters=parameters) for n in range(count)]


def fitted(tools, limit, order=None, confidence=1.0, by=("words", "meaning"), **options):
    ranking = ToolRanking(tuple(order if order is not None else range(len(tools))), by, confidence)
    return fit(ToolCatalog(tools), "some/model", limit, lambda: ranking, **options)


def never():
    raise AssertionError("ranking was not needed")


@given(CATALOGS, st.integers(1, 4000), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_fitted_catalog_accounts_for_every_tool_and_reports_if_it_fits(tools, limit, random):
    order = random.sample(range(len(tools)), len(tools))
    offer = fitted(tools, limit, order)
    sent = [dict(tool) for tool in offer.tools]
    names = [tool.name for tool in tools]
    assert [tool["name"] for tool in sent] == [name for name in names if name in {tool["name"] for tool in sent}]
    for tool in sent:
        assert list(complaints(tool["parameters"])) == []
    if offer.trim is None:
        assert size(sent) <= limit
        return
    assert offer.trim.before_bytes == size([dict(tool.value) for tool in map(ToolVariants, tools)])
    assert offer.trim.after_bytes == size(sent) < offer.trim.before_bytes
    assert offer.trim.fits == (size(sent) <= limit)
    assert sorted([*offer.trim.cut, *(tool["name"] for tool in sent)]) == sorted(names)
    assert list(offer.trim.cut) == [names[n] for n in order if names[n] in offer.trim.cut]
    if not offer.trim.fits:
        assert len(sent) == 1


@given(CATALOGS, st.integers(1, 4000), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_late_cut_accounts_for_every_tool_and_keeps_names_and_ids(tools, limit, random):
    order = tuple(random.sample(range(len(tools)), len(tools)))
    offer = cut_late(ToolCatalog(tools), "some/model", limit, ToolRanking(order, ("names",), 0.0))
    sent = [dict(tool) for tool in offer.tools]
    originals = {tool.name: tool for tool in tools}
    for tool in sent:
        assert list(complaints(tool["parameters"])) == []
        whole = originals[tool["name"]]
        assert (tool.get("id"), tuple(tool.get("supersedes", ()))) == (whole.id, whole.supersedes)
    assert offer.trim.after_bytes == size(sent) <= offer.trim.before_bytes
    assert offer.trim.fits or len(sent) == 1
    assert sorted([*offer.trim.cut, *(tool["name"] for tool in sent)]) == sorted(originals)


def test_catalog_that_fits_is_unchanged_and_not_ranked():
    tools = plain(3)
    for limit in (0, 100_000):
        offer = fit(ToolCatalog(tools), "some/model", limit, never, POLICY)
        assert offer.trim is None
        assert [dict(tool) for tool in offer.tools] == [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools
        ]
    assert fit(ToolCatalog([]), "some/model", 10, never, POLICY).tools == ()


def test_sufficient_compaction_ranks_and_cuts_nothing():
    tools = plain(20, description="Finds it. " + "And says so at length. " * 10)
    offer = fit(ToolCatalog(tools), "some/model", 5000, never, POLICY)
    assert len(offer.tools) == 20
    assert offer.trim.after_bytes <= 5000 < offer.trim.before_bytes
    assert offer.trim.cut == offer.trim.ranked_by == ()
    assert "descriptions beyond the first sentence" in offer.trim.dropped


def test_most_relevant_tools_keep_their_optional_parameters():
    tools = plain(60)
    order = [*range(30, 60), *range(30)]
    offer = fitted(tools, 5000, order)
    rich = [tool.name for tool in offer.tools if "option_0" in tool.parameters["properties"]]
    assert rich == [f"tool_{n}" for n in range(30, 30 + TOOLS_WITH_FULL_SCHEMA)]
    assert all("query" in tool.parameters["properties"] for tool in offer.tools)  # required parameters stay
    assert offer.trim.cut[-1] == "tool_29"
    assert len(offer.tools) + len(offer.trim.cut) == 60
    assert offer.trim.dropped[-1] == f"{len(offer.trim.cut)} of 60 tools by relevance"
    assert len(fitted(tools, 5000, order, full=0).tools) > len(offer.tools)


def test_least_relevant_tools_lose_parameters_first():
    tools = plain(10)
    compacted = size([json.loads(ToolVariants(tool).forms[-1]) for tool in tools])
    offer = fitted(tools, compacted - 1, order=range(9, -1, -1))
    spared = [tool.name for tool in offer.tools if "option_0" not in tool.parameters["properties"]]
    assert spared == ["tool_0"]
    assert offer.trim.cut == ()
    assert not offer.trim.low_confidence


def test_too_large_tool_is_cut_and_smaller_tools_behind_it_stay():
    large = {"type": "object", "properties": {"x": {"enum": ["long"] * 500}}, "required": ["x"]}
    tools = [*plain(1), Tool(name="large", parameters=large), *plain(3)[1:]]
    offer = fitted(tools, 700)
    assert offer.trim.cut == ("large",)
    assert offer.trim.fits


def test_single_too_large_tool_is_sent_and_reported_as_not_fitting():
    large = {"type": "object", "properties": {"x": {"enum": ["long"] * 500}}, "required": ["x"], "title": "X"}
    offer = fitted([Tool(name="large", parameters=large)], 600)
    assert [tool.name for tool in offer.tools] == ["large"]
    assert not offer.trim.fits


def test_cut_reports_low_confidence_and_a_gap_without_evidence():
    tools = plain(60)
    assert not fitted(tools, 3000, confidence=0.5).trim.low_confidence
    weak = fitted(tools, 3000, confidence=0.3).trim
    assert weak.low_confidence
    assert weak.gap is None
    none = fitted(tools, 3000, order=[7, *(n for n in range(60) if n != 7)], confidence=0.1).trim
    assert none.low_confidence
    assert "'tool_7'" in none.gap
    assert "0.10" in none.gap
    assert fitted(tools, 3000, confidence=0.1, by=("words",)).trim.gap is None
    assert fitted(tools, 3000, confidence=0.0, by=("words",)).trim.gap is not None


def test_stored_trim_record_is_bounded():
    trim = fitted(plain(5000), 3000).trim
    stored = trim.as_json()
    assert stored["cut_count"] == len(trim.cut) > 4900
    assert len(stored["cut"]) == 50
    assert len(json.dumps(stored)) < 3000
    assert 0.9 < trim.share < 1


def test_large_catalog_is_cut_without_compacting_the_tools_cut():
    catalog = ToolCatalog([tool.model_copy(update={"description": f"Of {n}."}) for n, tool in enumerate(plain(2000))])
    ranking = ToolRanking(tuple(range(2000)), ("words",), 1.0)
    offer = fit(catalog, "some/model", 3000, lambda: ranking)
    compacted = [n for n, tool in enumerate(catalog.variants) if "forms" in vars(tool)]
    assert len(compacted) < len(offer.tools) + 100


def test_sent_tool_is_an_independent_dict():
    tools = plain(30)
    before = [tool.model_dump() for tool in tools]
    offer = fitted(tools, 3000)
    for tool in offer.tools:
        tool["parameters"]["properties"].clear()
    assert [tool.model_dump() for tool in tools] == before
    assert fitted(tools, 3000).tools[0].parameters["properties"]
    assert json.loads(json.dumps(offer.tools[0])) == dict(offer.tools[0])


@pytest.mark.parametrize("limit", [500, 5000])
def test_same_tools_give_the_same_bytes(limit):
    assert json.dumps(fitted(plain(30), limit).tools) == json.dumps(fitted(plain(30), limit).tools)
    assert len(STEPS) == len(ToolVariants(plain(1)[0]).forms) - 1
