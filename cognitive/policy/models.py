"""Token limits of language models: input and output tokens, and bytes of tool definitions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from brain.input_model import InputModel
from cognitive.errors import InvalidInput, PolicyError

Tier = Literal["A", "B", "C"]


class ModelRow(InputModel):
    """Limits of one model, or of all models whose ids share a prefix."""

    input_tokens: Annotated[int, Field(ge=1)]
    """Input tokens that the model reads reliably, fewer than its advertised window."""

    output_tokens: Annotated[int, Field(ge=1)]
    """Maximum number of output tokens to request if structure matters."""

    catalog_bytes: Annotated[int, Field(ge=0)] = 0
    """Bytes of tool definitions that the model can carry; 0 sets no limit."""

    tier: Tier = "A"
    """Reliability of structured output with a large prompt, from A (best) to C."""

    refine: bool = False
    """Let a small model choose tools where their ranking is uncertain (`layer.refine_tools`)."""


def _row(tier: Tier, input_tokens: int, output_tokens: int, catalog_bytes: int = 0) -> ModelRow:
    return ModelRow(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        catalog_bytes=catalog_bytes,
        tier=tier,
        refine=tier == "C",  # a second call pays off only if the first is likely to fail
    )


DEFAULT = _row("C", 16_000, 1_500, 10_000)  # for an unknown model; a limit that is too low costs little

# Names are model ids without the provider, or prefixes of ids; the longest matching one counts. Input limits are about
# nine tenths of the advertised window, or lower if quality is known to drop earlier.
MODELS: Mapping[str, ModelRow] = MappingProxyType(
    {
        # A: structured output is reliable with any prompt
        "claude-": _row("A", 180_000, 4_000),
        "claude-opus": _row("A", 180_000, 8_000),
        "claude-sonnet": _row("A", 180_000, 8_000),
        "claude-haiku": _row("A", 180_000, 4_000),
        "gpt-4o": _row("A", 100_000, 4_000),
        "gpt-4.1": _row("A", 400_000, 8_000),
        "gpt-5": _row("A", 240_000, 8_000),
        "o1": _row("A", 100_000, 8_000),
        "o3": _row("A", 150_000, 8_000),
        "o4": _row("A", 150_000, 8_000),
        "gemini-2.5-pro": _row("A", 400_000, 8_000),
        "gemini-2.5-flash": _row("A", 400_000, 8_000),
        "gemini-3": _row("A", 400_000, 8_000),
        # B: structured output is reliable with a catalog of moderate size
        "gpt-4": _row("B", 7_000, 1_000, 12_000),  # the original model, with a window of 8,192 tokens
        "gpt-4-turbo": _row("B", 100_000, 4_000, 22_000),
        "gpt-4o-mini": _row("B", 100_000, 4_000, 22_000),
        "gpt-4.1-nano": _row("B", 100_000, 4_000, 22_000),
        "gpt-5-nano": _row("B", 200_000, 4_000, 22_000),
        "gpt-oss-120b": _row("B", 64_000, 4_000, 22_000),
        "gemini-2.0-flash": _row("B", 200_000, 4_000, 22_000),
        "gemini-2.5-flash-lite": _row("B", 200_000, 4_000, 22_000),
        "llama-3-70b": _row("B", 7_000, 1_000, 12_000),
        "llama-3.1-70b": _row("B", 32_000, 2_000, 22_000),
        "llama-3.1-405b": _row("B", 64_000, 2_000, 22_000),
        "llama-3.3-70b": _row("B", 32_000, 2_000, 22_000),
        "llama-4-maverick": _row("B", 64_000, 2_000, 22_000),
        "gemma-2-": _row("B", 7_000, 1_000, 12_000),
        "gemma-3-27b": _row("B", 32_000, 2_000, 22_000),
        "mistral-": _row("B", 32_000, 2_000, 22_000),
        "mixtral-": _row("B", 28_000, 2_000, 22_000),
        "deepseek-": _row("B", 56_000, 4_000, 22_000),
        "grok-": _row("B", 100_000, 4_000, 22_000),
        "glm-4.5": _row("B", 64_000, 4_000, 22_000),
        "glm-4.5-air": _row("B", 64_000, 2_000, 22_000),
        "glm-4.6": _row("B", 64_000, 4_000, 22_000),
        "kimi-k2": _row("B", 64_000, 4_000, 22_000),
        "qwen3-235b": _row("B", 64_000, 4_000, 22_000),
        # C: answers to large prompts may be empty or malformed
        "openrouter/free": _row("C", 24_000, 1_500, 10_000),
        "nemotron-": _row("C", 16_000, 1_500, 10_000),
        "glm-": _row("C", 16_000, 1_500, 10_000),
        "kimi-": _row("C", 16_000, 1_500, 10_000),
        "qwen-": _row("C", 16_000, 1_500, 10_000),
        "qwen2": _row("C", 16_000, 1_500, 10_000),
        "qwen3": _row("C", 16_000, 1_500, 10_000),
        "llama": _row("C", 16_000, 1_500, 10_000),
        "phi-": _row("C", 12_000, 1_500, 10_000),
        "gpt-3.5": _row("C", 14_000, 1_500, 10_000),
    }
)

POLICY = (
    "Unknown models fall back to Tier C ({input_tokens:,} tokens of input, {output_tokens:,} of output, "
    "{catalog_bytes:,} bytes of tools). Tier C compacts the catalog aggressively; Tier A sends full metadata."
)

_FREE = ":free"  # a shared, throttled endpoint, which fails with prompts that the model itself could read
_PROVIDER_ENDS = re.compile("[/:.]")  # "openrouter/anthropic/claude-...", "openai:gpt-4o", "us.anthropic.claude-..."


@dataclass(frozen=True, slots=True)
class ModelBudget:
    """The limits that apply to a model, with the same fields as `ModelRow`.

    `row` is the name of the matching row in the table of models (an id or a prefix), or None if the default limits
    apply.
    """

    model: str | None
    input_tokens: int
    output_tokens: int
    catalog_bytes: int
    tier: Tier
    refine: bool
    row: str | None = None


def budget_for(model: str | None, further: Mapping[str, ModelRow] | None = None) -> ModelBudget:
    """Return the limits of a language model by its id; an unknown id or None gets the default limits.

    `further` are the operator's rows, which replace built-in rows of the same name. The id may include a provider: the
    whole id is looked up first, then the id without the part before each "/", ":" or ".". In each lookup, the longest
    row name that the id begins with wins. A free model (":free") gets at most the default limits, unless a row names
    it.
    """
    model_id = (model or "").strip().casefold()
    rows = {**MODELS, **{name.casefold(): row for name, row in (further or {}).items()}}
    name = next((match for form in _lookup_forms(model_id) if (match := _longest_match(form, rows)) is not None), None)
    row = rows[name] if name is not None else DEFAULT
    if model_id.endswith(_FREE) and not (name or "").endswith("free"):
        row = _at_most(row, DEFAULT)
    return ModelBudget(model, **row.model_dump(), row=name)


def context_budgets(further: Mapping[str, ModelRow] | None = None) -> dict[str, Any]:
    """Return the limits of all models, built-in and `further`, and the default limits, as JSON-compatible data."""
    rows = {**MODELS, **(further or {})}
    return {
        "budgets": [{"model": name, **rows[name].model_dump()} for name in sorted(rows)],
        "default": DEFAULT.model_dump(),
        "policy": POLICY.format(**DEFAULT.model_dump()),
    }


def load(path: Path) -> dict[str, ModelRow]:
    """Read limits of models from a TOML file with one table for each model id or prefix.

    The keys of these tables are the fields of `ModelRow`.

    Raises:
        PolicyError: the file cannot be read, or a row is invalid; the message names the row.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PolicyError(f"cannot read the table of models {str(path)!r}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{str(path)!r} is not TOML: {error}") from error
    return {name: _parse_row(path, name, table) for name, table in tables.items()}


def _parse_row(path: Path, name: str, table: Any) -> ModelRow:
    if not name.strip():
        raise PolicyError(f"{str(path)!r}: a row without a name would match every model; name a model id or prefix")
    try:
        return ModelRow.model_validate(table)
    except InvalidInput as error:
        raise PolicyError(f"{str(path)!r}: row {name!r}: {error}") from error


def _lookup_forms(model_id: str) -> list[str]:
    return [model_id, *(model_id[match.end() :] for match in _PROVIDER_ENDS.finditer(model_id))]


def _longest_match(form: str, rows: Mapping[str, ModelRow]) -> str | None:
    return max((name for name in rows if form.startswith(name)), key=len, default=None)


def _at_most(row: ModelRow, bound: ModelRow) -> ModelRow:
    return ModelRow(
        input_tokens=min(row.input_tokens, bound.input_tokens),
        output_tokens=min(row.output_tokens, bound.output_tokens),
        catalog_bytes=min(row.catalog_bytes or bound.catalog_bytes, bound.catalog_bytes),
        tier=bound.tier,
        refine=bound.refine,
    )
