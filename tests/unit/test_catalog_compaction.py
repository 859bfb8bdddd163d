"""Compaction makes tools smaller, keeps valid schemas and constraints, and does not change its input."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schemas import PARAMETERS, TOOLS, complaints, nodes

from cognitive.catalog.compaction import MINIMAL_STEPS, STEPS, compact, few_words, first_sentence, forms, total
from cognitive.catalog.tool_variants import ToolVariants
from cognitive.errors import InvalidInput
from cognitive.tool import Tool

CONSTRAINTS = ("type", "enum", "const", "required", "$ref", "default", "additionalProperties")


def every_form(tool):
    return [json.loads(form) for form in forms(ToolVariants(tool).whole, (*STEPS, *MINIMAL_STEPS))]


def parameters(**properties):
    return {"type": "object", "properties": properties}


def size(value) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@given(PARAMETERS)
@settings(max_examples=50)
def test_generated_schemas_are_valid(schema):
    assert list(complaints(schema)) == []


@given(TOOLS)
@settings(max_examples=50)
def test_each_form_is_a_valid_tool_no_larger_than_the_form_before(tool):
    variants = forms(ToolVariants(tool).whole, (*STEPS, *MINIMAL_STEPS))
    assert [len(form) for form in variants] == sorted((len(form) for form in variants), reverse=True)
    for form in variants:
        sent = json.loads(form)
        assert size(sent) == len(form)
        assert list(complaints(sent["parameters"])) == []
        assert isinstance(sent["parameters"]["properties"], dict)  # providers require it
        assert isinstance(sent["description"], str)


@given(TOOLS)
@settings(max_examples=50)
def test_constraints_of_arguments_stay_in_every_form(tool):
    original = dict(nodes(ToolVariants(tool).value["parameters"]))
    for sent in every_form(tool):
        for path, node in nodes(sent["parameters"]):
            for keyword in CONSTRAINTS:
                if keyword == "additionalProperties" and isinstance(original[path].get(keyword), dict):
                    continue  # a schema with its own path
                assert node.get(keyword) == original[path].get(keyword)


@given(TOOLS)
@settings(max_examples=50)
def test_name_id_and_supersedes_stay_in_every_form(tool):
    for sent in every_form(tool):
        assert (sent["name"], sent.get("id"), tuple(sent.get("supersedes", ()))) == (
            tool.name,
            tool.id,
            tool.supersedes,
        )


@given(TOOLS)
@settings(max_examples=50)
def test_compaction_is_repeatable_and_does_not_change_its_input(tool):
    before = deepcopy(tool.model_dump())
    variants = every_form(tool)
    assert tool.model_dump() == before
    assert every_form(Tool(**before)) == variants


@given(TOOLS)
@settings(max_examples=50)
def test_step_that_does_not_concern_an_entry_changes_nothing(tool):
    written = ToolVariants(tool).whole
    for step in (*STEPS, *MINIMAL_STEPS):
        if not step.concerns(written):
            assert step.apply(json.loads(written)) == json.loads(written)


@given(TOOLS)
@settings(max_examples=50)
def test_steps_do_not_change_their_input(tool):
    entry = json.loads(ToolVariants(tool).whole)
    before = deepcopy(entry)
    for step in (*STEPS, *MINIMAL_STEPS):
        step.apply(entry)
        assert entry == before


@given(st.lists(TOOLS, max_size=4), st.integers(0, 3000))
@settings(max_examples=30)
def test_compaction_stops_at_the_first_level_that_fits(tools, limit):
    catalog = [ToolVariants(tool).forms for tool in tools]
    compacted = compact(catalog, limit)
    sent = [json.loads(each[compacted.level]) for each in catalog]
    assert compacted.bytes == size(sent)
    assert compacted.fits(limit) == (size(sent) <= limit)
    assert compacted.fits(limit) or compacted.level == len(STEPS)
    if compacted.level:
        assert total([len(each[compacted.level - 1]) for each in catalog]) > limit


@given(st.lists(TOOLS, max_size=4), st.integers(0, 3000), st.integers(0, 3000))
@settings(max_examples=30)
def test_smaller_limit_never_leaves_more_bytes(tools, one, other):
    catalog = [ToolVariants(tool).forms for tool in tools]
    assert compact(catalog, min(one, other)).bytes <= compact(catalog, max(one, other)).bytes


def test_steps_run_in_order_and_only_effective_ones_are_named():
    """The steps for packs and pipelines have the order of the seed; those for schemas follow."""
    drops = [step.drops for step in STEPS]
    assert drops[:5] == [
        "intent keywords",
        "typical use",
        "limitations",
        "bodies of pipeline steps",
        "schemas of inputs and outputs",
    ]
    pack = Tool(name="blog", intent_keywords=["write a blog"], limitations=["English only"])
    compacted = compact([ToolVariants(pack).forms], 10)
    assert compacted.dropped == ("intent keywords", "limitations")
    assert not compacted.fits(10)


def test_compacted_pipeline_keeps_step_names_and_field_names():
    steps = [{"name": "outline", "body": {"prompt": "Write." * 20}}, {"name": "draft", "body": "x" * 99}]
    inputs = parameters(brief={"type": "string", "description": "What to write about."})
    pipeline = Tool(name="article", steps=steps, inputs=inputs, supersedes=["blog"])
    sent = every_form(pipeline)[-1]
    assert sent["steps"] == {"count": 2, "names": ["outline", "draft"]}
    assert sent["inputs"] == ["brief"]
    assert sent["supersedes"] == ["blog"]


def test_properties_named_like_schema_keywords_stay():
    schema = parameters(
        title={"type": "string", "title": "Title"}, description={"type": "string"}, examples={"const": 1}
    )
    tool = Tool(name="file", parameters={**schema, "required": ["title", "description", "examples"], "title": "File"})
    sent = every_form(tool)[-1]["parameters"]
    assert sent["properties"] == {
        "title": {"type": "string"},
        "description": {"type": "string"},
        "examples": {"const": 1},
    }
    assert "title" not in sent


def test_schema_version_is_removed_but_not_a_property_of_that_name():
    version = "http://json-schema.org/draft-07/schema#"
    tool = Tool(name="file", parameters={"$schema": version, **parameters(**{"$schema": {"const": 1}})})
    assert compact([ToolVariants(tool).forms], 120).dropped == ("schema versions of parameters",)
    for step in STEPS[5:]:
        assert "$schema" in step.apply(ToolVariants(tool).value)["parameters"]["properties"]
    assert "$schema" not in json.loads(ToolVariants(tool).stripped)["parameters"]


def test_properties_in_unions_and_combinations_stay():
    inner = parameters(a={"type": "string"}, b={"type": "string"})
    tied = {**inner, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    tool = Tool(
        name="t", parameters={**parameters(x={"oneOf": [inner, {"not": inner}]}, y=tied), "required": ["x", "y"]}
    )
    assert every_form(tool)[-1]["parameters"] == tool.parameters


@pytest.mark.parametrize("reference", ["#/properties/a", "#anchor", "other.json#/$defs/A", "#/$defs/A/properties/b"])
def test_reference_outside_definitions_keeps_the_whole_schema(reference):
    schema = {**parameters(a={"type": "string"}, b={"$ref": reference}), "$defs": {"A": parameters(b={}), "B": {}}}
    tool = Tool(name="t", parameters=schema)
    assert every_form(tool)[-1]["parameters"] == schema


def test_only_definitions_without_references_are_dropped():
    defs = {"A": parameters(next={"$ref": "#/$defs/A"}), "B": {"type": "string"}}
    schema = {**parameters(a={"$ref": "#/$defs/A"}, b={"$ref": "#/$defs/B"}), "required": ["b"], "$defs": defs}
    sent = every_form(Tool(name="t", parameters=schema))[-1]["parameters"]
    assert sent["properties"] == {"b": {"$ref": "#/$defs/B"}}
    assert sent["$defs"] == {"B": {"type": "string"}}


def test_tool_without_parameters_gets_an_empty_object_schema():
    assert ToolVariants(Tool(name="now")).value["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Finds flights between two cities. Prices are in euros.", "Finds flights between two cities."),
        ("Searches e.g. for names of people. And more.", "Searches e.g. for names of people."),
        ("No end of this one", "No end of this one"),
        (
            "天気予報を調べて、指定された都市の気温と降水確率を返します。他の国も対応。",
            "天気予報を調べて、指定された都市の気温と降水確率を返します。",
        ),
        ("", ""),
    ],
)
def test_first_sentence_ends_at_a_real_sentence_end(text, first):
    assert first_sentence(text) == first


@given(st.text(max_size=200))
def test_few_words_returns_a_short_beginning_of_the_text(text):
    short = few_words(text)
    assert short == text or (len(short) <= 17 and text.startswith(short[:-1]) and short.endswith("…"))


def test_few_words_does_not_cut_inside_a_word():
    assert few_words("Provides fun and educational activities") == "Provides fun and…"
    assert few_words("Forecasts temperatures") == "Forecasts…"


@pytest.mark.parametrize("value", [object(), "a\ud800"])
def test_value_that_json_cannot_hold_is_refused_with_its_field(value):
    with pytest.raises(InvalidInput, match="parameters"):
        Tool(name="t", parameters=parameters(a={"default": value}))


def test_deep_schema_is_compacted_and_a_too_deep_one_is_refused():
    def deep(levels):
        schema = {"type": "string"}
        for _ in range(levels):
            schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
        return schema

    assert len(every_form(Tool(name="t", parameters=deep(90)))) == len(STEPS) + len(MINIMAL_STEPS) + 1
    with pytest.raises(InvalidInput, match="parameters"):
        Tool(name="t", parameters=deep(1000))
