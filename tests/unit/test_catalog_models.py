"""Model budgets: any notation of an id finds its row, unknown models get the default, files extend the table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.errors import InvalidInput, PolicyError
from cognitive.policy.models import DEFAULT, MODELS, ModelRow, budget_for, context_budgets, load

ROW = ModelRow(input_tokens=9_000, output_tokens=900, catalog_bytes=5_000, tier="B")


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("claude-opus-4-1-20250805", "claude-opus"),
        (" Claude-Opus-4-1 ", "claude-opus"),
        ("anthropic/claude-haiku-4-5", "claude-haiku"),
        ("openrouter/anthropic/claude-sonnet-4", "claude-sonnet"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet"),
        ("claude-3-5-sonnet@20240620", "claude-"),
        ("openai:gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-5.1", "gpt-5"),
        ("meta-llama/llama-3.3-70b-instruct", "llama-3.3-70b"),
        ("meta-llama/llama-3.2-3b-instruct", "llama"),
        ("qwen/qwen3-235b-a22b", "qwen3-235b"),
        ("z-ai/glm-4.5-air", "glm-4.5-air"),
        ("openrouter/openrouter/free", "openrouter/free"),
    ],
)
def test_model_id_in_any_notation_finds_its_row(model, row):
    budget = budget_for(model)
    assert (budget.row, budget.model) == (row, model)
    assert budget.input_tokens == MODELS[row].input_tokens


@pytest.mark.parametrize("model", [None, "", "  ", "example/unknown-small-model", "🦙", "gpt", "x" * 1000])
def test_unknown_model_gets_the_default_budget(model):
    budget = budget_for(model)
    assert budget.row is None
    assert (budget.tier, budget.input_tokens, budget.output_tokens, budget.catalog_bytes) == (
        "C",
        16_000,
        1_500,
        10_000,
    )


@pytest.mark.parametrize("model", ["openrouter/z-ai/glm-4.5-air:free", "anthropic/claude-opus-4:free"])
def test_free_model_gets_at_most_the_default_budget(model):
    budget = budget_for(model)
    assert (budget.tier, budget.catalog_bytes, budget.refine) == ("C", DEFAULT.catalog_bytes, True)
    assert budget.input_tokens <= DEFAULT.input_tokens


def test_only_tier_a_models_have_no_catalog_limit():
    for name, row in MODELS.items():
        assert (row.catalog_bytes == 0) == (row.tier == "A"), name


@given(st.text())
def test_any_model_id_gets_a_budget(model):
    assert budget_for(model).input_tokens > 0


def test_operator_row_with_a_matching_provider_has_precedence():
    further = {"Acme/claude-": ROW}
    assert budget_for("acme/claude-opus-4", further).input_tokens == 9_000
    assert budget_for("anthropic/claude-opus-4", further).row == "claude-opus"
    assert budget_for("gpt-4o", {"gpt-4o": ROW}).input_tokens == 9_000
    assert budget_for("acme/tiny:free", {"acme/tiny:free": ROW}).input_tokens == 9_000


def test_rows_are_read_from_a_file(tmp_path):
    path = tmp_path / "models.toml"
    path.write_text('["acme/tiny"]\ninput_tokens = 4000\noutput_tokens = 500\ncatalog_bytes = 3000\ntier = "C"\n')
    assert budget_for("acme/tiny-v2", load(path)).catalog_bytes == 3000


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('["acme/tiny"]\ninput_tokens = -1\noutput_tokens = 500', r"acme/tiny.*input_tokens"),
        ('["acme/tiny"]\ninput_tokens = 10\noutput_tokens = 500\ntier = "D"', r"acme/tiny.*tier"),
        ('["acme/tiny"]\ninput_tokens = 10\noutput_tokens = 500\nwindow = 1', r"acme/tiny.*window"),
        ('["acme/tiny"]\ninput_tokens = 10', r"acme/tiny.*output_tokens"),
        ('tiny = "C"', "tiny"),
        ('[" "]\ninput_tokens = 10\noutput_tokens = 500', "without a name"),
        ("= broken", "not TOML"),
    ],
)
def test_invalid_row_in_a_file_raises_an_error_that_names_it(tmp_path, text, named):
    path = tmp_path / "models.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=f"(?s)models.toml.*{named}"):
        load(path)
    with pytest.raises(PolicyError, match="no-such"):
        load(tmp_path / "no-such.toml")


def test_context_budgets_list_the_rows_and_the_default_rule():
    table = context_budgets({"acme/tiny": ROW})
    assert json.loads(json.dumps(table)) == table
    rows = {row["model"]: row for row in table["budgets"]}
    assert rows["acme/tiny"]["catalog_bytes"] == 5_000
    assert {"input_tokens", "output_tokens", "tier"} < rows["claude-haiku"].keys()
    assert "16,000" in table["policy"]
    assert "Tier C" in table["policy"]


def test_negative_catalog_limit_is_refused():
    with pytest.raises(InvalidInput, match="catalog_bytes"):
        ModelRow(input_tokens=1, output_tokens=1, catalog_bytes=-1)
