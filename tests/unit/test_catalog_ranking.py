"""Relevance of tools: by shared words, by meaning and by past calls, with a confidence."""

from __future__ import annotations

import numpy as np
import pytest
from making import AT, beside, unit

from brain.past_turns import PastTurn
from cognitive.catalog.ranking import TOOLS_WITH_FULL_SCHEMA, ToolEvidence, ToolVectors, calls, rank
from cognitive.catalog.tool_variants import ToolCatalog
from cognitive.policy import Policy
from cognitive.tool import Tool

POLICY = Policy()
QUERY = unit(1, 0)
CATALOG = {
    "WeatherTool": "Forecasts rain and temperatures for any city.",
    "currencyConverter": "Converts euros into dollars.",
    "send_email": "Sends a message to an address.",
    "recipes": "Suggests dishes for dinner from what is in the fridge.",
    "article": "Writes a long text.",
}


def tools(**described) -> ToolCatalog:
    return ToolCatalog([Tool(name=name, description=text) for name, text in (described or CATALOG).items()])


def ranked(message="", vectors=None, described=None, **evidence):
    catalog = tools(**(described or {}))
    ranking = rank(catalog, ToolVectors.of(vectors or []), ToolEvidence(message, **evidence))
    return [catalog.tools[n].name for n in ranking.order], ranking


def turn(cosine, *called, n=1):
    return PastTurn(f"turn-{n}", AT, cosine, 0.0, (), called)


@pytest.mark.parametrize(
    ("message", "best"),
    [
        ("Will it be raining in Lisbon?", "WeatherTool"),  # by its stem
        ("what is the weather", "WeatherTool"),  # by a part of its name
        ("CURRENCY", "currencyConverter"),
        ("email Anna", "send_email"),
        ("What dish for dinner?", "recipes"),
    ],
)
def test_tool_is_found_by_words_stems_and_parts_of_its_name(message, best):
    names, ranking = ranked(message)
    assert names[0] == best
    assert ranking.by == ("words",)


def test_names_outweigh_descriptions_and_rare_words_common_ones():
    described = {"a": "Mails letters.", "letters": "Files things.", "c": "Files things.", "d": "Files things."}
    assert ranked("letters", described=described)[0][:2] == ["letters", "a"]
    assert ranked("files letters", described=described)[0][0] == "letters"


def test_short_word_does_not_match_inside_a_longer_word():
    assert ranked("art", described={"article": "Writes.", "gallery": "Shows art."})[0][0] == "gallery"


def test_scripts_without_spaces_are_matched():
    assert ranked("東京の天気は?", described={"mail": "メールを送る。", "tenki": "天気予報を調べる。"})[0][0] == "tenki"


def test_intent_keywords_and_superseded_names_count_like_a_name():
    pack = Tool(name="x1", intent_keywords=["blog post"])
    pipeline = Tool(name="x2", supersedes=["outline"])
    offered = [Tool(name="x3", description="A blog post or an outline."), pack, pipeline]
    for message, best in (("write a blog post", pack), ("an outline", pipeline)):
        ranking = rank(ToolCatalog(offered), None, ToolEvidence(message))
        assert offered[ranking.order[0]] is best


def test_tool_is_found_by_meaning_without_shared_words():
    vectors = [beside(0.1), beside(0.1), beside(0.6), beside(0.2), beside(0.1)]
    names, ranking = ranked("drop Anna a line", vectors, vector=QUERY)
    assert names[0] == "send_email"
    assert ranking.by == ("words", "meaning")
    assert ranking.confidence == pytest.approx(0.6)


def test_tool_without_a_vector_is_ranked_between_near_and_far_ones():
    vectors = [beside(0.6), beside(0.1), None, beside(0.2), beside(0.1)]
    names, _ = ranked("?", vectors, vector=QUERY)
    assert names.index("send_email") == 1
    assert ranked("?", [None] * 5, vector=QUERY)[1].by == ("words",)


def test_tools_called_in_similar_turns_rank_higher():
    past = (turn(0.9, "recipes"), turn(0.5, "send_email", n=2), turn(0.3, "article", n=3))
    names, ranking = ranked("the usual, please", past=past)
    assert names[:2] == ["recipes", "send_email"]
    assert ranking.by == ("words", "calls")
    assert calls(past) == {"recipes": 1.0, "send_email": pytest.approx(1 / 3)}


def test_one_call_in_a_similar_turn_outweighs_many_in_dissimilar_turns():
    past = (turn(0.8, "recipes"), *(turn(0.45, "article", n=n) for n in range(2, 30)))
    assert ranked("the usual, please", past=past)[0][0] == "recipes"


def test_always_included_tool_ranks_first_and_recent_tools_rank_high():
    assert ranked("again", recent=frozenset({"article"}))[0][0] == "article"
    names, _ = ranked("weather", recent=frozenset({"article"}), always=frozenset({"recipes"}))
    assert names[0] == "recipes"


def test_recent_irrelevant_tool_ranks_just_below_the_full_schemas():
    described = {f"weather_{n}": "Tells the weather." for n in range(20)} | {"article": "Writes."}
    vectors = [beside(0.6)] * 20 + [beside(0.1)]
    names, _ = ranked("weather", vectors, described, vector=QUERY, recent=frozenset({"article"}))
    assert names.index("article") == TOOLS_WITH_FULL_SCHEMA


def test_equal_tools_keep_their_order():
    names, ranking = ranked("")
    assert names == list(CATALOG)
    assert ranking.confidence == 0
    assert ranking.low


@pytest.mark.parametrize("message", ["a" * 100_000, "\n" * 1000, "word " * 20_000, "🦙", "((((", "\u0130"])
def test_any_message_ranks_every_tool(message):
    assert sorted(ranked(message)[0]) == sorted(CATALOG)


def test_negative_cosine_does_not_lower_a_tool():
    vectors = [np.array([-1, 0], dtype=np.float32)] * 5
    names, ranking = ranked("weather", vectors, vector=QUERY)
    assert names[0] == "WeatherTool"
    assert ranking.confidence == 0
